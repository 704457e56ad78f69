//! Creation of a pod's claims, and maintenance of their owners: docs/semantics.md 3.15.1a, 3.15.3, 3.15.5 and 3.15.6.

use std::sync::Arc;

use super::claim_refs;
use super::context::SyncContext;
use super::error::SyncError;
use super::event;
use super::hold::Hold;
use super::identity::{claim, claim_name, ordinal_of};
use super::recorder::Recorder;
use super::write::Refusal;
use crate::object::{Claim, Pod, Retention, Set};
use crate::version::{Behaviour, ClaimOwners};

/// Visits the name of a pod's claim for each template, and the claim if it is cached, until `visit` returns false.
fn claims_of(
    context: &SyncContext<'_>,
    pod: &Pod,
    mut visit: impl FnMut(usize, &str, Option<&Arc<Claim>>) -> bool,
) {
    let ordinal = ordinal_of(&pod.meta.name);
    let mut buffer = context.buffer.borrow_mut();
    for (index, template) in context.set.claim_templates.iter().enumerate() {
        let name = claim_name(&mut buffer, template, context.set, ordinal);
        let proceed = context.claims.with(name, |claim| visit(index, name, claim));
        if !proceed {
            return;
        }
    }
}

/// Returns the claims of a pod as the controller leaves them: one for each template, with the owners of the retention
/// policy.
#[must_use]
pub fn claims_of_pod(set: &Set, pod: &Pod, behaviour: &Behaviour) -> Vec<Claim> {
    let ordinal = ordinal_of(&pod.meta.name);
    let mut buffer = String::new();
    let templates = set.claim_templates.iter();
    let claims = templates.map(|template| {
        let name = Arc::from(claim_name(&mut buffer, template, set, ordinal));
        let claim = claim(set, template, name);
        match behaviour.claim_owners {
            Some(style) => claim_refs::updated(style, &claim, set, pod, behaviour),
            None => claim,
        }
    });
    claims.collect()
}

/// `createPersistentVolumeClaims`: creates missing claims. Tries all of them and collects the errors.
pub(super) fn create_claims(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let mut errors = Vec::new();
    let mut missing = Vec::new();
    claims_of(context, pod, |index, name, claim| {
        match claim {
            None => missing.push((index, Arc::<str>::from(name))),
            Some(claim)
                if claim.meta.is_terminating() && context.behaviour.terminating_claim_blocks =>
            {
                errors.push(SyncError::new(format!("pvc {name} is being deleted")));
                out.hold(|| Hold::ClaimBeingDeleted {
                    pod: Arc::clone(pod),
                    claim: Arc::from(name),
                });
            }
            Some(_) => {}
        }
        true
    });
    for (index, name) in missing {
        let claim = Arc::new(claim(
            context.set,
            &context.set.claim_templates[index],
            name,
        ));
        let name = &claim.meta.name;
        match out.create_claim(&claim, pod) {
            Ok(()) => {
                context.claims.record_write(&claim, out);
                out.event(|| event::of_claim(context.set, &pod.meta, name, None, context.behaviour))
            }
            Err(refusal) => {
                let text = refusal.to_string();
                if !matches!(refusal, Refusal::AlreadyExists { .. }) {
                    out.event(|| {
                        event::of_claim(
                            context.set,
                            &pod.meta,
                            name,
                            Some(&text),
                            context.behaviour,
                        )
                    });
                }
                errors.push(SyncError::new(format!(
                    "failed to create PVC {name}: {text}"
                )));
            }
        }
    }
    SyncError::all(errors).map_or(Ok(()), Err)
}

/// Reports whether creating the missing claims of a pod would send no request and record no event. A claim that another
/// controller manages causes an event every time.
pub(super) fn claims_are_settled(context: &SyncContext<'_>, pod: &Pod) -> bool {
    let mut settled = true;
    claims_of(context, pod, |_, _, claim| {
        settled = claim.is_some_and(|claim| {
            let blocks = claim.meta.is_terminating() && context.behaviour.terminating_claim_blocks;
            let complains = context.behaviour.claim_owners == Some(ClaimOwners::Controlling)
                && claim_refs::has_unexpected_controller(claim, context.set, pod);
            !blocks && !complains && has_right_owners(context, claim, pod)
        });
        settled
    });
    settled
}

/// Reports whether a claim has the right owners, or this version sets none.
fn has_right_owners(context: &SyncContext<'_>, claim: &Claim, pod: &Pod) -> bool {
    context.behaviour.claim_owners.is_none_or(|style| {
        claim_refs::is_up_to_date(style, claim, context.set, pod, context.behaviour)
    })
}

/// `ClaimsMatchRetentionPolicy`: reports whether the existing claims have the right owners.
pub(super) fn claims_match(context: &SyncContext<'_>, pod: &Pod) -> bool {
    if context.behaviour.claim_owners.is_none() {
        return true;
    }
    // A missing policy that crashes the controller manager must not be skipped.
    let panics = context.check_retention().is_err();
    let mut matches = true;
    claims_of(context, pod, |_, _, claim| {
        matches = claim.is_none_or(|claim| !panics && has_right_owners(context, claim, pod));
        matches
    });
    matches
}

/// `UpdatePodClaimForRetentionPolicy`: gives the existing claims the right owners.
pub(super) fn update_claim_owners(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let Some(style) = context.behaviour.claim_owners else {
        return Ok(());
    };
    context.check_retention()?;
    let mut result = Ok(());
    claims_of(context, pod, |_, name, claim| {
        let Some(claim) = claim else { return true };
        if style == ClaimOwners::Controlling
            && claim_refs::has_unexpected_controller(claim, context.set, pod)
        {
            out.event(|| event::of_conflict(name));
        }
        if claim_refs::is_up_to_date(style, claim, context.set, pod, context.behaviour) {
            return true;
        }
        let updated = Arc::new(claim_refs::updated(
            style,
            claim,
            context.set,
            pod,
            context.behaviour,
        ));
        match out.update_claim(&updated) {
            Ok(()) => context.claims.record_write(&updated, out),
            Err(refusal) => {
                let could_not = match style {
                    ClaimOwners::Controlling => "could not",
                    ClaimOwners::Plain => "Could not",
                };
                let message =
                    format!("{could_not} update claim {name} for delete policy ownerRefs");
                result = Err(SyncError::wrapping(&message, &refusal));
            }
        }
        result.is_ok()
    });
    result
}

/// `PodClaimIsStale`: reports whether a claim still belongs to a predecessor of the pod.
pub(super) fn has_stale_claim(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<bool, SyncError> {
    let Some(style) = context.behaviour.claim_owners else {
        return Ok(false);
    };
    context.check_retention()?;
    if context
        .set
        .retention
        .is_none_or(|policy| policy.when_scaled == Retention::Retain)
    {
        return Ok(false);
    }
    let mut stale = false;
    claims_of(context, pod, |_, name, claim| {
        if let Some(owner) = claim.and_then(|claim| claim_refs::stale_owner(style, claim, pod)) {
            out.hold(|| Hold::StaleClaim {
                pod: Arc::clone(pod),
                claim: Arc::from(name),
                owner: owner.clone(),
            });
            stale = true;
        }
        !stale
    });
    Ok(stale)
}
