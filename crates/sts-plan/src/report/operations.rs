//! Grouping of steps into operations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::operation::{
    ClaimFate, Milestone, Operation, OperationClaim, OperationKind, OperationReason, OperationWait,
};
use super::{
    Actor, DeleteReason, ObjectEvent, PodEvent, ReportOutcome, ReportSet, ReportStep, ReportWrite,
    Resource, StepEvent, Verb,
};
use crate::plan::PlanResult;
use sts_controller::controller::{claim_of_pod, ordinal_of, pod_of_claim};

/// Groups steps into operations, in the order in which they begin.
pub(super) fn operations(
    set: &ReportSet,
    steps: &[ReportStep],
    outcome: &ReportOutcome,
) -> Vec<Operation> {
    let mut merge = Merge::new(set);
    for (index, step) in steps.iter().enumerate() {
        merge.step(index, step);
    }
    merge.finish(outcome)
}

/// Numbers the operations of a plan, from 1. Concurrent operations of one stage that begin at the same time share a
/// number. `stages` has the index of the first step of each stage.
pub(super) fn number(operations: &mut [Operation], stages: &[usize]) {
    let mut last: Option<(Operation, usize)> = None;
    let (mut number, mut stage) = (0, 0);
    for operation in operations {
        if let Some(step) = operation.step {
            stage = stages.iter().filter(|first| **first <= step).count();
        }
        let is_together = last.is_some_and(|(last, of_stage)| {
            let at_once = last.concurrent && operation.concurrent && of_stage == stage;
            at_once && (last.step == operation.step || last.at == operation.at)
        });
        number += usize::from(!is_together);
        operation.number = number;
        last = Some((operation.clone(), stage));
    }
}

struct Draft {
    operation: Operation,
    last_event: i64,
}

#[derive(Clone, Copy)]
struct Beginning<'r> {
    index: usize,
    step: &'r ReportStep,
    write: Option<usize>,
}

struct Merge<'r> {
    set: &'r ReportSet,
    drafts: Vec<Draft>,
    latest: BTreeMap<&'r str, usize>,
    revisions: BTreeMap<&'r str, Arc<str>>,
    owned: BTreeSet<&'r str>,
    overdue: BTreeSet<&'r str>,
    /// Claims created for the next pod.
    created_claims: BTreeSet<&'r str>,
}

impl<'r> Merge<'r> {
    fn new(set: &'r ReportSet) -> Self {
        let mut merge = Merge {
            set,
            drafts: Vec::new(),
            latest: BTreeMap::new(),
            revisions: BTreeMap::new(),
            owned: BTreeSet::new(),
            overdue: BTreeSet::new(),
            created_claims: BTreeSet::new(),
        };
        for pod in &set.pods {
            merge.revisions.insert(&pod.name, Arc::clone(&pod.revision));
            if !pod.owned {
                continue;
            }
            merge.owned.insert(&pod.name);
            if pod.overdue {
                merge.overdue.insert(&pod.name);
            }
            if pod.terminating {
                let reason = match merge.is_wanted(&pod.name) {
                    true => OperationReason::Terminating,
                    false => OperationReason::ScaledDown,
                };
                merge.begin_before(&pod.name, OperationKind::Delete, reason);
            } else if !pod.ready && !pod.phase.has_ended() {
                merge.begin_before(&pod.name, OperationKind::Wait, OperationReason::NotReady);
            }
        }
        merge
    }

    fn is_wanted(&self, pod: &str) -> bool {
        self.set.ordinals.contains(&ordinal_of(pod))
    }

    /// Begins an operation that was in progress before the plan.
    fn begin_before(&mut self, pod: &'r Arc<str>, kind: OperationKind, reason: OperationReason) {
        let index = self.add(0, None, Some(pod), kind, reason);
        self.latest.insert(pod, index);
    }

    /// Adds an operation, begun by a step or in progress before the plan.
    fn add(
        &mut self,
        at: i64,
        begins: Option<Beginning<'_>>,
        pod: Option<&Arc<str>>,
        kind: OperationKind,
        reason: OperationReason,
    ) -> usize {
        let from = pod.and_then(|pod| self.revisions.get(&**pod));
        self.drafts.push(Draft {
            operation: Operation {
                number: 0,
                at,
                step: begins.map(|begins| begins.index),
                write: begins.and_then(|begins| begins.write),
                concurrent: begins.is_some_and(|begins| begins.step.concurrent),
                pod: pod.map(Arc::clone),
                operation: kind,
                reason,
                from: from.map(Arc::clone),
                to: None,
                waits: Vec::new(),
                never: None,
                claims: Vec::new(),
            },
            last_event: at,
        });
        self.drafts.len() - 1
    }

