//! Parses JSON to a tree, by the rules of Go's `encoding/json`.
//!
//! serde_json refuses input that Go accepts (lone surrogates, deep nesting) and does not report repeated keys.

mod cursor;
mod lexical;
mod part;
mod reader;
mod skim;
mod string;

pub(super) use part::part;
pub(super) use reader::next;
