//! Causes that an event alone shows.

use crate::catalogue::{Catalogue, CauseEntry, Place};
use crate::plan::server_words;
use sts_controller::object::Event;

/// Returns the cause that a warning event identifies on its own: a refusal, or a volume that cannot be attached.
#[must_use]
pub fn cause_of_event(catalogue: Catalogue, event: &Event) -> Option<&'static CauseEntry> {
    let place = match &*event.reason {
        // A refused deletion has the message of a refused creation.
        "FailedCreate" | "FailedDelete" => Place::Creation,
        "FailedAttachVolume" => Place::Volume,
        _ => return None,
    };
    let found = catalogue.classify(place, &event.reason, server_words(event));
    found.filter(|_| event.is_warning).map(|found| found.entry)
}
