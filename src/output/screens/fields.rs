//! The fields that keys turn, as flags give them.

use sts_plan::explain::quoted;
use sts_plan::report::ReportSet;

/// The most replicas that the keys go to.
const MOST: i32 = 20_000;
/// Percentage points that a key adds or subtracts.
const PERCENT: i32 = 5;

/// A field that can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// `spec.replicas`.
    Replicas,
    /// The partition of the rolling update.
    Partition,
    /// `maxUnavailable` of the rolling update.
    MaxUnavailable,
}

impl Field {
    /// All of them, as they stand on the screen.
    pub(super) const ALL: [Field; 3] = [Field::Replicas, Field::Partition, Field::MaxUnavailable];

    pub(super) fn name(self) -> &'static str {
        match self {
            Field::Replicas => "replicas",
            Field::Partition => "partition",
            Field::MaxUnavailable => "maxUnavailable",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            Field::Replicas => "--replicas",
            Field::Partition => "--partition",
            Field::MaxUnavailable => "--max-unavailable",
        }
    }

    /// Its value in a set, as the API server fills it in.
    pub(super) fn stored(self, set: &ReportSet) -> String {
        match self {
            Field::Replicas => set.replicas.to_string(),
            Field::Partition => set.partition.unwrap_or(0).to_string(),
            Field::MaxUnavailable => set.max_unavailable.clone().unwrap_or("1".to_owned()),
        }
    }

    /// The key that chooses it.
    pub(super) fn key(self) -> char {
        match self {
            Field::Replicas => 'r',
            Field::Partition => 'p',
            Field::MaxUnavailable => 'u',
        }
    }
}

/// The fields as flags give them; none where the flag is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// `--replicas`.
    pub replicas: Option<i32>,
    /// `--partition`.
    pub partition: Option<i32>,
    /// `--max-unavailable`.
    pub max_unavailable: Option<String>,
}

impl Fields {
    /// The flags.
    pub(super) fn flags(&self) -> String {
        let given = Field::ALL.into_iter().filter_map(|field| {
            let value = self.given(field)?;
            Some(format!(" {} {}", field.flag(), quoted(&value)))
        });
        given.collect()
    }

    /// The value of a flag, where it is given.
    pub(super) fn given(&self, field: Field) -> Option<String> {
        match field {
            Field::Replicas => self.replicas.map(|it| it.to_string()),
            Field::Partition => self.partition.map(|it| it.to_string()),
            Field::MaxUnavailable => self.max_unavailable.clone(),
        }
    }

    /// Turns a field. Where it comes to what is stored, its flag is left out.
    pub(super) fn turn(&mut self, field: Field, by: i32, set: &ReportSet) {
        let stored = field.stored(set);
        let now = self.given(field).unwrap_or_else(|| stored.clone());
        let next = match field {
            Field::Replicas | Field::Partition => {
                let now = now.parse::<i32>().unwrap_or(0);
                now.saturating_add(by).clamp(0, MOST).to_string()
            }
            Field::MaxUnavailable => turned(&now, by),
        };
        let next = (next != stored).then_some(next);
        let number = || next.as_deref().and_then(|next| next.parse().ok());
        match field {
            Field::Replicas => self.replicas = number(),
            Field::Partition => self.partition = number(),
            Field::MaxUnavailable => self.max_unavailable = next,
        }
    }

    /// Leaves a flag out.
    pub(super) fn leave_out(&mut self, field: Field) {
        match field {
            Field::Replicas => self.replicas = None,
            Field::Partition => self.partition = None,
            Field::MaxUnavailable => self.max_unavailable = None,
        }
    }
}

/// A bound one up or down: pods one by one, percentages in fives.
fn turned(bound: &str, by: i32) -> String {
    match bound.strip_suffix('%').map(str::parse::<i32>) {
        Some(Ok(percent)) => {
            let next = percent.saturating_add(by.saturating_mul(PERCENT));
            format!("{}%", next.clamp(1, 100))
        }
        _ => {
            let now = bound.parse::<i32>().unwrap_or(1);
            now.saturating_add(by).clamp(1, MOST).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_turned_within_what_the_server_takes() {
        for (bound, by, next) in [
            ("1", 1, "2"),
            ("1", -1, "1"),
            ("25%", 1, "30%"),
            ("5%", -1, "1%"),
            ("100%", 1, "100%"),
            ("x%", 1, "2"),
        ] {
            assert_eq!(turned(bound, by), next);
        }
    }
}
