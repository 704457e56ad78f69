//! `-o json`.

use std::io::{self, Write};

use serde::Serialize;
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
    let mut serializer = Serializer::with_formatter(&mut *out, Guarded(CompactFormatter));
    value.serialize(&mut serializer)?;
    writeln!(out)
}

pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Guarded(PrettyFormatter::new()));
    value.serialize(&mut serializer)?;
    writeln!(out)
}

/// JSON that is safe to look at: JSON itself asks for no escapes beyond those of U+0000 to U+001F, but
/// terminals obey others, and JSON permits them all.
struct Guarded<F>(F);

impl<F: Formatter> Formatter for Guarded<F> {
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
        self.0.write_char_escape(out, escape)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}
