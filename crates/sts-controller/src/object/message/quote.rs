//! Quoted texts, in messages that quote messages: each level of quoting escapes quotes and backslashes again.

/// An opening quote with the backslashes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    mark: char,
    backslashes: usize,
}

impl Quote {
    /// Returns the quote at the start of a text, and the text after it.
    pub(super) fn opening(text: &str) -> Option<(Quote, &str)> {
        let rest = text.trim_start_matches('\\');
        let mark = rest.chars().next().filter(|c| is_quote(*c))?;
        let quote = Quote {
            mark,
            backslashes: text.len() - rest.len(),
        };
        Some((quote, &rest[mark.len_utf8()..]))
    }

    /// Returns the quote at the end of a text, and the text before it.
    pub(super) fn before(text: &str) -> Option<(Quote, &str)> {
        let mark = text.chars().next_back().filter(|c| is_quote(*c))?;
        let rest = &text[..text.len() - mark.len_utf8()];
        let outside = rest.trim_end_matches('\\');
        let quote = Quote {
            mark,
            backslashes: rest.len() - outside.len(),
        };
        Some((quote, outside))
    }

    /// Returns the length of the text before the closing quote, unless it is far away. A quote with more backslashes is
    /// part of the text.
    pub(super) fn closing(self, text: &str) -> Option<usize> {
        const FAR: usize = 4096;
        let mut run = 0;
        for (at, c) in text.char_indices().take(FAR) {
            if c == self.mark {
                let more = run - self.backslashes.min(run);
                if more % (2 * (self.backslashes + 1)) == 0 {
                    return Some(at - run.min(self.backslashes));
                }
            }
            run = if c == '\\' { run + 1 } else { 0 };
        }
        None
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}
