//! Plans of a change in several stages.

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};

use super::edits::edits;
use super::{Target, located, request_of, world_of};
use crate::input::read::{Input, read_later};
use crate::input::{Loaded, SetManifest};
use crate::request::{Change, PlanRequest, StageTerms, Stages};
use sts_controller::object::Snapshot;
use sts_plan::change;
use sts_plan::change::{Manifest, PlanError};
use sts_plan::grow::GrowError;
use sts_plan::plan::Conditions;
use sts_plan::stages::{Stage, Staged, growth_stages};

/// Manifests of the later stages; `None` for a stage without one.
#[derive(Default)]
pub struct LaterManifests(Vec<Option<Loaded>>);

impl LaterManifests {
    /// Reads the manifests.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(request: &PlanRequest, input: &Input) -> Result<Self> {
        let Some(stages) = &request.stages else {
            return Ok(LaterManifests::default());
        };
        let read = stages.later.iter().zip(2..).map(|(stage, number)| {
            let path = stage.change.apply.as_deref();
            path.map(|path| read_later(path, &request.world, input))
                .transpose()
                .with_context(|| format!("stage {number}"))
        });
        Ok(LaterManifests(read.collect::<Result<_>>()?))
    }

    /// Returns the manifest that a later stage applies to a set.
    fn of(&self, at: usize, target: &Target<'_>) -> Option<&SetManifest> {
        let loaded = self.0.get(at)?.as_ref()?;
        let mut manifests = loaded.manifests.iter();
        manifests.find(|it| it.namespace == target.namespace && it.name == target.name)
    }
}

/// Plans all stages of a target. Adds the warnings of the API server to `warnings`.
///
/// # Errors
/// When a stage cannot be planned.
pub fn staged(
    target: &Target<'_>,
    first: &Change,
    (stages, manifests): (&Stages, &LaterManifests),
    loaded: &Loaded,
    conditions: &Conditions,
    warnings: &mut Vec<String>,
) -> Result<Staged> {
    let (conditions, stored) = &world_of(target, loaded, conditions);
    let manifest = target.manifest.map(|manifest| Manifest {
        value: manifest.value(),
        request: request_of(first, target.applied),
        verdict: manifest.verdict.as_ref(),
    });
    let grown = OnceCell::new();
    let mut all = match stages.grow.as_slice() {
        [] => vec![stage(&stages.first, first, manifest)],
        growths => growth_stages(stored.as_ref(), growths, conditions, &grown)
            .map_err(|error| grow_error(target, &error))?,
    };
    for (at, later) in stages.later.iter().enumerate() {
        let found = manifests.of(at, target);
        if let (None, Some(file)) = (found, &later.change.apply) {
            return Err(anyhow!(
                "stage {}: no StatefulSet {1}/{2} in {file}",
                at + 2,
                target.namespace,
                target.name
            ));
        }
        let manifest = found.map(|manifest| Manifest {
            value: manifest.value(),
            request: request_of(&later.change, true),
            verdict: None,
        });
        all.push(stage(&later.terms, &later.change, manifest));
    }
    let around = |set, status| loaded.inventory.around(set, status);
    let staged = Staged::of(stored.as_ref(), &all, &around, conditions).map_err(|error| {
        let number = error.number;
        located(target, error.reason).context(format!("stage {number}"))
    })?;
    let remarks = staged.warnings.iter();
    warnings.extend(remarks.map(|remark| format!("{}: {remark}", target.name)));
    Ok(staged)
}

fn grow_error(target: &Target<'_>, error: &GrowError) -> anyhow::Error {
    anyhow!(
        "--grow: StatefulSet {}/{}: {error}",
        target.namespace,
        target.name
    )
}

/// Returns a stage. Its edits are computed when it begins: it may roll back to a revision that an earlier stage
/// created.
fn stage<'c>(terms: &StageTerms, change: &'c Change, manifest: Option<Manifest<'c>>) -> Stage<'c> {
    let at_beginning = move |stored: Option<&Snapshot>, conditions: &Conditions| {
        let edits = edits(change, stored, conditions)
            .map_err(|error| PlanError::Objects(format!("{error:#}")))?;
        Ok(change::Change {
            manifest,
            edits,
            validation: change.validate,
            deleted_pods: &change.delete_pod,
            deleted_claims: &change.delete_claim,
            delete: change.delete,
            actions: Vec::new(),
        })
    };
    Stage {
        name: terms.name.clone(),
        begins: terms.begins,
        approval: terms.approval.clone(),
        requirements: terms.requirements.clone(),
        change: Box::new(at_beginning),
        manifest: change.manifest().map(|file| Arc::from(&*file)),
        commands: Vec::new(),
    }
}
