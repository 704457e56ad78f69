//! The sets to plan, and the change to each.

mod absent;
mod edits;
mod stages;
mod unmatched;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anyhow::{Context, Result, anyhow};

use crate::input::{Loaded, SetManifest};
use crate::request::{Change, Selection, World, is_like};
use sts_controller::apiserver::apply::{ChangeError, Edit};
use sts_controller::object::Snapshot;
use sts_controller::object::{FieldError, Labels, Meta, Selector};
use sts_plan::analysis::age_assumption;
use sts_plan::change;
use sts_plan::change::{Manifest, ManifestRequest, PlanError};
use sts_plan::plan::{Conditions, Plan};

pub use absent::NotFound;
pub(in crate::input) use absent::in_words;
use absent::{not_found, nothing_found};
use edits::edits;
pub use stages::{LaterManifests, staged};
pub use unmatched::UnmatchedPods;

/// A set to plan: stored, to be applied, or both.
pub struct Target<'l> {
    namespace: String,
    name: String,
    stored: Option<&'l Meta>,
    manifest: Option<&'l SetManifest>,
    /// True if the manifest is applied; otherwise it is created unchanged.
    applied: bool,
}

impl Target<'_> {
    /// Returns the namespace and name.
    pub fn id(&self) -> (String, String) {
        (self.namespace.clone(), self.name.clone())
    }

    /// Returns the namespace of the set.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name of the set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the manifest that creates or changes the set, if any.
    pub fn manifest(&self) -> Option<&serde_json::Value> {
        self.manifest.map(SetManifest::value)
    }

    /// Returns the number of replicas in the plan, as far as it is known before planning.
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
        let flag = change.edits.iter().find_map(Edit::scales_to);
        flag.or_else(sent).or_else(stored).unwrap_or(1)
    }

    /// Returns the stored labels, or those of the manifest.
    pub fn labels(&self) -> &Labels {
        static NONE: Labels = Labels::new();
        match (self.stored, self.manifest) {
            (Some(set), _) => &set.labels,
            (None, Some(manifest)) => &manifest.labels,
            (None, None) => &NONE,
        }
    }
}

/// Requested sets.
pub struct Selected<'l> {
    /// Sets that can be planned, by namespace and name, or in the order of their names on the command line.
    pub targets: Vec<Target<'l>>,
    /// Sets that cannot be planned.
    pub missing: Vec<UnplannableSet>,
}

/// A set that cannot be planned.
#[derive(Debug)]
pub struct UnplannableSet {
    /// Namespace; empty if only the name was given.
    pub namespace: String,
    pub name: String,
    /// Reason.
    pub error: anyhow::Error,
}

/// Selects the requested sets. Without names, a manifest to apply selects its own sets.
///
/// # Errors
/// When the flags contradict each other, a selector is invalid, or there is no set at all.
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
            return Err(NotFound(nothing_found(world, selection, loaded, applied)).into());
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
            .partition(|target| is_like(&name, &target.name));
        candidates = rest;
        if name.contains('*') && !found.is_empty() {
            targets.extend(found);
            continue;
        }
        let error = match <[_; 1]>::try_from(found) {
            Ok([target]) => {
                targets.push(target);
                continue;
            }
            Err(none) if none.is_empty() => {
                let named = |name_of: &str| is_like(&name, name_of);
                if missing.iter().any(|no| named(&no.name))
                    || targets
                        .iter()
                        .any(|target: &Target<'_>| named(&target.name))
                {
                    continue;
                }
                NotFound(not_found(&name, world, namespace, loaded, applied)).into()
            }
            Err(several) => {
                let namespaces: Vec<&str> =
                    several.iter().map(|target| &*target.namespace).collect();
                anyhow!(
                    "StatefulSet {name:?} exists in several namespaces ({}): choose one with -n",
                    namespaces.join(", ")
                )
            }
        };
        missing.push(UnplannableSet {
            namespace: namespace.unwrap_or_default().to_owned(),
            name,
            error,
        });
    }
    Ok(Selected { targets, missing })
}

/// Returns every set of the input, by namespace and name.
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
        // A manifest to apply comes after the file with the stored objects.
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

