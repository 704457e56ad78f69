//! `-o json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::layout::{Layout, serialize};
use sts_plan::report::{ReportList, Verification, VerificationList};

/// Writes one plan, or a list of them.
pub(super) fn render(plans: ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    match plans.alone() {
        Some(report) => write(report, out),
        None => write(&plans, out),
    }
}

/// Writes one verification, or a list of them.
pub(super) fn verifications(found: &[Verification], out: &mut dyn Write) -> io::Result<()> {
    match found {
        [only] => write(only, out),
        several => write(&VerificationList::new(several), out),
    }
}

/// Writes a value on one line.
pub(super) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serialize(value, Layout::compact(), out)?;
    writeln!(out)
}

pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serialize(value, Layout::pretty(), out)?;
    writeln!(out)
}

/// A value as a tree.
///
/// # Errors
/// When a value within has no form in JSON.
pub fn tree(value: &impl Serialize) -> io::Result<Value> {
    Ok(serde_json::from_slice(&bytes(value)?)?)
}

/// A value as JSON on one line.
pub(super) fn bytes(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    serialize(value, Layout::compact(), &mut bytes)?;
    Ok(bytes)
}
