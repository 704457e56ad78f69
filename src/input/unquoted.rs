//! Strings of a dump that a tool has written without quotes, although kubectl reads another value there. PyYAML knows fewer
//! numbers and booleans than kubectl: it writes the strings `4507732e8`, `099725135` and `n` as they are. What a server has
//! stored has no numbers in these places, so such a text is the string itself.

use std::sync::Arc;

use kubectl_manifest::{Location, Warning};

/// Members whose values are strings.
const OF_STRINGS: [&str; 5] = [
    "annotations:",
    "labels:",
    "matchLabels:",
    "nodeSelector:",
    "stringData:",
];

/// Start of the field that only a stored object has.
const STORED: &str = "uid: ";

/// Puts such strings of a dump into quotes, and returns a warning about the first; unchanged without any.
pub(super) fn quoted(name: &str, bytes: Vec<u8>) -> (Vec<u8>, Vec<Warning>) {
    let found = match std::str::from_utf8(&bytes) {
        Ok(text) if text.contains(STORED) && !text.starts_with(['{', '[']) => places(text),
        _ => Vec::new(),
    };
    if found.is_empty() {
        return (bytes, Vec::new());
    }
    let file: Arc<str> = name.into();
    let mut out = Vec::with_capacity(bytes.len() + 2 * found.len());
    let mut from = 0;
    for place in &found {
        out.extend_from_slice(&bytes[from..place.start]);
        out.push(b'"');
        out.extend_from_slice(&bytes[place.start..place.end]);
        out.push(b'"');
        from = place.end;
    }
    out.extend_from_slice(&bytes[from..]);
    let warnings = found.first().map(|place| {
        let value = String::from_utf8_lossy(&bytes[place.start..place.end]);
        let more = match found.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Warning {
            location: Location {
                file: Arc::clone(&file),
                document: place.document,
                line: place.line,
                column: place.column,
            },
            message: format!(
                "{value}{more} is read as a string, which the server has stored here: without quotes, kubectl reads another value"
            ),
        }
    });
    (out, warnings.into_iter().collect())
}

/// A value without quotes, from its first byte to its last.
struct Place {
    start: usize,
    end: usize,
    document: usize,
    line: usize,
    column: usize,
}

/// Returns the places of such strings, in the block style of YAML.
fn places(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let (mut at, mut document) = (0, 1);
    // The indentation of the member whose values are strings, and of the one whose text goes on in deeper lines.
    let (mut within, mut text_of) = (None, None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let said = line.trim_end();
        if said.starts_with("---") && start > 0 {
            document += 1;
        }
        let entry = said.trim_start();
        let indent = said.len() - entry.len();
        text_of = text_of.filter(|outer| entry.is_empty() || indent > *outer);
        if text_of.is_some() {
            continue;
        }
        if goes_on(entry) {
            text_of = Some(indent);
        }
        within = within.filter(|outer| indent > *outer);
        if OF_STRINGS.contains(&entry.trim_start_matches("- ")) {
            within = Some(indent);
            continue;
        }
        let Some((key, value)) = entry.rsplit_once(": ") else {
            continue;
        };
        let is_string = within.is_some() || key.trim_start_matches("- ") == "value";
        if is_string && is_string_of_yaml_1_1(value) {
            let from = start + said.len() - value.len();
            found.push(Place {
                start: from,
                end: from + value.len(),
                document,
                line: number + 1,
                column: from - start + 1,
            });
        }
    }
    found
}

/// Reports whether the text that ends a line goes on below it: a block, or quotes that are still open.
fn goes_on(entry: &str) -> bool {
    let value = entry.rsplit_once(": ").or(entry.rsplit_once("- "));
    let value = value.map_or("", |(_, value)| value);
    let quoted = entry
        .split_once([' ', ':'])
        .map_or("", |(_, rest)| rest.trim_start());
    let is_open =
        |quote: char| quoted.starts_with(quote) && (quoted.len() == 1 || !quoted.ends_with(quote));
    value.starts_with(['|', '>']) || is_open('"') || is_open('\'')
}

/// Reports whether PyYAML writes a string as it is that kubectl reads as another value: a number with an exponent and without
/// a point or a sign, one with a leading zero and a digit that is not octal, or a single letter that stands for a boolean.
fn is_string_of_yaml_1_1(value: &str) -> bool {
    if matches!(value, "y" | "Y" | "n" | "N") {
        return true;
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if let Some((number, exponent)) = value.split_once(['e', 'E']) {
        return is_number(number) && is_number(exponent);
    }
    is_number(value) && value.starts_with('0') && value.contains(['8', '9'])
}

#[cfg(test)]
mod tests {
    use super::{is_string_of_yaml_1_1, quoted};

    #[test]
    fn only_strings_of_a_dump_that_kubectl_reads_otherwise_get_quotes() {
        let dump = "metadata:\n  labels:\n    app: n\n    commit: 4507732e8\n    build: 099725135\n  uid: 5e7d\nspec:\n  \
                    replicas: 1e3\n  containers:\n  - env:\n    - name: A\n      value: 1e5\n";
        let (out, warnings) = quoted("f", dump.as_bytes().to_vec());
        let out = String::from_utf8(out).unwrap();
        assert_eq!(
            out,
            dump.replace("4507732e8", "\"4507732e8\"")
                .replace("app: n\n", "app: \"n\"\n")
                .replace("099725135", "\"099725135\"")
                .replace("1e5", "\"1e5\"")
        );
        let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("n (and 3 more)"), "{told:?}");
        assert!(told[0].contains("line 3, column 10"), "{told:?}");
        // A manifest is read as kubectl reads it.
        let manifest = dump.replace("  uid: 5e7d\n", "");
        let (same, warnings) = quoted("f", manifest.as_bytes().to_vec());
        assert_eq!((same, warnings.len()), (manifest.into_bytes(), 0));
    }

    #[test]
    fn a_text_over_several_lines_is_left_alone() {
        for text in [
            "  args:\n  - |\n    labels:\n      a: 1e5\n    value: n\n\n    value: y\n",
            "  script: >-\n    value: n\n",
            "  message: \"first\n    value: n\n    second\"\n",
            "  message: 'it''s\n    value: n'\n",
        ] {
            let dump = format!("metadata:\n  uid: 5e7d\nspec:\n{text}  labels:\n    a: x\n");
            let (same, warnings) = quoted("f", dump.clone().into_bytes());
            assert_eq!((same, warnings.len()), (dump.into_bytes(), 0));
        }
        let after = "metadata:\n  uid: 5e7d\nspec:\n  args:\n  - |\n    a\n  labels:\n    a: n\n";
        assert_eq!(quoted("f", after.as_bytes().to_vec()).1.len(), 1);
    }

    #[test]
    fn other_values_are_left_alone() {
        for value in [
            "4507732", "0755", "1.5e3", "1e", "e5", "a1e5", "0x8", "\"1e5\"", "1e-5", "",
        ] {
            assert!(!is_string_of_yaml_1_1(value), "{value}");
        }
    }
}
