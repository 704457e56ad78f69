//! Names that a process rejects in its configuration, and their successors.

use std::sync::LazyLock;

use super::log_entry::lines_of;
use super::renamed_entry::RenamedEntry;

/// The settings that new versions do not accept, as the build script has read them.
static RENAMED: LazyLock<Vec<RenamedEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/renamed.json"));
    serde_json::from_str(text).unwrap_or_default()
});

/// Returns what replaces a setting of the program in an image, or why it is gone.
pub(crate) fn successor(image: &str, name: &str) -> Option<&'static str> {
    let image = image.split('@').next().unwrap_or(image);
    let of_image = |it: &&RenamedEntry| {
        it.images.is_empty() || it.images.iter().any(|part| image.contains(&**part))
    };
    let mut entries = RENAMED.iter().filter(of_image);
    entries.find_map(|it| it.names.get(name)).map(|it| &**it)
}

/// Words before a name that is rejected, in lower case.
const BEFORE: [&str; 27] = [
    "bad directive",
    "configuration property",
    "could not find",
    "duplicate",
    "duplicated",
    "fields [",
    "illegal",
    "invalid config key",
    "invalid configuration key",
    "invalid key",
    "invalid keys:",
    "invalid option",
    "invalid property",
    "invalid value for",
    "misspelled",
    "no such",
    "no value for",
    "not recognize",
    "undefined",
    "unexpected",
    "unknown",
    "unrecognised",
    "unrecognized",
    "unsupported",
    "unused",
    "doesn't match",
    "references",
];

/// Words after a name that is rejected, in lower case.
const AFTER: [&str; 15] = [
    "not found",
    "is not",
    "was not",
    "isn't",
    "wasn't",
    "are not",
    "were not",
    "does not",
    "doesn't",
    "not allowed",
    "not a ",
    "is unknown",
    "is no ",
    "has been removed",
    "has invalid",
];

/// Words from which on a line lists what would be right, in lower case.
const CHOICES: [&str; 7] = [
    "valid values",
    "expected one of",
    "did you mean",
    "known keys",
    "valid keys",
    "allowed values",
    "available",
];

/// Maximum number of characters between such words and the name.
const NEAR: usize = 60;

/// Minimum and maximum number of characters of a name.
const SHORTEST: usize = 3;
const LONGEST: usize = 60;

