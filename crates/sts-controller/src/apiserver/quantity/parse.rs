//! Parsing of quantities: a short form for few digits, which may preserve the spelling, and a long form.

use std::cmp::Ordering;

use super::decimal::Decimal;
use super::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, Format, Quantity, QuantityError};

/// The smallest power of ten in use: a billionth.
const NANO: i32 = -9;
/// Number of digits that always fit into a 64-bit number.
const SAFE_DIGITS: usize = 18;

pub(super) fn parse(text: &str) -> Result<Quantity, QuantityError> {
    if text == "0" {
        return Ok(Quantity {
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

/// Parts of a written quantity.
struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point, as written.
    value: &'a str,
    /// The digits before the point without leading zeros; `0` if none is left.
    whole: &'a str,
    /// The digits after the point.
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
        // Letters, then an optional sign, then optional digits. Whether that is a suffix is checked later.
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

/// Returns the power of a suffix: of two for a binary suffix, otherwise of ten.
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
    // Upstream keeps only the low 32 bits of an exponent.
    let power = power as i32;
    Some((power, Format::DecimalExponent))
}

/// Parses numbers of few digits, which keep their spelling if it is close enough to the canonical one.
fn short_form(
    text: &str,
    parts: &Parts<'_>,
    exponent: i32,
    format: Format,
) -> Result<Option<Quantity>, QuantityError> {
    let digits = parts.whole.len() + parts.fraction.len();
    let binary = format == Format::Binary;
    // A binary suffix takes three digits for each power of 1024, and one more for the remainder.
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

/// Parses numbers of any length: never finer than a billionth, and binary ones never beyond 64 bits.
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
