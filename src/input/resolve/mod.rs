//! The sets to plan, and the change to each.

mod absent;
mod deletions;
mod edits;
mod replacement;
mod unknown;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};

use crate::input::{Loaded, SetManifest, check_size, read_set};
use crate::request::{Change, Selection, World};
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{ChangeError, Edit, FieldChange, Request};
use sts_controller::apiserver::server_side_apply::{
    Client, Ownership, answered_server_side, change_server_side,
};
use sts_controller::object::{FieldError, Labels, Meta, Selector, Set, Snapshot};
use sts_controller::simulate::Action;
use sts_plan::plan::{Conditions, InputKind, Plan};

pub(in crate::input) use absent::in_words;
use absent::{not_found, nothing_found};
pub use deletions::UnmatchedPods;
use deletions::{deleted_pods, deletions, has_finalizers};
use edits::edits;
use replacement::{before_replacement, is_way_round, recreate, way_round};
use unknown::unknown_fields;

/// A set to plan: as stored, as about to be applied, or both.
pub struct Target<'l> {
    namespace: String,
    name: String,
    stored: Option<&'l Meta>,
    manifest: Option<&'l SetManifest>,
    /// True if the manifest is applied; otherwise it is created unchanged.
    applied: bool,
}

impl Target<'_> {
    /// The set's namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The set's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of replicas in its plan, as far as that shows before anything is planned.
    #[must_use]
    pub fn replicas(&self, change: &Change, loaded: &Loaded) -> i64 {
        let sent = || {
            let spec = &self.manifest?.value()["spec"];
            spec["replicas"].as_i64()
        };
        let stored = || {
            let stored = self
                .stored
                .filter(|_| self.applied || self.manifest.is_none())?;
            let replicas = loaded.inventory.replicas(&stored.namespace, &stored.name)?;
            Some(i64::from(replicas))
        };
        let flag = change.replicas.map(i64::from);
        flag.or_else(sent).or_else(stored).unwrap_or(1)
    }

    /// The set's labels, as they are stored if they are.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        static NONE: Labels = Labels::new();
        match (self.stored, self.manifest) {
            (Some(set), _) => &set.labels,
            (None, Some(manifest)) => &manifest.labels,
            (None, None) => &NONE,
        }
    }
}

/// The sets that were asked for.
pub struct Selected<'l> {
    /// Those that can be planned, by namespace and name, or as they were named.
    pub targets: Vec<Target<'l>>,
    /// Those that cannot.
    pub missing: Vec<UnplannableSet>,
}

/// A set that cannot be planned.
#[derive(Debug)]
pub struct UnplannableSet {
    /// Its namespace; empty where it was only named, and may be in any.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The reason.
    pub error: anyhow::Error,
}

