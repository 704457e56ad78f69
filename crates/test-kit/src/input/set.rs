//! A set of an input.

use std::cell::OnceCell;

use serde_json::Value;
use sts_controller::apiserver::apply::Edit;
use sts_controller::object::Snapshot;
use sts_plan::change::{Change, Manifest, ManifestRequest};
use sts_plan::fleet::{FleetSet, SetCourse, SetName};
use sts_plan::plan::{Conditions, Plan};
use sts_plan::stages::{Begins, Stage, Staged, growth_stages};
use sts_plan::what_if::Questions;

use super::{Input, text};

/// A set of an input.
pub(super) struct InputSet<'i> {
    pub(super) input: &'i Input,
    pub(super) object: &'i Value,
    pub(super) stored: Option<Snapshot>,
    pub(super) conditions: Conditions,
}

impl InputSet<'_> {
    /// The manifest that is applied, or creates the set.
    fn manifest(&self) -> Option<Manifest<'_>> {
        let (value, request) = match (&self.input.applied, &self.stored) {
            (Some(applied), _) => (applied, ManifestRequest::Apply),
            (None, None) => (self.object, ManifestRequest::Create),
            (None, Some(_)) => return None,
        };
        Some(Manifest {
            value,
            request,
            verdict: None,
        })
    }

    pub(super) fn plan_at(&self, conditions: &Conditions) -> Result<Plan, String> {
        let change = Change {
            manifest: self.manifest(),
            edits: self.input.edits.clone(),
            actions: self.input.actions.clone(),
            ..Change::default()
        };
        let around = |set, status| self.input.around(set, status);
        match Plan::of_change(self.stored.as_ref(), &change, &around, conditions) {
            Ok(planned) => Ok(planned.plan),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The plans of several stages; `None` for a change in one.
    fn stages(&self, conditions: &Conditions) -> Result<Option<Staged>, String> {
        let (input, stored) = (self.input, self.stored.as_ref());
        if input.later.is_empty() && input.growths.is_empty() {
            return Ok(None);
        }
        let grown = OnceCell::new();
        let mut stages = match input.growths.as_slice() {
            [] => vec![stage(&input.edits)],
            growths => growth_stages(stored, growths, conditions, &grown)
                .map_err(|error| error.to_string())?,
        };
        stages.extend(input.later.iter().map(|edits| stage(edits)));
        let around = |set, status| input.around(set, status);
        let staged = Staged::of(stored, &stages, &around, conditions);
        staged.map(Some).map_err(|error| error.to_string())
    }
}

/// A stage that changes fields once the one before is at rest.
fn stage(edits: &[Edit]) -> Stage<'_> {
    Stage {
        name: String::new(),
        begins: Begins::default(),
        approval: String::new(),
        requirements: Vec::new(),
        change: Box::new(|_: Option<&Snapshot>, _: &Conditions| {
            Ok(Change {
                edits: edits.to_vec(),
                ..Change::default()
            })
        }),
        manifest: None,
        commands: Vec::new(),
    }
}

impl FleetSet for InputSet<'_> {
    type Error = String;

    fn name(&self) -> SetName {
        let meta = &self.object["metadata"];
        SetName {
            namespace: text(&meta["namespace"]).to_owned(),
            name: text(&meta["name"]).to_owned(),
        }
    }

    fn replicas(&self) -> i64 {
        self.object["spec"]["replicas"].as_i64().unwrap_or(1)
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn plan(&self, conditions: &Conditions, _: &mut Vec<String>) -> Result<SetCourse, String> {
        Ok(match self.stages(conditions)? {
            Some(staged) => SetCourse::Stages(staged),
            None => SetCourse::Plan(Box::new(self.plan_at(conditions)?)),
        })
    }

    fn manifest(&self) -> Option<&Value> {
        InputSet::manifest(self).map(|it| it.value)
    }

    fn questions(&self) -> Questions {
        self.input.questions.clone()
    }
}
