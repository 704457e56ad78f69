//! Compiles `schema/types.txt` into a static `Shape` for each type.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const TYPES: &str = "schema/types.txt";

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the output folder in the environment"
)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TYPES}");
    let text = fs::read_to_string(TYPES)?;
    let mut code = String::new();
    for paragraph in text.split("\n\n").skip(1) {
        let (name, fields) = paragraph.split_once('\n').ok_or("a type has fields")?;
        writeln!(
            code,
            "pub(super) static {name}: Shape = Shape {{ fields: &["
        )?;
        for line in fields.lines() {
            let field = field(line).ok_or_else(|| format!("{TYPES}: {name}: {line}"))?;
            writeln!(code, "    {field},")?;
        }
        writeln!(code, "] }};")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("types.rs"), code)?;
    Ok(())
}

/// Returns the `Field` of a line: name, kind, encoding of an empty value, and minors if they are not all of the type's.
fn field(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (name, kind) = (words.next()?, kind(words.next()?));
    let zero = match words.next()? {
        "dropped" => "Dropped",
        "kept" => "Kept",
        "written" => "Written",
        "null" => "Null",
        _ => return None,
    };
    let (since, until) = match words.next() {
        Some(minors) => minors.split_once("..")?,
        None => ("", ""),
    };
    let since = if since.is_empty() { "0" } else { since };
    let until = if until.is_empty() { "u32::MAX" } else { until };
    Some(format!(
        "Field {{ name: {name:?}, kind: Kind::{kind}, zero: Zero::{zero}, since: {since}, until: {until} }}"
    ))
}

/// Returns the `Kind` of a word: a scalar, a type, `[elements]` or `{values}`.
fn kind(word: &str) -> String {
    let is_scalar = |word| {
        let scalars = "Bool Int32 Int64 IntOrString Quantity Raw Text Time";
        scalars.split(' ').any(|scalar| scalar == word)
    };
    let inside = |open, close| word.strip_prefix(open)?.strip_suffix(close);
    match (inside('[', ']'), inside('{', '}')) {
        (Some(element), _) if is_scalar(element) => format!("{element}s"),
        (Some(element), _) => format!("Objects(&{element})"),
        (_, Some(value)) => format!("{value}Map"),
        _ if is_scalar(word) => word.to_owned(),
        _ => format!("Object(&{word})"),
    }
}
