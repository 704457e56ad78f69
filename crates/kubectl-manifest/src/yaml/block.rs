//! Block scalars: `|` and `>`.

use super::Fault;
use super::scanner::Scanner;

/// Handling of line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

/// Scans a block scalar, starting at its `|` or `>`.
pub(super) fn scan(scanner: &mut Scanner<'_>, literal: bool) -> Result<String, Fault> {
    scanner.cursor.skip();
    let (chomp, increment) = header(scanner)?;
    let mut indent = increment.map_or(0, |increment| scanner.indent.max(0) + increment);
    let mut text = String::new();
    let mut trailing = String::new();
    let mut leading_break = "";
    let mut was_blank = false;
    breaks(scanner, &mut indent, &mut trailing)?;
    while i64::from(scanner.cursor.column) == indent && !scanner.cursor.at_end() {
        let is_blank = scanner.cursor.is_blank(0);
        if !literal && leading_break.starts_with('\n') && !was_blank && !is_blank {
            if trailing.is_empty() {
                text.push(' ');
            }
        } else {
            text.push_str(leading_break);
        }
        text.push_str(&trailing);
        trailing.clear();
        was_blank = is_blank;
        let start = scanner.cursor.offset;
        while !scanner.cursor.is_line_end() {
            scanner.cursor.skip();
        }
        text.push_str(scanner.cursor.slice(start, scanner.cursor.offset));
        leading_break = scanner.cursor.read_break();
        breaks(scanner, &mut indent, &mut trailing)?;
    }
    if chomp != Chomp::Strip {
        text.push_str(leading_break);
    }
    if chomp == Chomp::Keep {
        text.push_str(&trailing);
    }
    Ok(text)
}

/// Scans the indicators after `|`, in any order, up to the next line.
fn header(scanner: &mut Scanner<'_>) -> Result<(Chomp, Option<i64>), Fault> {
    let (mut chomp, mut increment) = (None, None);
    for _ in 0..2 {
        match scanner.cursor.byte(0) {
            b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
            b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
            b'0' if increment.is_none() => {
                return Err(scanner.fault("invalid indentation 0 of a block scalar: use 1 to 9"));
            }
            digit @ b'1'..=b'9' if increment.is_none() => increment = Some(i64::from(digit - b'0')),
            _ => break,
        }
        scanner.cursor.skip();
    }
    scanner.cursor.skip_blanks();
    scanner.cursor.skip_comment();
    if !scanner.cursor.is_line_end() {
        return Err(
            scanner.fault("unexpected text after '|' or '>': move it to the next line, indented")
        );
    }
    scanner.cursor.read_break();
    Ok((chomp.unwrap_or(Chomp::Clip), increment))
}

/// Skips indentation and empty lines. Without an indicator, the first line with text determines the indentation.
fn breaks(scanner: &mut Scanner<'_>, indent: &mut i64, trailing: &mut String) -> Result<(), Fault> {
    let mut deepest = 0;
    loop {
        while (*indent == 0 || i64::from(scanner.cursor.column) < *indent)
            && scanner.cursor.byte(0) == b' '
        {
            scanner.cursor.skip();
        }
        let column = i64::from(scanner.cursor.column);
        deepest = deepest.max(column);
        if (*indent == 0 || column < *indent) && scanner.cursor.byte(0) == b'\t' {
            return Err(
                scanner.fault("tab in the indentation of a block scalar: replace it with spaces")
            );
        }
        let line_break = scanner.cursor.read_break();
        if line_break.is_empty() {
            break;
        }
        trailing.push_str(line_break);
    }
    if *indent == 0 {
        *indent = deepest.max(scanner.indent + 1).max(1);
    }
    Ok(())
}
