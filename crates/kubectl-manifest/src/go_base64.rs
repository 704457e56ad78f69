//! Base64 as decoded by Go, for `!!binary` scalars and kubeconfigs.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Go's standard encoding requires padding, but not that unused bits are zero.
const GO: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// Encodes standard base64 with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    GO.encode(bytes)
}

/// Decodes standard base64 with padding. Line breaks are ignored anywhere; anything else is `None`.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    GO.decode(digits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_and_decoding_round_trip() {
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

    #[test]
    fn it_is_read_as_go_reads_it() {
        assert_eq!(decode("Z\r\nm8\n=").unwrap(), b"fo", "line breaks anywhere");
        assert_eq!(decode("Zn==").unwrap(), b"f", "bits that are left over");
        for wrong in ["Zg", "Zg=", "Zg==Zg==", "Z g=", "=", "Zg===", "Zm8-"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
