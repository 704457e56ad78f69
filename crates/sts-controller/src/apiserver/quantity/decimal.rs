//! Decimal numbers of any length, with the few operations that quantities need.
//!
//! The number is kept as digits and not as a big integer, because most operations are about digits: rounding cuts some
//! off, and the canonical form drops zeros. An exponent in the thousands costs nothing.

use std::cmp::Ordering;

/// `digits` times ten to the power of `scale`, without zeros at either end. No digits at all is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// 0 to 9 each, most significant first.
    digits: Vec<u8>,
    scale: i64,
}

impl Decimal {
    pub(super) fn zero() -> Self {
        Self {
            negative: false,
            digits: Vec::new(),
            scale: 0,
        }
    }

    /// Returns the number with these ASCII digits.
    pub(super) fn new(negative: bool, digits: impl Iterator<Item = u8>, scale: i32) -> Self {
        let mut number = Self {
            negative,
            digits: digits.map(|digit| digit - b'0').collect(),
            scale: i64::from(scale),
        };
        number.trim();
        number
    }

    pub(super) fn from_u64(value: u64) -> Self {
        Self::new(false, value.to_string().bytes(), 0)
    }

    pub(super) fn negated(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_integer(&self) -> bool {
        self.scale >= 0
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns the number in units of ten to the power of `scale`; `None` if that is not a whole number, or too large.
    pub(super) fn units(&self, scale: i32) -> Option<i128> {
        let zeros = usize::try_from(self.scale - i64::from(scale)).ok()?;
        if zeros > 38 {
            return None;
        }
        if self.is_zero() {
            return Some(0);
        }
        format!("{}{}", self.text(), "0".repeat(zeros)).parse().ok()
    }

    /// Returns this many units of ten to the power of `scale`.
    pub(super) fn from_units(units: i128, scale: i32) -> Self {
        let digits = units.unsigned_abs().to_string();
        Self::new(units < 0, digits.bytes(), scale)
    }

    fn trim(&mut self) {
        let leading = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..leading);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.scale += 1;
        }
        if self.digits.is_empty() {
            *self = Self::zero();
        }
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        let mut carry: u128 = 0;
        for digit in self.digits.iter_mut().rev() {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = last_digit(carry);
            carry /= 10;
        }
        let mut front = Vec::new();
        while carry > 0 {
            front.push(last_digit(carry));
            carry /= 10;
        }
        front.reverse();
        self.digits.splice(0..0, front);
        self.trim();
    }

    /// Rounds away from zero to a multiple of ten to the power of `scale`.
    pub(super) fn round_up(&mut self, scale: i32) {
        let scale = i64::from(scale);
        if self.is_zero() || self.scale >= scale {
            return;
        }
        // The digits cut off are more than nothing, since the last one is not zero.
        let cut = usize::try_from(scale - self.scale).unwrap_or(usize::MAX);
        self.digits.truncate(self.digits.len().saturating_sub(cut));
        self.scale = scale;
        let mut carried = true;
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                carried = false;
                break;
            }
            *digit = 0;
        }
        if carried {
            self.digits.insert(0, 1);
        }
        self.trim();
    }

    /// Returns the number with the shortest mantissa whose exponent is a multiple of three.
    pub(super) fn base_1000(&self) -> (String, i64) {
        let padding = self.scale.rem_euclid(3);
        let mut text = self.text();
        for _ in 0..padding {
            text.push('0');
        }
        (text, self.scale - padding)
    }

    /// Returns a whole number and the power of 1024 taken out of it; `None` beyond 128 bits.
    pub(super) fn base_1024(&self) -> Option<(String, usize)> {
        let zeros = usize::try_from(self.scale).ok()?;
        if zeros > 38 {
            return None;
        }
        let mut value: i128 = format!("{}{}", self.text(), "0".repeat(zeros))
            .parse()
            .ok()?;
        let mut times = 0;
        while value != 0 && value % 1024 == 0 {
            value /= 1024;
            times += 1;
        }
        Some((value.to_string(), times))
    }

    fn text(&self) -> String {
        let sign = self.negative.then_some('-');
        sign.into_iter()
            .chain(self.digits.iter().map(|digit| char::from(b'0' + digit)))
            .collect()
    }

    /// Compares without the signs.
    pub(super) fn cmp_magnitude(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        let length = |number: &Self| {
            i64::try_from(number.digits.len())
                .unwrap_or(i64::MAX)
                .saturating_add(number.scale)
        };
        // Digits are aligned at the front, so a shorter prefix is the smaller number.
        length(self)
            .cmp(&length(other))
            .then_with(|| self.digits.cmp(&other.digits))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

fn last_digit(number: u128) -> u8 {
    u8::try_from(number % 10).unwrap_or(0)
}
