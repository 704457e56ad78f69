//! One version of the way: what it does to a set that the version before left at rest.

use std::sync::Arc;

use serde_json::Value;

use super::manifest::{Answers, ManifestChange, Refusal};
use super::rollout::course;
use super::{PatchRange, RolloutCourse, Stand, gates};
use crate::conditions::{Conditions, VersionSource};
use crate::input_check::InputCheck;
use crate::lint::{self, Finding, RuleId, Scope};
use crate::plan::Plan;
use sts_controller::apiserver::defaults::reread;
use sts_controller::object::{Set, Snapshot};
use sts_controller::version::{Behaviour, ROWS, Row, UpgradeStop, Version};

/// The passage to one version.
#[derive(Debug, Clone)]
pub struct Hop {
    /// The version.
    pub to: Version,
    /// The restart of pods that it leads to.
    pub restart: Option<Restart>,
    /// Other patches of the same minor under which pods restart, each with their number.
    pub patches: Vec<(PatchRange, usize)>,
    /// The behaviors that the set gains or loses, each with true where it is gained.
    pub behaviors: Vec<(&'static Row, bool)>,
    /// The fields that the server treats in another way.
    pub fields: Vec<ManifestChange>,
    /// The next rollout before and after, where they differ.
    pub rollout: Option<(RolloutCourse, RolloutCourse)>,
    /// The refusals that are new.
    pub refusals: Vec<Refusal>,
    /// True if the set does not come to where its specification wants it, though it did before.
    pub breaks: bool,
}

/// A restart of pods that an upgrade leads to.
#[derive(Debug, Clone)]
pub struct Restart {
    /// Its course.
    pub course: RolloutCourse,
    /// The finding, where nothing but the encoding or the defaults of the template differ.
    pub finding: Option<Finding>,
}

impl Hop {
    /// Reports whether anything changes for the set.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.restart.is_none()
            && self.patches.is_empty()
            && self.behaviors.is_empty()
            && self.fields.is_empty()
            && self.rollout.is_none()
            && self.refusals.is_empty()
            && !self.breaks
    }
}

/// Takes a set at rest to the next version, and to rest there.
pub(super) fn pass(here: &Stand, stop: &UpgradeStop, manifest: &Value) -> (Hop, Stand) {
    let version = stop.version;
    let arrived = arrive(here, version);
    let plan = settle(&arrived);
    let others = stop.other_patches.iter().copied();
    let patches = others.filter_map(|range| {
        let plan = settle(&arrive(here, range.version()));
        let restarted = plan.tally().replaced;
        (restarted > 0).then_some((range, restarted))
    });
    let (before, after) = (Answers::of(here, manifest), Answers::of(&arrived, manifest));
    let rollout = match (&before.rollout, &after.rollout) {
        (Some(old), Some(new)) if old != new => Some((old.clone(), new.clone())),
        _ => None,
    };
    let was_well = settle(here).completes();
    let hop = Hop {
        to: version,
        patches: patches.collect(),
        behaviors: behaviors(here, &arrived),
        fields: after.fields_beyond(&before),
        rollout,
        refusals: after.refusals_beyond(&before),
        breaks: was_well && !plan.completes(),
        restart: restart(&plan),
    };
    let conditions = arrived.conditions.at(plan.progression.world.now());
    let there = Stand {
        snapshot: plan.progression.world.snapshot().clone(),
        conditions,
    };
    (hop, there)
}

/// The same objects as a control plane of another version reads them.
fn arrive(here: &Stand, version: Version) -> Stand {
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
    Stand {
        snapshot,
        conditions,
    }
}

/// The set as the API server of another version hands it out; `None` where it hands out the same.
fn read_again(set: &Set, behaviour: &Behaviour) -> Option<Set> {
    let object = set.object.open();
    let mut value = (*object).clone();
    reread(&mut value, &behaviour.defaulting).ok()?;
    match value == *object {
        true => None,
        false => Set::from_json(value).ok(),
    }
}

/// Plans until nothing is left to happen.
fn settle(stand: &Stand) -> Plan {
    Plan::new(stand.snapshot.clone(), stand.conditions.clone())
}

fn restart(plan: &Plan) -> Option<Restart> {
    let course = course(plan);
    if course.replaced == 0 {
        return None;
    }
    let findings = lint::findings(plan, &InputCheck::of(plan), Scope::Actual);
    let mut findings = findings.into_iter();
    Some(Restart {
        course,
        finding: findings.find(|finding| finding.id == RuleId::SpuriousRollout),
    })
}

fn behaviors(here: &Stand, there: &Stand) -> Vec<(&'static Row, bool)> {
    let (old, new) = (&here.conditions.behaviour, &there.conditions.behaviour);
    let sets = [&here.snapshot.set, &there.snapshot.set];
    let rows = ROWS.iter().filter(|row| row.holds(old) != row.holds(new));
    rows.filter(|row| sets.iter().any(|set| row.concerns(set)))
        .map(|row| (row, row.holds(new)))
        .collect()
}
