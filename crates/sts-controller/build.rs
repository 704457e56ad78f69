//! Compiles `schema/types.txt` into a static `Shape` for each type, and a table of the lists that a patch merges.

use std::collections::BTreeMap;
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
    let (mut code, mut merged) = (String::new(), BTreeMap::new());
    for paragraph in text.split("\n\n").skip(1) {
        let mut lines = paragraph.lines();
        let first = lines.next().ok_or("an empty paragraph")?;
        let wrong = |line: &str| format!("{TYPES}: {first}: {line}");
        let begin = begin(first).ok_or_else(|| wrong(first))?;
        writeln!(code, "static {begin}, fields: &[")?;
        for line in lines {
            let field = Field::parse(line).ok_or_else(|| wrong(line))?;
            writeln!(code, "    {},", field.code)?;
            if let Some(merge) = field.merge {
                let other = merged.insert(field.name, merge.clone());
                if other.is_some_and(|other| other != merge) {
                    return Err(format!("{}: lists of this name differ", wrong(line)).into());
                }
            }
        }
        writeln!(code, "] }};")?;
    }
    merged.retain(|_, merge| merge != "Replaced");
    writeln!(code, "static MERGED: &[(&str, ListMerge)] = &[")?;
    for (name, merge) in merged {
        writeln!(code, "    ({name:?}, ListMerge::{merge}),")?;
    }
    writeln!(code, "];")?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("types.rs"), code)?;
    Ok(())
}

/// Returns the `Shape` of a type without its fields: name, and `atomic` with minors.
fn begin(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let atomic = match words.next() {
        Some("atomic") => {
            let (since, until) = minors(words.next().unwrap_or(".."))?;
            format!("Some(Era::since({since}).until({until}))")
        }
        Some(_) => return None,
        None => "None".to_owned(),
    };
    Some(format!("{name}: Shape = Shape {{ atomic: {atomic}"))
}

/// A line of a field.
struct Field<'l> {
    name: &'l str,
    /// The `Field` of the library.
    code: String,
    /// The `ListMerge` of a list in the newest minor.
    merge: Option<String>,
}

impl<'l> Field<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (name, kind, zero) = (words.next()?, words.next()?, words.next()?);
        let zero = match zero {
            "dropped" => "Dropped",
            "kept" => "Kept",
            "written" => "Written",
            "null" => "Null",
            _ => return None,
        };
        let (mut ownership, mut is_atomic_map) = ("Atomic".to_owned(), false);
        let mut merge = "Replaced".to_owned();
        let (mut since, mut until) = minors("..")?;
        for word in words {
            let (fact, values) = word.split_once(':').unwrap_or((word, ""));
            let (first, other) = values.split_once(',').unwrap_or((values, ""));
            match fact {
                "set" => ownership = "Set".to_owned(),
                "keys" => {
                    let keys: Vec<&str> = values.split(',').collect();
                    ownership = format!("ByKeys(&{keys:?})");
                }
                "atomic" => is_atomic_map = true,
                "merge" if first.is_empty() => merge = "AsSet".to_owned(),
                "merge" => {
                    let retain_keys = other == "retainKeys";
                    merge = format!("ByKey {{ key: {first:?}, retain_keys: {retain_keys} }}");
                }
                _ => (since, until) = minors(word)?,
            }
        }
        let is_current_list = kind.starts_with('[') && until == NO_END;
        let code = format!(
            "Field {{ name: {name:?}, kind: Kind::{}, zero: Zero::{zero}, since: {since}, until: {until}, \
             ownership: ListOwnership::{ownership}, is_atomic_map: {is_atomic_map} }}",
            self::kind(kind)
        );
        Some(Self {
            name,
            code,
            merge: is_current_list.then_some(merge),
        })
    }
}

const NO_END: &str = "u32::MAX";

/// Returns the bounds of `20..24`, `20..`, `..24` or `..`.
fn minors(word: &str) -> Option<(&str, &str)> {
    let (since, until) = word.split_once("..")?;
    let since = if since.is_empty() { "0" } else { since };
    let until = if until.is_empty() { NO_END } else { until };
    Some((since, until))
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
