//! Flags in two columns: what to type, and what it does.

use clap::{Arg, Command};

use super::{WIDTH, literal, wrapped};

/// The column in which what a flag does begins.
const COLUMN: usize = 38;

/// The amount of text for each flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelpDetail {
    /// Its first sentence.
    Summary,
    /// Everything: details, values and the default.
    All,
}

/// The flags under one of these headings, in the order of the grammar.
pub(super) fn under(command: &Command, headings: &[&str], much: HelpDetail) -> String {
    let arguments = command.get_arguments().filter(|argument| {
        let heading = argument.get_help_heading().unwrap_or_default();
        headings.contains(&heading) && !argument.is_hide_set()
    });
    arguments.map(|argument| rows(argument, much)).collect()
}

/// One flag by its long name.
pub(super) fn called(command: &Command, long: &str) -> String {
    let mut arguments = command.get_arguments();
    let found = arguments.find(|argument| argument.get_long() == Some(long));
    found.map_or(String::new(), |argument| {
        rows(argument, HelpDetail::Summary)
    })
}

/// A row of two columns, the right one wrapped.
pub(super) fn row(left: &str, right: &str, column: usize) -> String {
    let mut out = format!("  {}", literal(left));
    let end = 2 + left.chars().count();
    let mut lines = wrapped(right, WIDTH - column).into_iter();
    if end + 2 <= column {
        let first = lines.next().unwrap_or_default();
        out += &format!("{:gap$}{first}", "", gap = column - end);
    }
    for line in lines {
        out += &format!("\n{:column$}{line}", "");
    }
    out.trim_end().to_owned() + "\n"
}

fn rows(argument: &Arg, much: HelpDetail) -> String {
    let short = argument.get_short();
    let short = short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
    let spelled = format!("{short}{argument}");
    let help = argument.get_help().map(ToString::to_string);
    let mut out = row(&spelled, &help.unwrap_or_default(), COLUMN);
    if much == HelpDetail::Summary {
        return out;
    }
    let long = argument.get_long_help().map(ToString::to_string);
    let long = long.unwrap_or_default();
    for paragraph in long.split("\n\n").skip(1) {
        out += &indented(paragraph);
    }
    let switch = argument.is_hide_possible_values_set() || !argument.get_action().takes_values();
    let values = match switch {
        true => Vec::new(),
        false => argument.get_possible_values(),
    };
    for value in values {
        let meaning = value.get_help().map(ToString::to_string);
        out += &indented(&match meaning {
            Some(meaning) => format!("{}: {}", value.get_name(), first_lower(&meaning)),
            None => value.get_name().to_owned(),
        });
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && !argument.is_hide_default_value_set() && !switch {
        out += &indented(&format!("[default: {}]", defaults.join(", ")));
    }
    out
}

fn indented(text: &str) -> String {
    let lines = wrapped(text, WIDTH - COLUMN);
    let lines = lines.into_iter();
    lines
        .map(|line| format!("{:COLUMN$}{line}\n", ""))
        .collect()
}

fn first_lower(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_lowercase());
    first.into_iter().flatten().chain(letters).collect()
}