/// Returns the names that the lines of a message reject, in their order.
pub(crate) fn rejected_names(words: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let below = |line: &str| lines_of(line).iter().any(|it| it.is_below_error());
    for line in words.lines().filter(|line| !below(line)) {
        let lower = line.to_ascii_lowercase();
        let ends = CHOICES.iter().filter_map(|it| lower.find(it));
        // Lower case of ASCII keeps the places.
        let line = &line[..ends.min().unwrap_or(line.len())];
        let found = of_fields(line)
            .chain(quoted_names(line))
            .chain(bare_names(line));
        // `unknown variable 'expire_logs_days=7'`.
        let found = found.map(|it| it.split('=').next().unwrap_or(it));
        for name in found.filter(|it| is_name(it)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the names in `field shared_store not found in type compactor.Config`.
fn of_fields(line: &str) -> impl Iterator<Item = &str> {
    let starts = line
        .match_indices("field ")
        .map(|(at, start)| at + start.len());
    starts.filter_map(|at| {
        let (name, rest) = line[at..].split_once(' ')?;
        rest.starts_with("not found").then_some(name)
    })
}

/// Returns the names in quotes that words around them reject. A list has such words around it as a whole.
fn quoted_names(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut from, mut was_rejected) = (0, false);
    while let Some((start, end)) = next_quoted(line, from) {
        let between = &line[from..start];
        let is_listed = from > 0 && between.chars().all(|c| " ,\\".contains(c));
        let lower = between.to_ascii_lowercase();
        let far = lower.char_indices().rev().nth(NEAR).map_or(0, |it| it.0);
        // The last sentence or clause before it.
        let clause = lower[far..].rsplit(['.', ';']).next().unwrap_or_default();
        let after = line[end + 1..].trim_start_matches([' ', ']', '"', '\'', ',', ':', '\\']);
        let after = after.to_ascii_lowercase();
        let is_rejected = BEFORE.iter().any(|it| clause.contains(it))
            || AFTER.iter().any(|it| after.starts_with(it))
            || (is_listed && was_rejected);
        if is_rejected {
            names.push(line[start + 1..end].trim_end_matches('\\'));
        }
        (from, was_rejected) = (end + 1, is_rejected);
    }
    names
}

/// Words right before a name without quotes that is rejected, in lower case.
const RIGHT_BEFORE: [&str; 14] = [
    "invalid config key ",
    "invalid configuration key ",
    "no such field: ",
    "unknown config key ",
    "unknown field: ",
    "unknown key ",
    "unknown key: ",
    "unknown option: ",
    "unknown property: ",
    "unknown setting [",
    "unknown directive: ",
    "unrecognised option: ",
    "unrecognized option: ",
    "unrecognized setting: ",
];

/// Returns the names without quotes in `invalid config key acl_datacenter` and `unknown setting [node.master]`.
fn bare_names(line: &str) -> impl Iterator<Item = &str> {
    let lower = line.to_ascii_lowercase();
    let starts = RIGHT_BEFORE.iter().flat_map(|words| {
        let found = lower.match_indices(words).map(|(at, it)| at + it.len());
        found.collect::<Vec<_>>()
    });
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    starts.into_iter().map(move |at| {
        let name = line[at..].split(|c| !is_part(c)).next();
        // A line break within JSON is written as `\\n`.
        name.unwrap_or_default().trim_end_matches('.')
    })
}

/// Returns the places of the next pair of quotes in a line. An apostrophe within a word is none.
fn next_quoted(line: &str, from: usize) -> Option<(usize, usize)> {
    let opens = |(at, mark): &(usize, &str)| {
        let before = line[..from + at].chars().next_back();
        *mark != "'" || !before.is_some_and(char::is_alphanumeric)
    };
    let mut marks = line[from..].match_indices(['"', '\'', '`']).filter(opens);
    let (at, mark) = marks.next()?;
    let start = from + at;
    let length = line[start + 1..].find(mark)?;
    Some((start, start + 1 + length))
}

/// Reports whether a text is the name of a setting, and neither a file nor a number.
fn is_name(text: &str) -> bool {
    const FILES: [&str; 9] = [
        ".yaml",
        ".yml",
        ".conf",
        ".toml",
        ".json",
        ".cfg",
        ".ini",
        ".xml",
        ".properties",
    ];
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-:/".contains(c);
    let has_letter = text.chars().any(|c| c.is_ascii_alphabetic());
    let is_file = text.starts_with('/') || FILES.iter().any(|end| text.ends_with(end));
    (SHORTEST..=LONGEST).contains(&text.len())
        && text.chars().all(is_part)
        && has_letter
        && !is_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_that_a_message_rejects_are_found() {
        for (words, wanted) in [
            (
                "failed parsing config: yaml: unmarshal errors:\n  line 5: field max_transfer_retries not found in type \
                 ingester.Config\n  line 7: field enforce_metric_name not found in type validation.plain. Use \
                 `-config.expand-env=true` flag if you want to expand environment variables in your config file",
                vec!["max_transfer_retries", "enforce_metric_name"],
            ),
            (
                "error decoding 'exporters': unknown type: \"logging\" for id: \"logging\" (valid values: [\"debug\"])",
                vec!["logging"],
            ),
            (
                "E! plugin outputs.x: line 12: configuration specified the fields [\"bucket_name\" \"org_name\"], but they were \
                 not used",
                vec!["bucket_name", "org_name"],
            ),
            (
                "[emerg] unknown directive \"proxy_passs\" in /etc/nginx/nginx.conf:12",
                vec!["proxy_passs"],
            ),
            (
                "FATAL: unrecognized configuration parameter \"wal_keep_segments\"",
                vec!["wal_keep_segments"],
            ),
            (
                "[ERROR] [MY-000067] [Server] unknown variable 'expire_logs_days=7'.",
                vec!["expire_logs_days"],
            ),
            (
                "Error parsing server.json: 2 errors occurred:\n\t* invalid config key acl_datacenter\n\t* invalid config key \
                 acl_token",
                vec!["acl_datacenter", "acl_token"],
            ),
            (
                "Unrecognized option: storage.journal.enabled\ntry '/usr/bin/mongod --help' for more information",
                vec!["storage.journal.enabled"],
            ),
            ("INFO unknown option \"fast\"", vec![]),
            ("listening on \"http\" of \"main\"", vec![]),
        ] {
            assert_eq!(rejected_names(words), wanted, "{words}");
        }
    }

    #[test]
    fn successors_are_those_of_the_program() {
        assert!(successor("docker.io/grafana/loki:3.4.2", "shared_store").is_some());
        assert_eq!(successor("docker.io/library/redis:7", "shared_store"), None);
    }
}
