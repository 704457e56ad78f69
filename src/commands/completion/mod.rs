//! Command line completion for shells and for kubectl.
//!
//! Both use the arguments of the program, with the names of sets, pods, revisions and namespaces from the files of
//! `-f` or the cluster. A cluster query uses only the necessary lists, with a short timeout. Completion never prints
//! an error: if nothing can be read, there are no candidates.

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

/// Environment variable with which shell scripts request candidates.
const VARIABLE: &str = "STS_PLAN_COMPLETE";
/// Executable that the scripts call.
const EXECUTABLE: &str = "kubectl-sts_plan";
/// Name of the executable that kubectl runs for completion of this plugin.
pub const KUBECTL_EXECUTABLE: &str = "kubectl_complete-sts_plan";
/// First word of a completion request, for callers that cannot set the program name: the hidden command of cobra.
const HIDDEN_WORD: &str = "__complete";

/// Answers a completion request of a shell script or kubectl. Returns false if there is none.
///
/// # Errors
/// When the shell is unknown, or the answer cannot be written.
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
    // Scripts call: PROGRAM -- PROGRAM WORD...
    let words = args.get(3..).unwrap_or_default().to_vec();
    let answered = CompleteEnv::with_factory(|| command(&words))
        .var(VARIABLE)
        .try_complete(args.iter().cloned(), folder)?;
    Ok(answered)
}

/// Looks up candidates for a partial argument.
type Lookup = fn(&Candidates, &str) -> Vec<CompletionCandidate>;

/// Returns the grammar of these words, with lookups. The last word is to be completed.
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

/// Adds lookups to the arguments of a command.
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
        ("drain", Candidates::lost_nodes),
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
