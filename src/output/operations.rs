//! The events of each pod as one operation: a deletion, its end, the new pod and its readiness are one replacement to a
//! reader, and six events to the simulator.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::{ClaimFate, Kind, Operation, POD_DELETED, POD_ORPHANED};
use super::style::escape;
use sts_plan::report::{
    DeleteReason, ObjectEvent, Phase, PlanResult, PodEvent, Report, ReportStep, ReportWrite,
    Resource, StepEvent, Verb,
};

/// The operations of a report in the order in which they begin.
pub(super) fn operations(report: &Report, verbose: bool) -> Vec<Operation<'_>> {
    let mut merge = Merge::new(report, verbose);
    for (index, step) in report.steps.iter().enumerate() {
        merge.step(index, step);
    }
    merge.finish()
}

/// Reports whether the plan is nothing but a wait without end, of which its verdict tells.
pub(super) fn repeats_verdict(report: &Report, operations: &[Operation<'_>]) -> bool {
    let [only] = operations else {
        return false;
    };
    let mut pods = report.set.pods.iter();
    let is_wait = match only.kind {
        Kind::Wait => true,
        // A deletion that was there before the plan.
        Kind::Delete => pods.any(|pod| *pod.name == *only.pod && pod.terminating),
        _ => false,
    };
    is_wait && only.never.is_some() && report.outcome.result == PlanResult::Blocked
}

struct Merge<'r> {
    report: &'r Report,
    verbose: bool,
    operations: Vec<Operation<'r>>,
    /// The operation that events of a pod belong to.
    latest: BTreeMap<&'r str, usize>,
    /// The revision that each pod has.
    revisions: BTreeMap<&'r str, &'r str>,
    owned: BTreeSet<&'r str>,
    /// Claims that were just made, for the pod that comes next.
    made: BTreeSet<&'r str>,
}

impl<'r> Merge<'r> {
    fn new(report: &'r Report, verbose: bool) -> Self {
        let mut merge = Merge {
            report,
            verbose,
            operations: Vec::new(),
            latest: BTreeMap::new(),
            revisions: BTreeMap::new(),
            owned: BTreeSet::new(),
            made: BTreeSet::new(),
        };
        for pod in &report.set.pods {
            merge.revisions.insert(&pod.name, &pod.revision);
            if !pod.owned {
                continue;
            }
            merge.owned.insert(&pod.name);
            if pod.terminating {
                merge.begin(0, &pod.name, Kind::Delete);
            } else if !pod.ready && !matches!(pod.phase, Phase::Failed | Phase::Succeeded) {
                merge.begin(0, &pod.name, Kind::Wait);
            }
        }
        merge
    }

