//! Help: the texts around the flags, which clap renders. `-h` has the flags of every day, `--help` has all of them by
//! heading, and `help TOPIC` has those of one heading.

mod brief;
mod commands;
mod recipe;
mod topic;

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::Styles;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use super::{STYLES, exit};
pub use topic::Topic;

/// The columns that help fills at most.
pub(super) const MAX_WIDTH: usize = 80;

/// The flags of `-h`, by id: the ones that people use most.
const COMMON_FLAGS: [&str; 12] = [
    "filename",
    "namespace",
    "all_namespaces",
    "apply",
    "image",
    "replicas",
    "partition",
    "restart",
    "fail_on",
    "output",
    "save",
    "watch",
];

/// The examples of `-h`: the command, and a comment.
const SHORT_EXAMPLES: [(&str, &str); 3] = [
    (
        "kubectl sts-plan web -n prod",
        "                    # what happens next",
    ),
    (
        "kubectl sts-plan web -n prod --image app=app:2",
        "  # what a change would do",
    ),
    (
        "helm template . | kubectl sts-plan -n prod --apply - --fail-on data-loss",
        "",
    ),
];

const EXAMPLES: &str = "# What happens next: to one set; to all sets, stuck ones first
kubectl sts-plan web -n prod
kubectl sts-plan -A
# What a change would do: an image and a partition; a chart
kubectl sts-plan web -n prod --image app=registry.example/app:2 --partition 2
helm template . | kubectl sts-plan -n prod --apply -
# Without a cluster: a dump; the first rollout of a manifest
kubectl sts-plan -f dump.yaml
kubectl sts-plan -f web.yaml --kubernetes-version 1.33
# Fail a pull request that would lose data or cause downtime
kubectl sts-plan -f dump.yaml --apply new.yaml --fail-on data-loss,downtime
# Watch a rollout and compare it with its plan
kubectl sts-plan web -n prod -w --timeout 10m
# Save a plan, and compare it later with what happened
kubectl sts-plan web -n prod --save plan.json
kubectl sts-plan verify plan.json";

/// Renders the help that these arguments ask for. The texts are added only now, so that other runs do not pay for them.
pub(super) fn requested(command: &Command, args: &[OsString]) -> clap::Error {
    let name = program_name(command);
    let mut command = with_texts(command.clone(), &name);
    // Only a built command has the flags -h and -V.
    command.build();
    let below = brief::sections(&command, &name) + &after_long().replace(PROGRAM, &name);
    let command = command
        .after_long_help(below)
        .mut_args(|arg| {
            let is_common = COMMON_FLAGS.contains(&arg.get_id().as_str());
            let is_brief = brief::has(&arg);
            renamed_flag(arg, &name)
                .hide_short_help(!is_common)
                .hide_long_help(is_brief)
        })
        // A demo has the flags of a plan, which `--help` describes.
        .mut_subcommand("demo", |demo| {
            demo.mut_args(|arg| match arg.is_positional() {
                true => arg,
                false => arg.hide(true),
            })
        });
    rendered(command, args)
}

/// Returns the grammar with the texts of help, for the manual page.
pub fn manual() -> Command {
    with_texts(super::command(), PROGRAM)
}

/// Words that people type after `help`, each with the word that has the page.
const ALIASES: [(&str, &str); 8] = [
    ("watch", "watching"),
    ("policy", "gates"),
    ("gate", "gates"),
    ("exit-codes", "gates"),
    ("causes", "explain"),
    ("cause", "explain"),
    ("findings", "explain"),
    ("output", "formats"),
];

/// Renders the answer to `help WORD`: the help of a command, a topic, a task, or of planning.
pub(super) fn on(command: &Command, word: Option<&str>) -> clap::Error {
    let word = word.map(|word| {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == word);
        alias.map_or(word, |(_, name)| name)
    });
    if let Some(topic) = word.and_then(Topic::by_name) {
        return topic::page(topic, command);
    }
    if let Some(recipe) = word.and_then(recipe::by_name) {
        return recipe::page(recipe, command);
    }
    let found = word.is_none_or(|name| command.find_subcommand(name).is_some());
    if !found {
        let commands = command.get_subcommands().map(Command::get_name);
        let commands = commands.filter(|name| *name != "help").collect::<Vec<_>>();
        let message = format!(
            "no help on {:?}\ntopics: {}\ntasks: {}\ncommands: {}",
            word.unwrap_or_default(),
            Topic::ALL.map(Topic::name).join(", "),
            recipe::names().join(", "),
            commands.join(", ")
        );
        return command.clone().error(ErrorKind::InvalidSubcommand, message);
    }
    let words = [Some(command.get_name()), word, Some("--help")];
    let words: Vec<OsString> = words.into_iter().flatten().map(OsString::from).collect();
    requested(command, &words)
}

