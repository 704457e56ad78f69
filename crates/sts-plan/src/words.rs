//! Counts, lists and capitals in sentences, and the names in them.

use std::borrow::Cow;

/// Formats a count: `1 pod is`, `3 pods are`.
pub(crate) fn plural(number: usize, one: &str, several: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    }
}

/// Formats a count of things with a regular plural: `1 pod`, `2 pods`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    plural(number, thing, &format!("{thing}s"))
}

/// Lists the first names and counts the rest: `a, b and 3 more`.
pub(crate) fn list<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown = names.iter().take(most).map(AsRef::as_ref);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns the words of a text that can be names of objects: of letters, digits and hyphens.
pub(crate) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.split(move |c| !is_part(c))
}

/// Reports whether a text has a word that no other characters of a word surround. `is_part` tells those of a word.
pub(crate) fn has_word(text: &str, word: &str, is_part: impl Fn(char) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(&is_part) && !after.is_some_and(&is_part)
    })
}

/// Returns a text without its middle if it has more than so many characters, with so many of its start: most reports end
/// with the reason.
pub(crate) fn without_middle(text: &str, longest: usize, start: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= longest {
        return Cow::Borrowed(text);
    }
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |it| it.0);
    let (before, after) = (place(start), place(length - (longest - start)));
    Cow::Owned(format!("{}...{}", &text[..before], &text[after..]))
}

/// Returns a text as the beginning of a sentence.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// Returns a title as the middle of a sentence.
pub(crate) fn uncapitalized(text: &str) -> String {
    let is_upper = |at: usize| text.chars().nth(at).is_some_and(char::is_uppercase);
    // Acronyms keep their form.
    if is_upper(0) && is_upper(1) {
        return text.to_owned();
    }
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().collect::<String>() + characters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_if_no_others_of_its_characters_surround_it() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        for (text, has) in [
            ("lookup db-0.db: no such host", true),
            ("db-00", false),
            ("my-db-0", false),
            ("db-0", true),
        ] {
            assert_eq!(has_word(text, "db-0", is_part), has, "{text}");
        }
    }

    #[test]
    fn a_long_text_keeps_its_start_and_its_end() {
        assert_eq!(without_middle("no key", 6, 2), "no key");
        assert_eq!(without_middle("é23456789ü", 6, 2), "é2...789ü");
    }
}
