//! The stages of a claim resize.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;

use super::{Begins, Stage, StageChange, creatable};
use crate::change::{Change, FieldValidation, Manifest, ManifestRequest};
use crate::conditions::Conditions;
use crate::explain;
use crate::grow::{
    CannotGrow, Condition, EXPANDS_IN, GrowError, Growth, Pending, can_grow, claims_of,
    expansion_of, quantity, user_of,
};
use sts_controller::apiserver::apply::Edit;
use sts_controller::apiserver::validation::claim_growth_refusal;
use sts_controller::object::{Claim, ClaimTemplate, Retention, Snapshot};
use sts_controller::simulate::{Action, Cascade, ClaimGrowth, Expansion};

/// The remaining changes.
#[derive(Default)]
struct RemainingWork {
    /// Claims to patch.
    patches: Vec<ClaimGrowth>,
    /// New sizes of claim templates, each with its index.
    templates: Vec<(usize, Arc<str>)>,
    /// Expansion mode of the most restrictive storage whose claims are in use.
    pods: Option<Expansion>,
}

/// Returns the stages of a resize. `grown` passes the set with its new sizes from the stage that deletes it to the one that
/// recreates it.
///
/// # Errors
/// When the claims cannot grow as requested.
pub fn growth_stages<'c>(
    stored: Option<&Snapshot>,
    growths: &[Growth],
    conditions: &Conditions,
    grown: &'c OnceCell<Value>,
) -> Result<Vec<Stage<'c>>, GrowError> {
    let stored = stored.ok_or(GrowError::NotStored)?;
    let set = &stored.set;
    if set.is_terminating() {
        return Err(GrowError::Terminating);
    }
    let mut work = RemainingWork::default();
    for (at, growth) in growths.iter().enumerate() {
        let name = growth.template.as_str();
        if growths[..at].iter().any(|other| other.template == name) {
            return Err(GrowError::Twice(name.to_owned()));
        }
        let mut templates = set.claim_templates.iter().enumerate();
        let found = templates.find(|(_, template)| *template.name == *name);
        let (place, template) = found.ok_or_else(|| no_template(name, stored))?;
        work.look_at(growth, (place, template), stored, conditions)?;
    }
    if !work.templates.is_empty() && !set.finalizers().is_empty() {
        return Err(GrowError::Finalizers);
    }
    work.stages(stored, grown)
}

fn no_template(wanted: &str, stored: &Snapshot) -> GrowError {
    let templates = stored.set.claim_templates.iter();
    let known: Vec<&str> = templates.map(|template| &*template.name).collect();
    GrowError::NoTemplate {
        wanted: wanted.to_owned(),
        known: match known.as_slice() {
            [] => "none".to_owned(),
            known => known.join(", "),
        },
    }
}

impl RemainingWork {
    fn look_at(
        &mut self,
        growth: &Growth,
        (place, template): (usize, &ClaimTemplate),
        stored: &Snapshot,
        conditions: &Conditions,
    ) -> Result<(), GrowError> {
        let asked = template.object["spec"]["resources"]["requests"]["storage"].as_str();
        let mut has_work = match compared(growth, asked) {
            None | Some(std::cmp::Ordering::Less) => {
                self.templates.push((place, Arc::clone(&growth.size)));
                true
            }
            Some(std::cmp::Ordering::Equal) => false,
            Some(std::cmp::Ordering::Greater) => {
                return Err(smaller(&format!("claim template {}", template.name), asked));
            }
        };
        let claims = claims_of(template, &stored.set, stored);
        // The data of a terminating claim is lost anyway.
        for claim in claims.filter(|claim| !claim.meta.is_terminating()) {
            let expansion = expansion_of(claim, stored, conditions);
            let is_used = user_of(claim, stored).is_some();
            let waits = match compared(growth, claim.storage.as_deref()) {
                Some(std::cmp::Ordering::Greater) => {
                    return Err(smaller(&claim.meta.name, claim.storage.as_deref()));
                }
                Some(std::cmp::Ordering::Equal) => {
                    let status = claim.given().map(|object| object["status"].clone());
                    status.is_some_and(|status| Pending::of(claim, &status).is_some())
                }
                None | Some(std::cmp::Ordering::Less) => {
                    check(claim, &growth.size, conditions)?;
                    self.patches.push(ClaimGrowth {
                        claim: Arc::clone(&claim.meta.name),
                        size: Arc::clone(&growth.size),
                        expansion,
                        takes: EXPANDS_IN,
                    });
                    has_work = true;
                    true
                }
            };
            if waits && is_used && expansion != Expansion::Online {
                self.pods = self.pods.max(Some(expansion));
                has_work = true;
            }
        }
        match has_work {
            true => Ok(()),
            false => Err(GrowError::Nothing {
                template: template.name.to_string(),
                size: growth.size.to_string(),
            }),
        }
    }

    fn stages<'c>(
        self,
        stored: &Snapshot,
        grown: &'c OnceCell<Value>,
    ) -> Result<Vec<Stage<'c>>, GrowError> {
        let mut stages = Vec::new();
        if !self.patches.is_empty() {
            let actions: Vec<Action> = self.patches.into_iter().map(Action::GrowClaim).collect();
            stages.push(stage("grow the claims", move |_, _| Change {
                actions: actions.clone(),
                ..Change::default()
            }));
        }
        match self.pods {
            None | Some(Expansion::Online) => {}
            Some(Expansion::OnMount) => stages.extend(restart(stored)),
            Some(Expansion::Offline) => {
                let retention = stored.set.retention.as_ref();
                if retention.is_some_and(|it| it.when_scaled == Retention::Delete) {
                    return Err(GrowError::DeletesClaims);
                }
                let replicas = stored.set.replicas;
                stages.push(scale("scale down to 0", 0));
                stages.push(scale(&format!("scale up to {replicas}"), replicas));
            }
        }
        if !self.templates.is_empty() {
            stages.extend(recreate(self.templates, stored, grown));
        }
        Ok(stages)
    }
}

