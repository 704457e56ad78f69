//! Texts by lot: a seed whose structure is changed and written down in one of several ways, and then its bytes.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::tree::{graft, grafted};
use crate::yaml;

/// Words of all formats, and what parsers trip over.
const WORDS: &[&str] = &[
    "\n",
    "\n  ",
    "\n- ",
    ": ",
    "- ",
    "---\n",
    "...\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "|2+\n",
    "&a ",
    "*a",
    "<<: ",
    "? ",
    "!!str ",
    "!!binary ",
    "%YAML 1.1\n",
    "#",
    "\t",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{202e}",
    "\\u0000",
    "\\ud800",
    "\\x",
    "null",
    "~",
    "true",
    "yes",
    "0x1f",
    "0o7",
    "0644",
    "1_000",
    "190:20:30",
    "1e999",
    "-0",
    ".inf",
    ".nan",
    "9223372036854775808",
    "-1",
    "0.1",
    "1Gi",
    "100m",
    "1e3",
    "12E",
    "n",
    "µ",
    "50%",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "apiVersion",
    "kind: StatefulSet",
    "metadata",
    "name: ",
    "spec:",
    "replicas: ",
    "template",
    "items: ",
    "in (",
    "notin",
    "!",
    "=",
    "==",
    "!=",
    ")",
    "$",
    "..",
    "[*]",
    "[0:2:-1]",
    "[?(@.",
    "==\"",
    ")]",
    "{range ",
    "{end}",
    "@",
    "-9999999999",
    "\u{1b}[31m",
    "{{ .Values.a }}",
    "<<<<<<< HEAD\n",
    "```yaml\n",
];

/// The input of a target. A failure prints it as text.
#[derive(Clone)]
pub struct Input(pub Vec<u8>);

impl Input {
    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }

    /// The value, where it is JSON.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_slice(&self.0).ok()
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

/// One change of the bytes.
#[derive(Debug, Clone)]
enum Edit {
    Insert(Index, usize),
    Delete(Index, usize),
    Copy(Index, usize, Index),
    Replace(Index, u8),
    Cut(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<Index>;
    prop_oneof![
        4 => (place(), 0..WORDS.len()).prop_map(|(at, word)| Edit::Insert(at, word)),
        2 => (place(), 1..40_usize).prop_map(|(at, length)| Edit::Delete(at, length)),
        2 => (place(), 1..200_usize, place()).prop_map(|(at, length, to)| Edit::Copy(at, length, to)),
        1 => (place(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        1 => place().prop_map(Edit::Cut),
    ]
}

fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for edit in edits {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match edit {
            Edit::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, WORDS[*word].bytes());
            }
            Edit::Delete(at, length) => {
                let at = place(at);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Edit::Copy(from, length, to) => {
                let (from, to) = (place(from), place(to));
                let part = bytes[from..(from + length).min(bytes.len())].to_vec();
                bytes.splice(to..to, part);
            }
            Edit::Replace(at, byte) => {
                let at = place(at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = *byte;
                }
            }
            Edit::Cut(at) => {
                let at = place(at);
                bytes.truncate(at);
            }
        }
    }
    bytes
}

/// The ways to write a value.
#[derive(Debug, Clone)]
enum Form {
    Json,
    Indented,
    Yaml(yaml::Styles),
}

impl Form {
    fn write(&self, value: &Value) -> Vec<u8> {
        match self {
            Form::Json => value.to_string().into_bytes(),
            Form::Indented => format!("{value:#}").into_bytes(),
            Form::Yaml(styles) => yaml::write(value, styles).into_bytes(),
        }
    }
}

/// The file of a seed.
pub fn seed(of: &str, name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let file = folder.join(of).join(name);
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The files of a target's folder, by name.
pub fn seeds(of: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(of);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no seeds", folder.display());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Seeds with changed bytes.
pub fn texts(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Input> {
    (any::<Index>(), vec(edit(), 0..8))
        .prop_map(move |(seed, edits)| Input(edited(seed.get(&seeds).clone(), &edits)))
}

/// Seeds in JSON, with values of other types and from elsewhere, missing and repeated ones; half of them with a
/// few changed bytes on top. With `yaml`, some are written as YAML.
pub fn values(seeds: Vec<Vec<u8>>, yaml: bool) -> impl Strategy<Value = Input> {
    let seeds: Vec<Value> = seeds
        .iter()
        .map(|seed| serde_json::from_slice(seed).expect("a seed of JSON"))
        .collect();
    let forms = prop_oneof![
        4 => Just(Form::Json),
        1 => Just(Form::Indented),
        if yaml { 5 } else { 0 } => yaml::styles().prop_map(Form::Yaml),
    ];
    let edits = prop_oneof![Just(Vec::new()), vec(edit(), 0..4)];
    (any::<Index>(), vec(graft(), 0..6), forms, edits).prop_map(
        move |(seed, grafts, form, edits)| {
            let value = grafted(seed.get(&seeds).clone(), &grafts);
            Input(edited(form.write(&value), &edits))
        },
    )
}
