//! The fields that keys turn, as flags give them.

use std::collections::BTreeMap;

use serde_json::Value;

use sts_plan::report::ReportSet;

/// The most replicas that the keys go to.
const MOST: i32 = 20_000;
/// Percentage points that a key adds or subtracts.
const PERCENT: i32 = 5;
/// The update strategies that the keys go through.
const STRATEGIES: [&str; 2] = ["RollingUpdate", "OnDelete"];

/// A field that can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// `spec.replicas`.
    Replicas,
    /// The partition of the rolling update.
    Partition,
    /// `maxUnavailable` of the rolling update.
    MaxUnavailable,
    /// The type of the update strategy.
    Strategy,
    /// The image of a container.
    Image,
}

impl Field {
    /// All of them, as they stand on the screen.
    pub(super) const ALL: [Field; 5] = [
        Field::Replicas,
        Field::Partition,
        Field::MaxUnavailable,
        Field::Strategy,
        Field::Image,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Field::Replicas => "replicas",
            Field::Partition => "partition",
            Field::MaxUnavailable => "maxUnavailable",
            Field::Strategy => "strategy",
            Field::Image => "image",
        }
    }

    /// The key that chooses it.
    pub(super) fn key(self) -> char {
        match self {
            Field::Replicas => 'r',
            Field::Partition => 'p',
            Field::MaxUnavailable => 'u',
            Field::Strategy => 's',
            Field::Image => 'i',
        }
    }
}

/// The fields of a set, as the API server fills them in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFields {
    replicas: i32,
    partition: i32,
    max_unavailable: String,
    update_strategy: String,
    /// The containers with their images; init containers last.
    images: Vec<(String, String)>,
}

impl SetFields {
    /// The fields of a set with that pod template.
    #[must_use]
    pub fn new(set: &ReportSet, template: &Value) -> Self {
        let containers = ["containers", "initContainers"].into_iter();
        let containers = containers.filter_map(|list| template["spec"][list].as_array());
        let images = containers.flatten().map(|container| {
            let text = |key: &str| container[key].as_str().unwrap_or_default().to_owned();
            (text("name"), text("image"))
        });
        SetFields {
            replicas: set.replicas,
            partition: set.partition.unwrap_or(0),
            max_unavailable: set.max_unavailable.clone().unwrap_or("1".to_owned()),
            update_strategy: set.update_strategy.clone(),
            images: images.collect(),
        }
    }

    /// The value of a field; of an image, that of the container.
    pub(super) fn value(&self, field: Field, container: &str) -> String {
        match field {
            Field::Replicas => self.replicas.to_string(),
            Field::Partition => self.partition.to_string(),
            Field::MaxUnavailable => self.max_unavailable.clone(),
            Field::Strategy => self.update_strategy.clone(),
            Field::Image => {
                let mut images = self.images.iter();
                let found = images.find(|(name, _)| name == container);
                found.map_or_else(String::new, |(_, image)| image.clone())
            }
        }
    }

    /// The names of the containers.
    #[must_use]
    pub fn containers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.images.iter().map(|(name, _)| name.as_str())
    }
}

/// The fields of one stage as flags give them; none where the flag is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// `--replicas`.
    pub replicas: Option<i32>,
    /// `--partition`.
    pub partition: Option<i32>,
    /// `--max-unavailable`.
    pub max_unavailable: Option<String>,
    /// `--update-strategy`.
    pub update_strategy: Option<String>,
    /// `--image`, by the container.
    pub images: BTreeMap<String, String>,
}

impl Fields {
    /// The flags with their values.
    pub(super) fn words(&self) -> Vec<String> {
        let number = |value: Option<i32>| value.map(|it| it.to_string());
        let single = [
            ("--replicas", number(self.replicas)),
            ("--partition", number(self.partition)),
            ("--max-unavailable", self.max_unavailable.clone()),
            ("--update-strategy", self.update_strategy.clone()),
        ];
        let single = single
            .into_iter()
            .filter_map(|(flag, value)| Some((flag, value?)));
        let images = self.images.iter();
        let images = images.map(|(container, image)| ("--image", format!("{container}={image}")));
        let words = single.chain(images);
        words
            .flat_map(|(flag, value)| [flag.to_owned(), value])
            .collect()
    }

    /// The value of a flag, where it is given.
    pub(super) fn given(&self, field: Field, container: &str) -> Option<String> {
        match field {
            Field::Replicas => self.replicas.map(|it| it.to_string()),
            Field::Partition => self.partition.map(|it| it.to_string()),
            Field::MaxUnavailable => self.max_unavailable.clone(),
            Field::Strategy => self.update_strategy.clone(),
            Field::Image => self.images.get(container).cloned(),
        }
    }

    /// Turns a field. An image is typed instead.
    pub(super) fn turn(&mut self, field: Field, by: i32, before: &SetFields) {
        let now = self.given(field, "");
        let now = now.unwrap_or_else(|| before.value(field, ""));
        let next = match field {
            Field::Replicas | Field::Partition => {
                let now = now.parse::<i32>().unwrap_or(0);
                now.saturating_add(by).clamp(0, MOST).to_string()
            }
            Field::MaxUnavailable => turned(&now, by),
            Field::Strategy => {
                let at = STRATEGIES.iter().position(|it| *it == now);
                STRATEGIES[at.map_or(0, |at| (at + 1) % STRATEGIES.len())].to_owned()
            }
            Field::Image => return,
        };
        self.put(field, "", Some(next), before);
    }

    /// Gives a field a value. Where it comes to what it was before, its flag is left out, as it is without a value.
    pub(super) fn put(
        &mut self,
        field: Field,
        container: &str,
        value: Option<String>,
        before: &SetFields,
    ) {
        let value = value.filter(|value| *value != before.value(field, container));
        let number = || value.as_deref().and_then(|value| value.parse().ok());
        match field {
            Field::Replicas => self.replicas = number(),
            Field::Partition => self.partition = number(),
            Field::MaxUnavailable => self.max_unavailable = value,
            Field::Strategy => self.update_strategy = value,
            Field::Image => {
                self.images.remove(container);
                let given = value.map(|image| (container.to_owned(), image));
                self.images.extend(given);
            }
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
