//! String search, many bytes at a time.
//!
//! Eight bytes form one number, a word, with the first byte lowest. A test of all bytes sets the highest bit of each
//! matching byte. Only the lowest set bit is reliable: a borrow in a subtraction may set wrong bits above it.

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

/// One in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;
/// Highest bit of each byte.
const HIGHEST: u64 = EACH * 0x80;

/// Returns the word at an offset, with zeros beyond the end.
#[inline(always)]
pub(super) fn at(text: &[u8], offset: usize) -> u64 {
    match text.get(offset..offset + 8).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last(text, offset),
    }
}

#[cold]
#[inline(never)]
fn last(text: &[u8], offset: usize) -> u64 {
    let rest = text.get(offset..).unwrap_or_default().iter();
    rest.rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Returns the first eight bytes of a string, the first one highest: if these numbers differ, they compare like the
/// strings. The strings contain no zeros.
#[inline(always)]
pub(super) fn start(text: &[u8], place: Range<usize>) -> u64 {
    match 8_usize.saturating_sub(place.len()) * 8 {
        64 => 0,
        beyond => at(text, place.start).swap_bytes() >> beyond << beyond,
    }
}

/// Marks quotes, backslashes and control characters, and some non-ASCII bytes.
#[inline(always)]
pub(super) fn end_quoted(word: u64) -> u64 {
    // The quote 0x22 becomes a blank 0x20, and control characters stay below it.
    let quotes_and_controls = (word ^ (EACH * 0x02)).wrapping_sub(EACH * 0x21);
    (quotes_and_controls | are(word, b'\\')) & HIGHEST
}

/// Marks the bytes that may end a plain YAML scalar: `:`, `#`, control characters, and all non-ASCII bytes.
#[inline(always)]
pub(super) fn end_plain(word: u64) -> u64 {
    let controls = word.wrapping_sub(EACH * 0x20);
    let delete = word.wrapping_add(EACH);
    (controls | delete | word | are(word, b':') | are(word, b'#')) & HIGHEST
}

/// Returns the end of the spaces at an offset.
#[inline(always)]
pub(super) fn after_spaces(text: &[u8], mut offset: usize) -> usize {
    while text.get(offset..offset + 16) == Some(&[b' '; 16]) {
        offset += 16;
    }
    loop {
        let other = at(text, offset) ^ (EACH * 0x20);
        if other != 0 {
            return offset + first(other);
        }
        offset += 8;
    }
}

/// Marks the ASCII characters that equal a byte.
#[inline(always)]
fn are(word: u64, byte: u8) -> u64 {
    (word ^ (EACH * u64::from(byte))).wrapping_sub(EACH)
}

/// Returns the index of the first marked byte.
#[inline(always)]
pub(super) fn first(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}

/// Returns the first position of one text in another.
pub(super) fn find(text: &str, wanted: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), wanted.as_bytes())
}

/// Counts line breaks.
pub(super) fn line_breaks(text: &str) -> u32 {
    u32::try_from(memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(u32::MAX)
}

/// Returns the position of the last line break.
pub(super) fn last_line_break(text: &str) -> Option<usize> {
    memrchr(b'\n', text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_bit_marks_the_first_byte() {
        for byte in 0..=u8::MAX {
            for before in [
                b'a', b'!', b'#', b'"', b'\\', b' ', b'\n', 0x7E, 0x7F, 0x80, 0xFF,
            ] {
                let text = [b'x', b'[', before, byte, b'$', b'"', b'\n', b'|'];
                let word = at(&text, 0);
                let is_end = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
                let end = text.iter().position(is_end);
                let found = first(end_quoted(word));
                let is_wide = text.get(found).is_some_and(|byte| !byte.is_ascii());
                assert!(is_wide || Some(found) == end, "{text:?}: {found}");
                let is_end =
                    |byte: &u8| !matches!(byte, b' '..=b'~') || matches!(byte, b':' | b'#');
                let end = text.iter().position(is_end);
                assert_eq!(Some(first(end_plain(word))), end, "{text:?}");
            }
        }
    }

    #[test]
    fn numbers_are_in_the_order_of_texts() {
        let texts = [
            "",
            "a",
            "a/b",
            "ab",
            "abcdefg",
            "abcdefgh",
            "abcdefghi",
            "b",
        ];
        let starts = texts.map(|text| start(format!("{text}\"zz").as_bytes(), 0..text.len()));
        assert!(starts.is_sorted(), "{starts:x?}");
        assert_eq!(starts[5], starts[6]);
    }

    #[test]
    fn spaces_end_at_the_end() {
        for count in 0..40 {
            assert_eq!(after_spaces(" ".repeat(count).as_bytes(), 0), count);
            assert_eq!(after_spaces((" ".repeat(count) + "a").as_bytes(), 0), count);
        }
    }
}
