//! Hashes of the page's script and styles for its content security policy. A browser runs and applies nothing else, even
//! if it is injected into the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Returns a hash source of a content security policy, such as `'sha256-47DE…='`.
pub(super) fn source(text: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!("'sha256-{hash}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_the_form_that_browsers_read() {
        for (text, expected) in [
            ("", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"),
            (
                "abc",
                "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='",
            ),
        ] {
            assert_eq!(source(text), expected);
        }
    }
}
