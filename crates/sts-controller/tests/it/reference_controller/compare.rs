//! Comparison of both implementations.

use proptest::prelude::*;
use sts_controller::controller::{Body, Resource, Sync, Verb, Write};
use sts_controller::simulate::{Synced, next_sync};

use super::{SyncResult, sync};
use crate::worlds::{cases, now, scenario};

/// Returns a write in the notation of the plain controller.
fn line(write: &Write) -> String {
    let mut out = format!(
        "{} {} {}",
        write.verb.name(),
        write.resource.name(),
        write.name
    );
    match (&write.body, write.verb) {
        (Body::Pod(pod), Verb::Create | Verb::Delete) => {
            out.push_str(&format!(" {}", pod.revision));
        }
        (Body::Claim(claim), Verb::Update) => {
            let owners = claim.meta.owner_references.iter();
            let owners: Vec<String> = owners
                .map(|owner| format!("{} {}", owner.uid, owner.controller.unwrap_or(false)))
                .collect();
            out.push_str(&format!(" {owners:?}"));
        }
        _ => {}
    }
    if let Some(refusal) = &write.refused {
        out.push_str(&format!(" {}", refusal.reason()));
    }
    out
}

fn summary(sync: &Sync) -> SyncResult {
    let status = sync.writes.iter().find_map(|write| match &write.body {
        Body::Status(status, _) if write.resource == Resource::Status => Some(status.to_json(true)),
        _ => None,
    });
    let error = sync.error.as_ref().map(ToString::to_string);
    SyncResult {
        writes: sync.writes.iter().map(line).collect(),
        events: sync
            .events
            .iter()
            .map(|event| format!("{} {}", event.kind(), event.reason))
            .collect(),
        status,
        failed: error.is_some(),
        panicked: error.is_some_and(|error| error.contains("panics:")),
    }
}

/// Ignores the events of a controller manager that panics.
fn comparable(mut result: SyncResult) -> SyncResult {
    if result.panicked {
        result.events.clear();
    }
    result
}

proptest! {
    #![proptest_config(cases(4))]

    /// The controller and its plain implementation agree in every state of a world.
    #[test]
    fn the_controller_equals_the_plain_one(
        scenario in scenario(), entangled in prop::bool::weighted(0.2),
        choices in prop::collection::vec(any::<u8>(), 0..6),
    ) {
        let scenario = if entangled { scenario.with_entangled_claims() } else { scenario };
        let behaviour = scenario.behaviour();
        let mut world = scenario.world();
        prop_assert_eq!(world.now(), now());
        let mut choices = choices.into_iter();
        for _ in 0..60 {
            let plain = sync(world.snapshot(), world.now(), &behaviour);
            let real = next_sync(world.snapshot(), world.now(), &behaviour);
            prop_assert_eq!(comparable(summary(&real)), comparable(plain));
            let Synced { changed, .. } = world.sync(&behaviour, true);
            if changed {
                continue;
            }
            let enabled: Vec<_> = world.enabled().take(8).collect();
            let Some(choice) = choices.next().filter(|_| !enabled.is_empty()) else {
                break;
            };
            world.apply(&enabled[usize::from(choice) % enabled.len()]);
        }
    }
}
