//! `help [TOPIC]`.

use clap::Command;
use clap::error::ErrorKind;

/// The help on a command, or on planning: clap hands help out as an error.
pub(super) fn on(command: &mut Command, topic: Option<&str>) -> clap::Error {
    let found = topic.is_none_or(|topic| command.find_subcommand(topic).is_some());
    if !found {
        let topics = command.get_subcommands().map(Command::get_name);
        let message = format!(
            "there is no help on {:?}: there is on {}",
            topic.unwrap_or_default(),
            topics.collect::<Vec<_>>().join(", ")
        );
        return command.error(ErrorKind::InvalidSubcommand, message);
    }
    let words = [Some(command.get_name()), topic, Some("--help")];
    let words: Vec<String> = words.into_iter().flatten().map(str::to_owned).collect();
    match command.try_get_matches_from_mut(words) {
        Err(help) => help,
        Ok(_) => command.error(ErrorKind::DisplayHelp, ""),
    }
}
