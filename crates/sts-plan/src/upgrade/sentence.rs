//! Descriptions of control plane upgrades.

use std::collections::BTreeMap;

use super::{GateProblem, ReportUpgrade, UpgradeOfSet, UpgradeStop, UpgradeVerdict};
use crate::words::plural;

/// Describes the effect of an upgrade on sets in one sentence.
#[must_use]
pub fn upgrade_summary(upgrade: &ReportUpgrade) -> String {
    let sets = |wanted: &dyn Fn(&UpgradeStop) -> bool| {
        let affected = |set: &&UpgradeOfSet| set.versions.iter().any(wanted);
        upgrade.sets.iter().filter(affected).count()
    };
    let pods = |wanted: &dyn Fn(&UpgradeStop) -> usize| -> usize {
        let stops = upgrade.sets.iter().flat_map(|set| &set.versions);
        stops.map(wanted).sum()
    };
    let restarts = sets(&|stop| stop.restart.is_some());
    let restarted = pods(&|stop| stop.restart.as_ref().map_or(0, |it| it.course.replaced));
    let breaks = sets(&|stop| stop.breaks);
    let refused = sets(&|stop| !stop.refused.is_empty());
    let changed = sets(&|stop| stop.verdict() == UpgradeVerdict::Changes);
    let stopped = |by_user: bool| {
        let stopped = upgrade.sets.iter();
        let stopped = stopped.filter(|set| set.stopped_before.is_some());
        stopped.filter(|set| set.interrupted == by_user).count()
    };
    let restarts = match restarts {
        0 => "restarts no pods".to_owned(),
        sets => format!(
            "RESTARTS {} of {}",
            plural(restarted, "pod", "pods"),
            plural(sets, "set", "sets")
        ),
    };
    let mut parts = vec![restarts];
    let more = [
        (breaks, "set no longer completes", "sets no longer complete"),
        (
            refused,
            "set has a manifest that is rejected afterwards",
            "sets have a manifest that is rejected afterwards",
        ),
        (changed, "set changes", "sets change"),
        (
            upgrade.sets.iter().filter(|set| set.not_planned).count(),
            "set is not planned (rejected or deleted)",
            "sets are not planned (rejected or deleted)",
        ),
        (
            stopped(false),
            "set is not tried to the end (--budget)",
            "sets are not tried to the end (--budget)",
        ),
        (
            stopped(true),
            "set is not tried to the end (interrupted)",
            "sets are not tried to the end (interrupted)",
        ),
    ];
    let more = more.into_iter().filter(|(number, ..)| *number > 0);
    parts.extend(more.map(|(number, one, several)| plural(number, one, several)));
    let is_planned = |set: &&UpgradeOfSet| !set.not_planned && set.stopped_before.is_none();
    let planned = upgrade.sets.iter().filter(is_planned).count();
    if upgrade.verdict == UpgradeVerdict::Nothing && planned > 0 {
        let sets = plural(planned, "set", "sets");
        parts.push(format!("nothing changes for {sets}"));
    }
    format!(
        "Upgrade from {} to {}: {}",
        upgrade.from,
        upgrade.to,
        parts.join("; ")
    )
}

/// Returns advice on an upgrade: patches to skip, and gates to remove first.
#[must_use]
pub fn upgrade_advice(upgrade: &ReportUpgrade, gates: &[GateProblem]) -> Vec<String> {
    let mut advice: Vec<String> = gates.iter().map(gate).collect();
    // The patches that restart pods, by version of the path, with the counts of pods and sets.
    let mut worse: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    for set in &upgrade.sets {
        for stop in set.versions.iter().filter(|stop| stop.restart.is_none()) {
            for patches in &stop.patches {
                let place = worse.entry((&stop.version, patches.range())).or_default();
                *place = (place.0 + patches.replaced, place.1 + 1);
            }
        }
    }
    advice.extend(worse.into_iter().map(|((version, range), (pods, sets))| {
        // A version of the path with a patch was named.
        let path = match version.matches('.').count() {
            1 => format!("the plan uses the last patch of {version} unless you name one"),
            _ => format!("the plan goes through {version}"),
        };
        format!(
            "{range} would restart {} of {}; {path}",
            plural(pods, "pod", "pods"),
            plural(sets, "set", "sets"),
        )
    }));
    advice.extend(upgrade.versions.iter().filter_map(|version| {
        let stops = upgrade.sets.iter().flat_map(|set| &set.versions);
        let restarting = stops.filter(|stop| stop.version == version.version);
        let restarting: Vec<&UpgradeStop> =
            restarting.filter(|stop| stop.restart.is_some()).collect();
        (!restarting.is_empty()).then(|| on_restart(&version.version, &restarting))
    }));
    advice
}

fn on_restart(version: &str, restarting: &[&UpgradeStop]) -> String {
    let is_spurious = |stop: &&&UpgradeStop| {
        stop.restart
            .as_ref()
            .is_some_and(|restart| restart.spurious)
    };
    match restarting.iter().filter(is_spurious).count() {
        0 => format!(
            "{version} makes another revision of {}: set partitions to the number of replicas to hold the pods back",
            plural(restarting.len(), "set", "sets")
        ),
        _ => format!(
            "{version} restarts pods whose template has not changed: skip it for a patch that compares revisions \
             semantically (finding STS017), or set partitions to the number of replicas for the upgrade"
        ),
    }
}

fn gate(problem: &GateProblem) -> String {
    let GateProblem {
        name,
        value,
        version,
        is_locked,
    } = problem;
    let why = match is_locked {
        true => format!("locks it to {}", !value),
        false => "does not have it".to_owned(),
    };
    format!(
        "remove --feature-gates {name}={value} first: {version} {why}, and its components refuse to start with it"
    )
}
