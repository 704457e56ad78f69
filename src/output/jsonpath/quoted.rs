//! Quoted strings with the escapes of Go.

use std::str::Chars;

use super::TemplateError;

/// Returns the value of a string with quotes.
pub(super) fn unquoted(text: &str) -> Result<String, TemplateError> {
    read(text)
        .ok_or_else(|| TemplateError::new(format!("unquote string {text} error invalid syntax")))
}

fn read(text: &str) -> Option<String> {
    let quote = text.chars().next()?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    // Bytes, since an escape may be half a character.
    let mut out = Vec::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => escape(&mut characters, quote, &mut out)?,
            character if character == quote => return None,
            character => push(&mut out, character),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// Parses an escape after its backslash.
fn escape(characters: &mut Chars<'_>, quote: char, out: &mut Vec<u8>) -> Option<()> {
    let kind = characters.next()?;
    let plain = match kind {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' => '\\',
        _ if kind == quote => quote,
        'u' => char::from_u32(number(characters, 4, 16, 0)?)?,
        'U' => char::from_u32(number(characters, 8, 16, 0)?)?,
        'x' => {
            out.push(u8::try_from(number(characters, 2, 16, 0)?).ok()?);
            return Some(());
        }
        '0'..='7' => {
            let first = kind.to_digit(8)?;
            out.push(u8::try_from(number(characters, 2, 8, first)?).ok()?);
            return Some(());
        }
        _ => return None,
    };
    push(out, plain);
    Some(())
}

/// Parses a number of further digits.
fn number(characters: &mut Chars<'_>, digits: usize, radix: u32, start: u32) -> Option<u32> {
    (0..digits).try_fold(start, |number, _| {
        let digit = characters.next()?.to_digit(radix)?;
        number.checked_mul(radix)?.checked_add(digit)
    })
}

fn push(out: &mut Vec<u8>, character: char) {
    out.extend(character.encode_utf8(&mut [0; 4]).bytes());
}
