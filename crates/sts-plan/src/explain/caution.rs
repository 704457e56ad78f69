//! Cautions on a cause: actions that do not help, and facts to know before acting.

use super::fact::Teller;
use super::uncapitalized;
use super::unrecognized::unrecognized;
use crate::catalogue::{Advice, CauseEntry, Cure};
use crate::cause::{
    Applier, Blame, Blames, Cause, CauseTrait, LostMajority, Rank, Repair, Symptom,
};
use crate::command::dump;
use crate::plan::Plan;
use crate::words::plural;
use sts_controller::object::Strategy;

/// Returns the cautions on a cause, one sentence each.
#[must_use]
pub fn cautions(plan: &Plan, cause: &Cause, undo_needs_deletion: bool) -> Vec<String> {
    let pod = &cause.pod;
    let mut out = Vec::new();
    // Under OnDelete, the controller updates no pod, ready or not.
    let is_on_delete = matches!(plan.snapshot.set.strategy, Strategy::OnDelete(_));
    if (undo_needs_deletion || waits_for_template(plan, cause)) && !is_on_delete {
        out.push(format!(
            "changing the template is not enough: the controller waits for {pod} to become ready before it updates it; \
             delete {pod} as well (kubernetes/kubernetes#67250)"
        ));
    }
    if let Some(applier) = &cause.facts.neighbors.applier {
        // The change that is needed names it already.
        let is_told = cause.facts.neighbors.maker.is_some() || goes_through(cause).is_some();
        out.extend((!is_told).then(|| inactive(cause, applier)));
    } else if let Some(owner) = &cause.owner {
        out.push(format!(
            "the set belongs to {owner}, which reverts template changes: make the change there"
        ));
    } else if let Some(tool) = &cause.managed_by {
        out.push(format!(
            "{tool} manages the set: make the change in its source too, or its next run reverts it"
        ));
    }
    if cause.difference.only_restarted && cause.blame == Blame::Template {
        out.push(
            "the revisions differ only in annotations that restart the pods: rolling back restarts the same template and \
             does not bring a ConfigMap or Secret back; check what the pod reads at startup (config, data, dependencies)"
                .to_owned(),
        );
    }
    if plan.assumptions.owns_pods() {
        out.push(
            "the input has the set as a manifest, not as the cluster has it: what it says about outdated pods and the \
             rollout is what follows once the manifest is applied"
                .to_owned(),
        );
    }
    out.extend(unread_revision(plan, cause));
    out.extend(without_majority(cause));
    let avoid = advice(cause).map(|entry| uncapitalized(&cause.named(&entry.avoid)));
    out.extend(avoid.filter(|avoid| !avoid.is_empty()));
    let teller = Teller {
        cause,
        plan: Some(plan),
    };
    for caution in &cause.symptom.entry().cautions {
        if caution.is_said(&|fact| teller.fact(*fact).is_some()) {
            let told = teller.told_if_known(&caution.say);
            out.extend(told.filter(|told| !told.is_empty()));
            out.extend(caution.each.into_iter().flat_map(|fact| teller.each(fact)));
        }
    }
    out
}

/// Says that what owns or deploys the set does not act on it: a change there has no effect yet.
fn inactive(cause: &Cause, applier: &Applier) -> String {
    let Applier { object, paused, .. } = applier;
    let verb = match &cause.owner {
        Some(_) => "owns",
        None => "deploys",
    };
    let behind = match applier.is_behind {
        true => ", and has a change that it has not applied, which may be the repair",
        false => "",
    };
    if !paused.is_empty() {
        return format!(
            "{object}, which {verb} the set, is paused ({paused}){behind}: make a change there, and resume it; it reverts a \
             change of the set alone then"
        );
    }
    let cure = match &*applier.cure {
        "" => String::new(),
        cure => format!("; {cure}"),
    };
    format!(
        "{object}, which {verb} the set, {}{cure}: until then, a change there does not reach the set",
        applier.trouble
    )
}

