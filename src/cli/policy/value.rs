//! Values of a policy that are written as their flags have them.

use std::fmt;
use std::marker::PhantomData;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use crate::cli::assumptions::{Assumed, ReadyAfter, parse_assumption, parse_ready_after};
use crate::cli::duration::parse_duration;
use crate::cli::fail_on::FailOn;
use sts_controller::version::{Version, VersionError};
use sts_plan::lint::Silence;
use sts_plan::requirement::{Requirement, RequirementError};

/// A value that is a text in the file.
#[derive(Debug)]
pub(super) struct Parsed<T>(pub(super) T);

/// A duration.
#[derive(Debug)]
pub(super) struct Duration(pub(super) SignedDuration);

/// How a text becomes a value.
pub(super) trait FromText: Sized {
    fn from_text(text: &str) -> Result<Self, String>;
}

/// Values in a list, or one by itself.
#[derive(Debug)]
pub(super) struct Listed<T>(pub(super) Vec<T>);

/// How [`Listed`] is written, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

impl<'de, T: FromText> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListedVisitor(PhantomData))
    }
}

struct ListedVisitor<T>(PhantomData<T>);

impl<'de, T: FromText> Visitor<'de> for ListedVisitor<T> {
    type Value = Listed<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text or a list of texts")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Listed<T>, E> {
        let value = T::from_text(text).map_err(E::custom)?;
        Ok(Listed(vec![value]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Listed<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(Parsed(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Listed(values))
    }
}

impl<'de, T: FromText> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_text(&text).map(Parsed).map_err(D::Error::custom)
    }
}

impl FromText for FailOn {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl FromText for Silence {
    fn from_text(text: &str) -> Result<Self, String> {
        Silence::parse(text)
    }
}

impl FromText for Requirement {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|error: RequirementError| error.to_string())
    }
}

impl FromText for Version {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|error: VersionError| error.to_string())
    }
}

impl FromText for ReadyAfter {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_ready_after(text)
    }
}

impl FromText for Duration {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Duration)
    }
}

impl FromText for (String, Assumed) {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_assumption(text)
    }
}
