//! A change in several steps: `--then` and what follows it, and `--grow`.

mod file;
#[cfg(test)]
mod schema;
mod words;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, CommandFactory, FromArgMatches, Parser, ValueHint};
use jiff::SignedDuration;

use super::change::Change;
use super::{CliError, PlanArgs};
use crate::request;
use clap::parser::ValueSource;
use kubectl_config::parse_duration;
use sts_plan::grow::{Growth, GrowthError};
use sts_plan::stages::MAX_STAGES;

pub(super) use words::{Split, split};

/// The JSON Schema of a file of stages, which editors read from the repository.
pub const SCHEMA: &str = include_str!("../../docs/stages.schema.json");

/// The steps of a change.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Stages")]
pub struct Stages {
    /// Begin the next stage of the change; repeatable
    ///
    /// It begins when the one before is at rest, and has the flags of a change that follow: --image app:2 --partition 4 --then
    /// --partition 0. All other flags are of the whole, wherever they stand. Begins with a stage without a change: what
    /// is under way comes to rest first.
    #[arg(long)]
    pub then: bool,

    /// Begin the next stage so long after the one before has begun; repeatable
    ///
    /// Whatever is under way by then.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub then_after: Option<SignedDuration>,

    /// Read the stages from a file, with names, conditions, requirements and who approves
    ///
    /// YAML: stages is a list of name, change, after or soak, approval and require. The keys of change are the flags of
    /// one: {image: app:2, partition: 4}. A stage begins when the one before is at rest; with soak: 10m so long after
    /// that, with after: 10m so long after the one before has begun.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub stages: Option<PathBuf>,

    /// Plan larger volumes, in stages: CLAIM_TEMPLATE=SIZE; repeatable
    ///
    /// Each claim is patched and grows; pods are restarted, or make way, where the storage asks for that (--assume
    /// storageclass/NAME=expands-on-mount or expands-offline); then the StatefulSet is deleted without its pods and created
    /// with the new size, since volumeClaimTemplates cannot be changed. It is a change of its own: --grow data=20Gi
    #[arg(long, value_name = "CLAIM_TEMPLATE=SIZE", value_parser = parse_growth)]
    pub grow: Vec<Growth>,

    /// The terms of the first stage, of a file.
    #[arg(skip)]
    pub first: request::StageTerms,

    /// The stages that were written after these flags, or in the file.
    #[arg(skip)]
    pub later: Vec<LaterStage>,
}

fn parse_growth(text: &str) -> Result<Growth, String> {
    text.parse().map_err(|error: GrowthError| error.to_string())
}

/// A stage after the first.
#[derive(Debug)]
pub struct LaterStage {
    terms: request::StageTerms,
    change: Change,
}

/// The words after `--then`.
#[derive(Debug, Parser)]
#[command(name = "--then", no_binary_name = true)]
struct StageArgs {
    #[command(flatten)]
    change: Change,
}

fn command() -> clap::Command {
    StageArgs::command().bin_name("kubectl sts-plan ... --then")
}

/// The change that these words ask for.
fn change_of(words: &[String]) -> Result<Change, clap::Error> {
    let matches = command().try_get_matches_from_mut(words)?;
    Ok(StageArgs::from_arg_matches(&matches)?.change)
}

impl Stages {
    /// Parses the words of the later stages.
    ///
    /// # Errors
    /// When they are wrong, or too many.
    pub(super) fn read(&mut self, split: &Split) -> Result<(), CliError> {
        if split.later.len() >= MAX_STAGES {
            return Err(anyhow::anyhow!("at most {MAX_STAGES} stages are planned").into());
        }
        for (at, (begins, words)) in split.later.iter().enumerate() {
            let number = at + 2;
            if words.is_empty() {
                return Err(anyhow::anyhow!(
                    "stage {number} changes nothing: write its change behind --then, such as --then --partition 0"
                )
                .into());
            }
            let matches = command().try_get_matches_from_mut(words)?;
            let change = StageArgs::from_arg_matches(&matches)?.change;
            let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
            let refused = change.needs_server_side(given).or(change.contradiction());
            if let Some(refused) = refused {
                return Err(anyhow::anyhow!("stage {number}: {refused}").into());
            }
            self.later.push(LaterStage {
                terms: request::StageTerms {
                    begins: *begins,
                    ..request::StageTerms::default()
                },
                change,
            });
        }
        Ok(())
    }

