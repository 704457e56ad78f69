//! Policy values in the form of their flags.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::Date;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::cli::assumptions::{Assumed, parse_assumption};
use kubectl_config::parse_duration;
use sts_plan::lint::{Excuse, IgnoredBy, Suppressions};

/// A value written as a string.
#[derive(Debug)]
pub(in crate::cli) struct Parsed<T>(pub(in crate::cli) T);

#[derive(Debug)]
pub(in crate::cli) struct Duration(pub(in crate::cli) SignedDuration);

/// An assumption about a pod.
#[derive(Debug)]
pub(super) struct AssumedPod(pub(super) (String, Assumed));

/// A list, or a single value.
#[derive(Debug)]
pub(in crate::cli) struct Listed<T>(pub(in crate::cli) Vec<T>);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListedVisitor(PhantomData))
    }
}

struct ListedVisitor<T>(PhantomData<T>);

impl<'de, T: FromStr<Err: fmt::Display>> Visitor<'de> for ListedVisitor<T> {
    type Value = Listed<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string or a list of strings")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Listed<T>, E> {
        let value = text.parse().map_err(E::custom)?;
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

/// Ignored findings: words, or words with a reason and an expiry date.
#[derive(Debug)]
pub(super) struct Ignores(pub(super) Vec<Suppressions>);

/// Entry with a reason, as deserialized.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reasoned {
    id: String,
    reason: String,
    until: Option<String>,
}

/// One ignored finding.
struct Ignore(Suppressions);

impl<'de> Deserialize<'de> for Ignore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IgnoreVisitor)
    }
}

struct IgnoreVisitor;

impl<'de> Visitor<'de> for IgnoreVisitor {
    type Value = Ignore;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string, or a mapping of id, reason and until")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Ignore, E> {
        let silence = Suppressions::parse(text).map_err(E::custom)?;
        Ok(Ignore(silence.because(&Excuse {
            by: IgnoredBy::Policy,
            ..Excuse::default()
        })))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Ignore, A::Error> {
        let entry = Reasoned::deserialize(MapAccessDeserializer::new(map))?;
        if entry.reason.trim().is_empty() {
            return Err(A::Error::custom("empty reason: give a reason"));
        }
        let silence = Suppressions::parse(&entry.id).map_err(A::Error::custom)?;
        let until = entry.until.as_deref().map(day).transpose();
        Ok(Ignore(silence.because(&Excuse {
            by: IgnoredBy::Policy,
            reason: Some(entry.reason),
            until: until.map_err(A::Error::custom)?,
        })))
    }
}

fn day(text: &str) -> Result<Date, String> {
    let wrong = |_| format!("invalid date: {text:?}; use the form 2026-12-31");
    text.parse().map_err(wrong)
}

impl<'de> Deserialize<'de> for Ignores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IgnoresVisitor)
    }
}

struct IgnoresVisitor;

impl<'de> Visitor<'de> for IgnoresVisitor {
    type Value = Ignores;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string or a list")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Ignores, E> {
        let Ignore(silence) = IgnoreVisitor.visit_str(text)?;
        Ok(Ignores(vec![silence]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Ignores, A::Error> {
        let mut values = Vec::new();
        while let Some(Ignore(silence)) = items.next_element()? {
            values.push(silence);
        }
        Ok(Ignores(values))
    }
}

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Parsed).map_err(D::Error::custom)
    }
}

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Duration)
    }
}

impl FromStr for AssumedPod {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let assumed = parse_assumption(text)?;
        if !assumed.1.is_of_pod() {
            return Err(format!(
                "not an assumption about a pod: {text:?}; pass it with --assume"
            ));
        }
        Ok(AssumedPod(assumed))
    }
}
