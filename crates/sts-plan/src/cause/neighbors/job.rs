//! The Job that initializes a set and has not completed.

use jiff::SignedDuration;

use super::Witness;
use crate::plan::Plan;
use crate::words::names_in;
use sts_controller::object::Bystander;

/// Maximum time between the creation of a set and that of the Job that initializes it.
const TOGETHER: SignedDuration = SignedDuration::from_hours(1);

/// Returns the Job that was created with the set, refers to it and has not completed, while no pod of the set is ready. A
/// CronJob runs its Jobs for another purpose.
pub(super) fn unfinished_job(plan: &Plan) -> Option<Witness> {
    let (observed, set) = (plan.observed(), &plan.snapshot.set);
    if observed.owned().any(|pod| pod.is_ready()) {
        return None;
    }
    let created = set.meta.created?;
    let mut jobs = plan.related.bystanders(&set.meta.namespace).filter(|job| {
        let is_together = job
            .meta
            .created
            .is_some_and(|at| at.duration_since(created).abs() <= TOGETHER);
        &*job.kind == "Job"
            && is_together
            && !job.is("Complete")
            && job
                .meta
                .controller()
                .is_none_or(|owner| &*owner.kind != "CronJob")
            && refers_to(job, [&set.meta.name, &set.service_name])
    });
    Some(Witness::of(plan, jobs.next()?))
}

/// Reports whether the name or the specification of an object has one of these names, alone or before an ordinal.
fn refers_to(object: &Bystander, names: [&str; 2]) -> bool {
    let text = format!("{} {}", object.meta.name, object.spec);
    let starts_with = |word: &str, name: &str| {
        word.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    names_in(&text).any(|word| {
        names
            .iter()
            .any(|name| !name.is_empty() && starts_with(word, name))
    })
}
