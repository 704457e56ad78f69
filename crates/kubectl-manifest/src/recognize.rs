//! Recognizes input that is not a manifest: an archive, a web page, an unrendered template, a file with a merge
//! conflict. A parser reports the character at which it stops; this module reports the cause.
//!
//! Only used after an error, so that it changes no values.

use std::borrow::Cow;

use super::error::{Fault, Mark, excerpt};

/// Returns a better explanation of an error, if there is one. `text` is the decoded file, and `stopped` the position
/// of the error.
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
        [0x1F, 0x8B, ..] => "this is a gzip file: decompress it first, for example with gunzip",
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "this is a zstd file: decompress it first",
        [b'B', b'Z', b'h', _, ..] => "this is a bzip2 file: decompress it first",
        [b'P', b'K', 3, 4, ..] => "this is a zip archive: extract it first",
        _ if bytes.get(257..262) == Some(b"ustar") => "this is a tar archive: extract it first",
        _ => return None,
    };
    fault(Mark::default(), what)
}

/// Explains the error by the first line with content.
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
        let problem = "this is a web page (HTML), not a manifest: download the raw file";
        return fault(at, problem);
    }
    if begins("<?xml") {
        return fault(at, "this is XML, not a manifest: use YAML or JSON");
    }
    if first.starts_with("Error from server") || first.starts_with("error: ") {
        let problem = format!("this is an error message of kubectl: {}", excerpt(first));
        return fault(at, problem);
    }
    if first.starts_with("No resources found") {
        return fault(at, "this is output of kubectl without any objects");
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    let is_header = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'(' | b')'))
    };
    if matches!(words.as_slice(), ["NAME" | "NAMESPACE", _, ..]) && words.iter().all(is_header) {
        let problem = "this is a table of kubectl get, not a manifest: use kubectl get -o yaml";
        return fault(at, problem);
    }
    let described = ["Name:", "Namespace:", "Selector:"];
    let lines: Vec<&str> = text.lines().take(40).collect();
    let has = |label: &&str| lines.iter().any(|line| line.starts_with(*label));
    if first.starts_with("Name:  ") && described.iter().all(has) {
        let problem = "this is output of kubectl describe, not a manifest: use kubectl get -o yaml";
        return fault(at, problem);
    }
    None
}

/// Explains the error by a line that no manifest has.
fn by_marked_line(text: &str) -> Option<Fault> {
    for (line, text) in numbered(text) {
        let at = Mark::line(line);
        if ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|marker| text.starts_with(marker))
        {
            return fault(
                at,
                "unresolved merge conflict: keep one side, and remove the lines with <<<<<<<, ======= and >>>>>>>",
            );
        }
        if text.starts_with("```") {
            return fault(
                at,
                "unexpected Markdown fence (```): keep only the lines between the fences",
            );
        }
        let trimmed = text.trim_start();
        if trimmed.starts_with("{{") || trimmed.starts_with("{%") {
            return template(text, line);
        }
    }
    None
}

/// Explains the error by its line and the previous one.
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
            "no-break space (U+00A0), which YAML treats as a letter: replace it with a space",
        );
    }
    misaligned(text, stopped.line)
}

/// Returns the error for a template expression in a line.
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
        format!("unrendered template ({shown}): render it first, for example with helm template"),
    )
}

/// Finds the first line up to the error that is not aligned with the lines around it.
fn misaligned(text: &str, stopped: u32) -> Option<Fault> {
    let mut open: Vec<usize> = Vec::new();
    // Indentation of the line whose block scalar continues.
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
                        "inconsistent indentation: this line has {indent} {spaces}, and the lines above {outer} or {deeper}"
                    ),
                );
            }
        }
        if open.last() != Some(&indent) {
            open.push(indent);
        }
        // The key after a dash opens another mapping.
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