/// The sets that were asked for. With something to apply and no names, those are what it is about.
///
/// # Errors
/// When the flags contradict each other, a selector is none, or nothing was found where nothing was named.
pub fn select<'l>(
    world: &World,
    selection: &Selection,
    loaded: &'l Loaded,
    applied: &'l Loaded,
) -> Result<Selected<'l>> {
    let selector: Option<Selector> = selection
        .selector
        .as_deref()
        .map(|text| text.parse().with_context(|| format!("--selector {text:?}")))
        .transpose()?;
    let namespace = world
        .namespace
        .as_deref()
        .filter(|_| !selection.all_namespaces);
    let mut candidates = all(loaded, applied);
    candidates.retain(|target| {
        namespace.is_none_or(|namespace| target.namespace == namespace)
            && selector
                .as_ref()
                .is_none_or(|selector| selector.matches(target.labels()))
    });
    let unplannable = || loaded.unplannable.iter().chain(&applied.unplannable);
    let mut missing: Vec<UnplannableSet> = unplannable()
        .map(|((namespace, name), why)| UnplannableSet {
            namespace: namespace.clone(),
            name: name.clone(),
            error: anyhow!("{why}"),
        })
        .collect();
    candidates.retain(|target| {
        let is_it =
            |no: &UnplannableSet| no.namespace == target.namespace && no.name == target.name;
        !missing.iter().any(is_it)
    });
    if selection.names.is_empty() {
        if !applied.manifests.is_empty() {
            candidates.retain(|target| target.applied);
        }
        candidates.retain(|target| {
            let set = (target.namespace.clone(), target.name.clone());
            target.manifest.is_some() || !loaded.beside.contains(&set)
        });
        if candidates.is_empty() && missing.is_empty() {
            bail!("{}", nothing_found(world, selection, loaded, applied));
        }
        return Ok(Selected {
            targets: candidates,
            missing,
        });
    }
    let mut targets = Vec::new();
    for name in selection.names.clone() {
        let (found, rest): (Vec<_>, Vec<_>) = candidates
            .into_iter()
            .partition(|target| target.name == name);
        candidates = rest;
        let why = match <[_; 1]>::try_from(found) {
            Ok([target]) => {
                targets.push(target);
                continue;
            }
            Err(none) if none.is_empty() => {
                let named = |name_of: &str| name_of == name;
                if missing.iter().any(|no| named(&no.name))
                    || targets
                        .iter()
                        .any(|target: &Target<'_>| named(&target.name))
                {
                    continue;
                }
                not_found(&name, namespace, loaded, applied)
            }
            Err(several) => {
                let namespaces: Vec<&str> =
                    several.iter().map(|target| &*target.namespace).collect();
                format!(
                    "StatefulSet {name:?} is in several namespaces ({}): choose one with -n",
                    namespaces.join(", ")
                )
            }
        };
        missing.push(UnplannableSet {
            namespace: namespace.unwrap_or_default().to_owned(),
            name,
            error: anyhow!(why),
        });
    }
    Ok(Selected { targets, missing })
}

/// Every set of the input, by namespace and name.
fn all<'l>(loaded: &'l Loaded, applied: &'l Loaded) -> Vec<Target<'l>> {
    let mut targets: Vec<Target<'l>> = loaded
        .inventory
        .sets()
        .map(|set| Target {
            namespace: set.namespace.to_string(),
            name: set.name.to_string(),
            stored: Some(set),
            manifest: None,
            applied: false,
        })
        .collect();
    let known = targets.iter().enumerate();
    let mut places: BTreeMap<(String, String), usize> = known
        .map(|(at, target)| ((target.namespace.clone(), target.name.clone()), at))
        .collect::<BTreeMap<_, _>>();
    let created = loaded.manifests.iter().map(|manifest| (manifest, false));
    for (manifest, applied) in
        created.chain(applied.manifests.iter().map(|manifest| (manifest, true)))
    {
        // What is applied comes after what a file says is there.
        match places.entry((manifest.namespace.clone(), manifest.name.clone())) {
            Entry::Occupied(place) => {
                let target = &mut targets[*place.get()];
                (target.manifest, target.applied) = (Some(manifest), applied);
            }
            Entry::Vacant(place) => {
                place.insert(targets.len());
                targets.push(Target {
                    namespace: manifest.namespace.clone(),
                    name: manifest.name.clone(),
                    stored: None,
                    manifest: Some(manifest),
                    applied,
                });
            }
        }
    }
    targets.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    targets
}

