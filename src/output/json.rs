//! `-o json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};

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

/// Writes a value on one line.
pub(super) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serialize(value, Layout::Compact(CompactFormatter), out)?;
    writeln!(out)
}

pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serialize(value, Layout::Pretty(PrettyFormatter::new()), out)?;
    writeln!(out)
}

/// A value as a tree.
///
/// # Errors
/// When a value within has no form in JSON.
pub fn tree(value: &impl Serialize) -> io::Result<Value> {
    Ok(serde_json::from_slice(&bytes(value)?)?)
}

/// A value as JSON on one line.
pub(super) fn bytes(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    serialize(value, Layout::Compact(CompactFormatter), &mut bytes)?;
    Ok(bytes)
}

/// The one place where reports are serialized: what they derive for it is compiled once for each serializer, and is large.
fn serialize(value: &impl Serialize, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, layout);
    value.serialize(&mut serializer)?;
    Ok(())
}

/// JSON that is safe to look at: JSON itself asks for no escapes beyond those of U+0000 to U+001F, but
/// terminals obey others, and JSON permits them all.
enum Layout {
    Compact(CompactFormatter),
    Pretty(PrettyFormatter<'static>),
}

impl Formatter for Layout {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_unsafe) {
            let (plain, tail) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            let mut characters = tail.chars();
            if let Some(character) = characters.next() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            rest = characters.as_str();
        }
        out.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.write_char_escape(out, escape),
            Layout::Pretty(layout) => layout.write_char_escape(out, escape),
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.begin_array(out),
            Layout::Pretty(layout) => layout.begin_array(out),
        }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.end_array(out),
            Layout::Pretty(layout) => layout.end_array(out),
        }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.begin_array_value(out, first),
            Layout::Pretty(layout) => layout.begin_array_value(out, first),
        }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.end_array_value(out),
            Layout::Pretty(layout) => layout.end_array_value(out),
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.begin_object(out),
            Layout::Pretty(layout) => layout.begin_object(out),
        }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.end_object(out),
            Layout::Pretty(layout) => layout.end_object(out),
        }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.begin_object_key(out, first),
            Layout::Pretty(layout) => layout.begin_object_key(out, first),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.begin_object_value(out),
            Layout::Pretty(layout) => layout.begin_object_value(out),
        }
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self {
            Layout::Compact(layout) => layout.end_object_value(out),
            Layout::Pretty(layout) => layout.end_object_value(out),
        }
    }
}
