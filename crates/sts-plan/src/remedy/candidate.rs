//! Candidate remedies of an obstacle, smallest first.

use std::sync::Arc;

use jiff::SignedDuration;

use super::action::{MissingObject, RemedyAction};
use super::lost_node::{can_move, lost_node};
use crate::catalogue::{Cure, Fact};
use crate::cause::{Blame, Blames, Cause, Symptom, entry_of_set, is_going};
use crate::foresight::Foreseen;
use crate::members::surplus;
use crate::plan::{Obstacle, Plan};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::{Hold, list_revisions, ordinal_of};
use sts_controller::object::{Claim, IntOrPercent, OwnerReference, Pod, Quantities, Snapshot};

/// Returns candidate remedies, each a sequence of actions. Only actions that address the cause are candidates: the
/// simulator has no scheduler, registry or data, so it would accept others too.
pub(super) fn candidates(
    plan: &Plan,
    obstacle: &Obstacle,
    cause: Option<&Cause>,
) -> Vec<Vec<RemedyAction>> {
    let mut all = for_obstacle(plan, obstacle, cause);
    all.retain(|actions| cause.is_none_or(|cause| may_cure_all(cause, actions)));
    all
}

/// Reports whether actions may end the failure of every container of a pod, not only that of the first.
fn may_cure_all(cause: &Cause, actions: &[RemedyAction]) -> bool {
    // Other pods are ready on the other template, or it differs in each of the containers.
    let reaches_all = || {
        let mut others = cause.also.iter();
        cause.blame == Blame::Template || others.all(|it| it.is_reached(&cause.difference))
    };
    cause.also.is_empty()
        || actions.iter().all(|action| match action {
            RemedyAction::RaiseMemory { .. } | RemedyAction::Provide(..) => false,
            RemedyAction::ToRevision(..) => reaches_all(),
            RemedyAction::DeletePod(_) => {
                actions.len() > 1 || cause.comes_back_on.is_none() || reaches_all()
            }
            _ => true,
        })
}

/// Returns candidate remedies for an obstacle, by the first failing container of its pod.
fn for_obstacle(plan: &Plan, obstacle: &Obstacle, cause: Option<&Cause>) -> Vec<Vec<RemedyAction>> {
    let hold = match obstacle {
        Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => hold,
        Obstacle::CreationRefused { pod, .. } => return refused(plan, pod, cause),
        Obstacle::DeletionRefused { pod, .. } | Obstacle::Rejected { pod, .. } => {
            return vec![vec![RemedyAction::FixPod(name(pod))]];
        }
        Obstacle::Error(_) => return failing(plan),
        // Nothing that is done to the set reaches it.
        Obstacle::Inactive(_) => return Vec::new(),
    };
    let end = plan.predicted().objects();
    match hold {
        Hold::WaitingForPodReady { pod, .. }
        | Hold::UpdateWaitingForPod { pod, at: None, .. }
        | Hold::UnavailableBudgetSpent { pod: Some(pod), .. } => unready(plan, pod, cause),
        Hold::WaitingForPodTermination { pod, .. }
        | Hold::ScaleDownWaitingForTermination { pod, .. }
        | Hold::RecreateWaitingForTermination { pod, .. }
        | Hold::PodFailed { pod, .. } => stuck_terminating(plan, pod),
        Hold::ScaleDownWaitingForReady {
            pod,
            first_unhealthy,
            ..
        } => {
            let mut out = vec![
                vec![RemedyAction::FixPod(name(pod))],
                vec![RemedyAction::DeletePod(name(pod))],
            ];
            let first = first_unhealthy
                .iter()
                .filter(|first| **first != pod.meta.name);
            out.extend(first.map(|first| vec![RemedyAction::DeletePod(Arc::clone(first))]));
            out
        }
        Hold::WaitingForPodAvailable { pod, .. }
        | Hold::ScaleDownWaitingForAvailable { pod, .. }
        | Hold::UpdateWaitingForPod { pod, .. }
        | Hold::PodUpdateRefused { pod, .. } => vec![vec![RemedyAction::DeletePod(name(pod))]],
        Hold::UnavailableBudgetSpent { pod: None, .. } => {
            vec![vec![RemedyAction::MaxUnavailable(1)]]
        }
        Hold::StaleClaim { claim, owner, .. } => stale(end, claim, owner),
        // The finalizers protect the claim's data. The claim is removed once no pod uses it.
        Hold::ClaimBeingDeleted { .. } => Vec::new(),
        Hold::NameTaken { pod, .. } => name_taken(plan, end, &pod.meta.name),
        // Its objects go with the namespace.
        Hold::SetBeingDeleted { .. } if entry_of_set(plan, obstacle).is_some() => Vec::new(),
        Hold::SetBeingDeleted { .. } if plan.progression.world.finalizers().next().is_some() => {
            vec![vec![RemedyAction::DropSetFinalizers]]
        }
        Hold::SetBeingDeleted { .. } | Hold::HeldByPartition { .. } | Hold::OnDelete { .. } => {
            Vec::new()
        }
    }
}

