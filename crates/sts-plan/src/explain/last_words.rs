//! The line of a termination message that tells most, as a headline has it.

use crate::catalogue::{CauseEntry, decisive_line, tells_failure};
use crate::cause::{ContainerFailure, Rank};

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

/// Maximum number of characters of a component's words that have a line of their own.
const LONGEST_QUOTE: usize = 400;

/// Returns the most useful line of a process's termination message at the length of a line of its own.
pub(super) fn quoted_line(entry: Option<&CauseEntry>, failure: &ContainerFailure) -> String {
    let line = decisive_line(&failure.last_words, entry);
    let end = entry.and_then(|entry| entry.end_of_words(&line));
    let is_far = |end: &usize| line[..*end].chars().count() > LONGEST_QUOTE;
    let Some(end) = end.filter(is_far) else {
        return quoted(&line);
    };
    let starts = starts_after(&line, &ENDS_OF_PARTS).filter(|start| *start < end);
    let near = starts.filter(|start| line[*start..end].chars().count() <= LONG);
    format!("…{}", quoted(&line[near.min().unwrap_or(0)..]))
}

/// Returns the beginning of a message at the length of a line of its own.
pub(super) fn quoted(message: &str) -> String {
    let message = message.trim();
    match message.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// Returns the end of a message at the length of a line of its own, in whole parts.
pub(super) fn quoted_end(message: &str) -> String {
    let message = message.trim();
    let Some(cut) = message.chars().count().checked_sub(LONGEST_QUOTE) else {
        return message.to_owned();
    };
    let from = message.char_indices().nth(cut).map_or(0, |it| it.0);
    let end = &message[from..];
    let whole = starts_after(end, &ENDS_OF_PARTS)
        .min()
        .filter(|at| *at <= LONG);
    format!("…{}", &end[whole.unwrap_or(0)..])
}

/// Minimum and maximum number of characters of a part that tells a failure on its own.
const SHORTEST_PART: usize = 40;
const LONGEST_PART: usize = 140;

/// Returns the parts of the most useful line of a termination message that tell the failure on their own: without the
/// sentences at its end, and without the clauses at its beginning.
pub(super) fn whole_parts(entry: Option<&CauseEntry>, failure: &ContainerFailure) -> Vec<String> {
    let line = decisive_line(&failure.last_words, entry);
    let is_end = |(at, mark): &(usize, &str)| {
        let mut after = line[at + mark.len()..].chars();
        after.next() == Some(' ') && after.next().is_some_and(char::is_uppercase)
    };
    let ends = line.match_indices(['.', ';', '!']).filter(is_end);
    let mut ends: Vec<usize> = ends.map(|(at, _)| at).chain([line.len()]).collect();
    ends.reverse();
    // A path begins a part too: `…/etc/app/users.txt: Permission denied`.
    let is_path = |at: &usize| line[*at..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let paths = line.match_indices(" /").map(|(at, start)| at + start.len());
    let paths = paths.filter(is_path).map(|at| at - 1);
    let starts = starts_after(&line, &[": ", " - "]).chain(paths);
    let starts = starts.flat_map(|start| [with_file(&line, start), start]);
    let known = entry.filter(|entry| entry.rank != Rank::Generic);
    let is_long = |part: &str| (SHORTEST_PART..=LONGEST_PART).contains(&part.chars().count());
    // The words of an entry tell more than its terms: a part with only those lacks what decides.
    let words = known.and_then(|entry| entry.words_in(&line));
    let has_words = |part: &str, words: &[String]| {
        let part = part.to_ascii_lowercase();
        words.iter().all(|word| part.contains(word))
    };
    let is_part = |part: &&str| {
        let tells = match (words, known) {
            (Some(words), _) => has_words(part, words),
            (None, Some(entry)) => entry.end_of_words(part).is_some(),
            (None, None) => tells_failure(part),
        };
        is_long(part) && tells
    };
    let mut parts = Vec::new();
    for start in [0].into_iter().chain(starts.clone()) {
        let of_start = ends.iter().filter_map(|end| line.get(start..*end));
        let before = if start > 0 { "…" } else { "" };
        let of_start = of_start.filter(is_part);
        parts.extend(of_start.map(|part| format!("{before}{part}")));
    }
    // The end of a chain of errors as Go wraps them, which has the reason.
    let wrapped = starts.map(|start| &line[start..]).filter(|end| {
        let tells = words.map_or_else(|| tells_failure(end), |words| has_words(end, words));
        end.starts_with(|c: char| c.is_ascii_lowercase()) && is_long(end) && tells
    });
    parts.extend(wrapped.map(|end| format!("…{end}")));
    parts
}

/// Length from which on a line may be cut in a headline, and the length in which its decisive words then stand.
const LONG: usize = 90;
const NEAR: usize = 64;

/// Ends of the parts of a line.
const ENDS_OF_PARTS: [&str; 4] = [": ", "] ", ") ", "' "];
/// Ends of the clauses and sentences within a part.
const ENDS_OF_CLAUSES: [&str; 3] = [", ", "; ", ". "];

/// Returns where the parts of a line begin that follow these ends of others.
fn starts_after<'l>(line: &'l str, ends: &'l [&str]) -> impl Iterator<Item = usize> + Clone + 'l {
    let after = |end: &'l &str| line.match_indices(*end).map(|(at, end)| at + end.len());
    ends.iter().flat_map(after)
}

/// Returns the start of the path before a part that begins with the number of a line, which says nothing without its file:
/// `/etc/app.yml: line 4: unknown field`.
fn with_file(line: &str, start: usize) -> usize {
    let part = &line[start..];
    let before = line[..start].trim_end_matches([' ', ':']);
    let before = before
        .strip_suffix("yaml")
        .map_or(before, |it| it.trim_end_matches([' ', ':']));
    let path = before.rfind(' ').map_or(0, |at| at + 1);
    let is_path = before[path..].starts_with(['/', '"']) && before[path..].contains('/');
    let is_fit = line[path..].chars().count() <= LONGEST_LINE;
    let is_place = part.starts_with("line ") || part.starts_with("toml: (");
    match is_place && is_path && is_fit {
        true => path,
        false => start,
    }
}

/// A line that is no longer than the headline takes, and that has the words before this end near its beginning.
fn shortened(line: &str, end: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(line) <= LONG {
        return line.to_owned();
    }
    // A group in brackets within a sentence ends no part: `the options [a, b] are unknown`.
    let is_within = |start: usize| {
        let group = line[..start]
            .strip_suffix("] ")
            .and_then(|it| it.rfind('['));
        let before = group.map_or("", |at| line[..at].trim_end());
        before.ends_with(|c: char| c.is_ascii_lowercase())
    };
    let within = |most: usize, ends_part: &[&str]| {
        let starts = starts_after(line, ends_part);
        let starts = starts.filter(|start| *start < end && !is_within(*start));
        let mut starts: Vec<usize> = starts.chain([0]).collect();
        starts.sort_unstable();
        starts.into_iter().find(|start| {
            let words = line.get(*start..end);
            words.is_none_or(|words| length(words) <= most)
        })
    };
    // A beginning that lets the whole rest stand tells more than the reason alone.
    let whole = starts_after(line, &ENDS_OF_PARTS)
        .filter(|start| *start < end && length(&line[*start..]) <= LONG)
        .min();
    let start = within(NEAR, &ENDS_OF_PARTS)
        .or_else(|| within(LONG, &ENDS_OF_PARTS))
        .or_else(|| within(LONG, &ENDS_OF_CLAUSES))
        .or_else(|| within(LONGEST_LINE, &ENDS_OF_PARTS));
    let start = start.map(|start| whole.map_or(start, |whole| whole.min(start)));
    // `No such file or directory` says nothing without the file.
    let start = start.map(|start| {
        let is_fit = |at: &usize| {
            *at < start && (SHORTEST_PART..=LONGEST_LINE).contains(&length(&line[*at..]))
        };
        let longer = || starts_after(line, &ENDS_OF_PARTS).filter(is_fit).max();
        match length(&line[start..]) < SHORTEST_PART {
            true => longer().unwrap_or(start),
            false => start,
        }
    });
    let rest = &line[with_file(line, start.unwrap_or(0))..];
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
