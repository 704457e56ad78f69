//! Observed states of the objects of a plan, and the objects that a step changes.

use std::sync::Arc;

use super::comparison::Now;
use super::observe::{Observed, instance};
use super::prediction::{Kind, PredictedEvent, Prediction};
use sts_controller::controller::Verb;
use sts_controller::simulate::{ObjectEvent, PodEvent};

pub(super) fn observed(
    prediction: &Prediction,
    now: &Now<'_>,
    (kind, name): &(Kind, Arc<str>),
) -> Observed {
    if *kind == Kind::Set {
        return match now {
            Now::Gone(_) => Observed::Absent,
            Now::There(there) if there.set.is_terminating() => Observed::Leaving,
            Now::There(there) => Observed::There(instance(
                &there.set.meta.uid,
                Some(&prediction.plan.metadata.uid),
            )),
        };
    }
    let now = now.objects();
    let read = prediction.read.get(&(*kind, Arc::clone(name)));
    let read = read.map(|read| &*read.uid);
    match kind {
        Kind::Pod => match now.pods.get(name) {
            Some(pod) => Observed::Pod {
                instance: instance(&pod.meta.uid, read),
                pod: Arc::clone(pod),
            },
            None => Observed::Absent,
        },
        Kind::Set | Kind::Claim | Kind::Revision => {
            kind.find(now, name).map_or(Observed::Absent, |meta| {
                Observed::There(instance(&meta.uid, read))
            })
        }
    }
}

/// Returns the objects that a step visibly changes.
pub(super) fn touched(what: &PredictedEvent) -> Vec<(Kind, Arc<str>)> {
    match what {
        PredictedEvent::Pod(PodEvent::Available, _) => Vec::new(),
        PredictedEvent::Pod(_, pod) => vec![(Kind::Pod, Arc::clone(pod))],
        PredictedEvent::ClaimRemoved(claim) => vec![(Kind::Claim, Arc::clone(claim))],
        PredictedEvent::Object(_, event, name) => {
            let kind = match event {
                ObjectEvent::SetDeleted | ObjectEvent::SetRemoved => Kind::Set,
                ObjectEvent::PodDeleted => Kind::Pod,
                ObjectEvent::RevisionRemoved => Kind::Revision,
                _ => return Vec::new(),
            };
            vec![(kind, Arc::clone(name))]
        }
        PredictedEvent::Sync(writes) => {
            let mut keys: Vec<(Kind, Arc<str>)> = Vec::new();
            for write in writes.iter().filter(|write| !write.is_refused()) {
                let comes_or_goes = matches!(write.verb, Verb::Create | Verb::Delete);
                if let Some(kind) = Kind::of(write.resource).filter(|_| comes_or_goes) {
                    keys.push((kind, Arc::clone(&write.name)));
                }
            }
            keys
        }
    }
}
