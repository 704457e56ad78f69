//! Unquoted scalars.

use std::borrow::Cow;

use super::Fault;
use super::scanner::Scanner;

/// Scans a plain scalar, which may continue on indented lines. Borrows the text unless lines were joined.
pub(super) fn scan<'a>(scanner: &mut Scanner<'a>) -> Result<Cow<'a, str>, Fault> {
    let flow = scanner.flow_level > 0;
    let indent = scanner.indent + 1;
    let mut text = Cow::Borrowed("");
    let mut start = scanner.cursor.offset;
    let mut end = start;
    // Line breaks since the last word: the first one, which folds to a space, and the rest.
    let mut folded = "";
    let mut kept = String::new();
    let mut crossed_line = false;
    loop {
        if scanner.cursor.is_document_indicator() || scanner.cursor.byte(0) == b'#' {
            break;
        }
        let word = scanner.cursor.offset;
        while !scanner.cursor.is_gap(0) {
            let stops = match scanner.cursor.byte(0) {
                b':' => scanner.cursor.is_gap(1),
                b',' | b'?' | b'[' | b']' | b'{' | b'}' => flow,
                _ => false,
            };
            if stops {
                break;
            }
            scanner.cursor.skip();
        }
        if scanner.cursor.offset > word {
            if crossed_line {
                let joined = text.to_mut();
                joined.push_str(scanner.cursor.slice(start, end));
                super::fold(joined, folded, &kept);
                kept.clear();
                crossed_line = false;
                start = word;
            }
            end = scanner.cursor.offset;
        }
        if !(scanner.cursor.is_blank(0) || scanner.cursor.is_break(0)) {
            break;
        }
        loop {
            if scanner.cursor.is_blank(0) {
                let shallow = i64::from(scanner.cursor.column) < indent;
                if crossed_line && shallow && scanner.cursor.byte(0) == b'\t' {
                    return Err(scanner.fault(
                        "tab in the indentation of a continued line: replace it with spaces",
                    ));
                }
                scanner.cursor.skip();
                continue;
            }
            let line_break = scanner.cursor.read_break();
            if line_break.is_empty() {
                break;
            }
            if crossed_line {
                kept.push_str(line_break);
            } else {
                folded = line_break;
                crossed_line = true;
            }
        }
        if !flow && i64::from(scanner.cursor.column) < indent {
            break;
        }
    }
    if crossed_line {
        scanner.key_allowed = true;
    }
    let last = scanner.cursor.slice(start, end);
    if text.is_empty() {
        return Ok(Cow::Borrowed(last));
    }
    text.to_mut().push_str(last);
    Ok(text)
}
