//! Retries of a write that meets a conflict.

use std::sync::Arc;

use sts_controller::controller::{Refusal, Resource, Verb, Write};

use crate::scenario::{claim, next_with, pod, revision, web};

fn conflict(write: &Write) -> Option<Refusal> {
    Some(Refusal::Conflict {
        resource: write.resource.name(),
        name: Arc::clone(&write.name),
    })
}

fn on(write: &Write, verb: Verb, resource: Resource) -> Option<Refusal> {
    (write.verb == verb && write.resource == resource)
        .then(|| conflict(write))
        .flatten()
}

const VERSIONS: [&str; 4] = ["1.20.15", "1.27.16", "1.33.5", "1.36.2"];

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

#[test]
fn a_status_is_sent_five_times() {
    for version in VERSIONS {
        let world = web(1).status("readyReplicas", 0);
        let seen = next_with(&world, version, |write| {
            on(write, Verb::Update, Resource::Status)
        });
        let sent = seen.sync.writes.len();
        assert_eq!(sent, 5, "{version}: {:?}", seen.lines());
        assert!(seen.sync.error.unwrap().to_string().ends_with(MODIFIED));
    }
}

#[test]
fn a_pod_is_sent_four_times() {
    for version in VERSIONS {
        let world = web(1)
            .without("web-0")
            .pod(pod("web-0").label("statefulset.kubernetes.io/pod-name", "web-7"));
        let seen = next_with(&world, version, |write| {
            on(write, Verb::Update, Resource::Pods)
        });
        let sent = seen.sync.writes.iter();
        let sent = sent.filter(|write| write.resource == Resource::Pods);
        assert_eq!(sent.count(), 4, "{version}: {:?}", seen.lines());
        let failed = seen.sync.events.iter().filter(|event| event.warning);
        assert_eq!(failed.count(), 1, "{version}: {:?}", seen.events());
    }
}

/// The error of a claim's update is wrapped, but still a conflict: each attempt records a failure.
#[test]
fn the_owners_of_a_claim_are_sent_four_times() {
    let world = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .without("web-0")
        .pod(pod("web-0").volume("data", "data-web-0"))
        .claim(claim("data-web-0"));
    for version in ["1.27.16", "1.33.5", "1.36.2"] {
        let seen = next_with(&world, version, |write| {
            on(write, Verb::Update, Resource::Claims)
        });
        let sent = seen.sync.writes.iter();
        let sent = sent.filter(|write| write.resource == Resource::Claims);
        assert_eq!(sent.count(), 4, "{version}: {:?}", seen.lines());
        let failed = seen.sync.events.iter().filter(|event| event.warning);
        assert_eq!(failed.count(), 4, "{version}: {:?}", seen.events());
    }
}

#[test]
fn creates_and_deletes_are_sent_once() {
    for version in VERSIONS {
        let refuse = |write: &Write| {
            (write.resource == Resource::Pods)
                .then(|| conflict(write))
                .flatten()
        };
        for world in [
            web(1).without("web-0"),
            web(2).rolling_to_v2(),
            web(2).replicas(1),
        ] {
            let seen = next_with(&world, version, refuse);
            let sent = seen.sync.writes.iter();
            let sent = sent.filter(|write| write.resource == Resource::Pods);
            assert_eq!(sent.count(), 1, "{version}: {:?}", seen.lines());
        }
    }
}

/// The retry uses the empty object that the client returned with the error.
#[test]
fn a_renumbered_revision_is_sent_once() {
    for version in VERSIONS {
        let world = web(1)
            .revision(revision("v2", 2))
            .status_revisions("v1", "v1");
        let seen = next_with(&world, version, |write| {
            on(write, Verb::Update, Resource::Revisions)
        });
        let lines = seen.lines();
        assert_eq!(lines[0], "update revisions v1 as number 3 (Conflict)");
        assert_eq!(lines[1], "error: resource name may not be empty");
    }
}