    /// Begins an operation that the pod's events belong to from now on.
    fn begin(&mut self, at: i64, pod: &'r str, kind: Kind) -> &mut Operation<'r> {
        let index = self.operations.len();
        self.latest.insert(pod, index);
        self.add(at, pod, kind)
    }

    fn add(&mut self, at: i64, pod: &'r str, kind: Kind) -> &mut Operation<'r> {
        let index = self.operations.len();
        self.operations.push(Operation {
            at,
            step: 0,
            concurrent: false,
            pod,
            kind,
            words: String::new(),
            old: self.revisions.get(pod).copied(),
            new: None,
            waits: Vec::new(),
            never: None,
            claims: Vec::new(),
            reason: None,
            since: at,
            created: false,
        });
        &mut self.operations[index]
    }

    fn latest(&mut self, pod: &str) -> Option<&mut Operation<'r>> {
        let index = *self.latest.get(pod)?;
        self.operations.get_mut(index)
    }

    fn step(&mut self, index: usize, step: &'r ReportStep) {
        for write in step.writes.iter().flatten() {
            self.write(index, step, write);
        }
        for claim in std::mem::take(&mut self.made) {
            let operation = self.add(step.at, "", Kind::Claim);
            operation.begins(index, step);
            operation.claims.push((ClaimFate::Create, claim.to_owned()));
        }
        let (Some(event), Some(name)) = (step.event, step.name.as_deref()) else {
            return;
        };
        match event {
            StepEvent::Pod(PodEvent::Removed) => {
                self.happened(step.at, name, "gone");
                self.revisions.remove(name);
            }
            StepEvent::Pod(PodEvent::Ready) => self.happened(step.at, name, "ready"),
            StepEvent::Pod(PodEvent::Failed) => self.happened(step.at, name, "fails"),
            StepEvent::Pod(PodEvent::Available) => self.happened(step.at, name, "available"),
            StepEvent::ClaimRemoved => self.claim_removed(step.at, name),
            POD_DELETED => self.deleted(index, step, name, None),
            POD_ORPHANED => self.add(step.at, name, Kind::Release).begins(index, step),
            StepEvent::Object(event) => self.event(index, step, event, name),
        }
    }

    fn happened(&mut self, at: i64, pod: &'r str, what: &'static str) {
        if self.latest(pod).is_none() {
            self.begin(0, pod, Kind::Wait);
        }
        if let Some(operation) = self.latest(pod) {
            operation.waits.push((what, at - operation.since));
            operation.since = at;
        }
    }

    fn claim_removed(&mut self, at: i64, claim: &'r str) {
        let report = self.report;
        let pod = report.set.claim_templates.iter().find_map(|template| {
            let pod = claim.strip_prefix(template.as_str())?.strip_prefix('-')?;
            self.latest.contains_key(pod).then_some(pod)
        });
        let operation = match pod.and_then(|pod| self.latest.get(pod).copied()) {
            Some(index) => &mut self.operations[index],
            None => self.add(at, "", Kind::Claim),
        };
        operation.claims.retain(|(_, name)| name != claim);
        operation.claims.push((ClaimFate::Remove, claim.to_owned()));
    }

    fn write(&mut self, index: usize, step: &'r ReportStep, write: &'r ReportWrite) {
        let name = &*write.name;
        if write.error.is_some() {
            return self.other(index, step, write);
        }
        match (write.resource, write.verb) {
            (Resource::Pods, Verb::Create) => self.create(index, step, write),
            (Resource::Pods, Verb::Delete) => self.deleted(index, step, name, write.reason),
            (Resource::Pods, Verb::Patch) => {
                let kind = if self.owned.remove(name) {
                    Kind::Release
                } else {
                    self.owned.insert(name);
                    Kind::Adopt
                };
                self.add(step.at, name, kind).begins(index, step);
            }
            (Resource::Pods, Verb::Update) => {
                self.add(step.at, name, Kind::Update).begins(index, step)
            }
            (Resource::Claims, Verb::Create) => {
                self.made.insert(name);
            }
            _ => self.other(index, step, write),
        }
    }

    /// A pod is deleted; by the controller where there is a reason.
    fn deleted(
        &mut self,
        index: usize,
        step: &'r ReportStep,
        name: &'r str,
        reason: Option<DeleteReason>,
    ) {
        let waits =
            |operation: &Operation<'r>| operation.kind == Kind::Wait && operation.waits.is_empty();
        let claims = self.claims(name);
        let operation = match self.latest.get(name).copied() {
            Some(latest) if waits(&self.operations[latest]) => &mut self.operations[latest],
            _ => self.begin(step.at, name, Kind::Delete),
        };
        operation.kind = Kind::Delete;
        operation.begins(index, step);
        operation.claims = claims;
        operation.reason = reason;
    }

    /// Another event, which is a row of its own only in the verbose output.
    fn event(&mut self, index: usize, step: &'r ReportStep, event: ObjectEvent, name: &str) {
        if !self.verbose {
            return;
        }
        let operation = self.add(step.at, "", Kind::Other);
        operation.begins(index, step);
        operation.words = format!("{} {event} {}", step.actor, escape(name));
    }

    fn create(&mut self, index: usize, step: &'r ReportStep, write: &'r ReportWrite) {
        let at = step.at;
        let name = &*write.name;
        let mut claims = self.claims(name);
        let operation = match self.latest.get(name).copied() {
            Some(latest)
                if self.operations[latest].kind == Kind::Delete
                    && !self.operations[latest].created =>
            {
                let operation = &mut self.operations[latest];
                operation.kind = Kind::Replace;
                operation
            }
            _ => {
                let operation = self.begin(at, name, Kind::Create);
                operation.old = None;
                operation.begins(index, step);
                operation
            }
        };
        operation.created = true;
        operation.since = at;
        operation.new = write.revision.as_deref();
        // A claim that went with the old pod is told of together with the one that comes with the new pod.
        claims.retain(|(fate, _)| *fate == ClaimFate::Create || operation.claims.is_empty());
        operation.claims.retain(|(fate, old)| {
            *fate == ClaimFate::Remove || !claims.iter().any(|(_, new)| new == old)
        });
        operation.claims.append(&mut claims);
        self.revisions
            .insert(name, write.revision.as_deref().unwrap_or_default());
    }

    /// The claims of a pod, those among them that were just made taken out of the waiting ones.
    fn claims(&mut self, pod: &str) -> Vec<(ClaimFate, String)> {
        let report = self.report;
        let templates = report.set.claim_templates.iter();
        templates
            .map(|template| {
                let claim = format!("{template}-{pod}");
                match self.made.remove(claim.as_str()) {
                    true => (ClaimFate::Create, claim),
                    false => (ClaimFate::Keep, claim),
                }
            })
            .collect()
    }

    /// A write that is a row of its own only in the verbose output.
    fn other(&mut self, index: usize, step: &'r ReportStep, write: &'r ReportWrite) {
        if !self.verbose {
            return;
        }
        let is_pod = write.resource == Resource::Pods;
        let pod = if is_pod { &write.name } else { "" };
        let operation = self.add(step.at, pod, Kind::Other);
        operation.begins(index, step);
        operation.words = match (write.resource, write.verb) {
            (Resource::Status, _) => "write status".to_owned(),
            (_, verb) => verb.to_string(),
        };
        match write.resource {
            Resource::Revisions => operation.new = Some(&write.name),
            Resource::Claims => {
                operation
                    .claims
                    .push((ClaimFate::Keep, write.name.to_string()));
            }
            Resource::Pods | Resource::Status => {}
        }
        if let Some(error) = write.error {
            operation.words.push_str(&format!(", refused: {error}"));
        }
    }

    fn finish(mut self) -> Vec<Operation<'r>> {
        let outcome = &self.report.outcome;
        // Only a world at rest is one in which what has not happened never will.
        let at_rest = matches!(outcome.result, PlanResult::Blocked | PlanResult::Complete);
        let ready: BTreeMap<&str, bool> = outcome
            .pods
            .iter()
            .map(|pod| (&*pod.name, pod.ready))
            .collect::<BTreeMap<_, _>>();
        for index in self.latest.into_values().filter(|_| at_rest) {
            let operation = &mut self.operations[index];
            let end = ready.get(operation.pod).copied();
            operation.never = match (operation.kind, end) {
                (Kind::Delete, Some(_)) => Some("gone"),
                (Kind::Create | Kind::Replace | Kind::Wait, Some(false)) => Some("ready"),
                _ => None,
            };
        }
        self.operations.retain(|operation| {
            operation.kind != Kind::Wait || !operation.waits.is_empty() || operation.never.is_some()
        });
        self.operations
            .sort_by_key(|operation| (operation.at, operation.step));
        self.operations
    }
}