/// Returns candidates for a pod whose creation is refused.
fn refused(plan: &Plan, pod: &Pod, cause: Option<&Cause>) -> Vec<Vec<RemedyAction>> {
    let quota = cause.filter(|cause| cause.cure() == Cure::Quota);
    let quota = quota.map(|cause| cause.facts.quota.clone());
    if plan.evidence.of_pod(&pod.meta.name).is_none() && quota.is_none() {
        // The pod itself is invalid.
        return failing(plan);
    }
    let mut out = Vec::new();
    if let Some(object) = cause.and_then(MissingObject::of) {
        out.push(vec![RemedyAction::Provide(name(pod), object)]);
    }
    if quota.is_some() {
        out.extend(surplus_for(plan));
    }
    out.push(vec![RemedyAction::AllowCreation(name(pod), quota)]);
    // The pods of the other revision may be older than the policy.
    let is_of_template = cause.is_some_and(|cause| cause.template_helps);
    let back = (plan.fallback()).filter(|_| is_of_template && !is_operated(plan));
    if let Some(back) = back.filter(|back| back.meta.name != pod.revision) {
        out.push(vec![RemedyAction::ToRevision(
            Arc::clone(&back.meta.name),
            back.number,
        )]);
    }
    out
}

/// Returns the deletion of as many surplus pods as pods are refused: they use the quota, and the set does not want them.
fn surplus_for(plan: &Plan) -> Option<Vec<RemedyAction>> {
    let unwanted = surplus(plan.predicted().objects(), &plan.conditions.behaviour);
    let refused = plan.progression.world.kubelet().forbidden.pods.len();
    let deleted = unwanted.into_iter().take(refused.min(MOST_SURPLUS));
    let deletions: Vec<RemedyAction> = deleted
        .map(|pod| RemedyAction::DeletePod(name(pod)))
        .collect();
    (!deletions.is_empty()).then_some(deletions)
}

/// Maximum number of surplus pods to propose for deletion.
const MOST_SURPLUS: usize = 10;

/// Reports whether an operator owns the set and reverts its template.
fn is_operated(plan: &Plan) -> bool {
    plan.operator().is_some()
}

fn name(pod: &Pod) -> Arc<str> {
    Arc::clone(&pod.meta.name)
}

/// Returns candidates for a pod that does not become ready.
fn unready(plan: &Plan, pod: &Pod, cause: Option<&Cause>) -> Vec<Vec<RemedyAction>> {
    if pod.is_terminating() {
        return stuck_terminating(plan, pod);
    }
    let delete = || RemedyAction::DeletePod(name(pod));
    if pod.phase.has_ended() {
        return vec![vec![delete()]];
    }
    let end = plan.predicted().objects();
    // A pod that is only assumed to fail is fixed with the one that shows the failure.
    let broken = cause.map_or_else(|| name(pod), |cause| Arc::clone(&cause.pod));
    let mut out = vec![vec![RemedyAction::FixPod(broken)]];
    if cause.is_some_and(|cause| is_cured_by_recreation(plan, pod, cause)) {
        out.insert(0, vec![delete()]);
        return out;
    }
    if let Some(object) = cause.and_then(MissingObject::of) {
        out.push(vec![RemedyAction::Provide(name(pod), object)]);
    }
    let is_predicted = cause.is_some_and(|cause| cause.facts.foreseen.is_some());
    if !is_predicted && (waits_for_claims(&plan.snapshot, pod) || waits_for_claims(end, pod)) {
        // A template change does not provide a volume. The controller creates missing claims with a new pod.
        if !plan.snapshot.missing_claims(pod).is_empty() || !end.missing_claims(pod).is_empty() {
            out.push(vec![delete()]);
        }
        return out;
    }
    let is_new = pod.revision == end.status.update_revision;
    match cause {
        Some(cause) => out = cured(plan, pod, cause, out),
        // It is not ready because of its node.
        None if plan.is_about_actions() => {}
        None => {
            out.push(vec![delete()]);
            if is_new {
                out.extend(other_templates(plan, pod));
            }
        }
    }
    if is_predicted {
        return out;
    }
    let slot = plan
        .conditions
        .behaviour
        .slot(&end.set, ordinal_of(&pod.meta.name));
    if !is_new
        && let Some(slot) = slot.and_then(|slot| i32::try_from(slot).ok())
        && slot < end.set.strategy.partition()
        && !fails(plan, &end.status.update_revision)
        && cause.is_none_or(may_have_repair)
    {
        out.push(vec![RemedyAction::Partition(slot), delete()]);
    }
    out
}