/// The name that the texts call the program by.
const PROGRAM: &str = "kubectl sts-plan";

/// The name that the user called the program by.
fn program_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(PROGRAM).to_owned()
}

/// Adds the texts around the flags of the program and of each command.
fn with_texts(command: Command, name: &str) -> Command {
    let renamed = |text: String| text.replace(PROGRAM, name);
    let commands: Vec<String> = command
        .get_subcommands()
        .map(|it| it.get_name().to_owned())
        .collect();
    let command = commands.into_iter().fold(command, |command, of| {
        let below = renamed(commands::below(&of));
        command.mut_subcommand(of, |it| it.after_help(below))
    });
    command
        .help_template(
            "{about}. It never writes to the cluster.\n\n{usage-heading} {usage}\n\n{all-args}{after-help}",
        )
        .after_help(renamed(after_short()))
        .after_long_help(renamed(after_long() + "\n\n" + &exit::of_watch()))
}

/// Replaces the name of the program in the description of a flag.
fn renamed_flag(flag: Arg, name: &str) -> Arg {
    let long = flag.get_long_help().map(ToString::to_string);
    match long.filter(|text| text.contains(PROGRAM)) {
        Some(text) => flag.long_help(text.replace(PROGRAM, name)),
        None => flag,
    }
}

fn after_short() -> String {
    let examples = SHORT_EXAMPLES.map(|(line, comment)| format!("  {}{comment}\n", literal(line)));
    format!(
        "{}\n{}\n{}\nAll flags: --help. Topics: kubectl sts-plan help {}.",
        heading("Examples:"),
        examples.concat(),
        exit::in_a_line(),
        Topic::ALL.map(Topic::name).join(", ")
    )
}

fn after_long() -> String {
    let mut topics = String::new();
    for topic in Topic::ALL {
        // Writing to a string does not fail.
        let _ = writeln!(topics, "  {:<11}  {}", topic.name(), topic.title());
    }
    format!(
        "{}\n{}\n{}\n\n{}\n{topics}\n{}\n  {}",
        heading("Examples:"),
        examples(EXAMPLES),
        exit::of_plan(),
        heading("Topics (kubectl sts-plan help TOPIC):"),
        heading("Tasks (kubectl sts-plan help TASK):"),
        recipe::names().join(", "),
    )
}

/// A page that is no command's: a title, a text, flags and what follows them.
struct Page {
    title: String,
    text: &'static str,
    flags: Vec<Arg>,
    below: String,
}

impl Page {
    /// Renders the page, in the name that the program was called by.
    fn rendered(self, command: &Command) -> clap::Error {
        let name = program_name(command);
        let renamed = |text: &str| text.replace(PROGRAM, &name);
        let flags = match self.flags.is_empty() {
            true => String::new(),
            false => format!("\n\n{}\n{{options}}", heading("Options:")),
        };
        let help = Arg::new("help").long("help").action(ArgAction::HelpLong);
        let page = Command::new("help")
            .styles(STYLES)
            .max_term_width(MAX_WIDTH)
            .disable_help_flag(true)
            .arg(help.hide(true))
            .args(self.flags.into_iter().map(|it| renamed_flag(it, &name)))
            .about(format!(
                "{}\n\n{}",
                heading(&self.title),
                renamed(self.text)
            ))
            .after_help(renamed(&self.below))
            .help_template(format!("{{about}}{flags}{{after-help}}"));
        rendered(page, &["help", "--help"].map(OsString::from))
    }
}

/// Returns help as clap does: as the error of a command line that asks for it.
fn rendered(mut command: Command, args: &[OsString]) -> clap::Error {
    match command.try_get_matches_from_mut(args) {
        Err(help) => help,
        Ok(_) => command.error(ErrorKind::DisplayHelp, ""),
    }
}

/// Formats a heading as clap does.
fn heading(text: &str) -> String {
    let style = Styles::get_header(&STYLES);
    format!("{style}{text}{style:#}")
}

/// Formats words to type as clap does.
fn literal(text: &str) -> String {
    let style = Styles::get_literal(&STYLES);
    format!("{style}{text}{style:#}")
}

/// Formats examples: a comment, and the command below it.
fn examples(text: &str) -> String {
    let mut out = String::new();
    for example in text.trim_start_matches("# ").split("\n# ") {
        let (purpose, command) = example.split_once('\n').unwrap_or((example, ""));
        let command = command.replace('\n', "\n  ");
        out += &format!("  # {purpose}\n  {}\n", literal(&command));
    }
    out
}
