//! The status of a set: `ValidateStatefulSetStatusUpdate`.

use super::refusals::Refusals;
use super::refused::one_line_message;
use crate::apiserver::schema::Path;
use crate::object::Status;
use crate::version::Validation;

/// Returns the server's message if it refuses a status update; `None` if it accepts it.
#[must_use]
pub fn status_refusal(set: &str, old: &Status, new: &Status, rules: &Validation) -> Option<String> {
    let mut out = Refusals::new(rules);
    check(old, new, &mut out);
    one_line_message("StatefulSet.apps", set, &out.into_list())
}

fn check(old: &Status, new: &Status, out: &mut Refusals<'_>) {
    let at = Path::Root.member("status");
    // Older servers do not validate a field without a gate in their API.
    let available = out.rules.min_ready_seconds_checked;
    let parts = [
        ("readyReplicas", new.ready_replicas),
        ("currentReplicas", new.current_replicas),
        ("updatedReplicas", new.updated_replicas),
        ("availableReplicas", new.available_replicas),
    ];
    let parts = &parts[..if available { 4 } else { 3 }];
    out.negative(at.member("replicas"), new.replicas);
    for (member, count) in parts {
        out.negative(at.member(member), *count);
    }
    out.negative(at.member("observedGeneration"), new.observed_generation);
    for (member, count) in parts {
        if *count > new.replicas {
            out.invalid(
                at.member(member),
                *count,
                "cannot be greater than status.replicas",
            );
        }
    }
    if available && new.available_replicas > new.ready_replicas {
        let detail = "cannot be greater than status.readyReplicas";
        out.invalid(
            at.member("availableReplicas"),
            new.available_replicas,
            detail,
        );
    }
    let collisions = |status: &Status| status.collision_count.unwrap_or(0);
    if collisions(new) < collisions(old) {
        let count = collisions(new);
        out.invalid(at.member("collisionCount"), count, "cannot be decremented");
    }
}
