//! Help on planning: `-h` on one screen, `--help` with all flags by topic, and `help TOPIC` with a page on each. Flags and
//! commands are told from clap's own grammar, so that no text can name one that is not there.

mod commands;
mod flags;
mod long;
mod recipe;
mod short;
mod topic;

use std::ffi::OsString;

use clap::Command;
use clap::builder::Styles;
use clap::error::ErrorKind;

use super::STYLES;
pub use long::manual;
pub use topic::Topic;

/// The width that help is written for, on every terminal.
const WIDTH: usize = 80;

/// The help that these arguments ask for: clap hands help out as an error. Pages are made when they are asked for, since
/// that costs more than parsing.
pub(super) fn asked(command: &Command, args: &[OsString]) -> clap::Error {
    // Clap's output tells which page it is.
    let marked = command.clone().help_template("{after-help}");
    let marked = marked.after_help(SHORT).after_long_help(LONG);
    let answer = marked.try_get_matches_from(args).err();
    let answer = answer.map(|help| help.to_string()).unwrap_or_default();
    let mut built = command.clone();
    built.build();
    match answer.trim() {
        SHORT => printed(command, &short::page(&mut built)),
        LONG => printed(command, &long::page(&mut built)),
        _ => {
            let below = super::commands().into_keys().map(|name| {
                let below = called(command, &commands::below(&name));
                (name, below)
            });
            // A demo has the flags of a plan, which have pages of their own.
            let short = command.clone().mut_subcommand("demo", |demo| {
                demo.mut_args(|argument| match argument.is_positional() {
                    true => argument,
                    false => argument.hide(true),
                })
            });
            let command = below.fold(short, |command, (name, below)| {
                command.mut_subcommand(name, |it| it.after_help(below))
            });
            rendered(command, args)
        }
    }
}

const SHORT: &str = "short";
const LONG: &str = "long";

/// The answer to `help` and a word: help on a command, on a topic, or on planning.
pub(super) fn on(command: &mut Command, word: Option<&str>) -> clap::Error {
    if let Some(topic) = word.and_then(Topic::called) {
        let mut built = command.clone();
        built.build();
        return printed(command, &topic::page(topic, &built));
    }
    if let Some(recipe) = word.and_then(recipe::called) {
        return printed(command, &recipe::page(recipe));
    }
    let found = word.is_none_or(|name| command.find_subcommand(name).is_some());
    if !found {
        let commands = command.get_subcommands().map(Command::get_name);
        let commands = commands.filter(|name| *name != "help").collect::<Vec<_>>();
        let topics = Topic::ALL.map(Topic::name);
        let message = format!(
            "there is no help on {:?}: there is on the topics {}; on the tasks {}; and on the commands {}",
            word.unwrap_or_default(),
            topics.join(", "),
            recipe::names().join(", "),
            commands.join(", ")
        );
        return command.error(ErrorKind::InvalidSubcommand, message);
    }
    let words = [Some(command.get_name()), word, Some("--help")];
    let words: Vec<OsString> = words.into_iter().flatten().map(OsString::from).collect();
    asked(command, &words)
}

/// A page as clap prints help: to standard output, with colours where they are wanted.
fn printed(command: &Command, page: &str) -> clap::Error {
    let args = [command.get_name(), "-h"].map(OsString::from);
    rendered(command.clone().override_help(called(command, page)), &args)
}

fn rendered(mut command: Command, args: &[OsString]) -> clap::Error {
    match command.try_get_matches_from_mut(args) {
        Err(help) => help,
        Ok(_) => command.error(ErrorKind::DisplayHelp, ""),
    }
}

/// A heading, as clap's own help has them.
fn heading(text: &str) -> String {
    let style = Styles::get_header(&STYLES);
    format!("{style}{text}{style:#}")
}

/// Something to type, as clap's own help has it.
fn literal(text: &str) -> String {
    let style = Styles::get_literal(&STYLES);
    format!("{style}{text}{style:#}")
}

/// Examples: a line that says what for, and below it the command.
fn examples(examples: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (what, line) in examples {
        out += &format!("  # {what}\n  {}\n", literal(line));
    }
    out
}

/// A text with the name that the program was called by.
fn called(command: &Command, text: &str) -> String {
    let name = command.get_bin_name().unwrap_or("kubectl sts-plan");
    text.replace("kubectl sts-plan", name)
}

/// Lines of at most so many columns, broken at spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    // The name of the program stays in one piece.
    let text = text.replace("kubectl sts-plan", "kubectl\u{a0}sts-plan");
    let mut lines = vec![String::new()];
    for word in text.split_ascii_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let lines = lines.into_iter();
    lines.map(|line| line.replace('\u{a0}', " ")).collect()
}