/// The plan of a target. What the API server would remark on is added to `warnings`.
pub fn plan(
    target: &Target<'_>,
    change: &Change,
    loaded: &Loaded,
    conditions: &Conditions,
    warnings: &mut Vec<String>,
) -> Result<Plan> {
    let conditions = &Conditions {
        related: loaded.inventory.related(),
        ..conditions.clone()
    };
    let stored = target
        .stored
        .and_then(|_| loaded.inventory.snapshot(&target.namespace, &target.name));
    let edits = edits(change, stored.as_ref(), conditions)?;
    let cascade = change.delete;
    if let (None, Some(_)) = (&stored, cascade) {
        bail!(
            "--delete: StatefulSet {}/{} is not stored in the input, so there is nothing to delete",
            target.namespace,
            target.name
        );
    }
    if let (Some(snapshot), None, true) = (&stored, target.manifest, edits.is_empty()) {
        check_size(&snapshot.set).map_err(|error| {
            anyhow!("StatefulSet {}/{}: {error}", target.namespace, target.name)
        })?;
        let conditions = &Conditions {
            as_recorded: conditions.input == InputKind::Files
                && change.delete_pod.is_empty()
                && cascade.is_none(),
            ..conditions.clone()
        };
        return Ok(done(change, snapshot.clone(), Vec::new(), None, conditions));
    }
    if change.server_side.is_some() && target.applied && cascade.is_none() {
        check_managed_fields(target, stored.as_ref())?;
    }
    let mut outcome = submit(target, change, stored.as_ref(), edits, conditions)
        .map_err(|error| located(target, error))?;
    let ownership = ownership(target, change, stored.as_ref(), &outcome, conditions);
    let unknown = unknown_fields(target, change.validate, conditions, &mut outcome, warnings);
    let remarks = outcome.warnings.iter();
    warnings.extend(remarks.map(|remark| format!("{}: {remark}", target.name)));

    let wrong = |error: FieldError| match target.manifest {
        Some(manifest) => anyhow::Error::from(manifest.wrong_fields(&[error])),
        None => anyhow!("StatefulSet {}/{}: {error}", target.namespace, target.name),
    };
    let (set, status) = read_set(outcome.set).map_err(wrong)?;
    // It can be read, so it is not the input that is wrong.
    check_size(&set).map_err(|error| anyhow!("{:#}", wrong(error)))?;
    let changed = Arc::new(set);
    let around = |status| loaded.inventory.around(Arc::clone(&changed), status);
    let base = match (&stored, cascade) {
        (None, _) => around(Arc::default()),
        (Some(snapshot), None) => snapshot.clone(),
        (Some(snapshot), Some(_)) => before_replacement(loaded, snapshot, &changed),
    };
    if !outcome.refused.is_empty() {
        let mut changes = deletions(change, &base);
        changes.extend(outcome.changes);
        let way_round = stored
            .filter(|_| cascade.is_none() && is_way_round(&outcome.refused))
            .and_then(|stored| way_round(target, change, &stored, loaded, conditions));
        let plan = Plan::rejected(base, conditions.clone(), changes, outcome.refused)
            .taking_for_granted(outcome.not_checked);
        return Ok(Plan {
            way_round,
            unknown,
            ..plan
        });
    }
    if cascade.is_some() {
        if has_finalizers(&base) {
            bail!(
                "StatefulSet {}/{} has finalizers of its own, so its name is not free when it is deleted: plan \
                 --delete alone",
                target.namespace,
                target.name
            );
        }
        let plan = done(change, base, outcome.changes, Some(changed), conditions)
            .taking_for_granted(outcome.not_checked);
        return Ok(Plan {
            dropped: outcome.dropped,
            unknown,
            ..plan
        });
    }
    let status = match &stored {
        Some(snapshot) => Arc::clone(&snapshot.status),
        None => Arc::new(status),
    };
    // The claims that a snapshot holds are those of the claim templates, which cannot change.
    let snapshot = Snapshot {
        set: changed,
        status,
        ..base
    };
    let plan = done(change, snapshot, outcome.changes, None, conditions)
        .taking_for_granted(outcome.not_checked);
    Ok(Plan {
        dropped: outcome.dropped,
        ownership,
        unknown,
        ..plan
    })
}

/// The managers of what a change sets, and of what it leaves behind.
fn ownership(
    target: &Target<'_>,
    change: &Change,
    stored: Option<&Snapshot>,
    outcome: &apply::Outcome,
    conditions: &Conditions,
) -> Ownership {
    let Some(stored) = stored.filter(|_| outcome.refused.is_empty()) else {
        return Ownership::default();
    };
    let client = match (target.manifest, &change.server_side) {
        (None, _) => Client::Edits,
        (Some(_), Some(how)) if target.applied => Client::Manager(&how.manager),
        (Some(manifest), _) => Client::Manifest(manifest.value()),
    };
    let minor = conditions.behaviour.defaulting.minor;
    let object = stored.set.object.open();
    Ownership::of(client, &object, &outcome.set, &outcome.changes, minor)
}