/// Compares a storage request with the new size; `None` without a request.
fn compared(growth: &Growth, asked: Option<&str>) -> Option<std::cmp::Ordering> {
    Some(quantity(asked)?.cmp(&growth.amount))
}

fn smaller(what: &str, asks: Option<&str>) -> GrowError {
    GrowError::Smaller {
        what: what.to_owned(),
        asks: asks.unwrap_or_default().to_owned(),
    }
}

/// Checks the API server's preconditions for a claim to grow.
fn check(claim: &Claim, size: &str, conditions: &Conditions) -> Result<(), GrowError> {
    let name = claim.meta.name.to_string();
    let related = &conditions.related;
    match can_grow(claim, related) {
        Ok(Condition::Met) => {}
        // The input has StorageClasses, so this one does not exist.
        Ok(Condition::Unknown(class)) if related.has_storage_classes() => {
            return Err(GrowError::ClassMissing { claim: name, class });
        }
        Ok(Condition::Unknown(_)) => {}
        Err(CannotGrow::Unbound) => return Err(GrowError::Unbound(name)),
        Err(CannotGrow::NoClass) => return Err(GrowError::NoClass(name)),
        Err(CannotGrow::Class(class)) => return Err(GrowError::Class { claim: name, class }),
    }
    match claim_growth_refusal(claim, size) {
        Some(refusal) => Err(GrowError::Refused(refusal)),
        None => Ok(()),
    }
}

/// Restarts the pods: by a rolling update if that reaches all of them, or else by deleting them one by one.
fn restart<'c>(stored: &Snapshot) -> Vec<Stage<'c>> {
    let set = &stored.set;
    let rolls = set.strategy.rolling_update().is_some() || set.strategy.name() == "RollingUpdate";
    if rolls && set.strategy.partition() == 0 {
        return vec![stage("restart the pods", |_, conditions| Change {
            edits: vec![Edit::restart(&conditions.now.to_string())],
            ..Change::default()
        })];
    }
    let mut pods: Vec<Arc<str>> = crate::members::pods_of(stored)
        .filter(|pod| crate::members::belongs(stored, pod) && !pod.is_terminating())
        .map(|pod| Arc::clone(&pod.meta.name))
        .collect();
    // From the highest ordinal down, like a rolling update.
    pods.sort_by_key(|pod| std::cmp::Reverse(sts_controller::controller::ordinal_of(pod)));
    let restart = |pod: Arc<str>| {
        stage(&format!("restart {pod}"), move |_, _| Change {
            actions: vec![Action::DeletePod(Arc::clone(&pod))],
            ..Change::default()
        })
    };
    pods.into_iter().map(restart).collect()
}

fn scale<'c>(name: &str, replicas: i32) -> Stage<'c> {
    stage(name, move |_, _| Change {
        edits: vec![Edit::replicas(replicas)],
        ..Change::default()
    })
}

/// Deletes the set without its pods, then recreates it with the new sizes, in two stages.
fn recreate<'c>(
    templates: Vec<(usize, Arc<str>)>,
    stored: &Snapshot,
    grown: &'c OnceCell<Value>,
) -> [Stage<'c>; 2] {
    let (delete, create) = explain::grown_set_commands(stored, &templates);
    let first = stored.set.object.open();
    let delete = Stage {
        commands: delete,
        ..stage("delete the StatefulSet, keep its pods", move |stored, _| {
            // The current set: a restart has changed its template.
            let set = stored.map(|stored| stored.set.object.open());
            grown.get_or_init(|| with_sizes(set.as_deref().unwrap_or(&first), &templates));
            Change {
                delete: Some(Cascade::Orphan),
                ..Change::default()
            }
        })
    };
    let create = Stage {
        commands: create,
        ..stage("recreate the StatefulSet with the new size", move |_, _| {
            Change {
                manifest: grown.get().map(|value| Manifest {
                    value,
                    request: ManifestRequest::Create,
                    verdict: None,
                }),
                validation: FieldValidation::Ignore,
                ..Change::default()
            }
        })
    };
    [delete, create]
}

/// Returns a creatable set with these sizes in its claim templates.
fn with_sizes(set: &Value, templates: &[(usize, Arc<str>)]) -> Value {
    let mut set = creatable(set);
    for (place, size) in templates {
        let template = &mut set["spec"]["volumeClaimTemplates"][*place];
        template["spec"]["resources"]["requests"]["storage"] = Value::from(&**size);
    }
    set
}

fn stage<'c>(
    name: &str,
    change: impl Fn(Option<&Snapshot>, &Conditions) -> Change<'c> + 'c,
) -> Stage<'c> {
    let change: Box<StageChange<'c>> =
        Box::new(move |stored: Option<&Snapshot>, conditions: &Conditions| {
            Ok(change(stored, conditions))
        });
    Stage {
        name: name.to_owned(),
        begins: Begins::default(),
        approval: String::new(),
        requirements: Vec::new(),
        change,
        manifest: None,
        commands: Vec::new(),
    }
}
