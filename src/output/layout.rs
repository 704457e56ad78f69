//! The layouts of serialized output: JSON on one line, indented JSON, or YAML.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::style::is_unsafe;
use super::yaml::YamlFormatter;

/// A single value, which is written alone, or a list.
pub(super) enum OneOrList<'v, T, L> {
    One(&'v T),
    List(L),
}

impl<'v, T, L> OneOrList<'v, T, L> {
    /// Returns the only one of these values, or the list of them.
    pub(super) fn of(values: &'v [T], list: impl FnOnce(&'v [T]) -> L) -> Self {
        match values {
            [only] => OneOrList::One(only),
            several => OneOrList::List(list(several)),
        }
    }
}

impl<T: Serialize, L: Serialize> Serialize for OneOrList<'_, T, L> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OneOrList::One(one) => one.serialize(serializer),
            OneOrList::List(list) => list.serialize(serializer),
        }
    }
}

/// Writes a value as a document, to the end of its last line.
///
/// # Errors
/// When the writer fails, or a nested value has no JSON representation.
pub(super) fn document(
    value: &impl Serialize,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ends_its_lines = matches!(layout, Layout::Yaml(_));
    serialize(value, layout, out)?;
    if ends_its_lines {
        Ok(())
    } else {
        writeln!(out)
    }
}

/// Serializes a value. All reports go through here, since their derived code is large and is compiled for each serializer.
pub(super) fn serialize(
    value: &impl Serialize,
    layout: impl Formatter,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, layout);
    value.serialize(&mut serializer)?;
    Ok(())
}

/// A layout that is safe to print: it escapes every character that could control a terminal. JSON requires escapes of
/// U+0000 to U+001F only, but permits all others.
pub(super) enum Layout {
    Compact(CompactFormatter),
    Pretty(PrettyFormatter<'static>),
    Yaml(YamlFormatter),
}

impl Layout {
    pub(super) fn compact() -> Self {
        Layout::Compact(CompactFormatter)
    }

    pub(super) fn pretty() -> Self {
        Layout::Pretty(PrettyFormatter::new())
    }

    pub(super) fn yaml() -> Self {
        Layout::Yaml(YamlFormatter::default())
    }
}

/// Delegates each call to the selected layout.
macro_rules! by_layout {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)*) -> io::Result<()> {
            match self {
                Layout::Compact(layout) => layout.$name(out $(, $argument)*),
                Layout::Pretty(layout) => layout.$name(out $(, $argument)*),
                Layout::Yaml(layout) => layout.$name(out $(, $argument)*),
            }
        }
    )*};
}

impl Formatter for Layout {
    by_layout! {
        write_null();
        write_bool(value: bool);
        write_i8(value: i8);
        write_i16(value: i16);
        write_i32(value: i32);
        write_i64(value: i64);
        write_i128(value: i128);
        write_u8(value: u8);
        write_u16(value: u16);
        write_u32(value: u32);
        write_u64(value: u64);
        write_u128(value: u128);
        write_f32(value: f32);
        write_f64(value: f64);
        begin_string();
        end_string();
        write_char_escape(escape: CharEscape);
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if let Layout::Yaml(layout) = self {
            return layout.write_string_fragment(out, fragment);
        }
        write_escaped(fragment, is_unsafe, out)
    }
}

/// Writes text within a string of JSON, with escapes of these characters.
pub(super) fn write_escaped<W: ?Sized + Write>(
    text: &str,
    is_escaped: fn(char) -> bool,
    out: &mut W,
) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(is_escaped) {
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