    /// Reads the stages of a file, if one is named, and returns the change of the first.
    ///
    /// # Errors
    /// When it cannot be used, or stages are given besides.
    pub(super) fn read_file(&mut self, given: &[&str]) -> Result<Option<Change>> {
        let Some(path) = &self.stages else {
            return Ok(None);
        };
        if path.as_os_str() == "-" {
            bail!("--stages reads a file: standard input is for -f and --apply");
        }
        if let (Some(flag), _) | (None, Some(flag)) =
            (given.first().copied(), self.later.first().map(|_| "then"))
        {
            bail!(
                "--stages has the whole change: write --{flag} into the file, or leave --stages out"
            );
        }
        let mut read = file::read(path)?.into_iter();
        let Some((first, change)) = read.next() else {
            return Ok(None);
        };
        self.first = first;
        self.later
            .extend(read.map(|(terms, change)| LaterStage { terms, change }));
        Ok(Some(change))
    }

    /// Reports whether the steps come from a file or from --grow, so that keys cannot turn them.
    pub(super) fn are_fixed(&self) -> bool {
        self.stages.is_some() || !self.grow.is_empty()
    }

    /// The changes after the first, which were read.
    pub(super) fn later_changes(&self) -> impl Iterator<Item = &Change> {
        self.later.iter().map(|stage| &stage.change)
    }

    /// Reports whether the change has steps.
    pub(super) fn is_empty(&self) -> bool {
        self.later.is_empty() && self.stages.is_none() && self.grow.is_empty()
    }

    /// The stages of a request; `None` for a change in one step.
    ///
    /// # Errors
    /// When a manifest of theirs is standard input, which was read before.
    pub(super) fn request(self) -> Result<Option<request::Stages>> {
        if self.is_empty() {
            return Ok(None);
        }
        let piped = |stage: &LaterStage| stage.change.apply.as_deref() == Some("-");
        if self.later.iter().any(piped) {
            bail!("a later stage is applied from a file: standard input is for the first one");
        }
        let later = self.later.into_iter().map(|stage| request::LaterStage {
            terms: stage.terms,
            change: stage.change.into(),
        });
        Ok(Some(request::Stages {
            first: self.first,
            later: later.collect(),
            grow: self.grow,
        }))
    }
}

/// The refusal of another change beside `--grow`. `given` are the flags of a change on the command line.
pub(super) fn grow_refusal(stages: &Stages, given: &[&str]) -> Option<String> {
    if stages.grow.is_empty() {
        return None;
    }
    let other = match (given.first().copied(), &stages.stages) {
        (Some(flag), _) => flag,
        (None, Some(_)) => "stages",
        (None, None) if !stages.later.is_empty() => "then",
        (None, None) => return None,
    };
    Some(format!(
        "--grow is a whole change in stages of its own: leave --{other} out, and plan it before or after that"
    ))
}

/// The refusal of questions that are asked of a change in one step.
pub(super) fn refusal(args: &PlanArgs) -> Option<String> {
    if args.stages.is_empty() {
        return None;
    }
    let questions = &args.questions;
    let nodes = &args.nodes;
    let asked = [
        ("--explore", questions.explore),
        ("--what-if-fails", questions.what_if_fails.is_some()),
        ("--every-partition", questions.every_partition),
        ("--upgrade-to", !questions.upgrade_to.is_empty()),
        ("--options", questions.options),
        ("--next", questions.next),
        ("--drain", !nodes.drain.is_empty()),
        ("--cordon", !nodes.cordon.is_empty()),
        ("--lose", !nodes.lose.is_empty()),
    ];
    let (flag, _) = asked.iter().find(|(_, asked)| *asked)?;
    Some(format!(
        "{flag} is about a change in one step: plan the stage that it is about alone"
    ))
}