/// Adds what the cure of a cause asks for to the candidates for a pod that does not become ready. Another template is one
/// only if it differs in what the cause reads.
fn cured(
    plan: &Plan,
    pod: &Pod,
    cause: &Cause,
    mut out: Vec<Vec<RemedyAction>>,
) -> Vec<Vec<RemedyAction>> {
    let is_new = pod.revision == plan.predicted().objects().status.update_revision;
    let delete = || vec![RemedyAction::DeletePod(name(pod))];
    let templates = |helps: bool| match is_new && helps {
        true => other_templates(plan, pod),
        false => Vec::new(),
    };
    let node = cause.facts.node.as_ref();
    match cause.cure() {
        // Another template may not need the object of a volume, but provides no volume.
        Cure::Outside if cause.blames() == Blames::Object => {
            out.extend(templates(cause.template_helps));
        }
        Cure::Claim | Cure::Outside => {}
        // The machine is probably running.
        Cure::RestoreNode => out = node.map_or(out, |node| restored(node, pod)),
        Cure::LeaveNode => {
            if !can_move(plan, pod) {
                out.clear();
            }
            out.extend(node.into_iter().flat_map(|node| lost_node(plan, node, pod)));
        }
        Cure::Nodes => {
            let nodes = to_uncordon(plan, cause).take(MOST_NODES);
            out.extend(nodes.map(|node| vec![RemedyAction::Uncordon(Arc::clone(node), name(pod))]));
            let is_alone = cause.blame == Blame::Pod && cause.facts.foreseen.is_none();
            out.extend(templates(cause.template_helps && !is_alone));
        }
        Cure::Object => out.extend(templates(cause.template_helps)),
        // The template has the higher limit already, and the ready pods on the old one do not need it yet.
        Cure::Memory if is_repaired(cause) => out.insert(0, delete()),
        // The owner or deployer of the set has it already, and only has to be resumed.
        Cure::Memory if cause.fact(Fact::ApplierRepair).is_some() => {}
        Cure::Memory => {
            // The owner of the set reverts a change of its template.
            let may_raise = is_new && cause.owner.is_none();
            let raise = raise_memory(plan, cause).filter(|_| may_raise);
            out.extend(
                raise
                    .into_iter()
                    .flat_map(|raise| with_deletion(raise, pod)),
            );
            out.extend(templates(
                cause.blame == Blame::Template && cause.template_helps,
            ));
        }
        // Other pods run on the image.
        Cure::Image if cause.blame == Blame::Pod => {}
        Cure::Image => {
            let failure = cause.facts.failure.as_ref();
            let is_other =
                failure.is_some_and(|it| cause.difference.images.contains(&it.container));
            let is_of_template = cause.blames() == Blames::Template;
            if is_new
                && is_of_template
                && !cause.template_helps
                && !is_other
                && plan.fallback().is_none()
            {
                out.extend(with_deletion(RemedyAction::NewTemplate, pod));
            }
            out.extend(templates(cause.template_helps));
        }
        // Every revision fails: neither a new pod nor a rollback meets anything else.
        Cure::Template if is_crash_everywhere(plan, cause) => {
            if is_new {
                out.extend(new_template(plan, pod));
            }
        }
        Cure::Template | Cure::Quota | Cure::Admission => {
            let fails = (cause.comes_back_on.as_ref()).map(|next| fails(plan, next));
            if !cause.blames_template() {
                // Nothing blames the template, but the replacement has another one.
                out.extend((cause.template_helps && fails == Some(false)).then(delete));
            } else if fails != Some(true) {
                let is_told = cause.comes_back_on.is_none() || knows_template(plan, pod);
                out.extend(is_told.then(delete));
                // The revisions may agree in the part that failed.
                let is_same = plan.fallback().is_some() && !cause.template_helps;
                out.extend(match is_same {
                    true if is_new => new_template(plan, pod),
                    _ => templates(true),
                });
            }
        }
    }
    // Nothing tells what another template would have to change, or that the template is at fault at all.
    if !cause.is_specific() && cause.blame == Blame::Unknown {
        out.retain(|actions| !actions.contains(&RemedyAction::NewTemplate));
    }
    out
}

