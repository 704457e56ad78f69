//! `-o yaml`.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_saphyr::{DoubleQuoted, ser_options};

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

pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut text = text(value)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.chars().any(must_be_escaped) {
        return out.write_all(text.as_bytes());
    }
    // YAML permits characters that a reader must not see as they are, but only double quotes have escapes.
    let json = serde_json::to_string(value)?;
    let quoted = self::text(&serde_json::from_str::<Node>(&json)?)?;
    let mut text = String::with_capacity(quoted.len());
    for character in quoted.chars() {
        if must_be_escaped(character) {
            // Writing to a string does not fail.
            let _ = write!(text, "\\U{:08X}", u32::from(character));
        } else {
            text.push(character);
        }
    }
    out.write_all(text.as_bytes())
}

fn text(value: &impl Serialize) -> io::Result<String> {
    // A message on one line is found by grep; folded, it is not.
    let options = ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)
}

fn must_be_escaped(character: char) -> bool {
    character != '\n' && is_unsafe(character)
}

/// A value whose members keep their order, and whose texts are quoted where they have to be.
enum Node {
    Plain(serde_json::Value),
    Text(String),
    List(Vec<Node>),
    Members(Vec<(String, Node)>),
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Plain(value) => value.serialize(serializer),
            Node::Text(text) if text.chars().any(is_unsafe) => {
                DoubleQuoted(text).serialize(serializer)
            }
            Node::Text(text) => text.serialize(serializer),
            Node::List(items) => items.serialize(serializer),
            Node::Members(members) => serializer.collect_map(
                members
                    .iter()
                    .map(|(key, value)| (Key(key.as_str()), value)),
            ),
        }
    }
}

/// The name of a member.
struct Key<'n>(&'n str);

impl Serialize for Key<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.chars().any(is_unsafe) {
            DoubleQuoted(self.0).serialize(serializer)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Plain(serde_json::Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Plain(value.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(member) = members.next_entry()? {
            list.push(member);
        }
        Ok(Node::Members(list))
    }
}
