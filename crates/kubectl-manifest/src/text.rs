//! Decodes files as kubectl does.

/// Decodes UTF-8, or UTF-16 after a byte order mark; invalid input becomes U+FFFD.
pub(super) fn decode(mut bytes: Vec<u8>) -> String {
    match &bytes[..] {
        [0xFE, 0xFF, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, ..] => {
            bytes.drain(..3);
        }
        _ => {}
    }
    // Most files are UTF-8, and are not copied.
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let mut text: String = char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}
