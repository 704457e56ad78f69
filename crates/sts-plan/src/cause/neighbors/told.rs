//! Facts about other objects that are only told: each is a text, found for the symptoms that it explains.

use std::collections::BTreeMap;

use super::claims::{earlier_volume, names_holder, other_claim_users, pinned_claim};
use super::culprit::Case;
use super::full_claim::FullClaim;
use super::job::unfinished_job;
use super::missing_service::MissingService;
use super::platform::RunningNode;
use super::stuck_claim::StuckClaim;
use super::{
    MOST, answer, constraints, elsewhere, health_check, injected, kernel_setting, namespace,
    needed, other_nodes, placement, port, quota_users, registry_token, twin,
};
use crate::catalogue::{CauseTrait, Fact};
use crate::cause::{Facts, Rank, Recognized, Symptom};
use crate::command::named;
use crate::observed::claim_users;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::object::Pod;

/// Facts as texts. None is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Told(BTreeMap<Fact, String>);

impl Told {
    /// Finds what the other objects of a case tell.
    pub(super) fn of(case: Case<'_>, facts: &Facts, reports: &[&str]) -> Self {
        let mut told = Told::default();
        told.of_services(case, facts, reports);
        told.of_claims(case, facts);
        told.of_pull(case, facts);
        told.of_trait(case);
        told.of_surroundings(case, facts);
        match case.symptom {
            Symptom::Refused => told.of_refusal(case, facts),
            Symptom::Unschedulable => told.of_placement(case, facts),
            Symptom::NotReady | Symptom::CheckFails | Symptom::GateNotMet => {
                told.of_probes(case, facts, reports);
            }
            Symptom::Quota => {
                let users = quota_users::quota_users(case.plan, &facts.quota, &facts.amounts);
                told.add(Fact::QuotaUsers, Some(list(&users, MOST)));
            }
            _ => {}
        }
        told
    }

    /// Returns a fact, if it is known.
    pub(super) fn get(&self, fact: Fact) -> Option<String> {
        self.0.get(&fact).cloned()
    }

    pub(super) fn add(&mut self, fact: Fact, text: Option<String>) {
        if let Some(text) = text.filter(|it| !it.is_empty()) {
            self.0.insert(fact, text);
        }
    }

    /// The Services that the process calls.
    fn of_services(&mut self, case: Case<'_>, facts: &Facts, reports: &[&str]) {
        let Case { plan, pod, .. } = case;
        self.add(Fact::ServiceAt, needed::service_at(&plan.related, reports));
        let missing = match (case.symptom, facts.containers.first()) {
            (Symptom::InitContainer, Some(waiting)) => {
                MissingService::waited_for(plan, pod, waiting)
            }
            _ => (case.recognized).and_then(|found| MissingService::of(plan, pod, found)),
        };
        if let Some(missing) = missing {
            self.add(Fact::MissingService, Some(missing.to_string()));
            self.add(Fact::OtherServices, Some(list(&missing.others, MOST)));
            let governing = Some(missing.name).filter(|_| missing.is_governing);
            self.add(Fact::GoverningService, governing);
        }
    }

    /// The claims of the pod.
    fn of_claims(&mut self, case: Case<'_>, facts: &Facts) {
        let (plan, pod, symptom) = (case.plan, case.pod, case.symptom);
        let recognized = case.recognized;
        if let Symptom::ProvisioningFails | Symptom::ProvisionerSilent | Symptom::Unschedulable =
            symptom
            && let Some((claim, node)) = pinned_claim(plan, pod)
        {
            self.add(Fact::PinnedClaim, Some(claim.to_string()));
            self.add(Fact::PinnedTo, Some(node.to_string()));
        }
        if symptom == Symptom::VolumeMissing {
            self.add(Fact::EarlierVolume, earlier_volume(plan, pod));
        }
        let users = match (symptom, facts.claims.first()) {
            (Symptom::ClaimDeleted, Some(claim)) => {
                claim_users(plan.observed().objects(), &plan.related, claim)
            }
            (Symptom::CrashLoop, _) if recognized.is_some_and(names_holder) => {
                other_claim_users(plan, pod)
            }
            _ => Vec::new(),
        };
        let names: Vec<_> = users.iter().map(|name| named(name)).collect();
        self.add(Fact::ClaimUsers, Some(list(&users, MOST)));
        self.add(Fact::ClaimPods, Some(names.join(" ")));
        if let Some(full) = FullClaim::of(plan, pod, facts.failure.as_ref(), recognized) {
            self.add(Fact::FullClaim, Some(full.claim));
            self.add(Fact::Growth, Some(full.growth));
        }
        if let Some(stuck) = StuckClaim::of(plan, pod, recognized) {
            self.add(Fact::StuckClaim, Some(stuck.claim.to_string()));
            self.add(Fact::ResizeTrouble, Some(stuck.trouble));
        }
    }