/// Reports whether the template of a pod's replacement fixes its cause.
fn is_cured_by_recreation(plan: &Plan, pod: &Pod, cause: &Cause) -> bool {
    let Some(next) = cause
        .comes_back_on
        .as_ref()
        .filter(|_| knows_template(plan, pod))
    else {
        return false;
    };
    let is_sure = matches!(cause.cure(), Cure::Nodes | Cure::Object | Cure::Image);
    let is_of_template = cause.blame != Blame::Pod && !pod.is_terminating() && !fails(plan, next);
    cause.template_helps && may_have_repair(cause) && (is_sure || is_of_template)
}

/// Reports whether the revision of a pod's replacement has what its cause asks for.
fn is_repaired(cause: &Cause) -> bool {
    let repair = cause.repair.as_ref();
    repair.is_some_and(|repair| repair.is_certain && !repair.is_held)
}

/// Reports whether another template may be the repair: for a lack of memory, only one that was compared is.
fn may_have_repair(cause: &Cause) -> bool {
    cause.cure() != Cure::Memory || cause.repair.is_some()
}

/// Reports whether the template of a pod's revision was read. If not, nothing tells what its replacement has instead.
fn knows_template(plan: &Plan, pod: &Pod) -> bool {
    let revision = plan.snapshot.revisions.get(&pod.revision);
    revision.is_some_and(|revision| revision.template().is_some())
}

/// Reports whether pods on a revision are stuck and none is ready.
fn fails(plan: &Plan, revision: &Arc<str>) -> bool {
    let observed = plan.observed();
    let mut of_it = observed.owned().filter(|pod| pod.revision == *revision);
    of_it.any(|pod| plan.evidence.of_this(pod).is_some())
        && observed.ready_on(revision).next().is_none()
}

/// Reports whether a process crashes for an unknown reason on each of several revisions, and no pod of the set is ready.
/// Then the template of the pod or of its replacement is to blame as well.
fn is_crash_everywhere(plan: &Plan, cause: &Cause) -> bool {
    let is_crash = matches!(cause.symptom, Symptom::CrashLoop | Symptom::CheckFails);
    let next = cause.comes_back_on.as_ref();
    is_crash
        && !cause.is_specific()
        && cause.blames_template()
        && !next.is_some_and(|next| fails(plan, next))
        && all_fail(plan)
}

/// Reports whether pods of several revisions are stuck, and none of the set is ready.
fn all_fail(plan: &Plan) -> bool {
    let observed = plan.observed();
    let stuck = observed.owned();
    let stuck = stuck.filter(|pod| plan.evidence.of_this(pod).is_some());
    let mut revisions = stuck.map(|pod| &pod.revision);
    let first = revisions.next();
    revisions.any(|it| Some(it) != first) && observed.ready().next().is_none()
}

/// Returns the cordoned nodes that could take a pod: those that are read or foreseen so, and the drained nodes if pods that
/// exclude each other miss a place. A pod that found no place before the question is not helped by the nodes that it cordons.
fn to_uncordon<'p>(plan: &'p Plan, cause: &'p Cause) -> impl Iterator<Item = &'p Arc<str>> {
    let outage = &plan.conditions.outage;
    let is_foreseen = cause.facts.foreseen.is_some();
    let cordoned = cause.facts.cordoned.iter();
    let cordoned = cordoned.filter(move |node| is_foreseen || !outage.leaving.contains(*node));
    let lacks_places = matches!(cause.facts.foreseen, Some(Foreseen::TooFewPlaces { .. }));
    let drained = outage.leaving.difference(&outage.lost);
    let all = cordoned.chain(drained.filter(move |_| lacks_places));
    all.filter(|node| !plan.related.node(node).is_some_and(|node| is_going(node)))
}

/// Maximum number of nodes to propose for uncordoning.
const MOST_NODES: usize = 3;

