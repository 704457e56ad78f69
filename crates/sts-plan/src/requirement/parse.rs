//! One requirement: a quantity, a comparison, a bound.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use sts_controller::simulate::World;

/// A requirement that must hold at every moment, such as `unavailable<=1`, `ready>=75%` or `quorum`.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    /// The quantity that is counted.
    pub quantity: Quantity,
    comparison: Comparison,
    bound: Bound,
}

/// A number that a quantity is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// That many.
    Number(i64),
    /// That percentage of `spec.replicas`.
    Percent(i64),
    /// More than half of `spec.replicas`, and none of a set without replicas.
    Majority,
}

/// The requirement of a majority of ready pods, in a word.
pub const QUORUM: &str = "quorum";

/// Returns the number of ready members that a set of that size needs for a quorum: more than half, and none where it has
/// no members.
#[must_use]
pub fn majority(replicas: i64) -> i64 {
    match replicas {
        ..=0 => 0,
        members => members / 2 + 1,
    }
}

/// A quantity that can be counted of a set's pods at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Pods that run, are ready, and are not being deleted.
    Ready,
    /// Those of them that have been ready for `minReadySeconds`.
    Available,
    /// `spec.replicas` without the available ones; never below zero.
    Unavailable,
    /// Pods that are being deleted.
    Terminating,
    /// Pods that exist, those being deleted included.
    Replicas,
    /// Pods of the update revision.
    Updated,
    /// Different revisions among the pods that exist.
    RevisionMix,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 7] = [
        Quantity::Ready,
        Quantity::Available,
        Quantity::Unavailable,
        Quantity::Terminating,
        Quantity::Replicas,
        Quantity::Updated,
        Quantity::RevisionMix,
    ];

    /// The quantity's name in a requirement.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Ready => "ready",
            Quantity::Available => "available",
            Quantity::Unavailable => "unavailable",
            Quantity::Terminating => "terminating",
            Quantity::Replicas => "replicas",
            Quantity::Updated => "updated",
            Quantity::RevisionMix => "revision-mix",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    AtLeast,
    Below,
    Above,
    Equal,
}

/// In the order in which they are looked for: the longer ones first.
const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("==", Comparison::Equal),
    ("<", Comparison::Below),
    (">", Comparison::Above),
];

/// The text is not a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequirementError {
    /// There is no comparison in it.
    #[error(
        "{0:?} compares nothing: write a requirement such as unavailable<=1, with <=, >=, ==, < or >, or quorum"
    )]
    NoComparison(String),
    /// It counts an unknown quantity.
    #[error("{0:?} is nothing that can be required: there are {known}", known = known())]
    UnknownQuantity(String),
    /// The bound is not a number.
    #[error("{0:?} is not a bound: write a number, or a percentage of the replicas such as 25%")]
    WrongBound(String),
}

impl Requirement {
    /// The signs that compare.
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
            // Revisions are not counted in replicas.
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
    /// Returns the comparison that a word stands for in a set of that size: `ready>=2` for `quorum` of three; `None` for
    /// a requirement that is a comparison itself.
    #[must_use]
    pub fn meaning(&self, replicas: i64) -> Option<String> {
        match self.bound {
            Bound::Majority => Some(format!("ready>={}", majority(replicas))),
            Bound::Number(_) | Bound::Percent(_) => None,
        }
    }

    /// Reports whether the requirement holds for that value of its quantity.
    #[must_use]
    pub fn holds(&self, value: i64, world: &World) -> bool {
        let replicas = i64::from(world.snapshot().set.replicas);
        let (value, bound) = match self.bound {
            Bound::Number(bound) => (value, bound),
            Bound::Percent(bound) => (value * 100, bound * replicas),
            Bound::Majority => (value, majority(replicas)),
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
    fn requirements_read_and_show_alike() {
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
    fn what_is_no_requirement_says_why() {
        for (text, part) in [
            ("", "compares nothing"),
            ("ready", "compares nothing"),
            ("ready=2", "compares nothing"),
            ("quorums", "or quorum"),
            ("ripe>=2", "there are ready, available"),
            ("ready>=two", "is not a bound"),
            ("ready>=-1", "is not a bound"),
            ("ready>=99999999999", "is not a bound"),
            ("revision-mix<=50%", "is not a bound"),
            ("ready<=>2", "is not a bound"),
        ] {
            let error = text.parse::<Requirement>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
