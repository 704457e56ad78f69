//! Quoted scalars.

use std::borrow::Cow;

use super::Fault;
use super::scanner::Scanner;

/// Scans a scalar in `'` or `"`. Borrows the text unless it has escapes or line breaks.
pub(super) fn scan<'a>(scanner: &mut Scanner<'a>, quote: u8) -> Result<Cow<'a, str>, Fault> {
    let opening = scanner.cursor.mark();
    let double = quote == b'"';
    scanner.cursor.skip();
    let mut text = Cow::Borrowed("");
    let mut start = scanner.cursor.offset;
    loop {
        if scanner.cursor.is_document_indicator() {
            return Err(scanner
                .fault("unterminated quoted string at the end of the document: close the quote"));
        }
        if scanner.cursor.at_end() {
            return Err(Fault {
                at: opening,
                problem: "unterminated quoted string: add the closing quote".into(),
            });
        }
        let mut escaped_break = false;
        while !scanner.cursor.is_gap(0) {
            let byte = scanner.cursor.byte(0);
            if byte == quote {
                if double || scanner.cursor.byte(1) != b'\'' {
                    break;
                }
                flush(scanner, &mut text, start);
                text.to_mut().push('\'');
                scanner.cursor.skip_many(2);
                start = scanner.cursor.offset;
            } else if double && byte == b'\\' {
                flush(scanner, &mut text, start);
                if scanner.cursor.is_break(1) {
                    scanner.cursor.skip();
                    scanner.cursor.read_break();
                    start = scanner.cursor.offset;
                    escaped_break = true;
                    break;
                }
                let character = escape(scanner)?;
                text.to_mut().push(character);
                start = scanner.cursor.offset;
            } else {
                scanner.cursor.skip();
            }
        }
        if scanner.cursor.byte(0) == quote {
            break;
        }
        blanks(scanner, &mut text, &mut start, escaped_break);
    }
    let last = scanner.cursor.slice(start, scanner.cursor.offset);
    scanner.cursor.skip();
    if text.is_empty() {
        return Ok(Cow::Borrowed(last));
    }
    text.to_mut().push_str(last);
    Ok(text)
}

/// Skips blanks and line breaks. Blanks within a line are kept; around line breaks they are dropped, and the breaks
/// fold.
fn blanks<'a>(
    scanner: &mut Scanner<'a>,
    text: &mut Cow<'a, str>,
    start: &mut usize,
    escaped_break: bool,
) {
    let mut crossed_line = escaped_break;
    let word_end = scanner.cursor.offset;
    let mut folded = "";
    let mut kept = String::new();
    loop {
        if scanner.cursor.is_blank(0) {
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
    if crossed_line {
        let joined = text.to_mut();
        if !escaped_break {
            joined.push_str(scanner.cursor.slice(*start, word_end));
        }
        super::fold(joined, folded, &kept);
        *start = scanner.cursor.offset;
    }
}

fn flush<'a>(scanner: &Scanner<'a>, text: &mut Cow<'a, str>, start: usize) {
    text.to_mut()
        .push_str(scanner.cursor.slice(start, scanner.cursor.offset));
}

/// Scans an escape of a double-quoted scalar, starting at its backslash.
fn escape(scanner: &mut Scanner<'_>) -> Result<char, Fault> {
    let letter = scanner.cursor.byte(1);
    let (digits, character) = match letter {
        b'0' => (0, '\0'),
        b'a' => (0, '\x07'),
        b'b' => (0, '\x08'),
        b't' | b'\t' => (0, '\t'),
        b'n' => (0, '\n'),
        b'v' => (0, '\x0B'),
        b'f' => (0, '\x0C'),
        b'r' => (0, '\r'),
        b'e' => (0, '\x1B'),
        b' ' | b'"' | b'\'' | b'\\' => (0, char::from(letter)),
        b'N' => (0, '\u{85}'),
        b'_' => (0, '\u{A0}'),
        b'L' => (0, '\u{2028}'),
        b'P' => (0, '\u{2029}'),
        b'x' => (2, '\0'),
        b'u' => (4, '\0'),
        b'U' => (8, '\0'),
        _ => {
            let next = scanner.cursor.rest().chars().nth(1).unwrap_or(' ');
            return Err(scanner.fault(format!(
                "invalid escape '\\{}': double the backslash, or use single quotes",
                next.escape_debug()
            )));
        }
    };
    scanner.cursor.skip_many(2);
    if digits == 0 {
        return Ok(character);
    }
    let code = scanner.cursor.rest().get(..digits).unwrap_or_default();
    if code.len() != digits || !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(scanner.fault(format!(
            "invalid escape: '\\{}' requires {digits} hexadecimal digits",
            char::from(letter)
        )));
    }
    let character = u32::from_str_radix(code, 16)
        .ok()
        .and_then(char::from_u32)
        .ok_or_else(|| {
            scanner.fault(format!(
                "invalid character '\\{}{code}': write the character itself",
                char::from(letter)
            ))
        })?;
    scanner.cursor.skip_many(digits);
    Ok(character)
}
