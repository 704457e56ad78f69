//! Secrets that are not printed.

use std::fmt;

/// A secret that no message and no debug output shows.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Returns the secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(..)")
    }
}

impl From<String> for Token {
    fn from(text: String) -> Self {
        Token(text)
    }
}
