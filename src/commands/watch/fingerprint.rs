//! Fingerprints of snapshots, which detect changes.

use std::fmt::Write as _;

use sts_controller::object::Snapshot;
use sts_plan::plan::{Plan, pods_of};
use sts_plan::verify::Stage;

/// Returns the fingerprint of a snapshot: everything that the plan or the screen shows, except times and versions.
/// Snapshots with the same fingerprint share an update.
pub(super) fn fingerprint(plan: &Plan) -> String {
    let snapshot: &Snapshot = &plan.snapshot;
    let set = &snapshot.set;
    let mut print = format!(
        "{} {} {:?} {}\n",
        set.generation,
        set.is_terminating(),
        snapshot.status,
        plan.outcome.name()
    );
    let min_ready = plan.conditions.behaviour.min_ready_seconds(set);
    for pod in pods_of(snapshot) {
        // Writing to a string does not fail.
        let _ = writeln!(
            print,
            "{} {} {:?} {:?} {} {:?} {}",
            pod.meta.name,
            pod.meta.uid,
            Stage::of(pod),
            pod.phase,
            pod.revision,
            pod.trouble.as_ref().map(|trouble| &trouble.reason),
            pod.is_available(min_ready, plan.conditions.now)
        );
    }
    for claim in snapshot.claims.values() {
        let meta = &claim.meta;
        let _ = writeln!(
            print,
            "{} {} {}",
            meta.name,
            meta.uid,
            meta.is_terminating()
        );
    }
    for revision in snapshot.revisions.keys() {
        let _ = writeln!(print, "{revision}");
    }
    print
}