    /// The image, the registry and missing objects.
    fn of_pull(&mut self, case: Case<'_>, facts: &Facts) {
        let (plan, recognized) = (case.plan, case.recognized);
        let image = facts.failure.as_ref().map(|it| &it.image);
        if let Some(running) = image.and_then(|it| RunningNode::of(plan, case.pod, recognized, it))
        {
            let node = running.node.as_ref().map(ToString::to_string);
            self.add(Fact::RunningNode, node);
            self.add(Fact::Architecture, Some(running.architecture.to_string()));
        }
        let refused = registry_token::refused_secret(case);
        self.add(Fact::RefusedSecret, refused);
        let stale = registry_token::stale_token(case);
        self.add(Fact::StaleToken, stale);
        self.add(Fact::Twin, twin::twin(plan, facts, recognized));
    }

    /// The facts that a trait of the cause asks for.
    fn of_trait(&mut self, case: Case<'_>) {
        let Case { plan, pod, .. } = case;
        let Some(found) = case.recognized else {
            return;
        };
        if found.entry.has(CauseTrait::NamespaceGoes) {
            let remaining = namespace::remaining(&plan.related, &pod.meta.namespace);
            self.add(Fact::Remaining, Some(remaining));
        }
        if found.entry.has(CauseTrait::RejectedThere) {
            self.add(Fact::Elsewhere, elsewhere::elsewhere(plan, pod));
        }
        self.add(Fact::Uncreated, uncreated(plan, pod, found));
    }

    /// The template beside the words of a refusal.
    fn of_refusal(&mut self, case: Case<'_>, facts: &Facts) {
        let set = &case.plan.snapshot.set;
        let (template, report) = (&set.template, facts.message.as_str());
        let setting = kernel_setting::of_refused(template, report);
        self.add(Fact::KernelSetting, setting);
        if let Some((name, by)) = injected::injected(template, report) {
            self.add(Fact::Injected, Some(name));
            self.add(Fact::InjectedBy, Some(by.to_owned()));
        }
        let found = constraints::constraints(template, &set.meta.namespace, report);
        if let Some(found) = found {
            self.add(Fact::Unfit, Some(found.unfit));
            self.add(Fact::Grant, Some(found.grant));
        }
    }

    /// The nodes and queues for a pod that is not scheduled.
    fn of_placement(&mut self, case: Case<'_>, facts: &Facts) {
        let Case { plan, pod, .. } = case;
        if let Some(found) = case.recognized {
            let nodes = other_nodes(plan, pod, &facts.message, found.entry);
            self.add(Fact::Constraints, Some(nodes.constraints));
            self.add(Fact::Away, Some(list(&nodes.away, MOST)));
            self.add(Fact::Cure, Some(nodes.cure));
            self.add(Fact::Left, Some(nodes.left));
            self.add(Fact::Drained, Some(nodes.drained));
            self.add(Fact::TooLarge, Some(nodes.too_large));
        }
        let unmet = placement::Unmet::of(plan, pod, &facts.message);
        self.add(Fact::Unlabeled, Some(unmet.labels));
        self.add(Fact::NearToleration, Some(unmet.toleration));
        self.add(Fact::Domains, Some(unmet.domains));
        self.add(Fact::Unspread, Some(unmet.unspread));
        self.add(Fact::Near, Some(unmet.near));
        let queued = placement::queued(plan, pod).map(|it| it.trouble);
        self.add(Fact::Queued, queued);
    }

    /// The probes and health checks of the pod, and the Job that a new set waits for.
    fn of_probes(&mut self, case: Case<'_>, facts: &Facts, reports: &[&str]) {
        let (plan, pod, symptom) = (case.plan, case.pod, case.symptom);
        self.add(Fact::UnheardService, port::of_service(plan, pod, symptom));
        let check = health_check::of_load_balancer(case);
        self.add(Fact::HealthCheck, check);
        let probe = port::of_probe(pod, symptom, case.recognized, facts.container());
        self.add(Fact::UnheardProbe, probe);
        if symptom == Symptom::CheckFails {
            let program = reports.iter().find_map(|it| answer::missing_program(it));
            self.add(Fact::ProbeProgram, program);
        }
        let is_open = (case.recognized).is_none_or(|found| found.entry.rank == Rank::Generic);
        if symptom != Symptom::GateNotMet
            && is_open
            && let Some(job) = unfinished_job(plan)
        {
            self.add(Fact::Job, Some(job.to_string()));
            self.add(Fact::JobName, Some(job.name.to_string()));
            self.add(Fact::JobTrouble, Some(job.trouble));
        }
    }
}

/// Returns the next pod of a set that does not exist, if the only pod of the set waits for other members: the controller
/// creates it only once this one is ready.
fn uncreated(plan: &Plan, pod: &Pod, recognized: &Recognized) -> Option<String> {
    if !recognized.entry.has(CauseTrait::NeedsMembers) {
        return None;
    }
    let set = &plan.snapshot.set;
    let is_alone = plan
        .observed()
        .owned()
        .all(|it| it.meta.name == pod.meta.name);
    let ordinals = plan.conditions.behaviour.ordinals(set);
    let next = ordinal_of(&pod.meta.name) + 1;
    (set.is_monotonic() && is_alone && ordinals.contains(&next)).then(|| pod_name(set, next))
}
