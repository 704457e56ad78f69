//! The flags of a heading, a line each.

use clap::{Arg, Command};

use super::{MAX_WIDTH, Topic, heading, literal};

/// Headings whose flags have a line each in `--help`, and their descriptions on the page of the topic.
const HEADINGS: [&str; 4] = ["Stages", "Nodes", "Questions", "Connection"];
/// The column of the texts.
const COLUMN: usize = 32;

/// Reports whether `--help` has the flag in a line.
pub(super) fn has(flag: &Arg) -> bool {
    flag.get_help_heading()
        .is_some_and(|heading| HEADINGS.contains(&heading))
}

/// Returns the sections, each with the command that describes its flags.
pub(super) fn sections(command: &Command, name: &str) -> String {
    let mut out = String::new();
    for topic in Topic::ALL {
        let mut flags = topic.flags(command).filter(|flag| has(flag)).peekable();
        if flags.peek().is_some() {
            let title = format!("{} ({name} help {}):", topic.heading(), topic.name());
            let rows: String = flags.map(row).collect();
            out += &format!("{}\n{rows}\n", heading(&title));
        }
    }
    out
}

fn row(flag: &Arg) -> String {
    let short = flag.get_short();
    let short = short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
    let flag_and_value = format!("{short}{flag}");
    let mut line = format!("  {}", literal(&flag_and_value));
    let mut at = flag_and_value.chars().count() + 2;
    if at + 2 > COLUMN {
        line.push('\n');
        at = 0;
    }
    let defaults = flag.get_default_values();
    let shows_default = flag.get_action().takes_values() && !flag.is_hide_default_value_set();
    let default = defaults.first().filter(|_| shows_default);
    let default = default.map(|it| format!(" [default: {}]", it.to_string_lossy()));
    let text = flag.get_help().map(ToString::to_string).unwrap_or_default();
    for word in format!("{text}{}", default.unwrap_or_default()).split(' ') {
        let length = word.chars().count();
        if at < COLUMN {
            line += &" ".repeat(COLUMN - at);
            at = COLUMN;
        } else if at + 1 + length > MAX_WIDTH {
            line.push('\n');
            line += &" ".repeat(COLUMN);
            at = COLUMN;
        } else {
            line.push(' ');
            at += 1;
        }
        line += word;
        at += length;
    }
    line + "\n"
}
