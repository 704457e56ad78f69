//! Quantities such as `500m` or `1Gi`, read and written as the API server does it.
//!
//! A manifest may spell one amount in many ways, and the server answers with a canonical one, in which
//! revisions are then compared byte by byte. The rules have corners that look like mistakes and are copied
//! on purpose: short numbers keep their spelling (`5.`, `01`), more digits do not; a decimal amount beyond
//! the suffix `E` loses its suffix; binary amounts are capped at the largest 64-bit number.

use std::cmp::Ordering;

use thiserror::Error;

mod decimal;

use decimal::Decimal;

/// Why a text is no quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// The shape is wrong: empty, or a character where none may be.
    #[error("a quantity is a number with an optional suffix, such as 500m, 2 or 1Gi")]
    Format,
    /// There is a suffix, but no number that could be read.
    #[error("the number of the quantity cannot be read")]
    Number,
    /// The suffix is none of those known, or is mixed with an exponent.
    #[error(
        "the suffix of a quantity is one of n u m k M G T P E Ki Mi Gi Ti Pi Ei, or an exponent such as e3"
    )]
    Suffix,
}

/// The family of suffixes that an amount is written with.
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

/// The smallest power of ten that is kept: a billionth.
const NANO: i32 = -9;
/// Digits that always fit a 64-bit number.
const SAFE_DIGITS: usize = 18;

/// An amount, and the family of suffixes it was written with.
///
/// Equality and order are those of the amount: `0.5` equals `500m`.
#[derive(Debug, Clone)]
pub struct Quantity {
    amount: Decimal,
    format: Format,
    /// The power of ten of the last digit written, where the amount was read the short way.
    short_scale: Option<i32>,
    /// The spelling to keep.
    text: Option<String>,
}

impl Quantity {
    /// Reads a quantity; blanks around it do not count.
    ///
    /// # Errors
    ///
    /// Where the API server refuses the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        if text == "0" {
            return Ok(Self {
                amount: Decimal::zero(),
                format: Format::Decimal,
                short_scale: Some(0),
                text: Some("0".to_owned()),
            });
        }
        let parts = Parts::split(text)?;
        let (exponent, format) = interpret(parts.suffix).ok_or(QuantityError::Suffix)?;
        match short_form(text, &parts, exponent, format)? {
            Some(quantity) => Ok(quantity),
            None => long_form(&parts, exponent, format),
        }
    }

    /// The spelling that the API server answers with.
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

    /// Rounds away from zero to a multiple of a thousandth, the finest that resource lists may hold.
    pub fn round_up_to_milli(&mut self) {
        const MILLI: i32 = -3;
        if self.short_scale.is_some_and(|scale| scale >= MILLI) {
            return;
        }
        self.text = None;
        self.amount.round_up(MILLI);
    }
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

/// The pieces of a written quantity.
struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point as written.
    value: &'a str,
    /// The digits before the point without leading zeros, `0` where nothing is left.
    whole: &'a str,
    /// The digits behind the point.
    fraction: &'a str,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, QuantityError> {
        let bytes = text.as_bytes();
        let end = bytes.len();
        if end == 0 {
            return Err(QuantityError::Format);
        }
        let run = |from: usize, accept: fn(u8) -> bool| {
            bytes[from..]
                .iter()
                .position(|byte| !accept(*byte))
                .map_or(end, |length| from + length)
        };
        let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();

        let negative = bytes[0] == b'-';
        let start = usize::from(matches!(bytes[0], b'-' | b'+'));
        let significant = run(start, |byte| byte == b'0');
        if significant == end {
            return Ok(Self {
                negative,
                value: "0",
                whole: "0",
                fraction: "",
                suffix: "",
            });
        }
        let mut at = run(significant, digit);
        let whole = match &text[significant..at] {
            "" => "0",
            whole => whole,
        };
        let mut fraction = "";
        if at < end && bytes[at] == b'.' {
            let last = run(at + 1, digit);
            fraction = &text[at + 1..last];
            at = last;
        }
        // Letters, then perhaps a sign, then perhaps digits; whether that is a suffix is seen later.
        let letters = run(at, |byte| b"eEinumkKMGTP".contains(&byte));
        let signed = letters + usize::from(letters < end && matches!(bytes[letters], b'-' | b'+'));
        if run(signed, digit) != end {
            return Err(QuantityError::Format);
        }
        Ok(Self {
            negative,
            value: &text[..at],
            whole,
            fraction,
            suffix: &text[at..],
        })
    }
}

