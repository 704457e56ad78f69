//! Gaps in the input of a plan: inconsistencies and missing kinds of objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::absent::is_default;
use crate::members::is_assumed;
use crate::plan::{InputKind, Outcome, Plan, owns, pods_of};
use crate::set_of_pods::stands_in;
use sts_controller::controller::{Resource, Verb, is_member};
use sts_controller::object::{Phase, Pod, Snapshot};
use sts_controller::simulate::Step;

/// Gaps in the input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "ReportInput"))]
#[serde(rename_all = "camelCase")]
pub struct InputCheck {
    /// True if the input is marked or known as complete.
    pub complete: bool,
    /// Inconsistencies, one sentence each: referenced objects that are missing.
    pub missing: Vec<String>,
    /// Effect of each of them on the plan, in a clause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// True if what is missing can change the verdict. It cannot if the set is stuck by objects that were read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub decisive: bool,
    /// Kinds of objects missing from the input, which are not checked.
    pub not_checked: Vec<NotChecked>,
}

/// Kind of object missing from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NotChecked {
    /// PodDisruptionBudgets.
    #[serde(rename = "poddisruptionbudgets")]
    Budgets,
    /// Claims of a stored set, and therefore data loss.
    #[serde(rename = "persistentvolumeclaims")]
    Claims,
    /// Nodes.
    Nodes,
    /// Events.
    Events,
}

impl InputCheck {
    /// Checks the input of a plan for gaps.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let kind = plan.conditions.input;
        if kind != InputKind::Files {
            return InputCheck {
                complete: true,
                ..InputCheck::default()
            };
        }
        let stripped = stripped(&plan.stored());
        if !is_stored(plan) && stripped.is_none() {
            return InputCheck::default();
        }
        let lacks_status = matches!(stripped, Some(Gap::StrippedStatus));
        let gaps = stripped.map_or_else(|| gaps(plan), |gap| vec![gap]);
        let reported = lacks_status.then(|| reported(plan)).flatten();
        let reported = reported.map_or_else(String::new, |it| format!("; {it}"));
        InputCheck {
            complete: false,
            decisive: lacks_status || (!gaps.is_empty() && !is_stuck_as_read(plan)),
            missing: gaps.iter().map(|gap| gap.sentence() + &reported).collect(),
            effects: gaps.iter().map(Gap::effect).collect(),
            not_checked: not_checked(plan),
        }
    }

    /// Reports whether the input is inconsistent.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Reports whether a kind of object is missing.
    #[must_use]
    pub fn lacks(&self, what: NotChecked) -> bool {
        self.not_checked.contains(&what)
    }
}

/// Returns the last warning about a pod of the set, if its status is not known: `event of kv-2: FailedMount: no such device`. That
/// something took too long only follows another one.
fn reported(plan: &Plan) -> Option<String> {
    let snapshot = plan.stored();
    let pods = snapshot.pods.values();
    let members = pods.filter(|pod| is_member(&snapshot.set, &pod.meta.name));
    let warnings = members.flat_map(|pod| {
        // Such a tool removes the uid of the pods too.
        let events = plan
            .related
            .events(&pod.meta.namespace, "Pod", &pod.meta.name);
        let warnings = events.iter().filter(|event| event.is_warning);
        warnings.map(move |event| (&pod.meta.name, event))
    });
    let is_wait = |message: &str| message.contains("timed out waiting");
    let (pod, event) = warnings.max_by_key(|(_, event)| (!is_wait(&event.message), event.last))?;
    let (reason, message) = (&event.reason, &event.message);
    Some(format!("an event of {pod} says {reason}: {message}"))
}

/// Reports whether the set was read from a server, not written by hand.
fn is_stored(plan: &Plan) -> bool {
    let meta = &plan.stored().set.meta;
    let is_created = meta.created.is_some() || plan.assumptions.owns_pods();
    !meta.uid.is_empty() && is_created
}

