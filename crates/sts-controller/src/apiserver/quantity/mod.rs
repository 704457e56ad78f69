//! Quantities such as `500m` or `1Gi`, parsed and formatted like the API server does.
//!
//! A manifest may spell one amount in many ways. The server returns a canonical spelling, and revisions with it are
//! compared byte by byte. Some rules look like mistakes and are copied on purpose: short numbers keep their spelling
//! (`5.`, `01`), longer ones do not. A decimal amount beyond the suffix `E` loses its suffix. Binary amounts are capped
//! at the largest 64-bit number.

use std::cmp::Ordering;

use thiserror::Error;

mod decimal;
mod parse;

use decimal::Decimal;

/// The reason that a string is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// A wrong format: empty, or an unexpected character.
    #[error("a quantity is a number with an optional suffix, such as 500m, 2 or 1Gi")]
    Format,
    /// There is a suffix, but no valid number.
    #[error("the number of the quantity is invalid")]
    Number,
    /// The suffix is unknown, or combined with an exponent.
    #[error(
        "the suffix of a quantity is one of n u m k M G T P E Ki Mi Gi Ti Pi Ei, or an exponent such as e3"
    )]
    Suffix,
}

/// Family of suffixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `e3`, `E6`: any power of ten.
    DecimalExponent,
    /// `Ki` ... `Ei`: powers of 1024.
    Binary,
    /// `n` ... `E`: powers of 1000.
    Decimal,
}

/// Suffixes of powers of ten, with their exponent.
const DECIMAL_SUFFIXES: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// Suffixes of powers of two, with their exponent.
const BINARY_SUFFIXES: [(&str, i32); 6] = [
    ("Ki", 10),
    ("Mi", 20),
    ("Gi", 30),
    ("Ti", 40),
    ("Pi", 50),
    ("Ei", 60),
];

/// An amount, and the family of its suffix.
///
/// Equality and order are those of the amount: `0.5` equals `500m`.
#[derive(Debug, Clone)]
pub struct Quantity {
    amount: Decimal,
    format: Format,
    /// Power of ten of the last written digit, if the amount was parsed by the short form.
    short_scale: Option<i32>,
    /// The spelling to preserve.
    text: Option<String>,
}

impl Quantity {
    /// Parses a quantity. Surrounding blanks are ignored, but not tabs and line feeds: the server trims the raw JSON,
    /// where those are escape sequences.
    ///
    /// # Errors
    ///
    /// When the API server rejects the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::parse(text.trim_matches(is_blank))
    }

    /// Returns the spelling in the API server's response.
    #[must_use]
    pub fn canonical(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        if self.amount.is_zero() {
            return "0".to_owned();
        }
        // Small or fractional amounts would lose digits with a binary suffix.
        let binary = self.format == Format::Binary
            && self.amount.cmp_magnitude(&Decimal::from_u64(1024)) != Ordering::Less
            && self.amount.is_integer();
        if binary && let Some((number, thousands)) = self.amount.base_1024() {
            let suffix = match thousands {
                0 => "",
                n => BINARY_SUFFIXES.get(n - 1).map_or("", |(suffix, _)| suffix),
            };
            return format!("{number}{suffix}");
        }
        let (number, exponent) = self.amount.base_1000();
        match (self.format, exponent) {
            (Format::DecimalExponent, 0) => number,
            (Format::DecimalExponent, _) => format!("{number}e{exponent}"),
            _ => {
                let suffix = DECIMAL_SUFFIXES
                    .iter()
                    .find(|(_, power)| i64::from(*power) == exponent)
                    .map_or("", |(suffix, _)| suffix);
                format!("{number}{suffix}")
            }
        }
    }

    /// Reports whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.amount.is_zero()
    }

    /// Reports whether it is negative.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.amount.is_negative()
    }

    /// Reports whether it has no fraction.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.amount.is_integer()
    }

    /// Returns the amount as a whole number, rounded away from zero; `None` beyond 128 bits.
    #[must_use]
    pub fn rounded(&self) -> Option<i128> {
        let mut amount = self.amount.clone();
        amount.round_up(0);
        amount.units(0)
    }

    /// Returns the amount in billionths; `None` beyond 128 bits.
    #[must_use]
    pub fn billionths(&self) -> Option<i128> {
        self.amount.units(-9)
    }

    /// Returns the sum of two quantities, in the family of the first one unless that is zero; `None` beyond 128 bits of
    /// billionths.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        const NANO: i32 = -9;
        let format = if self.is_zero() {
            other.format
        } else {
            self.format
        };
        let sum = self
            .amount
            .units(NANO)?
            .checked_add(other.amount.units(NANO)?)?;
        Some(Self {
            amount: Decimal::from_units(sum, NANO),
            format,
            short_scale: None,
            text: None,
        })
    }

    /// Rounds away from zero to a multiple of a thousandth, the resolution of resource lists.
    pub fn round_up_to_milli(&mut self) {
        const MILLI: i32 = -3;
        if self.short_scale.is_some_and(|scale| scale >= MILLI) {
            return;
        }
        self.text = None;
        self.amount.round_up(MILLI);
    }
}

/// Reports whether a character is white space that JSON does not escape.
fn is_blank(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\t'..='\r' | '\u{2028}' | '\u{2029}')
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.amount.cmp(&other.amount)
    }
}
