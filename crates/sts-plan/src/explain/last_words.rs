//! The line of a termination message that tells most, as a headline has it.

use crate::catalogue::{CauseEntry, decisive_line};
use crate::cause::ContainerFailure;

/// Maximum number of characters of a termination message in the headline.
const LONGEST_LINE: usize = 160;

/// Returns the most useful line of a termination message, shortened.
pub(super) fn last_words(entry: Option<&CauseEntry>, failure: &ContainerFailure) -> String {
    let line = decisive_line(&failure.last_words, entry);
    let end_of_words = entry.and_then(|entry| entry.end_of_words(&line));
    match failure.is_unstarted {
        true => shortened_start(&line),
        false => shortened(&line, end_of_words.unwrap_or(0)),
    }
}

/// Length from which on a line may be cut in a headline, and the length in which its decisive words then stand.
const LONG: usize = 90;
const NEAR: usize = 64;

/// Ends of the parts of a line.
const ENDS_OF_PARTS: [&str; 4] = [": ", "] ", ") ", "' "];
/// Ends of the clauses and sentences within a part.
const ENDS_OF_CLAUSES: [&str; 3] = [", ", "; ", ". "];

/// A line that is no longer than the headline takes, and that has the words before this end near its beginning.
fn shortened(line: &str, end: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(line) <= LONG {
        return line.to_owned();
    }
    let within = |most: usize, ends_part: &[&str]| {
        let ends = ends_part
            .iter()
            .flat_map(|part| line.match_indices(part).map(|(at, part)| at + part.len()));
        let mut starts: Vec<usize> = ends.filter(|start| *start < end).chain([0]).collect();
        starts.sort_unstable();
        starts.into_iter().find(|start| {
            let words = line.get(*start..end);
            words.is_none_or(|words| length(words) <= most)
        })
    };
    let start = within(NEAR, &ENDS_OF_PARTS)
        .or_else(|| within(LONG, &ENDS_OF_PARTS))
        .or_else(|| within(LONG, &ENDS_OF_CLAUSES))
        .or_else(|| within(LONGEST_LINE, &ENDS_OF_PARTS));
    let rest = &line[start.unwrap_or(0)..];
    let before = if rest.len() < line.len() { "..." } else { "" };
    match rest.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{before}{}...", &rest[..cut]),
        None => format!("{before}{rest}"),
    }
}

/// The end of a runtime's message, which has the reason, in whole parts.
fn shortened_start(line: &str) -> String {
    let ends = || {
        let separators = line.match_indices([':', ',']).map(|(at, _)| at + 1);
        separators.map(|at| line[at..].trim_start())
    };
    match ends().find(|end| end.chars().count() <= LONGEST_LINE) {
        Some(end) if line.chars().count() > LONGEST_LINE => format!("...{end}"),
        _ => shortened(line, 0),
    }
}
