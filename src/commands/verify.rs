//! `verify FILE`: a saved plan against the world as it is now.

use std::io::{Read, Write};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;

use crate::cli::Args;
use crate::cli::exit::Exit;
use crate::input::files::read_paths;
use crate::input::{Loaded, place_of};
use crate::output;
use crate::output::{Format, Style, escape};
use sts_plan::diff::{Now, Prediction, Verdict, compare};
use sts_plan::report::Verification;

/// The word that stands in the place of a name.
pub const COMMAND: &str = "verify";

/// The file of plans that `verify` was given.
///
/// # Errors
/// When there is none, or more than one.
pub fn plan_file(args: &Args) -> Result<&str> {
    match &args.names[..] {
        [_, file] => Ok(file),
        [_] => bail!(
            "verify needs the file of a plan: kubectl sts-plan verify plan.json, made with --save plan.json"
        ),
        _ => bail!(
            "verify takes one file: several sets are in one file when they are planned together"
        ),
    }
}

/// Reads the plans of a file, or of standard input for `-`.
///
/// # Errors
/// When the file cannot be read, or holds anything else than plans that can be verified.
pub fn read_plans(file: &str, stdin: &mut dyn Read) -> Result<Vec<Prediction>> {
    let reading = read_paths(&[file.to_owned()], false, stdin)?;
    let mut plans = Vec::new();
    for manifest in &reading.manifests {
        let plan = Prediction::from_json(&manifest.value)
            .map_err(|wrong| anyhow::anyhow!("{}: {wrong}", place_of(manifest, &wrong.path)))?;
        plans.push(plan);
    }
    if plans.is_empty() {
        bail!("{file}: there is no plan in it: make one with --save PATH or -o json");
    }
    Ok(plans)
}

/// Compares each plan with the world that was loaded, and prints what has become of it.
///
/// # Errors
/// When the moment is before that of a plan, or the output cannot be written.
pub fn verify(
    plans: &[Prediction],
    loaded: &Loaded,
    then: Timestamp,
    args: &Args,
    style: &Style,
    out: &mut dyn Write,
) -> Result<Exit> {
    let asked = &args.output.output;
    let Some(format @ (Format::Table | Format::Json | Format::Yaml)) = asked.plain() else {
        bail!("-o {asked} is for plans: what verify finds is written as table, json or yaml");
    };
    let mut verifications = Vec::new();
    let mut exit = Exit::Done;
    for plan in plans {
        if then < plan.begins {
            bail!(
                "the plan of {}/{} begins at {}, which is after {then}: give the moment of what is compared \
                 with --now",
                plan.namespace,
                plan.name,
                plan.begins
            );
        }
        let there = loaded.inventory.snapshot(&plan.namespace, &plan.name);
        let left;
        let now = match &there {
            Some(there) => Now::There(there),
            None => {
                left = loaded
                    .inventory
                    .around(Arc::new(plan.stand_in()?), Arc::default());
                Now::Gone(&left)
            }
        };
        let comparison = compare(plan, &now, then);
        exit = exit.worse(exit_of(comparison.verdict, args.output.detailed_exitcode));
        verifications.push(Verification::new(plan, &comparison, &now, then));
    }
    output::render_verifications(format, &verifications, style, out)
        .context("cannot write the verification")?;
    Ok(exit)
}

/// What a verdict is to a script.
fn exit_of(verdict: Verdict, detailed: bool) -> Exit {
    match verdict {
        Verdict::Pending | Verdict::OnTrack | Verdict::Ahead if detailed => Exit::Work,
        Verdict::Pending | Verdict::OnTrack | Verdict::Ahead | Verdict::Finished => Exit::Done,
        Verdict::Diverged => Exit::DIVERGED,
        Verdict::Stale => Exit::STALE,
    }
}

/// Warns of everything that was read otherwise than it looks.
///
/// # Errors
/// When standard error cannot be written to.
pub fn warn(loaded: &Loaded, stderr: &mut dyn Write) -> Result<()> {
    for warning in &loaded.warnings {
        writeln!(stderr, "warning: {}", escape(warning))?;
    }
    for manifest in &loaded.manifests {
        writeln!(
            stderr,
            "warning: StatefulSet {}/{} of the input was never stored (it has no uid), so it is not what a \
             plan is verified against",
            escape(&manifest.namespace),
            escape(&manifest.name)
        )?;
    }
    Ok(())
}
