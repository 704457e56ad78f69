//! The effect of assumed objects, quotas and nodes on waiting pods.
//!
//! A grant only removes evidence: a pod that is waiting for anything else is still waiting.

mod nodes;
mod quota;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::conditions::Conditions;
use crate::foresight::{granted_class, granted_templates, missing_for};
use crate::grant::{Grant, GrantedKind, grant_of};
use crate::members::pods_of;
use sts_controller::object::{Event, Phase, Snapshot};

use quota::Exceeded;
pub(crate) use quota::{admitted_after, exceeded_quota};

/// The effect of grants on the pods of a set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relief {
    /// Waiting pods that start, each with its reason.
    pub starts: BTreeMap<Arc<str>, String>,
    /// The effects, one sentence each.
    pub sentences: Vec<String>,
    /// The grants with an effect, as written.
    pub used: BTreeSet<String>,
}

impl Relief {
    /// Returns the effect on existing pods.
    pub(crate) fn of(snapshot: &Snapshot, conditions: &Conditions) -> Self {
        let mut relief = Relief::default();
        if !conditions.grants.is_empty() {
            relief.give_objects(snapshot, conditions);
            relief.give_classes(snapshot, conditions);
        }
        if !conditions.outage.added.is_empty() {
            nodes::place(&mut relief, snapshot, conditions);
        }
        relief
    }

    fn give_objects(&mut self, snapshot: &Snapshot, conditions: &Conditions) {
        let namespace = &snapshot.set.meta.namespace;
        for pod in pods_of(snapshot) {
            let starts = matches!(pod.phase, Phase::Unset | Phase::Pending | Phase::Running);
            if !starts || pod.is_ready() || pod.is_terminating() {
                continue;
            }
            let missing = missing_for(pod, &conditions.related, namespace)
                .or_else(|| granted_class(snapshot, conditions, pod));
            let Some(missing) = missing else {
                continue;
            };
            if let Some(grant) = grant_of(&conditions.grants, &missing) {
                self.start(
                    &pod.meta.name,
                    &format!("{missing} exists"),
                    &grant.to_string(),
                );
            }
        }
    }

    /// Adds the effect on claims that are yet to be created.
    fn give_classes(&mut self, snapshot: &Snapshot, conditions: &Conditions) {
        for (template, class) in granted_templates(snapshot, conditions) {
            if let Some(grant) = grant_of(&conditions.grants, &class) {
                self.sentences.push(format!(
                    "new claims of {template} get a volume because {class} exists (--assume {grant})"
                ));
                self.used.insert(grant.to_string());
            }
        }
    }

    fn start(&mut self, pod: &Arc<str>, why: &str, grant: &str) {
        self.sentences.push(format!(
            "pod {pod} starts because {why} (--assume {grant}), unless it needs anything else that is missing"
        ));
        self.starts.insert(Arc::clone(pod), why.to_owned());
        self.used.insert(grant.to_owned());
    }

    /// Returns the creations that are still refused, each with its warning event.
    pub(crate) fn creations(
        &mut self,
        snapshot: &Snapshot,
        conditions: &Conditions,
        refused: Vec<(Arc<str>, Arc<Event>)>,
    ) -> Vec<(Arc<str>, Arc<Event>)> {
        if conditions.grants.is_empty() {
            return refused;
        }
        let mut left: BTreeMap<Arc<str>, Arc<Event>> = BTreeMap::new();
        let mut quotas: BTreeMap<String, Arc<Event>> = BTreeMap::new();
        for (pod, event) in refused {
            if let Some(grant) = admitted(&event, &conditions.grants) {
                let grant = grant.to_string();
                self.sentences.push(format!(
                    "pod {pod} is created although it was refused before (--assume {grant})"
                ));
                self.used.insert(grant);
                continue;
            }
            if let Some(exceeded) = Exceeded::read(&event) {
                quotas
                    .entry(exceeded.quota)
                    .or_insert_with(|| Arc::clone(&event));
            }
            left.insert(pod, event);
        }
        for event in quotas.into_values() {
            quota::give(self, &mut left, snapshot, conditions, &event);
        }
        left.into_iter().collect()
    }

    /// Returns a sentence for each grant without effect. Those of a quota of the input may have one elsewhere.
    pub(crate) fn unused(&self, conditions: &Conditions, uses_quotas: bool) -> Vec<String> {
        let grants = conditions.grants.iter();
        // The stages of a growth report their own assumptions.
        let grants = grants.filter(|grant| match grant {
            Grant::Expands(..) => false,
            Grant::Quota { .. } => !uses_quotas,
            Grant::Exists(..) => true,
        });
        let grants = grants.map(ToString::to_string);
        let unused = grants.filter(|grant| !self.used.contains(grant));
        unused
            .map(|grant| format!("--assume {grant} has no effect: no pod is waiting for it"))
            .collect()
    }
}

/// Returns the grant that resolves a refusal by providing the missing object.
fn admitted<'g>(event: &Event, grants: &'g [Grant]) -> Option<&'g Grant> {
    let message = &*event.message;
    grants.iter().find(|grant| match grant {
        Grant::Exists(GrantedKind::ServiceAccount, name) => {
            message.contains(&format!("serviceaccount \"{name}\" not found"))
        }
        Grant::Exists(GrantedKind::PriorityClass, name) => {
            let words = format!("no PriorityClass with name {name} ");
            format!("{message} ").contains(&words)
        }
        _ => false,
    })
}