/// Returns the rollback and a new template, each alone and with the deletion of the pod.
fn other_templates(plan: &Plan, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    if is_operated(plan) {
        return Vec::new();
    }
    let back = plan
        .fallback()
        .filter(|revision| !fails(plan, &revision.meta.name))
        .map(|revision| RemedyAction::ToRevision(Arc::clone(&revision.meta.name), revision.number));
    let back = back.into_iter().flat_map(|back| with_deletion(back, pod));
    back.chain(new_template(plan, pod)).collect()
}

/// Returns a new template, alone and with the deletion of the pod.
fn new_template(plan: &Plan, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    match is_operated(plan) {
        true => Vec::new(),
        false => with_deletion(RemedyAction::NewTemplate, pod).into(),
    }
}

fn with_deletion(template: RemedyAction, pod: &Pod) -> [Vec<RemedyAction>; 2] {
    let delete = RemedyAction::DeletePod(name(pod));
    [vec![template.clone()], vec![template, delete]]
}

/// Reports whether a pod cannot be scheduled because a claim is missing or has no volume.
fn waits_for_claims(world: &Snapshot, pod: &Pod) -> bool {
    pod.trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced())
        && !(world.missing_claims(pod).is_empty() && world.unbound_claims(pod).is_empty())
}

/// Returns candidates for an error in every sync: a valid field value, the deletion of an unreadable revision, or a shorter
/// name.
fn failing(plan: &Plan) -> Vec<Vec<RemedyAction>> {
    let end = plan.predicted().objects();
    let set = &end.set;
    let mut out = Vec::new();
    let most = set.strategy.rolling_update();
    let most = most.and_then(|block| block.max_unavailable.as_ref());
    if matches!(most, Some(IntOrPercent::Text(_))) {
        out.push(vec![RemedyAction::MaxUnavailable(1)]);
    }
    if set.revision_history_limit < 0 && !plan.conditions.behaviour.negative_history_limit_keeps_all
    {
        out.push(vec![RemedyAction::HistoryLimit(10)]);
    }
    if set.retention.is_none() && plan.conditions.behaviour.missing_retention_panics {
        out.push(vec![RemedyAction::RetainClaims]);
    }
    let unreadable = list_revisions(end, &plan.conditions.behaviour);
    let unreadable = unreadable.into_iter().filter(|it| it.template().is_none());
    out.extend(unreadable.map(|it| vec![RemedyAction::DeleteRevision(Arc::clone(&it.meta.name))]));
    if set.meta.name.len() > LONGEST_NAME {
        out.push(vec![RemedyAction::RecreateRenamed(LONGEST_NAME)]);
    }
    out
}

/// Maximum length of a set's name with room for a dash and a hash in a label.
const LONGEST_NAME: usize = 52;

fn stuck_terminating(plan: &Plan, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    if !pod.finalizers().is_empty() {
        let drop = RemedyAction::DropPodFinalizers(name(pod));
        let node = pod.node().and_then(|node| plan.related.node(node));
        return match node.filter(|node| node.is_lost()) {
            // The pod also waits for its kubelet: both have to go.
            Some(node) => {
                let removals = lost_node(plan, &node.meta.name, pod).into_iter();
                let removals = removals.map(|removal| [removal, vec![drop.clone()]].concat());
                removals.collect()
            }
            None => vec![vec![drop]],
        };
    }
    match pod.node().and_then(|node| plan.related.node(node)) {
        // The machines are probably running.
        Some(node) if node.is_lost() && plan.all_nodes_are_silent() => {
            restored(&node.meta.name, pod)
        }
        Some(node) if node.is_lost() => lost_node(plan, &node.meta.name, pod),
        Some(node) if node.is_down() => restored(&node.meta.name, pod),
        // Its containers may still run on a responding node: a forced deletion would start a second writer.
        Some(_) => vec![vec![RemedyAction::FixPod(name(pod))]],
        // Nothing is known about its node, which may respond.
        None if plan.unseen_node(pod).is_some() => vec![vec![RemedyAction::FixPod(name(pod))]],
        None => vec![vec![RemedyAction::ForceDeletePod(name(pod))]],
    }
}

/// Returns the repair of a node. Its kubelet responds, so nothing may remove its pods by force.
fn restored(node: &Arc<str>, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    vec![vec![RemedyAction::RestoreNode(Arc::clone(node), name(pod))]]
}

