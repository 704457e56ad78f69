//! Variables that the message of a process misses.

use serde_json::Value;

/// Maximum number of variables: more words in capitals are a list of something else.
const MOST: usize = 5;

/// Returns the variables that a process misses by the line that decides and by the lines that begin with a name, such as
/// `SESSION_SECRET: undefined`, without those that its container sets.
pub(super) fn lacked_variables<'w>(
    container: &Value,
    line: &'w str,
    words: &'w str,
) -> Vec<&'w str> {
    let begins = |line: &&str| {
        let line = line.trim_start_matches([' ', '\t', '-', '*', '•', '"', '\'']);
        names(line)
            .next()
            .is_some_and(|name| line.starts_with(name))
    };
    let in_lines = words
        .lines()
        .filter(begins)
        .filter_map(|line| names(line).next());
    let set = container["env"].as_array();
    let is_set = |name: &str| set.is_some_and(|all| all.iter().any(|it| it["name"] == name));
    let mut found: Vec<&str> = Vec::new();
    for name in names(line).chain(in_lines) {
        if !is_set(name) && !found.contains(&name) {
            found.push(name);
        }
    }
    match found.len() > MOST {
        true => Vec::new(),
        false => found,
    }
}

/// Returns the words of a text that have the form of a variable: `DATABASE_URL`. Codes of errors have it too.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let words = text
        .split(move |c| !is_part(c))
        .map(|it| it.trim_end_matches('.'));
    words.filter(|word| {
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_code = ["ERR_", "E_", "HTTP_"]
            .iter()
            .any(|it| word.starts_with(it))
            || ["_ERROR", "_EXCEPTION", "_FAILED"]
                .iter()
                .any(|it| word.ends_with(it));
        let begins = word.starts_with(|c: char| c.is_ascii_uppercase());
        word.contains('_') && begins && word.chars().all(is_capital) && !is_code
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_variables_that_a_message_misses_are_found() {
        let container = json!({"env": [{"name": "LOG_LEVEL", "value": "info"}]});
        for (line, words, wanted) in [
            (
                "Missing environment variables:",
                "\n Missing environment variables:\n    SESSION_SECRET: undefined\n    UPSTREAM_URL: undefined\n",
                vec!["SESSION_SECRET", "UPSTREAM_URL"],
            ),
            (
                "required key DB_HOST missing value with LOG_LEVEL=info",
                "",
                vec!["DB_HOST"],
            ),
            ("CONFIG_ERROR: url is required", "", vec![]),
            ("open /etc/A_B: not set", "", vec![]),
        ] {
            assert_eq!(lacked_variables(&container, line, words), wanted, "{line}");
        }
    }
}