/// Reports whether a pod that is up and not ready needs another template, which its controller does not give it: with
/// OrderedReady, it waits for the pod first.
fn waits_for_template(plan: &Plan, cause: &Cause) -> bool {
    let waits = plan.snapshot.set.is_monotonic()
        && plan
            .observed()
            .pod(&cause.pod)
            .is_some_and(|pod| !pod.is_ready() && !pod.is_terminating());
    let settings = &cause.facts.neighbors.settings;
    let is_of_template =
        cause.is_specific() && cause.blames() == Blames::Template && cause.repair.is_none();
    // Of a process that works in the other pods, or worked for long, something else has changed.
    let worked = cause.blame == Blame::Pod || cause.worked_for.is_some();
    let is_of_platform = (cause.entry()).is_some_and(|it| it.has(CauseTrait::OfPlatform));
    let is_told = settings.is_known() || is_of_platform;
    let is_open = cause.symptom == Symptom::CrashLoop && worked && !is_told;
    let is_up = cause.symptom != Symptom::KubeletRejects;
    waits && is_up && is_of_template && !is_open
}

/// Returns the entry of a cause whose advice holds for this case.
fn advice(cause: &Cause) -> Option<&'static CauseEntry> {
    let holds = match cause.symptom.entry().advice {
        Advice::Specific => cause.is_specific(),
        Advice::Always => true,
        Advice::Never => false,
    };
    cause.entry().filter(|_| holds)
}

