//! A text that is not to be seen.

use std::fmt;

/// A secret, which no message and no debug output shows.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The secret itself.
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
