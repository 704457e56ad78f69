//! A pull secret whose token has expired.

use jiff::SignedDuration;

use super::Symptom;
use super::culprit::Case;
use super::recent::{newest_pull_secret, written};
use crate::catalogue::CauseTrait;
use sts_controller::object::Bystander;

/// Time for which a token of Amazon ECR is valid.
const VALID: SignedDuration = SignedDuration::from_hours(12);
/// Parts of the names of what renews tokens.
const RENEWS: [&str; 4] = ["ecr", "registry", "pull", "cred"];

/// Returns the newest pull secret of a pod if it is older than its token can be, and what should have renewed it: `Secret ecr-pull
/// was written 1d14h ago by kubectl (CronJob ecr-refresh is suspended)`.
pub(super) fn stale_token(case: Case<'_>) -> Option<String> {
    let (plan, pod) = (case.plan, case.pod);
    let is_it = (case.recognized).is_some_and(|found| found.entry.has(CauseTrait::OfShortToken));
    if !is_it || case.symptom != Symptom::ImagePull {
        return None;
    }
    let secret = newest_pull_secret(plan, pod)?;
    if plan.conditions.now.duration_since(secret.written?) <= VALID {
        return None;
    }
    let told = written(plan, secret)?;
    let mut jobs = plan.related.bystanders(&pod.meta.namespace);
    let suspended = jobs.find(|it| is_suspended_renewal(it, &secret.meta.name));
    Some(match suspended {
        Some(job) => format!("{told} (CronJob {} is suspended)", job.meta.name),
        None => told,
    })
}

/// Returns the pull secret of a pod whose credentials the registry refuses: without credentials, containerd asks for an anonymous
/// token: `Secret acr was written 366d ago`.
pub(super) fn refused_secret(case: Case<'_>) -> Option<String> {
    let (plan, pod) = (case.plan, case.pod);
    let found = (case.recognized).filter(|it| it.entry.has(CauseTrait::OfRegistryAccount))?;
    let message = found.message.to_ascii_lowercase();
    let is_refused = message.contains("401 unauthorized")
        && message.contains("oauth token")
        && message.contains("post request");
    if !is_refused || case.symptom != Symptom::ImagePull {
        return None;
    }
    written(plan, newest_pull_secret(plan, pod)?)
}

/// Reports whether an object is a suspended CronJob that writes a Secret, by its specification or by its name.
fn is_suspended_renewal(object: &Bystander, secret: &str) -> bool {
    &*object.kind == "CronJob"
        && object.spec["suspend"] == true
        && (RENEWS.iter().any(|part| object.meta.name.contains(part))
            || object.spec.to_string().contains(secret))
}
