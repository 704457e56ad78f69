//! Completion of command lines: which words may come next, for the shells by name and for kubectl.
//!
//! There is one answer to that: the program's own arguments with the names of sets, pods, revisions and
//! namespaces that the rest of the command line leads to: the files of `-f`, or a cluster, which is asked for no more
//! than the lists that it takes, and not waited for long. A completion never fails out loud: where nothing can be
//! read, nothing is offered.

mod candidates;
mod kubectl;
mod live;
mod matching;
mod objects;
mod script;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::CompleteEnv;

use crate::cli;
use candidates::Candidates;

pub use script::run;

/// The variable by which a shell's script asks for candidates.
const VARIABLE: &str = "STS_PLAN_COMPLETE";
/// The executable that the scripts call.
const EXECUTABLE: &str = "kubectl-sts_plan";
/// The name by which kubectl looks for the completion of this plugin.
pub const KUBECTL_EXECUTABLE: &str = "kubectl_complete-sts_plan";
/// The word before the words to complete, for callers that cannot set the name of the program: cobra's hidden command.
const HIDDEN_WORD: &str = "__complete";

/// Answers when a shell's script or kubectl asks for candidates. False when none does, and the program is to plan.
///
/// # Errors
/// When the shell is not known, or the answer cannot be written.
pub fn answer(
    args: &[OsString],
    folder: Option<&Path>,
    stdout: &mut dyn Write,
) -> anyhow::Result<bool> {
    let program = args
        .first()
        .and_then(|program| Path::new(program).file_stem());
    if program.is_some_and(|name| name == KUBECTL_EXECUTABLE) {
        kubectl::answer(args.get(1..).unwrap_or_default(), folder, stdout)?;
        return Ok(true);
    }
    if args.get(1).is_some_and(|word| word == HIDDEN_WORD) {
        kubectl::answer(&args[2..], folder, stdout)?;
        return Ok(true);
    }
    // A script calls: PROGRAM -- PROGRAM WORD...
    let words = args.get(3..).unwrap_or_default().to_vec();
    let answered = CompleteEnv::with_factory(|| command(&words))
        .var(VARIABLE)
        .try_complete(args.iter().cloned(), folder)?;
    Ok(answered)
}

/// Candidates for an argument of which so much is there.
type Lookup = fn(&Candidates, &str) -> Vec<CompletionCandidate>;

/// The arguments that these words lead to, with what may be completed by looking. The last word is the one to
/// complete.
fn command(words: &[OsString]) -> clap::Command {
    let before = words.split_last().map_or(&[][..], |(_, before)| before);
    let args: Vec<OsString> = std::iter::once(OsString::from(EXECUTABLE))
        .chain(before.iter().cloned())
        .collect();
    let candidates = Arc::new(Candidates::new(cli::read_partial(&args)));
    let grammar = cli::grammar(&args);
    let subcommands: Vec<String> = grammar
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let grammar = with_lookups(grammar, &candidates);
    subcommands.into_iter().fold(grammar, |grammar, name| {
        grammar.mut_subcommand(name, |command| with_lookups(command, &candidates))
    })
}

/// A command whose arguments are looked up where they can be.
fn with_lookups(command: clap::Command, candidates: &Arc<Candidates>) -> clap::Command {
    let lookups: [(&str, Lookup); 25] = [
        ("names", Candidates::names),
        ("ids", Candidates::ids),
        ("topic", Candidates::topics),
        ("namespace", Candidates::namespaces),
        ("to_revision", Candidates::revisions),
        ("image", Candidates::containers),
        ("delete_pod", Candidates::pods),
        ("delete_claim", Candidates::claims),
        ("grow", Candidates::claim_templates),
        ("drain", Candidates::nodes),
        ("cordon", Candidates::nodes),
        ("lose", Candidates::lost_nodes),
        ("context", Candidates::contexts),
        ("cluster", Candidates::clusters),
        ("user", Candidates::users),
        ("report", Candidates::outs),
        ("fail_on", Candidates::failures),
        ("ignore", Candidates::ignored),
        ("require", Candidates::requirements),
        ("assume", Candidates::assumptions),
        ("output", Candidates::formats),
        ("kubernetes_version", Candidates::versions),
        ("upgrade_to", Candidates::versions),
        ("feature_gates", Candidates::gates),
        ("set", Candidates::paths),
    ];
    lookups.into_iter().fold(command, |command, (id, lookup)| {
        if !command
            .get_arguments()
            .any(|argument| argument.get_id() == id)
        {
            return command;
        }
        let candidates = Arc::clone(candidates);
        let completer = ArgValueCompleter::new(move |current: &OsStr| {
            lookup(&candidates, current.to_str().unwrap_or_default())
        });
        command.mut_arg(id, |argument| argument.add(completer))
    })
}
