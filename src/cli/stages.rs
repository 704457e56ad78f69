//! Changes in several stages: `--then`, `--stages` and `--grow`.

mod file;
#[cfg(test)]
mod schema;
mod words;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, ValueHint};

use super::CliError;
use super::change::Change;
use super::required::is_given;
use super::watch::unused;
use crate::request;
use sts_plan::grow::Growth;
use sts_plan::stages::MAX_STAGES;

pub(super) use words::{Split, split};

/// JSON Schema of a stages file. Editors read it from the repository.
pub const SCHEMA: &str = include_str!("../../docs/stages.schema.json");

/// Stages of a change.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Stages")]
pub struct Stages {
    /// Begin the next stage of the change; repeatable
    ///
    /// The stage begins when the previous one is complete, and has the change flags that follow: --image app:2
    /// --partition 4 --then --partition 0. All other flags apply to the whole plan, wherever they are. If no change
    /// flag precedes --then, the current rollout completes first.
    #[arg(long)]
    pub then: bool,

    /// Read stages from a file
    ///
    /// YAML: stages is a list of name, change, after or soak, approval and require. The keys of change are the change
    /// flags: {image: app:2, partition: 4}. A stage begins when the previous one is complete. soak: 10m adds 10m to
    /// that; after: 10m begins the stage 10m after the previous one began.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub stages: Option<PathBuf>,

    /// Grow volumes in stages: data=20Gi; repeatable
    ///
    /// First patches each claim. Restarts or temporarily removes pods if the storage requires it (--assume
    /// storageclass/NAME=expands-on-mount or expands-offline). Last deletes the StatefulSet without its pods and creates
    /// it with the new size, since volumeClaimTemplates is immutable. Cannot be combined with other changes.
    #[arg(long, value_name = "CLAIM_TEMPLATE=SIZE")]
    pub grow: Vec<Growth>,

    /// Terms of the first stage, from a file.
    #[arg(skip)]
    pub first: request::StageTerms,

    /// Later stages, from the command line or a file.
    #[arg(skip)]
    pub later: Vec<LaterStage>,
}

/// Stage after the first.
#[derive(Debug)]
pub struct LaterStage {
    terms: request::StageTerms,
    change: Change,
}

/// Arguments after `--then`.
#[derive(Debug, Parser)]
#[command(name = "--then", no_binary_name = true)]
struct StageArgs {
    #[command(flatten)]
    change: Change,
}

fn command() -> clap::Command {
    StageArgs::command().bin_name("kubectl sts-plan ... --then")
}

/// Parses the change flags of a later stage.
fn change_of(words: &[String]) -> Result<Change, clap::Error> {
    let matches = command().try_get_matches_from_mut(words)?;
    Ok(StageArgs::from_arg_matches(&matches)?.change)
}

impl Stages {
    /// Parses the later stages.
    ///
    /// # Errors
    /// When a flag is wrong, or there are too many stages.
    pub(super) fn read(&mut self, split: &Split) -> Result<(), CliError> {
        if split.later.len() >= MAX_STAGES {
            return Err(anyhow::anyhow!("at most {MAX_STAGES} stages are planned").into());
        }
        for (at, words) in split.later.iter().enumerate() {
            let number = at + 2;
            if words.is_empty() {
                return Err(anyhow::anyhow!(
                    "stage {number} changes nothing: write its change behind --then, such as --then --partition 0"
                )
                .into());
            }
            let matches = command().try_get_matches_from_mut(words)?;
            let change = StageArgs::from_arg_matches(&matches)?.change;
            let given = |id: &str| is_given(&matches, id);
            let refused = change.needs_server_side(given).or(change.contradiction());
            if let Some(refused) = refused {
                return Err(anyhow::anyhow!("stage {number}: {refused}").into());
            }
            self.later.push(LaterStage {
                terms: request::StageTerms::default(),
                change,
            });
        }
        Ok(())
    }

    /// Reads the stages file, if one is named, and returns the change of the first stage.
    ///
    /// # Errors
    /// When the file is invalid, or the command line has stages too.
    pub(super) fn read_file(&mut self, given: &[&str]) -> Result<Option<Change>> {
        let Some(path) = &self.stages else {
            return Ok(None);
        };
        if path.as_os_str() == "-" {
            bail!("--stages cannot read standard input: name a file");
        }
        if let (Some(flag), _) | (None, Some(flag)) =
            (given.first().copied(), self.later.first().map(|_| "then"))
        {
            bail!(
                "--stages contains the whole change: move --{flag} to the file, or omit --stages"
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

    /// Reports whether the stages come from a file or from --grow, and cannot be changed interactively.
    pub(super) fn are_fixed(&self) -> bool {
        self.stages.is_some() || !self.grow.is_empty()
    }

    /// Returns the changes of the later stages.
    pub(super) fn later_changes(&self) -> impl Iterator<Item = &Change> {
        self.later.iter().map(|stage| &stage.change)
    }

    /// Reports whether there are no stages.
    pub(super) fn is_empty(&self) -> bool {
        self.later.is_empty() && self.stages.is_none() && self.grow.is_empty()
    }

    /// Returns the stages of a request; `None` for a change in one step.
    ///
    /// # Errors
    /// When a later stage reads its manifest from standard input.
    pub(super) fn request(self) -> Result<Option<request::Stages>> {
        if self.is_empty() {
            return Ok(None);
        }
        let piped = |stage: &LaterStage| stage.change.apply.as_deref() == Some("-");
        if self.later.iter().any(piped) {
            bail!("only the first stage can read standard input: use --apply FILE in later stages");
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

/// Returns an error if there is another change with `--grow`. `given` are the change flags on the command line.
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
        "--grow cannot be combined with other changes: omit --{other}, and plan it before or after"
    ))
}

/// Groups of flags that do not support stages, and their flags that do.
const REFUSED: [&str; 2] = ["Nodes", "Questions"];
const SUPPORTED: [&str; 7] = [
    "budget",
    "dry_run",
    "faults",
    "interactive",
    "order",
    "require",
    "return_after",
];

/// Returns an error if a flag does not support stages.
pub(super) fn refusal(stages: &Stages, matches: &ArgMatches) -> Option<String> {
    if stages.is_empty() {
        return None;
    }
    let (_, flag) = unused(matches, &REFUSED, &SUPPORTED)?;
    Some(format!(
        "--{flag} cannot be used with stages: plan the stage that it is for on its own"
    ))
}
