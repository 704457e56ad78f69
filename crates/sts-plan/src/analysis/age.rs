//! Dependence of a verdict on the clock.

use jiff::Timestamp;

use super::Verdict;
use crate::plan::{NowSource, Outcome, Plan};

/// Returns the assumption that ages count up to the clock, as a sentence; `None` if the verdict does not depend on it.
/// `newest` is the newest time in the objects of files, and `plan_at` plans the same objects at another time.
pub fn age_assumption(
    plan: &Plan,
    newest: Timestamp,
    plan_at: impl FnOnce(Timestamp) -> Option<Plan>,
) -> Option<String> {
    let is_clock = plan.conditions.now_source == NowSource::Clock;
    if !is_clock || newest >= plan.conditions.now || is_calm(plan) {
        return None;
    }
    let depends = states_age(plan)
        || plan_at(newest).is_some_and(|then| Verdict::of(&then) != Verdict::of(plan));
    depends.then(|| {
        format!(
            "ages count up to the current time, but the newest time in the input is {newest}: if the objects were read \
             then, use --now {newest}"
        )
    })
}

/// Reports whether no age matters: the set matches its specification, and no pod becomes available later.
fn is_calm(plan: &Plan) -> bool {
    Verdict::of(plan) == Verdict::NothingToDo && plan.snapshot.set.min_ready_seconds == 0
}

/// Reports whether the set is stuck now, which is stated with its age.
fn states_age(plan: &Plan) -> bool {
    matches!(plan.outcome, Outcome::Blocked(_)) && !plan.touches_pods()
}