    fn step(&mut self, index: usize, step: &'r ReportStep) {
        let mut begins = Beginning {
            index,
            step,
            write: None,
        };
        for (at, write) in step.writes.iter().flatten().enumerate() {
            begins.write = Some(at);
            self.write(begins, write);
        }
        begins.write = None;
        for claim in std::mem::take(&mut self.created_claims) {
            let (kind, reason) = (OperationKind::Claim, OperationReason::Needed);
            let added = self.add(step.at, Some(begins), None, kind, reason);
            self.drafts[added].operation.claims.push(OperationClaim {
                name: claim.to_owned(),
                fate: ClaimFate::Create,
            });
        }
        let (Some(event), Some(name)) = (step.event, &step.name) else {
            return;
        };
        match event {
            StepEvent::Pod(PodEvent::Removed) => {
                self.reached(step.at, name, Milestone::Gone);
                self.revisions.remove(&**name);
            }
            StepEvent::Pod(PodEvent::Ready) => self.reached(step.at, name, Milestone::Ready),
            StepEvent::Pod(PodEvent::Failed) => self.reached(step.at, name, Milestone::Failed),
            StepEvent::Pod(PodEvent::Available) => {
                self.reached(step.at, name, Milestone::Available);
            }
            StepEvent::ClaimRemoved => self.claim_removed(begins, name),
            StepEvent::Object(ObjectEvent::PodDeleted) => {
                let reason = match step.actor {
                    Actor::User => OperationReason::DeletedByUser,
                    Actor::Eviction => OperationReason::Evicted,
                    Actor::NodeLifecycle => OperationReason::NodeTainted,
                    _ => OperationReason::SetDeleted,
                };
                self.deleted(begins, name, reason);
            }
            StepEvent::Object(ObjectEvent::PodOrphaned) => {
                let (kind, reason) = (OperationKind::Release, OperationReason::SetDeletedOrphan);
                self.add(step.at, Some(begins), Some(name), kind, reason);
            }
            StepEvent::Object(_) => {}
        }
    }

    fn reached(&mut self, at: i64, pod: &'r Arc<str>, milestone: Milestone) {
        if !self.latest.contains_key(&**pod) {
            self.begin_before(pod, OperationKind::Wait, OperationReason::NotReady);
        }
        if let Some(&index) = self.latest.get(&**pod) {
            let draft = &mut self.drafts[index];
            let seconds = at - draft.last_event;
            // Only the wait for a pod that was there before the plan can be overdue.
            let overdue = draft.operation.operation == OperationKind::Wait
                && draft.operation.waits.is_empty()
                && milestone == Milestone::Ready
                && self.overdue.contains(&**pod);
            draft.operation.waits.push(OperationWait {
                milestone,
                seconds,
                overdue,
            });
            draft.last_event = at;
        }
    }

    fn claim_removed(&mut self, begins: Beginning<'_>, claim: &str) {
        let set = self.set;
        let pod = set.claim_templates.iter().find_map(|template| {
            let pod = pod_of_claim(template, claim)?;
            self.latest.contains_key(pod).then_some(pod)
        });
        let index = match pod.and_then(|pod| self.latest.get(pod).copied()) {
            Some(index) => index,
            None => {
                let (kind, reason) = (OperationKind::Claim, OperationReason::LastOwnerGone);
                self.add(begins.step.at, None, None, kind, reason)
            }
        };
        let claims = &mut self.drafts[index].operation.claims;
        claims.retain(|known| known.name != claim);
        claims.push(OperationClaim {
            name: claim.to_owned(),
            fate: ClaimFate::Lose,
        });
    }

    fn write(&mut self, begins: Beginning<'r>, write: &'r ReportWrite) {
        let name = &write.name;
        if write.is_refused() {
            return;
        }
        let (kind, reason) = match (write.resource, write.verb) {
            (Resource::Pods, Verb::Create) => return self.create(begins, write),
            (Resource::Pods, Verb::Delete) => {
                let reason = reason_to_delete(write.reason);
                return self.deleted(begins, name, reason);
            }
            (Resource::Pods, Verb::Patch) if self.owned.remove(&**name) => {
                (OperationKind::Release, OperationReason::NotSelected)
            }
            (Resource::Pods, Verb::Patch) => {
                self.owned.insert(name);
                (OperationKind::Adopt, OperationReason::Unowned)
            }
            (Resource::Pods, Verb::Update) => (OperationKind::Update, OperationReason::Differs),
            (Resource::Claims, Verb::Create) => {
                self.created_claims.insert(name);
                return;
            }
            (Resource::Claims | Resource::Revisions | Resource::Status, _) => return,
        };
        self.add(begins.step.at, Some(begins), Some(name), kind, reason);
    }