fn stale(end: &Snapshot, claim: &Arc<str>, owner: &OwnerReference) -> Vec<Vec<RemedyAction>> {
    let place = |claim: &Arc<Claim>| {
        let owners = &claim.meta.owner_references;
        owners.iter().position(|other| other == owner)
    };
    let place = end.claims.get(claim).and_then(place);
    let release = place.map(|at| vec![RemedyAction::ReleaseClaim(Arc::clone(claim), at)]);
    let delete = vec![RemedyAction::DeleteClaim(Arc::clone(claim))];
    release.into_iter().chain([delete]).collect()
}

/// Time within which the garbage collector deletes the pods of a set that is gone.
const COLLECTED_WITHIN: SignedDuration = SignedDuration::from_mins(5);

/// Returns candidates for a foreign pod with the name of a pod of the set.
fn name_taken(plan: &Plan, end: &Snapshot, pod: &Arc<str>) -> Vec<Vec<RemedyAction>> {
    let Some(stranger) = end.pods.get(pod) else {
        return Vec::new();
    };
    if stranger.is_terminating() {
        return stuck_terminating(plan, stranger);
    }
    // Objects without their uids, as some tools print them: the pod is the set's own.
    let owner = stranger.meta.controller();
    let is_own = |owner: &OwnerReference| {
        owner.uid.is_empty() && &*owner.kind == "StatefulSet" && owner.name == end.set.meta.name
    };
    if owner.is_some_and(is_own) {
        return Vec::new();
    }
    // A pod of an earlier set of that name goes with it, if nothing keeps the garbage collector.
    let age = (end.set.meta.created).map(|created| plan.conditions.now.duration_since(created));
    let is_recent = age.is_some_and(|age| age <= COLLECTED_WITHIN);
    if is_recent && owner.is_some_and(|owner| end.set.is_successor_of(owner)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    if owner.is_none()
        && let Some(selector) = &end.set.selector
    {
        let labels = selector.match_labels.iter();
        let missing: Vec<_> = labels
            .filter(|(key, value)| stranger.meta.labels.get(key) != Some(value))
            .map(|(key, value)| (Arc::clone(key), Arc::clone(value)))
            .collect();
        if !missing.is_empty() {
            out.push(vec![RemedyAction::LabelPod(Arc::clone(pod), missing)]);
        }
    }
    out.push(vec![RemedyAction::DeletePod(Arc::clone(pod))]);
    out
}

/// Reports whether a LimitRange does not admit a memory limit, or a quota does not have this much more for a pod.
fn refuses_memory(plan: &Plan, limit: &Quantity, more: &Quantity) -> bool {
    let namespace = &plan.snapshot.set.meta.namespace;
    let amount = |of: &Quantities, name: &str| Quantity::parse(of.get(name)?).ok();
    let mut ranges = plan
        .related
        .limit_ranges(namespace)
        .flat_map(|it| &it.limits);
    let is_beyond_range = ranges.any(|range| {
        let most = amount(&range.max, "memory");
        most.is_some_and(|most| *limit > most)
    });
    let mut quotas = plan.related.quotas(namespace);
    is_beyond_range
        || quotas.any(|quota| {
            let hard = amount(&quota.hard, "limits.memory");
            let used = amount(&quota.used, "limits.memory").and_then(|used| used.plus(more));
            hard.zip(used).is_some_and(|(hard, used)| used > hard)
        })
}

/// Returns twice the memory limit of an OOM-killed container; `None` if it has none of its own: then its node ran out of
/// memory, or its pod. No more than the largest node has: the container could take the memory of the whole node.
fn raise_memory(plan: &Plan, cause: &Cause) -> Option<RemedyAction> {
    let failure =
        (cause.facts.failure.as_ref()).filter(|_| cause.symptom == Symptom::OutOfMemory)?;
    let present = failure.memory_limit.clone()?;
    let limit = Quantity::parse(&present).ok()?;
    let proposed = limit.plus(&limit)?;
    let of_nodes = plan.related.nodes().filter_map(|node| {
        let memory = node.allocatable.get("memory")?;
        Quantity::parse(memory).ok()
    });
    let is_too_much = of_nodes.max().is_some_and(|most| proposed > most);
    let is_refused = || refuses_memory(plan, &proposed, &limit);
    (!is_too_much && !is_refused()).then(|| RemedyAction::RaiseMemory {
        container: failure.container.clone(),
        is_init: failure.is_init,
        proposed: proposed.canonical(),
        present,
    })
}
