//! Objects that are read only for certain causes: quotas, attachments, webhooks.

use super::catalogue::{Announcement, CauseEntry, Place, recognize};
use crate::plan::server_words;
use sts_controller::object::{Event, RelatedKind};

/// The kinds to read, by cause id.
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

/// Returns the additional kinds to read for the cause with this id.
#[must_use]
pub fn reads(id: &str) -> &'static [RelatedKind] {
    let found = READS.iter().find(|(known, _)| *known == id);
    found.map_or(&[], |(_, kinds)| kinds)
}

/// Returns the cause that a warning event identifies on its own: a refusal, or a volume that cannot be attached.
#[must_use]
pub fn cause_of_event(event: &Event) -> Option<&'static CauseEntry> {
    let place = match &*event.reason {
        // A refused deletion has the message of a refused creation.
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
    use crate::cause::cause_by_id;

    #[test]
    fn reads_are_for_known_causes() {
        for (id, kinds) in READS {
            assert!(cause_by_id(id).is_some() && !kinds.is_empty(), "{id}");
        }
    }
}