/// Without managedFields nobody owns anything, which is how kubectl shows a set unless it is asked for them.
fn check_managed_fields(target: &Target<'_>, stored: Option<&Snapshot>) -> Result<()> {
    let asked = target
        .manifest
        .is_some_and(|manifest| manifest.verdict.is_some());
    let lacks = |snapshot: &Snapshot| {
        let object = snapshot.set.object.open();
        object["metadata"]["managedFields"]
            .as_array()
            .is_none_or(Vec::is_empty)
    };
    if !asked && stored.is_some_and(lacks) {
        bail!(
            "StatefulSet {}/{} has no managedFields, by which --server-side decides: save it with kubectl get -o yaml \
             --show-managed-fields",
            target.namespace,
            target.name
        );
    }
    Ok(())
}

/// Returns the API server's outcome for the requested set: simulated, or from the verdict of a live server.
fn submit(
    target: &Target<'_>,
    change: &Change,
    stored: Option<&Snapshot>,
    edits: Vec<Edit>,
    conditions: &Conditions,
) -> Result<apply::Outcome, ChangeError> {
    let behaviour = &conditions.behaviour;
    let object = stored.map(|snapshot| snapshot.set.object.open());
    let object = object.as_deref();
    let Some(manifest) = target.manifest else {
        let manifest = None;
        return apply::change(object, &Request { manifest, edits }, behaviour);
    };
    if let (Some(object), Some(_)) = (object, change.delete) {
        return recreate(object, Some(manifest), change, &edits, behaviour);
    }
    if !target.applied && object.is_none() {
        return apply::create(manifest.value(), &edits, behaviour);
    }
    let how = change.server_side.as_ref().filter(|_| target.applied);
    let here = |edits| match how {
        Some(how) => change_server_side(object, manifest.value(), edits, &how.options(), behaviour),
        None => {
            let manifest = Some(manifest.value().clone());
            apply::change(object, &Request { manifest, edits }, behaviour)
        }
    };
    match (&manifest.verdict, how) {
        (Some(verdict), Some(how)) => {
            let options = how.options();
            answered_server_side(
                object,
                manifest.value(),
                verdict,
                edits,
                &options,
                behaviour,
            )
        }
        (Some(verdict), None) => apply::answered(object, verdict, edits, behaviour, here),
        (None, _) => here(edits),
    }
}

/// The plan after all requested changes, with the list of them.
fn done(
    change: &Change,
    snapshot: Snapshot,
    changes: Vec<FieldChange>,
    replacement: Option<Arc<Set>>,
    conditions: &Conditions,
) -> Plan {
    let mut listed = deletions(change, &snapshot);
    listed.extend(changes);
    let mut actions: Vec<Action> = deleted_pods(change, &snapshot)
        .map(|pod| Action::DeletePod(Arc::clone(&pod.meta.name)))
        .collect();
    actions.extend(change.delete.map(Action::DeleteSet));
    actions.extend(replacement.map(Action::CreateSet));
    Plan {
        change: listed,
        ..Plan::with_actions(actions, snapshot, conditions.clone()).with_kept_pods_failing()
    }
}

/// Converts the error of a change, with its place in the manifest where that is known.
fn located(target: &Target<'_>, error: ChangeError) -> anyhow::Error {
    match (&error, target.manifest) {
        (ChangeError::WrongType(errors), Some(manifest)) => manifest.wrong_fields(errors).into(),
        (ChangeError::NoMergeKey { path, .. }, Some(manifest)) => manifest
            .wrong_at(path, format!("cannot be applied: {error}"))
            .into(),
        _ => anyhow!("StatefulSet {}/{}: {error}", target.namespace, target.name),
    }
}