    fn deleted(&mut self, begins: Beginning<'r>, pod: &'r Arc<str>, reason: OperationReason) {
        let claims = self.claims(pod);
        let at = begins.step.at;
        // Without any event so far, the wait becomes a deletion.
        let waits_only = |draft: &Draft| {
            draft.operation.operation == OperationKind::Wait && draft.operation.waits.is_empty()
        };
        let index = match self.latest.get(&**pod).copied() {
            Some(latest) if waits_only(&self.drafts[latest]) => latest,
            _ => self.add(at, None, Some(pod), OperationKind::Delete, reason),
        };
        self.latest.insert(pod, index);
        let draft = &mut self.drafts[index];
        draft.last_event = at;
        draft.operation = Operation {
            at,
            step: Some(begins.index),
            write: begins.write,
            concurrent: begins.step.concurrent,
            operation: OperationKind::Delete,
            reason,
            claims,
            ..draft.operation.clone()
        };
    }

    fn create(&mut self, begins: Beginning<'r>, write: &'r ReportWrite) {
        let (at, pod) = (begins.step.at, &write.name);
        let claims = self.claims(pod);
        let index = match self.latest.get(&**pod).copied() {
            Some(latest) if self.drafts[latest].operation.operation == OperationKind::Delete => {
                self.drafts[latest].operation.operation = OperationKind::Replace;
                latest
            }
            _ => {
                let (kind, reason) = (OperationKind::Create, OperationReason::Missing);
                let index = self.add(at, Some(begins), Some(pod), kind, reason);
                self.drafts[index].operation.from = None;
                index
            }
        };
        self.latest.insert(pod, index);
        let draft = &mut self.drafts[index];
        draft.last_event = at;
        draft.operation.to.clone_from(&write.revision);
        // The deletion of the old claim and the creation of the new one are one entry.
        let existing = &mut draft.operation.claims;
        let mut new = claims;
        new.retain(|claim| claim.fate == ClaimFate::Create || existing.is_empty());
        existing.retain(|old| {
            old.fate == ClaimFate::Lose || !new.iter().any(|claim| claim.name == old.name)
        });
        existing.append(&mut new);
        let revision = write
            .revision
            .as_ref()
            .map_or_else(|| Arc::from(""), Arc::clone);
        self.revisions.insert(pod, revision);
    }

    /// Returns the claims of a pod and removes them from the newly created ones.
    fn claims(&mut self, pod: &str) -> Vec<OperationClaim> {
        let set = self.set;
        let templates = set.claim_templates.iter();
        templates
            .map(|template| {
                let name = claim_of_pod(template, pod);
                let fate = match self.created_claims.remove(name.as_str()) {
                    true => ClaimFate::Create,
                    false => ClaimFate::Keep,
                };
                OperationClaim { name, fate }
            })
            .collect()
    }

    fn finish(self, outcome: &ReportOutcome) -> Vec<Operation> {
        let mut operations: Vec<Operation> = self
            .drafts
            .into_iter()
            .map(|draft| draft.operation)
            .collect();
        // Only in a final state is a pending milestone never reached.
        let at_rest = matches!(outcome.result, PlanResult::Blocked | PlanResult::Complete);
        let ready: BTreeMap<&str, bool> = outcome
            .pods
            .iter()
            .map(|pod| (&*pod.name, pod.ready))
            .collect();
        for (pod, index) in self.latest.into_iter().filter(|_| at_rest) {
            let operation = &mut operations[index];
            operation.never = match (operation.operation, ready.get(pod)) {
                (OperationKind::Delete, Some(_)) => Some(Milestone::Gone),
                (
                    OperationKind::Create | OperationKind::Replace | OperationKind::Wait,
                    Some(false),
                ) => Some(Milestone::Ready),
                _ => None,
            };
        }
        operations.retain(|operation| {
            operation.operation != OperationKind::Wait
                || !operation.waits.is_empty()
                || operation.never.is_some()
        });
        operations.sort_by_key(|it| (it.at, it.step, it.write));
        operations
    }
}

/// Returns the reason of a deletion in the words of operations. The controller gives every pod a reason; the history
/// limit concerns revisions.
fn reason_to_delete(reason: Option<DeleteReason>) -> OperationReason {
    match reason {
        Some(DeleteReason::ScaledDown) => OperationReason::ScaledDown,
        Some(DeleteReason::Failed) => OperationReason::Failed,
        Some(DeleteReason::Succeeded) => OperationReason::Succeeded,
        Some(DeleteReason::Outdated) => OperationReason::Outdated,
        Some(DeleteReason::HistoryLimit) | None => OperationReason::Recreated,
    }
}
