//! `-h`: one screen.

use clap::Command;

use super::flags;
use super::{Topic, heading, literal, wrapped};
use crate::cli::exit;

/// The flags that people use most.
const FLAGS: [&str; 12] = [
    "filename",
    "namespace",
    "all-namespaces",
    "apply",
    "image",
    "replicas",
    "partition",
    "ready-after",
    "fail-on",
    "output",
    "save",
    "watch",
];

pub(super) const EXAMPLES: [&str; 3] = [
    "kubectl sts-plan web -n prod                    # what happens next",
    "kubectl sts-plan web -n prod --image app=app:2  # what a change would do",
    "helm template . | kubectl sts-plan -n prod --apply - --fail-on data-loss",
];

pub(super) fn page(command: &mut Command) -> String {
    let mut out = about(command);
    out += &format!("\n{}\n", heading("Examples:"));
    for example in EXAMPLES {
        // The comment is not to type.
        let (typed, comment) = match example.find("  # ").or_else(|| example.find(" # ")) {
            Some(at) => example.split_at(at),
            None => (example, ""),
        };
        out += &format!("  {}{comment}\n", literal(typed));
    }
    out += &format!("\n{}\n", heading("Flags:"));
    for flag in FLAGS {
        out += &flags::called(command, flag);
    }
    out += &format!("\n{}\n", heading("Commands:"));
    out += &commands(command);
    out += &format!("\n{}\n", exit::in_a_line());
    let topics = Topic::ALL.map(Topic::name).join(", ");
    let more = format!("All flags: --help. On a topic: kubectl sts-plan help {topics}.");
    out + &wrapped(&more, super::WIDTH).join("\n")
}

/// Returns the first lines of the help: the purpose of the program, and how to call it.
pub(super) fn about(command: &mut Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim_start().to_owned();
    format!(
        "{}.\nNothing is ever written to a cluster.\n\n{} {usage}\n",
        about.unwrap_or_default(),
        heading("Usage:")
    )
}

/// Every command in a line.
pub(super) fn commands(command: &Command) -> String {
    let commands = command.get_subcommands().filter(|it| !it.is_hide_set());
    let rows = commands.map(|command| {
        let about = command.get_about().map(ToString::to_string);
        flags::row(command.get_name(), &about.unwrap_or_default(), 14)
    });
    rows.collect()
}
