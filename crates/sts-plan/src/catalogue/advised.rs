//! The sentence in which a process says itself what to do.

use super::log_entry::lines_of;

/// First words of such a sentence.
const IMPERATIVES: [&str; 20] = [
    "Add ",
    "Change ",
    "Configure ",
    "Define ",
    "Enable ",
    "Either ",
    "Ensure ",
    "Please ",
    "Provide ",
    "Remove ",
    "Rename ",
    "Replace ",
    "Run ",
    "Set ",
    "Specify ",
    "Try ",
    "Use ",
    "You can ",
    "You must ",
    "You need to ",
];

/// Words of advice that is no cure, or that loses data or safety.
const UNSAFE: [&str; 30] = [
    "--help",
    "again later",
    "backtrace",
    "bug",
    "check the log",
    "contact",
    "data dir",
    "delete",
    "disable",
    "drop",
    "force",
    "for details",
    "for more",
    "if you want",
    "if you wish",
    "ignore",
    "insecure",
    "issue",
    "more detail",
    "nolock",
    "report",
    "reset",
    "see ",
    "skip",
    "to find",
    "to list",
    "to see",
    "to show",
    "verbose",
    "wipe",
];

/// Things that may be removed without a loss of data.
const REMOVABLE: [&str; 7] = [
    "argument", "config", "field", "flag", "option", "setting", "variable",
];

/// Minimum and maximum number of characters of the sentence.
const SHORTEST: usize = 20;
const LONGEST: usize = 200;

/// Returns the first sentence of the last words of a process that says what to do, unless it may harm.
pub(crate) fn advised(words: &str) -> Option<String> {
    let lines = lines_of(words);
    let mut sentences = lines.iter().filter(|line| !line.is_below_error());
    sentences.find_map(|line| {
        let said = line.said();
        let starts = said.match_indices(". ").map(|(at, end)| at + end.len());
        let mut rests = [0].into_iter().chain(starts).map(|at| &said[at..]);
        rests.find_map(|rest| {
            let begins = IMPERATIVES.iter().any(|start| rest.starts_with(start));
            let sentence = rest.split(". ").next()?.trim_end_matches(['.', ' ']);
            let lower = sentence.to_ascii_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            let is_safe = !has(&UNSAFE) && (!lower.starts_with("remove ") || has(&REMOVABLE));
            let length = sentence.chars().count();
            let is_sentence = (SHORTEST..=LONGEST).contains(&length) && !sentence.ends_with(':');
            (begins && is_safe && is_sentence).then(|| sentence.to_owned())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_of_a_process_is_quoted_unless_it_may_harm() {
        for (words, wanted) in [
            (
                "level=error msg=\"CONFIG ERROR: your schema version is v12. Set `allow_structured_metadata: false` in the `limits_config` section. Then go on\"",
                Some("Set `allow_structured_metadata: false` in the `limits_config` section"),
            ),
            (
                "Couldn't find a valid ICU package installed on the system. Please install libicu using your package manager and try again.",
                Some("Please install libicu using your package manager and try again"),
            ),
            ("INFO Use the option --fast to start sooner than this", None),
            ("Error: no key. Use --force to start without the key", None),
            (
                "Error: no such option. See https://x.example for more",
                None,
            ),
            ("Error: locked. Remove /data/LOCK to start anyway", None),
            (
                "Error: unknown option. Use -config.expand-env=true if you want to expand variables",
                None,
            ),
            ("Usage of the program", None),
        ] {
            assert_eq!(advised(words).as_deref(), wanted, "{words}");
        }
    }
}
