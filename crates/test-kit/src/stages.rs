//! Changes of small worlds in several stages.

use std::sync::Arc;

use jiff::SignedDuration;
use sts_controller::apiserver::apply::Edit;
use sts_controller::object::{Set, Snapshot, Status};
use sts_plan::change::Change;
use sts_plan::plan::Conditions;
use sts_plan::stages::{Begins, Stage, StageChange, Staged};

use crate::scenario::{Scenario, behaviour, moment};

/// The action of one stage.
#[derive(Debug, Clone)]
pub enum Does {
    Nothing,
    Edit(Edit),
    Delete(Vec<String>),
}

pub fn image(image: &str) -> Does {
    Does::Edit(Edit::Image {
        container: None,
        image: image.to_owned(),
    })
}

pub fn partition(partition: i32) -> Does {
    Does::Edit(Edit::partition(partition))
}

pub fn after(seconds: i64) -> Begins {
    Begins::After(SignedDuration::from_secs(seconds))
}

pub fn conditions(version: &str) -> Conditions {
    let behaviour = behaviour(version);
    Conditions {
        ready_after: Some(SignedDuration::from_secs(10)),
        gone_after: Some(SignedDuration::from_secs(5)),
        ..Conditions::new(behaviour.version, moment())
    }
}

pub fn staged(scenario: &Scenario, stages: &[(Begins, Does)], conditions: &Conditions) -> Staged {
    let stored = scenario.snapshot(&conditions.behaviour);
    let around = |set: Arc<Set>, status: Arc<Status>| Snapshot {
        set,
        status,
        ..stored.clone()
    };
    let stages: Vec<Stage<'_>> = stages
        .iter()
        .map(|(begins, does)| {
            let change: Box<StageChange<'_>> =
                Box::new(move |_: Option<&Snapshot>, _: &Conditions| {
                    Ok(match does {
                        Does::Nothing => Change::default(),
                        Does::Edit(edit) => Change {
                            edits: vec![edit.clone()],
                            ..Change::default()
                        },
                        Does::Delete(pods) => Change {
                            deleted_pods: pods,
                            ..Change::default()
                        },
                    })
                });
            Stage {
                name: String::new(),
                begins: *begins,
                approval: String::new(),
                requirements: Vec::new(),
                change,
                manifest: None,
                commands: Vec::new(),
            }
        })
        .collect();
    Staged::of(Some(&stored), &stages, &around, conditions).unwrap()
}
