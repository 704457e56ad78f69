//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::Fault;
use super::cursor::Cursor;
use super::scanner::Scanner;
use super::token::Token;

/// Scans the name after `&` or `*`.
pub(super) fn anchor<'a>(scanner: &mut Scanner<'a>) -> Result<&'a str, Fault> {
    scanner.cursor.skip();
    let name = word(&mut scanner.cursor);
    let ends = scanner.cursor.is_gap(0)
        || matches!(
            scanner.cursor.byte(0),
            b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
        );
    if name.is_empty() || !ends {
        return Err(scanner.fault(
            "an anchor (&) or alias (*) has a name of letters, digits, '_' and '-': \
             give it one, or quote the value",
        ));
    }
    Ok(name)
}

/// Scans a tag, starting at its `!`: `!`, `!local`, `!!name`, `!handle!name` or `!<uri>`.
pub(super) fn tag<'a>(scanner: &mut Scanner<'a>) -> Result<Token<'a>, Fault> {
    let token = if scanner.cursor.byte(1) == b'<' {
        scanner.cursor.skip_many(2);
        let suffix = uri(scanner, "", false)?;
        if scanner.cursor.byte(0) != b'>' {
            return Err(scanner.fault("unterminated '!<' tag: add '>', or quote the value"));
        }
        scanner.cursor.skip();
        Token::Tag { handle: "", suffix }
    } else {
        let handle = handle(scanner)?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = uri(scanner, "", false)?;
            Token::Tag { handle, suffix }
        } else {
            let suffix = uri(scanner, handle.get(1..).unwrap_or_default(), true)?;
            if suffix.is_empty() {
                Token::Tag {
                    handle: "",
                    suffix: Cow::Borrowed("!"),
                }
            } else {
                Token::Tag {
                    handle: "!",
                    suffix,
                }
            }
        }
    };
    if !scanner.cursor.is_gap(0) {
        return Err(scanner.fault("missing space after a tag (!): add one, or quote the value"));
    }
    Ok(token)
}

/// Scans a `%YAML` or `%TAG` line. It never applies, since kubectl splits documents at `---`.
pub(super) fn directive(scanner: &mut Scanner<'_>) -> Result<(), Fault> {
    let wrong = |scanner: &Scanner<'_>| scanner.fault("invalid '%' directive: remove the line");
    scanner.cursor.skip();
    let name = word(&mut scanner.cursor);
    if name.is_empty() || !scanner.cursor.is_gap(0) {
        return Err(wrong(scanner));
    }
    scanner.cursor.skip_blanks();
    match name {
        "YAML" => {
            if !version_number(&mut scanner.cursor) || scanner.cursor.byte(0) != b'.' {
                return Err(wrong(scanner));
            }
            scanner.cursor.skip();
            if !version_number(&mut scanner.cursor) {
                return Err(wrong(scanner));
            }
        }
        "TAG" => {
            let handle = handle(scanner)?;
            if !(handle == "!" || handle.len() > 1 && handle.ends_with('!'))
                || !scanner.cursor.is_blank(0)
            {
                return Err(wrong(scanner));
            }
            scanner.cursor.skip_blanks();
            uri(scanner, "", false)?;
            if !scanner.cursor.is_gap(0) {
                return Err(wrong(scanner));
            }
        }
        _ => return Err(wrong(scanner)),
    }
    scanner.cursor.skip_blanks();
    scanner.cursor.skip_comment();
    if !scanner.cursor.is_line_end() {
        return Err(wrong(scanner));
    }
    scanner.cursor.read_break();
    Ok(())
}

/// Scans one or two digits.
fn version_number(cursor: &mut Cursor<'_>) -> bool {
    let mut digits = 0;
    while cursor.byte(0).is_ascii_digit() {
        cursor.skip();
        digits += 1;
    }
    matches!(digits, 1 | 2)
}

fn word<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let start = cursor.offset;
    while is_word(cursor.byte(0)) {
        cursor.skip();
    }
    cursor.slice(start, cursor.offset)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Scans `!`, `!!`, `!word` or `!word!`; its end shows whether it is a handle.
fn handle<'a>(scanner: &mut Scanner<'a>) -> Result<&'a str, Fault> {
    let start = scanner.cursor.offset;
    if scanner.cursor.byte(0) != b'!' {
        return Err(scanner.fault("a tag handle starts with '!'"));
    }
    scanner.cursor.skip();
    word(&mut scanner.cursor);
    if scanner.cursor.byte(0) == b'!' {
        scanner.cursor.skip();
    }
    Ok(scanner.cursor.slice(start, scanner.cursor.offset))
}

/// Scans the name of a tag, after the part that was scanned as a handle.
fn uri<'a>(
    scanner: &mut Scanner<'a>,
    head: &'a str,
    may_be_empty: bool,
) -> Result<Cow<'a, str>, Fault> {
    let start = scanner.cursor.offset;
    let mut escaped: Option<Vec<u8>> = None;
    loop {
        let byte = scanner.cursor.byte(0);
        if byte == b'%' {
            let so_far = scanner.cursor.slice(start, scanner.cursor.offset);
            let bytes = escaped.get_or_insert_with(|| so_far.as_bytes().to_vec());
            uri_escape(scanner, bytes)?;
        } else if is_word(byte) || b";/?:@&=+$,.!~*'()[]".contains(&byte) {
            if let Some(bytes) = &mut escaped {
                bytes.push(byte);
            }
            scanner.cursor.skip();
        } else {
            break;
        }
    }
    let tail = match escaped {
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => Cow::Borrowed(scanner.cursor.slice(start, scanner.cursor.offset)),
    };
    if tail.is_empty() && !may_be_empty {
        return Err(scanner.fault("missing name of a tag (!): add one, or quote the value"));
    }
    Ok(if head.is_empty() {
        tail
    } else if tail.is_empty() {
        Cow::Borrowed(head)
    } else {
        Cow::Owned(format!("{head}{tail}"))
    })
}

/// Scans the `%XX` escapes of one UTF-8 character.
fn uri_escape(scanner: &mut Scanner<'_>, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    let mut left: usize = 0;
    let mut first = true;
    while first || left > 0 {
        let code = scanner
            .cursor
            .rest()
            .get(1..3)
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let octet = code
            .filter(|_| scanner.cursor.byte(0) == b'%')
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        let Some(octet) = octet else {
            return Err(scanner.fault("a '%' in a tag requires two hexadecimal digits"));
        };
        let width = match octet {
            0..0x80 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0..0xF8 => 4,
            _ => 0,
        };
        if first {
            left = width;
        }
        if first && width == 0 || !first && octet & 0xC0 != 0x80 {
            return Err(scanner.fault("invalid UTF-8 in the '%' escapes of a tag"));
        }
        first = false;
        left -= 1;
        bytes.push(octet);
        scanner.cursor.skip_many(3);
    }
    Ok(())
}
