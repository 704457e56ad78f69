//! One version of an upgrade: its effect on a set that has settled under the previous version.

use std::sync::Arc;

use serde_json::Value;

use super::manifest::Answers;
use super::rollout::course;
use super::{
    NextRollout, PatchRange, PatchRestart, SettledSet, UpgradeRestart, UpgradeStop, gates,
};
use crate::conditions::{Conditions, VersionSource};
use crate::input_check::InputCheck;
use crate::lint::{self, Finding, RuleId, Scope};
use crate::plan::Plan;
use crate::version_diff::{ChangeKind, VersionChange};
use sts_controller::apiserver::defaults::reread;
use sts_controller::object::{Set, Snapshot};
use sts_controller::version::{self, Behaviour, ROWS, Version};

/// The upgrade of a set to one version.
pub(super) struct Hop {
    pub(super) stop: UpgradeStop,
    /// Finding on a restart for which only the encoding or the defaults of the template differ.
    pub(super) finding: Option<Finding>,
    /// The set after it has settled.
    pub(super) there: SettledSet,
}

/// Upgrades a set to the next version and lets it settle.
pub(super) fn pass(here: &SettledSet, stop: &version::UpgradeStop, manifest: &Value) -> Hop {
    let version = stop.version;
    let arrived = arrive(here, version);
    let plan = settle(&arrived);
    let others = stop.other_patches.iter().copied();
    let patches = others.filter_map(|range| {
        let plan = settle(&arrive(here, range.version()));
        let restarted = plan.tally().replaced;
        (restarted > 0).then(|| patch_restart(range, restarted))
    });
    let (before, after) = (Answers::of(here, manifest), Answers::of(&arrived, manifest));
    let next_rollout = match (&before.rollout, &after.rollout) {
        (Some(old), Some(new)) if old != new => Some(NextRollout {
            before: old.clone(),
            after: new.clone(),
        }),
        _ => None,
    };
    let was_well = settle(here).completes();
    let (restart, finding) = restart(&plan);
    let stop = UpgradeStop {
        version: version.to_string(),
        restart,
        patches: patches.collect(),
        changes: changes(here, &arrived, version),
        fields: after.fields_beyond(&before),
        next_rollout,
        refused: after.refusals_beyond(&before),
        breaks: was_well && !plan.completes(),
    };
    let conditions = arrived.conditions.at(plan.predicted().at());
    let there = SettledSet {
        snapshot: plan.predicted().objects().clone(),
        conditions,
    };
    Hop {
        stop,
        finding,
        there,
    }
}

/// Returns the objects as a control plane of another version reads them.
fn arrive(here: &SettledSet, version: Version) -> SettledSet {
    let gates = gates::carried(&here.conditions.gates, version);
    let conditions = Conditions {
        behaviour: Behaviour::new(version, &gates),
        gates,
        version_source: VersionSource::Flag,
        ..here.conditions.clone()
    };
    let set = &here.snapshot.set;
    let snapshot = Snapshot {
        set: read_again(set, &conditions.behaviour).map_or_else(|| Arc::clone(set), Arc::new),
        ..here.snapshot.clone()
    };
    SettledSet {
        snapshot,
        conditions,
    }
}

/// Returns the set as the API server of another version returns it; `None` if it is unchanged.
fn read_again(set: &Set, behaviour: &Behaviour) -> Option<Set> {
    let object = set.object.open();
    let mut value = (*object).clone();
    reread(&mut value, &behaviour.defaulting).ok()?;
    match value == *object {
        true => None,
        false => Set::from_json(value).ok(),
    }
}

/// Plans until the set settles.
fn settle(stand: &SettledSet) -> Plan {
    Plan::new(stand.snapshot.clone(), stand.conditions.clone())
}

fn restart(plan: &Plan) -> (Option<UpgradeRestart>, Option<Finding>) {
    let course = course(plan);
    if course.replaced == 0 {
        return (None, None);
    }
    let findings = lint::findings(plan, &InputCheck::of(plan), Scope::Actual);
    let mut findings = findings.into_iter();
    let finding = findings.find(|finding| finding.id == RuleId::SpuriousRollout);
    let restart = UpgradeRestart {
        course,
        spurious: finding.is_some(),
    };
    (Some(restart), finding)
}

fn patch_restart(range: PatchRange, replaced: usize) -> PatchRestart {
    let version = |patch: u32| format!("1.{}.{patch}", range.minor);
    PatchRestart {
        first: version(range.first),
        last: range.last.map(version),
        replaced,
    }
}

/// Returns the behavior changes that affect the set.
fn changes(here: &SettledSet, there: &SettledSet, version: Version) -> Vec<VersionChange> {
    let (old, new) = (&here.conditions.behaviour, &there.conditions.behaviour);
    let sets = [&here.snapshot.set, &there.snapshot.set];
    let rows = ROWS.iter().filter(|row| row.holds(old) != row.holds(new));
    rows.filter(|row| sets.iter().any(|set| row.concerns(set)))
        .map(|row| VersionChange {
            area: row.area,
            change: ChangeKind::of(row.holds(new)),
            what: row.what.into(),
            version: version.to_string(),
            source: row.source.into(),
        })
        .collect()
}