/// The power that a suffix stands for: of two for the binary ones, else of ten.
fn interpret(suffix: &str) -> Option<(i32, Format)> {
    let find = |table: &[(&str, i32)]| {
        table
            .iter()
            .find(|(name, _)| *name == suffix)
            .map(|(_, power)| *power)
    };
    if let Some(power) = find(&DECIMAL_SUFFIXES) {
        return Some((power, Format::Decimal));
    }
    if let Some(power) = find(&BINARY_SUFFIXES) {
        return Some((power, Format::Binary));
    }
    let digits = suffix.strip_prefix(['e', 'E'])?;
    let power: i64 = digits.parse().ok()?;
    // Upstream keeps the low 32 bits of an exponent beyond all use.
    let power = power as i32;
    Some((power, Format::DecimalExponent))
}

/// Numbers of few digits, which keep their spelling where that is near enough to the canonical one.
fn short_form(
    text: &str,
    parts: &Parts<'_>,
    exponent: i32,
    format: Format,
) -> Result<Option<Quantity>, QuantityError> {
    let digits = parts.whole.len() + parts.fraction.len();
    let binary = format == Format::Binary;
    // A binary suffix uses up three digits for each power of 1024, and one more for the part that is left.
    let room = match (binary, parts.fraction.is_empty()) {
        (false, _) => SAFE_DIGITS,
        (true, true) => 14_usize.saturating_sub(exponent as usize / 10 * 3),
        (true, false) => 0,
    };
    let fraction_digits = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
    let scale = if binary {
        0
    } else {
        exponent.wrapping_sub(fraction_digits)
    };
    if digits > room || scale < NANO {
        return Ok(None);
    }
    let shifted = format!("{}{}", parts.whole, parts.fraction);
    let value: u64 = shifted.parse().map_err(|_| QuantityError::Number)?;
    let keep = if binary {
        value & 7 != 0
    } else {
        scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0')
    };
    let mut amount = Decimal::new(parts.negative, shifted.bytes(), scale);
    if binary {
        amount.multiply(1 << exponent);
    }
    Ok(Some(Quantity {
        amount,
        format,
        short_scale: Some(scale),
        text: keep.then(|| text.to_owned()),
    }))
}

/// Numbers of any length: never finer than a billionth, and binary ones never beyond 64 bits.
fn long_form(parts: &Parts<'_>, exponent: i32, format: Format) -> Result<Quantity, QuantityError> {
    let digits = parts.value.bytes().filter(u8::is_ascii_digit);
    if digits.clone().next().is_none() {
        return Err(QuantityError::Number);
    }
    let fraction_digits = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
    let scale = 0_i32.wrapping_sub(fraction_digits);
    let mut amount;
    if format == Format::Binary {
        amount = Decimal::new(parts.negative, digits, scale);
        amount.multiply(1 << exponent);
    } else {
        amount = Decimal::new(parts.negative, digits, scale.wrapping_add(exponent));
    }
    amount.round_up(NANO);
    let mut format = format;
    if format == Format::Binary {
        let most = Decimal::from_u64(i64::MAX.unsigned_abs());
        if amount.cmp_magnitude(&most) == Ordering::Greater {
            amount = if parts.negative { most.negated() } else { most };
        }
        if amount.cmp_magnitude(&Decimal::from_u64(1)) == Ordering::Less && !amount.is_zero() {
            format = Format::Decimal;
        }
    }
    Ok(Quantity {
        amount,
        format,
        short_scale: None,
        text: None,
    })
}