/// Something that exists, as other objects show, and that the input lacks.
enum Gap {
    /// Status of the pods, which tools such as kubectl-neat remove.
    StrippedStatus,
    /// The set itself, whose pods are all that is known.
    Set,
    /// Uid of the pods, which the same tools remove.
    StrippedUid,
    /// Pods that the status counts.
    Pods {
        /// Number in the status.
        counted: i64,
        /// Number of ready ones in the status.
        ready: i64,
        /// Number in the input.
        there: i64,
        /// True if the plan takes the others for running.
        assumed: bool,
    },
    /// Revisions that the status or pods name.
    Revisions {
        /// Names.
        names: Vec<Arc<str>>,
        /// True if the status names one; false if only pods do.
        in_status: bool,
    },
    /// Template of a revision on which the plan creates pods.
    Template {
        /// Revision.
        revision: Arc<str>,
        /// First pod.
        pod: Arc<str>,
    },
    /// Claims of running pods, which are protected.
    Claims(Vec<Arc<str>>),
}

impl Gap {
    fn sentence(&self) -> String {
        match self {
            Gap::StrippedStatus => {
                "the pods have no status: a tool such as kubectl-neat removed it".to_owned()
            }
            Gap::Set => "the input has pods of the set, and not the set".to_owned(),
            Gap::StrippedUid => {
                "the pods have no uid: a tool such as kubectl-neat removed it".to_owned()
            }
            // Without a pod, the status is all that is known.
            Gap::Pods {
                counted,
                ready,
                there: 0,
                ..
            } if ready < counted => {
                format!(
                    "status says {}, {ready} of them ready, and the input has none",
                    pods(*counted)
                )
            }
            Gap::Pods { counted, there, .. } => {
                let there = match there {
                    0 => "none".to_owned(),
                    _ => there.to_string(),
                };
                format!("status says {}, the input has {there}", pods(*counted))
            }
            Gap::Revisions { names, in_status } => format!(
                "{} reference ControllerRevision{} {}, missing from the input",
                if *in_status {
                    "status and pods"
                } else {
                    "the pods"
                },
                if names.len() == 1 { "" } else { "s" },
                names.join(", ")
            ),
            Gap::Template { revision, pod } => format!(
                "{pod} is created on ControllerRevision {revision}, whose template the input lacks"
            ),
            Gap::Claims(names) => {
                let more = match names.len() {
                    1 => String::new(),
                    several => format!(" and {} more", several - 1),
                };
                let first = names.first().map_or("", |name| &**name);
                format!("running pods use claim {first}{more}, missing from the input")
            }
        }
    }

    fn effect(&self) -> String {
        let effect = match self {
            Gap::StrippedStatus => "the state of the set is not known",
            Gap::Set => "its specification is taken from its pods",
            Gap::StrippedUid => "the plan takes the pods for orphans, and adopts them",
            Gap::Pods { assumed: true, .. } => {
                "the plan takes pods that the input lacks for running, and does not know why some are not ready"
            }
            Gap::Pods { .. } => {
                "the plan takes pods that the input lacks for missing, and creates them"
            }
            Gap::Revisions { .. } => "which pods are outdated is not known",
            Gap::Template { .. } => "the plan creates it from the template of the set",
            Gap::Claims(_) => "the plan takes them for deleted",
        };
        effect.to_owned()
    }
}

fn gaps(plan: &Plan) -> Vec<Gap> {
    // If the set is being replaced, the objects refer to the old one.
    let snapshot = &*plan.stored();
    let status = &snapshot.status;
    let owned: Vec<_> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod))
        .collect();
    if stands_in(&snapshot.set) {
        return vec![Gap::Set];
    }
    let mut out = Vec::from_iter(lacking_pods(snapshot));
    let mut revisions: BTreeSet<&Arc<str>> = BTreeSet::new();
    revisions.extend([&status.current_revision, &status.update_revision]);
    revisions.extend(owned.iter().map(|pod| &pod.revision));
    let unknown: Vec<Arc<str>> = revisions
        .into_iter()
        .filter(|name| !name.is_empty() && !snapshot.revisions.contains_key(*name))
        .map(Arc::clone)
        .collect();
    if !unknown.is_empty() {
        let mut of_status = [&status.current_revision, &status.update_revision].into_iter();
        out.push(Gap::Revisions {
            in_status: of_status.any(|name| unknown.contains(name)),
            names: unknown,
        });
    }
    out.extend(unknown_template(plan, snapshot));
    // The claims of a running pod are protected, so they must exist.
    let running = owned.iter().filter(|pod| pod.phase == Phase::Running);
    let claims: Vec<Arc<str>> = running
        .flat_map(|pod| snapshot.missing_claims(pod))
        .collect();
    if !claims.is_empty() {
        out.push(Gap::Claims(claims));
    }
    out
}

