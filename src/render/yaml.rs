//! `-o yaml`.

use std::io::{self, Write};

use serde::Serialize;
use serde_saphyr::ser_options;

use super::style::Style;
use crate::report::{Report, ReportList};

/// Writes one plan, or a list of them.
pub(super) fn render(reports: &[Report], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    match reports {
        [report] => write(report, out),
        reports => write(&ReportList::new(reports), out),
    }
}

fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // A message on one line is found by grep; folded, it is not.
    let options = ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    if text.ends_with('\n') {
        Ok(())
    } else {
        writeln!(out)
    }
}
