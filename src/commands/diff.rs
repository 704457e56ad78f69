//! `diff PLAN PLAN`: compares two plans.

use std::collections::BTreeMap;
use std::io::Read;

use anyhow::{Context as _, Result, bail};

use super::Context;
use crate::cli::exit::Exit;
use crate::input::files::read_paths;
use crate::input::location_of;
use crate::output;
use crate::output::digest::is_intact;
use crate::output::{Format, escape};
use crate::request::DiffRequest;
use sts_plan::plan_diff::{ComparedPlan, DiffVerdict, PlanDiff, alone, compare};
use sts_plan::report::SavedPlan;

/// Compares the plans in two files set by set.
///
/// # Errors
/// When a file cannot be read or has no plan, or the output cannot be written.
pub fn run(request: &DiffRequest, context: &mut Context<'_>) -> Result<Exit> {
    let first = read(&request.first, context.stdin)?;
    let second = read(&request.second, context.stdin)?;
    let found = match (&Vec::from_iter(&first)[..], &Vec::from_iter(&second)[..]) {
        // Single plans are compared regardless of the names: a copy of a set has another name.
        ([(_, one)], [(_, other)]) => vec![compare(one, other)],
        _ => by_set(&first, &second),
    };
    let style = context
        .terminal
        .style(request.display, request.format == Format::Table);
    let mut text = Vec::new();
    output::render_differences(request.format, &found, &style, &mut text)?;
    let written = context.stdout.write_all(&text);
    written.context("cannot write the differences")?;
    let differs = |diff: &&PlanDiff| diff.verdict != DiffVerdict::Same;
    let Some(one) = found
        .iter()
        .find(differs)
        .filter(|_| request.detailed_exitcode)
    else {
        return Ok(Exit::Done);
    };
    writeln!(
        context.stderr,
        "exit code {}: the plans of {}/{} differ",
        Exit::Work as u8,
        escape(&one.namespace),
        escape(&one.name)
    )?;
    Ok(Exit::Work)
}

type Plans = BTreeMap<(String, String), ComparedPlan>;

fn by_set(first: &Plans, second: &Plans) -> Vec<PlanDiff> {
    let mut found = BTreeMap::new();
    for (set, plan) in first {
        let diff = match second.get(set) {
            Some(other) => compare(plan, other),
            None => alone(plan, DiffVerdict::OnlyFirst),
        };
        found.insert(set, diff);
    }
    for (set, plan) in second {
        if !first.contains_key(set) {
            found.insert(set, alone(plan, DiffVerdict::OnlySecond));
        }
    }
    found.into_values().collect()
}

/// Reads the plans of a file, or of standard input for `-`.
fn read(file: &str, stdin: &mut dyn Read) -> Result<Plans> {
    let mut reading = read_paths(&[file.to_owned()], false, stdin)?;
    let mut plans = Plans::new();
    for manifest in &mut reading.manifests {
        manifest.load();
        let plan = SavedPlan::from_json(&manifest.value)
            .map(ComparedPlan::from)
            .map_err(|wrong| anyhow::anyhow!("{}: {wrong}", location_of(manifest, &wrong.path)))?;
        if !is_intact(&manifest.value) {
            bail!(
                "{}: the plan of {}/{} was edited after it was saved: save it again, or remove metadata.digest to \
                 compare its current content",
                location_of(manifest, "metadata.digest"),
                plan.namespace,
                plan.name
            );
        }
        let set = (plan.namespace.clone(), plan.name.clone());
        if plans.insert(set, plan).is_some() {
            bail!("{}: duplicate plan of this set", location_of(manifest, ""));
        }
    }
    if plans.is_empty() {
        bail!("{file}: no plan in this file: create one with --save PATH or -o json");
    }
    Ok(plans)
}
