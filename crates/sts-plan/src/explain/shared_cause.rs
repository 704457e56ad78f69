//! Descriptions of causes that several sets share.

use super::fact::Teller;
use super::uncapitalized;
use crate::catalogue::{Blames, CauseTrait};
use crate::cause::Cause;

/// Describes a cause that several sets can share, without the pod: `node ip-10-0-1-17 is not responding`.
#[must_use]
pub fn shared_cause(cause: &Cause) -> Option<String> {
    let text = &cause.symptom.entry().shared;
    let teller = Teller { cause, plan: None };
    let told = (!text.is_empty() && !is_of_registry(cause)).then(|| teller.told_if_known(text));
    told.flatten().or_else(|| shared_title(cause))
}

/// Reports whether the registry fails for every image.
fn is_of_registry(cause: &Cause) -> bool {
    cause
        .entry()
        .is_some_and(|entry| entry.has(CauseTrait::ConcernsRegistry))
}

/// Returns the title of a cause outside any one set: `the network has no free address for the pod (no-address)`.
fn shared_title(cause: &Cause) -> Option<String> {
    let entry = cause.entry()?;
    let is_shared = matches!(
        entry.blames,
        Blames::Network | Blames::Storage | Blames::Server | Blames::Policy | Blames::Registry
    );
    is_shared.then(|| {
        format!(
            "{} ({})",
            uncapitalized(&cause.named(&entry.title)),
            entry.id
        )
    })
}
