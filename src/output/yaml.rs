//! `-o yaml`.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Write};

use serde::de::{self, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Deserializer, Value};
use serde_saphyr::{DoubleQuoted, ser_options};

use super::json;
use super::style::is_unsafe;
use sts_plan::report::{ReportList, Verification, VerificationList};

/// Writes one plan, or a list of them.
pub(super) fn render(plans: ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    match plans.alone() {
        Some(report) => write(report, out),
        None => write(&plans, out),
    }
}

/// Writes one verification, or a list of them.
pub(super) fn verifications(found: &[Verification], out: &mut dyn Write) -> io::Result<()> {
    match found {
        [only] => write(only, out),
        several => write(&VerificationList::new(several), out),
    }
}

/// Writes a value by way of its JSON: what reports derive to be serialized is compiled for one serializer alone.
pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let json = json::bytes(value)?;
    print(&Read::from(&mut Deserializer::from_slice(&json)), out)
}

/// Writes an object as the item of a list.
pub(super) fn item(object: &Value, out: &mut dyn Write) -> io::Result<()> {
    print(&[Read::from(object)], out)
}

fn print(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // A message on one line is found by grep; folded, it is not.
    let options = ser_options! { prefer_block_scalars: false };
    let mut text =
        serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    // YAML permits characters that a reader must not see as they are, but only double quotes have escapes.
    let mut rest = text.as_str();
    while let Some(at) = rest.find(must_be_escaped) {
        let (plain, tail) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            write!(out, "\\U{:08X}", u32::from(character))?;
        }
        rest = characters.as_str();
    }
    out.write_all(rest.as_bytes())
}

fn must_be_escaped(character: char) -> bool {
    character != '\n' && is_unsafe(character)
}

/// A value that is written as it is read, without a tree of it: members keep their order, and texts are quoted where they
/// have to be. It can be written once.
struct Read<D>(Cell<Option<D>>);

impl<D> From<D> for Read<D> {
    fn from(source: D) -> Self {
        Self(Cell::new(Some(source)))
    }
}

impl<'de, D: de::Deserializer<'de>> Serialize for Read<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.take() {
            Some(source) => source
                .deserialize_any(Onward(serializer))
                .map_err(S::Error::custom),
            None => Err(S::Error::custom("it was written before")),
        }
    }
}

/// A text, be it the name of a member.
struct Text<'t>(&'t str);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.chars().any(is_unsafe) {
            DoubleQuoted(self.0).serialize(serializer)
        } else {
            serializer.serialize_str(self.0)
        }
    }
}

/// Hands what is read to a serializer.
struct Onward<S>(S);

impl<'de, S: Serializer> Visitor<'de> for Onward<S> {
    type Value = S::Ok;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<S::Ok, E> {
        self.0.serialize_unit().map_err(E::custom)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<S::Ok, E> {
        self.0.serialize_bool(value).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<S::Ok, E> {
        self.0.serialize_i64(value).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<S::Ok, E> {
        self.0.serialize_u64(value).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<S::Ok, E> {
        self.0.serialize_f64(value).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<S::Ok, E> {
        Text(text).serialize(self.0).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<S::Ok, A::Error> {
        let list = self.0.serialize_seq(items.size_hint());
        let mut list = list.map_err(A::Error::custom)?;
        while items.next_element_seed(Item(&mut list))?.is_some() {}
        list.end().map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<S::Ok, A::Error> {
        let map = self.0.serialize_map(members.size_hint());
        let mut map = map.map_err(A::Error::custom)?;
        while let Some(name) = members.next_key::<String>()? {
            map.serialize_key(&Text(&name)).map_err(A::Error::custom)?;
            members.next_value_seed(Member(&mut map))?;
        }
        map.end().map_err(A::Error::custom)
    }
}

/// Where the next item of a list goes.
struct Item<'s, S>(&'s mut S);

impl<'de, S: SerializeSeq> DeserializeSeed<'de> for Item<'_, S> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        let written = self.0.serialize_element(&Read::from(source));
        written.map_err(de::Error::custom)
    }
}

/// Where the value of a member goes.
struct Member<'s, S>(&'s mut S);

impl<'de, S: SerializeMap> DeserializeSeed<'de> for Member<'_, S> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        let written = self.0.serialize_value(&Read::from(source));
        written.map_err(de::Error::custom)
    }
}
