//! Texts in quotes.

use std::borrow::Cow;

use super::Reader;
use crate::error::Fault;

/// What stands for itself in a text in quotes, and is one character.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x80 {
        plain[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

/// How many bytes stand for themselves at the start of a text in quotes: eight at a time, and each by itself at its end.
fn plain_run(text: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (words, _) = text.as_chunks::<8>();
    let mut run = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // The highest bit of the first byte for which this is below its limit; of later ones it may be wrong.
        let below = |word: u64, limit: u64| word.wrapping_sub(EACH * limit) & !word;
        let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
        let odd = (word | below(word, 0x20) | is(b'"') | is(b'\\')) & (EACH * 0x80);
        if odd != 0 {
            return run + odd.trailing_zeros() as usize / 8;
        }
        run += 8;
    }
    let end = text.get(run..).unwrap_or_default();
    run + end
        .iter()
        .take_while(|byte| PLAIN[usize::from(**byte)])
        .count()
}

impl<'a> Reader<'a, '_> {
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.offset += 1;
        let mut start = self.offset;
        let mut text = Cow::Borrowed("");
        loop {
            self.offset += plain_run(&self.text.as_bytes()[self.offset..]);
            match self.byte() {
                b'"' => break,
                b'\\' => {
                    text.to_mut().push_str(&self.text[start..self.offset]);
                    let character = self.escape()?;
                    text.to_mut().push(character);
                    start = self.offset;
                }
                0..0x20 => return Err(self.unexpected("the rest of a text in double quotes")),
                byte => {
                    self.wide += usize::from(byte & 0xC0 == 0x80);
                    self.offset += 1;
                }
            }
        }
        let last = &self.text[start..self.offset];
        self.offset += 1;
        if text.is_empty() {
            return Ok(Cow::Borrowed(last));
        }
        text.to_mut().push_str(last);
        Ok(text)
    }

    /// Reads an escape from its backslash on. Half a surrogate pair reads as U+FFFD.
    fn escape(&mut self) -> Result<char, Fault> {
        self.offset += 1;
        let character = match self.byte() {
            letter @ (b'"' | b'\\' | b'/') => char::from(letter),
            b'b' => '\x08',
            b'f' => '\x0C',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.offset += 1;
                let Some(unit) = self.hexadecimal(0) else {
                    return Err(self.unexpected("four hexadecimal digits"));
                };
                self.offset += 4;
                let pair = match self.rest().as_bytes() {
                    [b'\\', b'u', ..] => self.hexadecimal(2),
                    _ => None,
                };
                let units = [Some(unit), pair].into_iter().flatten();
                let first = char::decode_utf16(units).next().and_then(Result::ok);
                if first.is_some_and(|character| character.len_utf16() == 2) {
                    self.offset += 6;
                }
                return Ok(first.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return Err(self.unexpected("an escape that JSON has")),
        };
        self.offset += 1;
        Ok(character)
    }

    fn hexadecimal(&self, ahead: usize) -> Option<u16> {
        let code = self.rest().get(ahead..ahead + 4)?;
        code.bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| u16::from_str_radix(code, 16).ok())?
    }
}
