//! The objects that tell more of a cause, and that no plan reads without one: quotas, attachments, webhooks.

use super::catalogue::{Announcement, CauseEntry, Place, recognize};
use crate::plan::server_words;
use sts_controller::object::{Event, RelatedKind};

/// The kinds that tell more, by the id of the cause.
const READS: [(&str, &[RelatedKind]); 9] = [
    ("claim-quota", &[RelatedKind::Quota]),
    ("limit-range", &[RelatedKind::LimitRange]),
    ("multi-attach", &[RelatedKind::Attachment]),
    ("node-lost", &[RelatedKind::Lease]),
    (
        "policy-denied",
        &[RelatedKind::Policy, RelatedKind::PolicyBinding],
    ),
    ("quota", &[RelatedKind::Quota]),
    ("quota-unset", &[RelatedKind::Quota]),
    (
        "webhook-denied",
        &[
            RelatedKind::ValidatingWebhooks,
            RelatedKind::MutatingWebhooks,
        ],
    ),
    (
        "webhook-down",
        &[
            RelatedKind::ValidatingWebhooks,
            RelatedKind::MutatingWebhooks,
        ],
    ),
];

/// Returns the kinds of objects that tell more of the cause with this id; none for most.
#[must_use]
pub fn reads(id: &str) -> &'static [RelatedKind] {
    let found = READS.iter().find(|(known, _)| *known == id);
    found.map_or(&[], |(_, kinds)| kinds)
}

/// Returns the cause that a warning announces by itself: a refusal, or a volume that does not attach.
#[must_use]
pub fn cause_of_event(event: &Event) -> Option<&'static CauseEntry> {
    let place = match &*event.reason {
        // A refused deletion has the words of a refused creation.
        "FailedCreate" | "FailedDelete" => Place::Creation,
        "FailedAttachVolume" => Place::Volume,
        _ => return None,
    };
    recognize(&Announcement {
        place,
        reason: &event.reason,
        message: server_words(event),
        exit_code: None,
    })
    .filter(|_| event.is_warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::cause_called;

    #[test]
    fn what_is_read_is_read_for_causes_that_exist() {
        for (id, kinds) in READS {
            assert!(cause_called(id).is_some() && !kinds.is_empty(), "{id}");
        }
    }
}
