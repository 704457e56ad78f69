//! Rules about revisions and their history.

use super::{one, rolling, says};
use crate::scenario::{plan, revision, template, web};

#[test]
fn sts017_spurious_rollout() {
    one(
        "STS017",
        "warning statefulset/web: revision",
        plan(
            &web(1)
                .no_revisions()
                .revision(revision("v1", 1).by_an_old_controller()),
            "1.34.1",
        ),
        plan(
            &web(1)
                .no_revisions()
                .revision(revision("v1", 1).by_an_old_controller()),
            "1.34.2",
        ),
    );
}

#[test]
fn sts018_ambiguous_history() {
    one(
        "STS018",
        "warning statefulset/web: revisions share a number (web-",
        plan(&rolling().revision(revision("v0", 1)), "1.36"),
        plan(&rolling(), "1.36"),
    );
}

#[test]
fn sts019_near_duplicate_revisions() {
    one(
        "STS019",
        "info statefulset/web: revisions web-early (number 0) and web-",
        plan(
            &web(1).revision(
                revision("x", 0)
                    .named("web-early")
                    .recording(template("v1")),
            ),
            "1.36",
        ),
        plan(&web(1), "1.36"),
    );
}

#[test]
fn sts018_ambiguous_history_without_any() {
    says(
        plan(&web(1).history_limit(0), "1.36"),
        "STS018 info statefulset/web: revisionHistoryLimit is 0",
    );
}

#[test]
fn sts019_near_duplicate_revisions_by_collisions() {
    says(
        plan(&web(1).status("collisionCount", 2), "1.36"),
        "STS019 info statefulset/web: status.collisionCount is 2",
    );
}
