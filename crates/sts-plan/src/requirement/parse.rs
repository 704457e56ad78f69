//! Parsing of requirements: a quantity, a comparison and a bound.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use sts_controller::simulate::World;

/// A requirement that must hold at every moment, such as `unavailable<=1`, `ready>=75%` or `quorum`.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    /// Quantity to compare.
    pub quantity: Quantity,
    comparison: Comparison,
    bound: Bound,
}

/// The bound of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// A number of pods.
    Number(i64),
    /// A percentage of `spec.replicas`.
    Percent(i64),
    /// More than half of `spec.replicas`; 0 without replicas.
    Majority,
}

/// The name of the requirement of a majority of ready pods.
pub const QUORUM: &str = "quorum";

/// Returns the number of ready members that a quorum needs: more than half of the replicas, and 0 without replicas.
#[must_use]
pub fn majority(replicas: i64) -> i64 {
    match replicas {
        ..=0 => 0,
        members => members / 2 + 1,
    }
}

/// A count of a set's pods at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Quantity {
    /// Running and ready pods that are not terminating.
    Ready,
    /// Pods that have been ready for `minReadySeconds`.
    Available,
    /// `spec.replicas` minus the available pods; at least 0.
    Unavailable,
    /// Terminating pods.
    Terminating,
    /// All pods, including terminating ones.
    Replicas,
    /// Pods on the update revision.
    Updated,
    /// Number of different revisions of the pods.
    RevisionMix,
}

sts_controller::named!(Quantity);

impl Quantity {
    /// All quantities.
    pub const ALL: [Quantity; 7] = [
        Quantity::Ready,
        Quantity::Available,
        Quantity::Unavailable,
        Quantity::Terminating,
        Quantity::Replicas,
        Quantity::Updated,
        Quantity::RevisionMix,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    AtLeast,
    Below,
    Above,
    Equal,
}

/// Comparisons in search order: longer ones first.
const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("==", Comparison::Equal),
    ("<", Comparison::Below),
    (">", Comparison::Above),
];

/// An invalid requirement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequirementError {
    /// The comparison is missing.
    #[error("{0:?} has no comparison: use <=, >=, ==, < or >, as in unavailable<=1, or quorum")]
    NoComparison(String),
    /// The quantity is unknown.
    #[error("unknown quantity {0:?} (one of: {known})", known = known())]
    UnknownQuantity(String),
    /// The bound is not a number.
    #[error("invalid bound {0:?}: use a number, or a percentage of the replicas such as 25%")]
    WrongBound(String),
}

impl Requirement {
    /// Returns the comparison operators.
    pub fn signs() -> impl Iterator<Item = &'static str> {
        COMPARISONS.iter().map(|(sign, _)| *sign)
    }
}

fn known() -> String {
    Quantity::ALL.map(Quantity::name).join(", ")
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, RequirementError> {
        if text.trim() == QUORUM {
            return Ok(Requirement {
                quantity: Quantity::Ready,
                comparison: Comparison::AtLeast,
                bound: Bound::Majority,
            });
        }
        let found = COMPARISONS.iter().find_map(|(sign, comparison)| {
            let (quantity, bound) = text.split_once(sign)?;
            Some((quantity.trim(), *comparison, bound.trim()))
        });
        let (name, comparison, bound) =
            found.ok_or_else(|| RequirementError::NoComparison(text.to_owned()))?;
        let quantity = Quantity::ALL
            .into_iter()
            .find(|quantity| quantity.name() == name)
            .ok_or_else(|| RequirementError::UnknownQuantity(name.to_owned()))?;
        let (digits, percent) = match bound.strip_suffix('%') {
            // A percentage of revisions has no meaning.
            Some(digits) if quantity != Quantity::RevisionMix => (digits, true),
            _ => (bound, false),
        };
        let number = digits
            .parse::<u32>()
            .map_err(|_| RequirementError::WrongBound(bound.to_owned()))?;
        Ok(Requirement {
            quantity,
            comparison,
            bound: match percent {
                true => Bound::Percent(i64::from(number)),
                false => Bound::Number(i64::from(number)),
            },
        })
    }
}

impl Requirement {
    /// Returns the comparison that a keyword stands for: `ready>=2` for `quorum` with three members; `None` for a
    /// comparison.
    #[must_use]
    pub fn meaning(&self, voters: i64) -> Option<String> {
        match self.bound {
            Bound::Majority => Some(format!("ready>={}", majority(voters))),
            Bound::Number(_) | Bound::Percent(_) => None,
        }
    }

    /// Reports whether a value meets the requirement, in a world with this number of members that vote.
    #[must_use]
    pub fn holds(&self, value: i64, voters: i64, world: &World) -> bool {
        let replicas = i64::from(world.snapshot().set.replicas);
        let (value, bound) = match self.bound {
            Bound::Number(bound) => (value, bound),
            Bound::Percent(bound) => (value * 100, bound * replicas),
            Bound::Majority => (value, majority(voters)),
        };
        match self.comparison {
            Comparison::AtMost => value <= bound,
            Comparison::AtLeast => value >= bound,
            Comparison::Equal => value == bound,
            Comparison::Below => value < bound,
            Comparison::Above => value > bound,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = COMPARISONS
            .iter()
            .find(|(_, comparison)| *comparison == self.comparison)
            .map_or("", |(sign, _)| sign);
        let name = self.quantity.name();
        match self.bound {
            Bound::Number(bound) => write!(out, "{name}{sign}{bound}"),
            Bound::Percent(bound) => write!(out, "{name}{sign}{bound}%"),
            Bound::Majority => out.write_str(QUORUM),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_round_trip() {
        for text in [
            "unavailable<=1",
            "ready>=75%",
            "revision-mix<3",
            "terminating==0",
            "available>2",
            "replicas<=6",
            "updated>=0",
            "quorum",
        ] {
            assert_eq!(text.parse::<Requirement>().unwrap().to_string(), text);
        }
        assert_eq!(
            " ready >= 2 ".parse::<Requirement>().unwrap().to_string(),
            "ready>=2"
        );
    }

    #[test]
    fn a_quorum_is_more_than_half() {
        let members = [0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(members.map(majority), [0, 1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn invalid_requirements_name_the_reason() {
        for (text, part) in [
            ("", "has no comparison"),
            ("ready", "has no comparison"),
            ("ready=2", "has no comparison"),
            ("quorums", "or quorum"),
            ("ripe>=2", "one of: ready, available"),
            ("ready>=two", "invalid bound"),
            ("ready>=-1", "invalid bound"),
            ("ready>=99999999999", "invalid bound"),
            ("revision-mix<=50%", "invalid bound"),
            ("ready<=>2", "invalid bound"),
        ] {
            let error = text.parse::<Requirement>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