/// Returns the field that the input lacks of all pods of the set, although the API server sets it when it stores a pod.
fn stripped(snapshot: &Snapshot) -> Option<Gap> {
    let set = &snapshot.set;
    let pods = snapshot.pods.values();
    let members: Vec<&Arc<Pod>> = pods
        .filter(|pod| is_member(set, &pod.meta.name) && !is_assumed(pod))
        .collect();
    if members.is_empty() {
        return None;
    }
    if members.iter().all(|pod| !pod.is_created()) {
        return Some(Gap::StrippedStatus);
    }
    let has_uid = members.iter().any(|pod| !pod.meta.uid.is_empty());
    (!has_uid).then_some(Gap::StrippedUid)
}

/// Returns the gap of pods that the status counts.
fn lacking_pods(snapshot: &Snapshot) -> Option<Gap> {
    let status = &snapshot.status;
    let counted = status.replicas.max(status.ready_replicas);
    // Pods that were released or have another owner were counted in the status.
    let count = |is_it: &dyn Fn(&Pod) -> bool| {
        let pods = pods_of(snapshot).filter(|pod| is_it(pod)).count();
        i64::try_from(pods).unwrap_or(i64::MAX)
    };
    let there = count(&|pod| !is_assumed(pod));
    // Of a pod that the status counts as ready, nothing else is needed.
    let known = count(&|pod| !is_assumed(pod) || pod.is_ready());
    let assumed = there < count(&|_| true);
    let tolerated = match assumed {
        true => 0,
        false => between_lists(snapshot),
    };
    (counted > known.saturating_add(tolerated)).then_some(Gap::Pods {
        counted,
        ready: status.ready_replicas,
        there,
        assumed,
    })
}

/// Reports whether files lack pods that the status counts, so that the pods of the input are not all pods of the set.
pub(crate) fn lacks_pods(plan: &Plan) -> bool {
    plan.conditions.input == InputKind::Files
        && is_stored(plan)
        && lacking_pods(&plan.stored()).is_some()
}

/// Returns the gap of the first pod that the plan creates on a stored revision with an unknown template.
fn unknown_template(plan: &Plan, snapshot: &Snapshot) -> Option<Gap> {
    let writes = plan.progression.steps.iter().flat_map(Step::writes);
    let mut created = writes.filter(|write| {
        (write.resource, write.verb) == (Resource::Pods, Verb::Create) && write.refused.is_none()
    });
    created.find_map(|write| {
        let stored = snapshot.revisions.get(write.revision.as_ref()?)?;
        let is_unknown = stored.template().is_none();
        is_unknown.then(|| Gap::Template {
            revision: Arc::clone(&stored.meta.name),
            pod: Arc::clone(&write.name),
        })
    })
}

/// Reports whether the set is stuck by objects that were read, whatever else exists.
fn is_stuck_as_read(plan: &Plan) -> bool {
    matches!(plan.outcome, Outcome::Blocked(_)) && !plan.evidence.stuck.is_empty()
}

/// Returns the number of pods that may be missing because a rollout replaced them between the lists of sets and
/// pods. A list without any pod does not cover the set.
fn between_lists(snapshot: &Snapshot) -> i64 {
    let status = &snapshot.status;
    let is_rolling =
        !status.update_revision.is_empty() && status.current_revision != status.update_revision;
    let is_moving = is_rolling || pods_of(snapshot).any(|pod| pod.is_terminating());
    i64::from(is_moving && pods_of(snapshot).next().is_some())
}

fn pods(number: i64) -> String {
    match number {
        1 => "1 pod".to_owned(),
        _ => format!("{number} pods"),
    }
}

/// Lists missing kinds of objects. A set that was never stored has no pods to disrupt and no data to lose.
fn not_checked(plan: &Plan) -> Vec<NotChecked> {
    let snapshot = &plan.snapshot;
    let related = &plan.related;
    let mut out = Vec::new();
    if related
        .budgets(&snapshot.set.meta.namespace)
        .next()
        .is_none()
    {
        out.push(NotChecked::Budgets);
    }
    let has_claims = snapshot.claims.values().any(|claim| claim.is_read());
    if !snapshot.set.claim_templates.is_empty() && !has_claims {
        out.push(NotChecked::Claims);
    }
    if !related.has_nodes() {
        out.push(NotChecked::Nodes);
    }
    if !related.has_events() {
        out.push(NotChecked::Events);
    }
    out
}
