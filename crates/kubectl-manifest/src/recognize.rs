//! Recognizes texts that are not manifests: an archive, a web page, a template that was not rendered, a file with a
//! merge conflict. A parser names the character at which it happens to stop; this names the cause.
//!
//! Asked only once reading has failed, so it changes no value.

use std::borrow::Cow;

use super::error::{Fault, Mark, excerpt};

/// A better explanation of why a file could not be read, where there is one. `text` is the decoded file, and `stopped`
/// where the parser gave up.
pub(super) fn explain(bytes: &[u8], text: &str, stopped: Mark) -> Option<Fault> {
    by_first_bytes(bytes)
        .or_else(|| by_first_words(text))
        .or_else(|| by_marked_line(text))
        .or_else(|| by_line(text, stopped))
}

fn fault(at: Mark, problem: impl Into<Cow<'static, str>>) -> Option<Fault> {
    let problem = problem.into();
    Some(Fault { at, problem })
}

fn by_first_bytes(bytes: &[u8]) -> Option<Fault> {
    let what = match bytes {
        [0x1F, 0x8B, ..] => "this file is packed with gzip: unpack it first, as with gunzip",
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "this file is packed with zstd: unpack it first",
        [b'B', b'Z', b'h', _, ..] => "this file is packed with bzip2: unpack it first",
        [b'P', b'K', 3, 4, ..] => "this is a zip archive: unpack it first",
        _ if bytes.get(257..262) == Some(b"ustar") => "this is a tar archive: unpack it first",
        _ => return None,
    };
    fault(Mark::default(), what)
}

/// By the first line that says something.
fn by_first_words(text: &str) -> Option<Fault> {
    let (line, first) = numbered(text).find(|(_, text)| !text.trim().is_empty())?;
    let at = Mark::line(line);
    let first = first.trim_start();
    let begins = |start: &str| {
        first
            .get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    if begins("<!doctype") || begins("<html") || begins("<head") {
        let problem = "this is a web page (HTML), not a manifest: download the file itself, not the page that shows it";
        return fault(at, problem);
    }
    if begins("<?xml") {
        return fault(at, "this is XML, not a manifest: write YAML or JSON");
    }
    if first.starts_with("Error from server") || first.starts_with("error: ") {
        let problem = format!("this is an error that kubectl printed: {}", excerpt(first));
        return fault(at, problem);
    }
    if first.starts_with("No resources found") {
        return fault(at, "this is what kubectl prints when it finds nothing");
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    let is_header = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'(' | b')'))
    };
    if matches!(words.as_slice(), ["NAME" | "NAMESPACE", _, ..]) && words.iter().all(is_header) {
        let problem = "this is a table that kubectl get printed, not a manifest: print the objects with -o yaml";
        return fault(at, problem);
    }
    let described = ["Name:", "Namespace:", "Selector:"];
    let lines: Vec<&str> = text.lines().take(40).collect();
    let has = |label: &&str| lines.iter().any(|line| line.starts_with(*label));
    if first.starts_with("Name:  ") && described.iter().all(has) {
        let problem = "this is what kubectl describe printed, not a manifest: print the object with kubectl get -o yaml";
        return fault(at, problem);
    }
    None
}

/// By a line that no manifest has, wherever it is.
fn by_marked_line(text: &str) -> Option<Fault> {
    for (line, text) in numbered(text) {
        let at = Mark::line(line);
        if ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|marker| text.starts_with(marker))
        {
            return fault(
                at,
                "a merge conflict was left here: choose one of its two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>",
            );
        }
        if text.starts_with("```") {
            return fault(
                at,
                "a Markdown fence (```) stands here: keep only the lines between the fences",
            );
        }
        let trimmed = text.trim_start();
        if trimmed.starts_with("{{") || trimmed.starts_with("{%") {
            return template(text, line);
        }
    }
    None
}

/// By the line on which the parser stopped, and the one before it.
fn by_line(text: &str, stopped: Mark) -> Option<Fault> {
    let from = stopped.line.saturating_sub(1);
    let near = || {
        let upto = numbered(text).skip_while(move |(line, _)| *line < from);
        upto.take_while(move |(line, _)| *line <= stopped.line)
    };
    if let Some(fault) = near().find_map(|(line, text)| template(text, line)) {
        return Some(fault);
    }
    if let Some((line, column)) = near().find_map(|(line, text)| {
        let column = text.chars().position(|character| character == '\u{A0}')?;
        Some((line, column))
    }) {
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        return fault(
            Mark {
                column,
                ..Mark::line(line)
            },
            "a no-break space (U+00A0) stands here, which YAML takes for a letter: replace it by a space",
        );
    }
    misaligned(text, stopped.line)
}

/// That a line holds a template's expression.
fn template(text: &str, line: u32) -> Option<Fault> {
    let start = text.find("{{").or_else(|| text.find("{%"))?;
    let end = text[start..]
        .find("}}")
        .map_or(text.len(), |end| start + end + 2);
    let shown = excerpt(&text[start..end]);
    let at = Mark {
        line,
        ..Mark::of(text, start)
    };
    fault(
        at,
        format!(
            "this is a template that was not rendered ({shown}): render it first, as with helm template"
        ),
    )
}

/// The first line up to where the parser stopped that is indented like none of the lines around it.
fn misaligned(text: &str, stopped: u32) -> Option<Fault> {
    let mut open: Vec<usize> = Vec::new();
    // The indentation of the line whose block text goes on.
    let mut block: Option<usize> = None;
    for (line, text) in numbered(text).take_while(|(line, _)| *line <= stopped) {
        let body = text.trim_start_matches(' ');
        let indent = text.len() - body.len();
        if body.is_empty() || body.starts_with('#') || block.is_some_and(|of| indent > of) {
            continue;
        }
        block = None;
        if body.starts_with(['{', '[', '"', '\'', '}', ']']) || text.starts_with("---") {
            return None;
        }
        while open.last().is_some_and(|last| *last > indent) {
            let deeper = open.pop();
            let outer = open.last().copied();
            if outer.is_none_or(|outer| outer < indent) {
                let at = Mark {
                    column: u32::try_from(indent).unwrap_or(u32::MAX),
                    ..Mark::line(line)
                };
                let spaces = if indent == 1 { "space" } else { "spaces" };
                let outer = outer.unwrap_or_default();
                let deeper = deeper.unwrap_or_default();
                return fault(
                    at,
                    format!(
                        "this line is indented by {indent} {spaces}, and the lines above it by {outer} or {deeper}: align it with those it belongs to"
                    ),
                );
            }
        }
        if open.last() != Some(&indent) {
            open.push(indent);
        }
        // The key after a dash opens a mapping of its own.
        let mut rest = body;
        let mut column = indent;
        while let Some(after) = rest.strip_prefix("- ") {
            let inner = after.trim_start_matches(' ');
            column += rest.len() - inner.len();
            rest = inner;
            open.push(column);
        }
        let code = rest.split(" #").next().unwrap_or_default().trim_end();
        let header = code.rsplit([' ', ':']).next().unwrap_or_default();
        if matches!(header, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            block = Some(indent);
        }
    }
    None
}

fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (0..).zip(text.lines())
}
