//! `verify FILE`: compares a saved plan with the current objects.

use std::io::{self, Read, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;

use super::Context;
use crate::cli::exit::Exit;
use crate::input::files::read_paths;
use crate::input::read::{moment, read_sets};
use crate::input::{Loaded, location_of};
use crate::output;
use crate::output::digest::is_intact;
use crate::output::files::printer;
use crate::output::{Printer, Style, escape};
use crate::request::VerifyRequest;
use sts_plan::plan::NowSource;
use sts_plan::verify::{Now, Prediction, SavedStages, Verdict, Verification, compare};

/// Compares each plan with the current objects, and prints the verification.
///
/// # Errors
/// When plans or objects cannot be read, their time is before that of a plan, or the output cannot be written.
pub fn run(request: &VerifyRequest, context: &mut Context<'_>) -> Result<Exit> {
    let plans = read_plans(&request.plans, context.stdin)?;
    let sets: Vec<_> = plans
        .iter()
        .map(|Planned { plan, .. }| &plan.plan.metadata)
        .map(|set| (set.namespace.as_str(), set.name.as_str()))
        .collect();
    let current = (context.clock)();
    let to_read = request.now.unwrap_or(current);
    let loaded = read_sets(&request.world, to_read, &sets, context.stdin)?;
    let now = match request.world.is_live() {
        true => (to_read, NowSource::Cluster),
        false => moment(&loaded, request.now, current),
    };
    warn(&loaded, context.stderr)?;
    let printer = printer(&request.format).with_context(|| format!("-o {}", request.format))?;
    let colored = printer.has_colors();
    let style = context.terminal.style(request.display, colored);
    let mut out = io::BufWriter::new(&mut *context.stdout);
    let (exit, reason) = verify(&plans, &loaded, now, request, &printer, &style, &mut out)?;
    out.flush().context("cannot write the verification")?;
    drop(out);
    if !reason.is_empty() {
        writeln!(context.stderr, "{}", escape(&reason))?;
    }
    Ok(exit)
}

/// A saved plan.
struct Planned {
    /// The plan; with stages, all of them.
    plan: Prediction,
    stages: Option<SavedStages>,
}

/// Reads the plans of a file, or of standard input for `-`.
fn read_plans(file: &str, stdin: &mut dyn Read) -> Result<Vec<Planned>> {
    let mut reading = read_paths(&[file.to_owned()], false, stdin)?;
    let mut plans = Vec::new();
    for manifest in &mut reading.manifests {
        manifest.load();
        let plan = Prediction::from_json(&manifest.value)
            .map_err(|wrong| anyhow::anyhow!("{}: {wrong}", location_of(manifest, &wrong.path)))?;
        if !is_intact(&manifest.value) {
            bail!(
                "{}: the plan of {} was edited after it was saved, according to its metadata.digest: save it again, or \
                 remove the digest to verify its current content",
                location_of(manifest, "metadata.digest"),
                set_of(&plan)
            );
        }
        let stages = SavedStages::from_json(&manifest.value)
            .map_err(|wrong| anyhow::anyhow!("{}: {wrong}", location_of(manifest, &wrong.path)))?;
        plans.push(Planned { plan, stages });
    }
    if plans.is_empty() {
        bail!("{file}: no plan in this file: create one with --save PATH or -o json");
    }
    Ok(plans)
}

/// Returns the namespace and name of the planned set.
fn set_of(plan: &Prediction) -> String {
    let set = &plan.plan.metadata;
    format!("{}/{}", set.namespace, set.name)
}

/// Compares each plan with the loaded objects, and prints the verification.
fn verify(
    plans: &[Planned],
    loaded: &Loaded,
    (moment, source): (Timestamp, NowSource),
    request: &VerifyRequest,
    printer: &Printer,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(Exit, String)> {
    let mut verifications = Vec::new();
    let (mut exit, mut reason) = (Exit::Done, String::new());
    for Planned { plan, stages } in plans {
        // The objects may have been read later than their newest time.
        let then = match source {
            NowSource::Input => moment.max(plan.begins),
            _ => moment,
        };
        if then < plan.begins {
            bail!(
                "the plan of {} begins at {}, which is after {then}: set the time of the objects to compare with --now",
                set_of(plan),
                plan.begins
            );
        }
        let set = &plan.plan.metadata;
        let there = loaded.inventory.snapshot(&set.namespace, &set.name);
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
        let of_stage = stages
            .as_ref()
            .and_then(|stages| stages.compare(&now, then));
        let prediction;
        let (plan, comparison, stage) = match of_stage {
            Some(found) => {
                prediction = found.prediction;
                (&prediction, found.comparison, Some(found.stage))
            }
            None => (plan, compare(plan, &now, then), None),
        };
        let detailed = request.detailed_exitcode;
        let mut of_this = exit_of(comparison.verdict, detailed);
        // A finished stage is not the end of the change.
        if of_this == Exit::Done
            && detailed
            && stage.as_ref().is_some_and(|stage| stage.next.is_some())
        {
            of_this = Exit::Work;
        }
        if of_this != Exit::Done && exit.worse(of_this) != exit {
            let set = set_of(plan);
            let verdict = match comparison.verdict {
                Verdict::OnTrack => "on track",
                verdict => verdict.name(),
            };
            reason = format!(
                "exit code {}: the plan of {set} is {verdict}",
                of_this as u8
            );
        }
        exit = exit.worse(of_this);
        let verification = Verification::new(plan, &comparison, &now, then).with_now_source(source);
        verifications.push(match stage {
            Some(stage) => verification.of_stage(stage),
            None => verification,
        });
    }
    output::print_verifications(printer, &verifications, style, out)
        .context("cannot write the verification")?;
    Ok((exit, reason))
}

/// Returns the exit code for a verdict.
fn exit_of(verdict: Verdict, detailed: bool) -> Exit {
    match verdict {
        Verdict::Pending | Verdict::OnTrack | Verdict::Ahead if detailed => Exit::Work,
        Verdict::Pending | Verdict::OnTrack | Verdict::Ahead | Verdict::Finished => Exit::Done,
        Verdict::Diverged => Exit::DIVERGED,
        Verdict::Stale => Exit::STALE,
    }
}

/// Prints warnings about values that were not read as written.
fn warn(loaded: &Loaded, stderr: &mut dyn Write) -> Result<()> {
    for warning in &loaded.warnings {
        writeln!(stderr, "warning: {}", escape(warning))?;
    }
    for manifest in &loaded.manifests {
        writeln!(
            stderr,
            "warning: StatefulSet {}/{} of the input was never stored (it has no uid), so it is not \
             compared with a plan",
            escape(&manifest.namespace),
            escape(&manifest.name)
        )?;
    }
    Ok(())
}