/// Returns the conditions of a target with the objects around it, and the stored set if any.
fn world_of(
    target: &Target<'_>,
    loaded: &Loaded,
    conditions: &Conditions,
) -> (Conditions, Option<Snapshot>) {
    let conditions = Conditions {
        related: loaded.inventory.related(),
        ..conditions.clone()
    };
    let stored = target
        .stored
        .and_then(|_| loaded.inventory.snapshot(&target.namespace, &target.name));
    (conditions, stored)
}

/// Returns the request that submits a manifest to the API server.
fn request_of(change: &Change, is_applied: bool) -> ManifestRequest<'_> {
    match &change.server_side {
        _ if !is_applied => ManifestRequest::Create,
        Some(how) => ManifestRequest::ApplyServerSide(how.options()),
        None => ManifestRequest::Apply,
    }
}

/// Plans a target. Adds the warnings of the API server to `warnings`.
pub fn plan(
    target: &Target<'_>,
    change: &Change,
    loaded: &Loaded,
    conditions: &Conditions,
    warnings: &mut Vec<String>,
) -> Result<Plan> {
    let (conditions, stored) = &world_of(target, loaded, conditions);
    let requested = change::Change {
        manifest: target.manifest.map(|manifest| Manifest {
            value: manifest.value(),
            request: request_of(change, target.applied),
            verdict: manifest.verdict.as_ref(),
        }),
        edits: edits(change, stored.as_ref(), conditions)?,
        validation: change.validate,
        deleted_pods: &change.delete_pod,
        deleted_claims: &change.delete_claim,
        delete: change.delete,
        actions: Vec::new(),
    };
    let around = |set, status| loaded.inventory.around(set, status);
    let plan_at =
        |conditions: &Conditions| Plan::of_change(stored.as_ref(), &requested, &around, conditions);
    let planned = plan_at(conditions).map_err(|error| located(target, error))?;
    let remarks = planned.warnings.iter();
    warnings.extend(remarks.map(|remark| format!("{}: {remark}", target.name)));
    let age = loaded.times.newest().and_then(|newest| {
        age_assumption(&planned.plan, newest, |now| {
            let conditions = Conditions {
                now,
                ..conditions.clone()
            };
            plan_at(&conditions).ok().map(|then| then.plan)
        })
    });
    Ok(planned.plan.with_assumptions(age.into_iter().collect()))
}

/// Converts a planning error, with its location in the manifest if known.
fn located(target: &Target<'_>, error: PlanError) -> anyhow::Error {
    let set = format!("StatefulSet {}/{}", target.namespace, target.name);
    let wrong = |error: FieldError| match target.manifest {
        Some(manifest) => anyhow::Error::from(manifest.wrong_fields(&[error])),
        None => anyhow!("{set}: {error}"),
    };
    match (error, target.manifest) {
        (PlanError::Change(ChangeError::WrongType(errors)), Some(manifest)) => {
            manifest.wrong_fields(&errors).into()
        }
        (PlanError::Change(error), manifest) => match (&error, manifest) {
            (ChangeError::NoMergeKey { path, .. }, Some(manifest)) => manifest
                .wrong_at(path, format!("cannot be applied: {error}"))
                .into(),
            _ => anyhow!("{set}: {error}"),
        },
        (PlanError::Unreadable(error), _) => wrong(error),
        // The input is valid, only too large.
        (PlanError::TooLarge(error), _) => anyhow!("{:#}", wrong(error)),
        (PlanError::NothingToDelete, _) => {
            anyhow!("--delete: {set} does not exist in the input: nothing to delete")
        }
        (PlanError::Finalizers, _) => anyhow!(
            "{set} has its own finalizers, which delay its deletion: plan --delete on its own"
        ),
        (PlanError::NoManagedFields, _) => anyhow!(
            "{set} has no managedFields, which --server-side requires: save it with kubectl get -o yaml \
             --show-managed-fields"
        ),
        (error @ (PlanError::NoSet | PlanError::Objects(_)), _) => anyhow!("{set}: {error}"),
    }
}
