//! The line of a mounted file that the message of a process names.

use sts_controller::object::without_credentials;

/// Maximum number of characters of a line to quote.
const LONGEST: usize = 60;

/// Returns a line of a file with its number, if a message about the file at this path names it: `line 32: "port: true"`.
/// A line that only closes a block is quoted with the one before it.
pub(super) fn named_line(words: &str, path: Option<&str>, text: &str) -> Option<String> {
    let number = number_after(words, path)?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let line = lines.get(number.checked_sub(1)?)?;
    let has_words = |line: &str| line.chars().any(char::is_alphanumeric);
    let before = lines[..number - 1].iter().rposition(|it| has_words(it));
    let shown = match before {
        Some(before) if !has_words(line) => {
            format!(
                "lines {}-{number}: \"{} {line}\"",
                before + 1,
                lines[before]
            )
        }
        _ => format!("line {number}: \"{line}\""),
    };
    let shown = without_credentials(shown.trim_end()).into_owned();
    (shown.chars().count() <= LONGEST && has_words(&shown)).then_some(shown)
}

/// Returns the number of a line: right after a path as in `/etc/app.conf:32:1`, or after the word.
fn number_after(words: &str, path: Option<&str>) -> Option<usize> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    };
    let after_path = path.and_then(|path| {
        let mut found = words.match_indices(path);
        found.find_map(|(at, path)| digits(words[at + path.len()..].strip_prefix(':')?))
    });
    // `toml: (44, 12): parsing error`, as pelletier/go-toml writes it.
    let of_toml = || digits(words.split_once("toml: (")?.1);
    after_path.or_else(of_toml).or_else(|| {
        let lower = words.to_ascii_lowercase();
        let mut found = lower.match_indices("line ");
        // Not that of a program in a trace: `File "/app/main.py", line 12`.
        found.find_map(|(at, word)| {
            let before = &lower[..at];
            let is_code = [".py\", ", ".rb\", ", ".js\", ", ".cs:", ".java:"];
            let is_code = is_code.iter().any(|end| before.ends_with(end));
            (!is_code).then(|| digits(&lower[at + word.len()..]))?
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_a_message_names_is_quoted() {
        let text = "port: 4222\ncluster {\n  port: true\n}\n";
        for (words, wanted) in [
            ("/etc/a.conf:3:1: is bool", Some("line 3: \"port: true\"")),
            (
                "error in /etc/a.conf, Line 3, column 4",
                Some("line 3: \"port: true\""),
            ),
            (
                "/etc/a.conf:4: parse error",
                Some("lines 3-4: \"port: true }\""),
            ),
            (
                "File \"/app/main.py\", line 3, in <module>: /etc/a.conf is bad",
                None,
            ),
            ("/etc/a.conf:99: parse error", None),
            ("/etc/a.conf is bad", None),
        ] {
            let found = named_line(words, Some("/etc/a.conf"), text);
            assert_eq!(found.as_deref(), wanted, "{words}");
        }
        for text in [
            "password: x1y2z3",
            "requirepass x1y2z3",
            "masterauth x1y2z3",
            "api_key = \"x1y2z3\"",
        ] {
            let hidden = named_line("/etc/a.conf:1: bad", Some("/etc/a.conf"), text);
            assert!(hidden.is_none_or(|it| !it.contains("x1y2z3")), "{text}");
        }
    }
}
