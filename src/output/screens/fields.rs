//! The fields that keys change, as the equivalent flags.

use std::collections::BTreeMap;

use serde_json::Value;
use strum::{IntoStaticStr, VariantArray};

use sts_plan::report::ReportSet;

/// Maximum value of a number.
const MOST: i32 = 20_000;
/// Step of a percentage.
const PERCENT: i32 = 5;
/// The update strategies to cycle through.
const STRATEGIES: [&str; 2] = ["RollingUpdate", "OnDelete"];

/// An editable field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub(super) enum Field {
    Replicas,
    Partition,
    MaxUnavailable,
    Strategy,
    /// The image of a container.
    Image,
}

impl Field {
    /// All fields, in the order of the screen.
    pub(super) const ALL: &[Field] = Field::VARIANTS;

    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the key that selects the field.
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

/// The values of a set, with the defaults of the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFields {
    replicas: i32,
    partition: i32,
    max_unavailable: String,
    update_strategy: String,
    /// The images by container; init containers last.
    images: Vec<(String, String)>,
}

impl SetFields {
    /// Returns the values of a set with that pod template.
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

    /// Returns the value of a field; for an image, that of the container.
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

    /// Returns the names of the containers.
    pub fn containers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.images.iter().map(|(name, _)| name.as_str())
    }
}

/// The flags of one stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    pub replicas: Option<i32>,
    pub partition: Option<i32>,
    pub max_unavailable: Option<String>,
    pub update_strategy: Option<String>,
    /// `--image`, by container.
    pub images: BTreeMap<String, String>,
}

impl Fields {
    /// Returns the flags with their values.
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

    /// Returns the value of a flag, if set.
    pub(super) fn given(&self, field: Field, container: &str) -> Option<String> {
        match field {
            Field::Replicas => self.replicas.map(|it| it.to_string()),
            Field::Partition => self.partition.map(|it| it.to_string()),
            Field::MaxUnavailable => self.max_unavailable.clone(),
            Field::Strategy => self.update_strategy.clone(),
            Field::Image => self.images.get(container).cloned(),
        }
    }

    /// Changes a field by a step. An image has no steps.
    pub(super) fn step(&mut self, field: Field, by: i32, before: &SetFields) {
        let now = self.given(field, "");
        let now = now.unwrap_or_else(|| before.value(field, ""));
        let next = match field {
            Field::Replicas | Field::Partition => {
                let now = now.parse::<i32>().unwrap_or(0);
                now.saturating_add(by).clamp(0, MOST).to_string()
            }
            Field::MaxUnavailable => stepped(&now, by),
            Field::Strategy => {
                let at = STRATEGIES.iter().position(|it| *it == now);
                STRATEGIES[at.map_or(0, |at| (at + 1) % STRATEGIES.len())].to_owned()
            }
            Field::Image => return,
        };
        self.set(field, "", Some(next), before);
    }

    /// Sets a field. Without a value, or with the stored value, the flag is unset.
    pub(super) fn set(
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

/// Changes a bound by steps of one pod or five percent.
fn stepped(bound: &str, by: i32) -> String {
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
    fn bounds_stay_valid() {
        for (bound, by, next) in [
            ("1", 1, "2"),
            ("1", -1, "1"),
            ("25%", 1, "30%"),
            ("5%", -1, "1%"),
            ("100%", 1, "100%"),
            ("x%", 1, "2"),
        ] {
            assert_eq!(stepped(bound, by), next);
        }
    }
}
