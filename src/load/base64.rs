//! Base64: of `!!binary` scalars, and of what kubeconfigs hold.

/// The digits, by their values.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes as standard base64, with its padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(three.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            if at > three.len() {
                text.push('=');
            } else {
                let digit = (bits >> (18 - 6 * at)) as usize & 63;
                text.push(char::from(DIGITS[digit]));
            }
        }
    }
    text
}

/// Decodes standard base64 with its padding; line breaks anywhere are passed over, anything else is an error.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut digits = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    loop {
        let mut quantum = [0; 4];
        let mut filled = 0;
        for slot in &mut quantum {
            let Some(byte) = digits.next() else { break };
            *slot = byte;
            filled += 1;
        }
        if filled == 0 {
            return Some(bytes);
        }
        let padding = quantum
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'=')
            .count();
        if filled < 4 || padding > 2 {
            return None;
        }
        let mut bits = 0_u32;
        for &byte in &quantum[..4 - padding] {
            bits = bits << 6 | u32::from(value(byte)?);
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
        if padding > 0 {
            return digits.next().is_none().then_some(bytes);
        }
    }
}

fn value(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{fb}\u{ff}~?", "w7vDv34/"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
    }
}