/// Returns what has to change, in the words of the catalogue, and whom to ask, for each failing container of the pod; the
/// next question if the catalogue does not recognize the cause.
#[must_use]
pub fn fix(cause: &Cause) -> Option<String> {
    let first = after_comparison(cause, first_fix(cause));
    let first =
        first.map(|first| after_label(cause, through_owner(cause, after_write(cause, first))));
    let others = cause.also.iter().filter_map(|other| {
        let entry = other.recognized.as_ref()?.entry;
        let told = entry.rank != Rank::Generic;
        let helps = other.named(&cause.pod, &entry.helps);
        told.then(|| format!("for {}: {}", other.container, uncapitalized(&helps)))
    });
    let container = cause.facts.container().filter(|_| !cause.also.is_empty());
    let first = first.map(|first| match container {
        Some(container) => format!("for {container}: {first}"),
        None => first,
    });
    // The advice for the cause says more of the repair than the object that only reports its trouble.
    let culprit = cause.facts.neighbors.culprit.as_ref();
    let culprit = culprit.filter(|it| it.cure.is_empty() && cause.is_specific());
    let culprit = culprit.map(|it| format!("{} {}", it.object, it.trouble));
    let applier = goes_through(cause).map(|applier| inactive(cause, applier));
    let parts = first.into_iter().chain(others);
    let all: Vec<String> = parts.chain(culprit).chain(applier).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Puts the policy, namespace or pull secret that was written before the failure before anything else.
fn after_write(cause: &Cause, fix: String) -> String {
    match &cause.facts.neighbors.recent {
        Some(recent) if cause.symptom == Symptom::Refused => {
            format!(
                "{recent}: check whether that change was intended. If it was, {}",
                uncapitalized(&fix)
            )
        }
        Some(recent) => format!(
            "{recent}: check that its credentials are valid; {}",
            uncapitalized(&fix)
        ),
        None => fix,
    }
}

/// Puts a new node that lacks only a label before anything else.
fn after_label(cause: &Cause, fix: String) -> String {
    match &cause.facts.neighbors.prospects.unlabeled {
        Some(node) => format!(
            "{}. If it has what that stands for: {}. If not, {}",
            node.told,
            node.command,
            uncapitalized(&fix)
        ),
        None => fix,
    }
}

/// Names the object that owns the set before a change of its template.
fn through_owner(cause: &Cause, fix: String) -> String {
    match owner_to_change(cause) {
        Some(owner) => format!("in {owner}, which owns the set: {}", uncapitalized(&fix)),
        None => fix,
    }
}

/// Returns the object that owns the set, if the template has to change and nothing says that the change is made already.
fn owner_to_change(cause: &Cause) -> Option<&str> {
    let is_of_template = match cause.cure() {
        Cure::Memory => true,
        Cure::Image | Cure::Template => cause.is_specific() && cause.blames() == Blames::Template,
        _ => false,
    };
    let neighbors = &cause.facts.neighbors;
    let is_told =
        neighbors.applier.is_some() || neighbors.maker.is_some() || cause.repair.is_some();
    let is_open = cause.blame == Blame::Pod || cause.worked_for.is_some();
    let owner = cause
        .owner
        .as_ref()
        .filter(|_| is_of_template && !is_told && !is_open)?;
    Some(owner)
}

/// Puts the comparison of an object that was written between the start of the ready pods and that of this one before
/// anything else.
fn after_comparison(cause: &Cause, fix: Option<String>) -> Option<String> {
    let Some(rewritten) = &cause.facts.neighbors.rewritten else {
        return fix;
    };
    let pod = &cause.pod;
    let told = &rewritten.told;
    let kept = match rewritten.others_differ {
        true => ". The ready pods run with what it was: do not restart them before that",
        false => "",
    };
    // Nothing has to be compared where the fault in the object is known.
    if let Some(fix) = fix.as_ref().filter(|_| {
        let neighbors = &cause.facts.neighbors;
        neighbors.files.is_known() || neighbors.lacking.is_some()
    }) {
        return Some(format!("{fix}. {told}{kept}"));
    }
    let first =
        format!("{told}: compare it with what it was, and put that back if {pod} needs it{kept}");
    // The data is that of the ready pods.
    let is_of_identity = cause
        .entry()
        .is_some_and(|it| it.has(CauseTrait::OfIdentity));
    Some(match fix.filter(|_| !is_of_identity) {
        Some(fix) => format!("{first}; if it is right as it is, {fix}"),
        None => first,
    })
}

/// Returns what owns or deploys the set, if it does not act on it and the change that is needed is one of the template or of an
/// object beside it.
fn goes_through(cause: &Cause) -> Option<&Applier> {
    let applier = cause.facts.neighbors.applier.as_ref()?;
    let is_of_source = match cause.cure() {
        Cure::Memory | Cure::Object => true,
        Cure::Image => cause.blames() == Blames::Template,
        Cure::Template => cause.is_specific() && cause.blames() == Blames::Template,
        _ => false,
    };
    let neighbors = &cause.facts.neighbors;
    let is_told = neighbors.maker.is_some() || !applier.repair.is_empty();
    (is_of_source && !is_told).then_some(applier)
}

/// Returns what has to change for the container that the cause is about; the next question if the catalogue does not
/// recognize the cause.
fn first_fix(cause: &Cause) -> Option<String> {
    if let Some(lost) = cause.lost_majority.as_ref().filter(|lost| lost.is_reason) {
        return Some(majority_first(cause, lost));
    }
    let teller = Teller { cause, plan: None };
    let fixes = cause.symptom.entry().fix.iter();
    let mut said = fixes.filter(|it| it.is_said(&|fact| teller.fact(*fact).is_some()));
    if let Some(told) = said.find_map(|it| teller.told_if_known(&it.say)) {
        let culprit = cause.facts.neighbors.culprit.as_ref();
        let is_broad = culprit.is_some_and(|it| it.is_broad && told.starts_with(&it.object));
        let entry = advice(cause).filter(|_| is_broad && cause.is_specific());
        return Some(match entry {
            Some(entry) => format!("{told}; {}", fix_of(entry, &cause.named(&entry.helps))),
            None => told,
        });
    }
    if let Some(repair) = cause.repair.as_ref().filter(|it| it.is_stored) {
        return Some(repaired(cause, repair));
    }
    let Some(entry) = advice(cause).filter(|_| !is_of_pod_by_code(cause)) else {
        let is_open = !cause.is_specific() || is_of_pod_by_code(cause);
        let is_open = is_open && cause.shared.is_none();
        return is_open.then(|| unrecognized(cause)).flatten();
    };
    Some(fix_of(entry, &cause.named(&entry.helps)))
}

/// Says that the template already has what the pod needs, or may have: only its pod has to take it.
fn repaired(cause: &Cause, repair: &Repair) -> String {
    let (pod, revision, has) = (&cause.pod, &repair.revision, &repair.has);
    let step = match repair.is_held {
        true => format!("lower the partition, which keeps {pod} from it, and delete {pod}"),
        false => format!("{pod} only has to be deleted, and comes back on it"),
    };
    if repair.is_certain {
        return format!("the template already {has} ({revision}): {step}");
    }
    let otherwise = advice(cause).map(|entry| fix_of(entry, &cause.named(&entry.helps)));
    let otherwise = otherwise.map_or_else(String::new, |fix| format!("; if not, {fix}"));
    format!("the template already {has} ({revision}): if that is the repair, {step}{otherwise}")
}

/// Says which nodes to bring back before anybody changes a pod that only shows the lack of a majority.
fn majority_first(cause: &Cause, lost: &LostMajority) -> String {
    let (pod, nodes, members) = (&cause.pod, listed_nodes(lost), lost.members);
    format!(
        "bring back {nodes} first: if the set needs a majority of its {members} pods, {pod} only waits for it"
    )
}

/// Warns of a change of data while the set has no majority.
fn without_majority(cause: &Cause) -> Option<String> {
    let lost = cause
        .lost_majority
        .as_ref()
        .filter(|lost| !lost.is_reason)?;
    let (pod, nodes) = (&cause.pod, listed_nodes(lost));
    let LostMajority { members, ready, .. } = lost;
    Some(format!(
        "{ready} of {members} pods {} ready, no majority: bring back {nodes} before you change the data of {pod} or remove \
         it as a member",
        if *ready == 1 { "is" } else { "are" }
    ))
}

/// `node node-1`, `nodes node-1, node-2`.
fn listed_nodes(lost: &LostMajority) -> String {
    match lost.nodes.as_slice() {
        [node] => format!("node {node}"),
        nodes => format!("nodes {}", nodes.join(", ")),
    }
}

/// Returns what has to change by an entry, in these words, and whom to ask.
#[must_use]
pub fn fix_of(entry: &CauseEntry, helps: &str) -> String {
    let mut text = uncapitalized(helps);
    for (word, told) in [("ask", &entry.owner), ("runbook:", &entry.runbook)] {
        if !told.is_empty() {
            text.push_str(&format!("; {word} {told}"));
        }
    }
    text
}

/// Reports whether only an exit code blames the template, on which other pods are ready.
fn is_of_pod_by_code(cause: &Cause) -> bool {
    let Some(failure) = cause
        .facts
        .failure
        .as_ref()
        .filter(|_| cause.symptom == Symptom::CrashLoop)
    else {
        return false;
    };
    let is_by_code = |entry: &CauseEntry| {
        !entry.exit_codes.is_empty() && entry.end_of_words(&failure.last_words).is_none()
    };
    cause.blame == Blame::Pod
        && cause.blames() == Blames::Template
        && cause.entry().is_some_and(is_by_code)
}

/// Points out that the input has no events; `None` if the cause is known without them.
#[must_use]
pub fn unknown_events(plan: &Plan, cause: Option<&Cause>) -> Option<String> {
    if !cause?.symptom.entry().needs_events || plan.related.has_events() {
        return None;
    }
    Some(format!(
        "the input has no events, which show the reason: {} includes them",
        dump(&plan.snapshot)
    ))
}

/// Points out that pods are ready on a revision whose template the input lacks; `None` if no rollback would help.
fn unread_revision(plan: &Plan, cause: &Cause) -> Option<String> {
    if cause.blame != Blame::Template || cause.difference.is_known {
        return None;
    }
    let mut ready = plan.observed().ready();
    let revision = &ready.find(|pod| {
        let stored = plan.snapshot.revisions.get(&pod.revision);
        stored.is_some_and(|revision| revision.template().is_none())
    })?;
    let revision = &revision.revision;
    let pods = plural(
        plan.observed().ready_on(revision).count(),
        "pod is",
        "pods are",
    );
    Some(format!(
        "{pods} ready on {revision}, which the input lacks: to have a rollback to it planned, make a complete dump: {}",
        dump(&plan.snapshot)
    ))
}
