//! Validation by the API server of a version, as far as it affects a rollout.
//!
//! A set passes through the stages of a request in the server's order. [`drop_disabled_fields`] removes fields with a
//! disabled feature gate, and [`generation`] increments the generation for a changed spec. [`validate_create`] and
//! [`validate_update`] return the server's errors verbatim. All of them expect objects decoded by
//! [`crate::apiserver::defaults::stored`], since the server validates what it has decoded and defaulted.
//!
//! Versions are distinguished in [`Validation`] and nowhere else.
//!
//! # Coverage
//!
//! Validation covers the set's own fields, its metadata, immutable fields, claim templates, the whole pod template
//! (which servers validate from 1.34 on only), and pods, which all versions validate ([`validate_pod`]). Rules of
//! single fields are data (`rule.rs`); rules of several fields are functions next to their table. Each file covers one
//! area, in the server's order.
//!
//! Other admission is not covered: quotas, limit ranges, pod security, webhooks and validation policies. They may still
//! refuse a set that is valid here.
//!
//! A negative `terminationGracePeriodSeconds` is accepted, because servers accept it (and treat it as 1).

mod address;
mod claim;
mod claim_growth;
mod depth;
mod difference;
mod disabled;
mod gated_fields;
mod go;
mod meta;
mod name;
mod pod;
mod pod_creation;
mod ratcheting;
mod read;
mod refusals;
mod refused;
mod resources;
mod rule;
mod selector;
mod signer;
mod spec;
mod status;
mod stored_template;
mod update;
mod volume;
mod warning;
mod word;

pub(in crate::apiserver) use go::quoted as go_quoted;

pub use claim_growth::claim_growth_refusal;
pub use difference::{Difference, differences};
pub use disabled::{drop_disabled_fields, generation};
pub use gated_fields::Dropped;
pub use name::longest_usable_name;
pub use pod_creation::{pod_refusal, validate_pod};
pub(in crate::apiserver) use refused::{CONFLICT_WITH, conflict_message};
pub use refused::{FieldOwner, Refused, RefusedKind, Rejection, server_message};
pub use status::status_refusal;

use serde_json::Value;

use crate::version::Validation;

use refusals::Refusals;

/// Returns the server's errors for a set to be created, in its order; empty if it accepts the set.
#[must_use]
pub fn validate_create(set: &Value, rules: &Validation) -> Vec<Refused> {
    check_create(set, set, rules)
}

/// Validates a set that was sent as `given`, since the server distinguishes empty from missing values there.
pub(in crate::apiserver) fn check_create(
    set: &Value,
    given: &Value,
    rules: &Validation,
) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    meta::check_new(&set["metadata"], &mut out);
    let depth = depth::Depth::of_new(rules);
    spec::check(&set["spec"], &given["spec"], depth, &mut out);
    out.into_list()
}

/// Returns the next later minor that was compared with a server, with its errors for a template that counts as accepted
/// here. The minor of a new rule is known only from the history of its field.
pub(in crate::apiserver) fn unchecked_errors(
    set: &Value,
    given: &Value,
    rules: &Validation,
) -> Option<(u32, Vec<Refused>)> {
    let (minor, later) = rules.next_compared()?;
    let of_template = |rules: &Validation| {
        let rules = Validation {
            template_checked: true,
            ..*rules
        };
        let mut refused = check_create(set, given, &rules);
        refused.retain(|refused| refused.field.starts_with("spec.template."));
        refused
    };
    let here = of_template(rules);
    let mut there = of_template(&later);
    there.retain(|refused| !here.iter().any(|here| here.field == refused.field));
    Some((minor, there))
}

/// Returns the server's errors for a change of a stored set, in its order; empty if it accepts the change.
///
/// Both sets are decoded by this version, including the stored one: the server defaults every object that it reads from
/// storage.
#[must_use]
pub fn validate_update(old: &Value, new: &Value, rules: &Validation) -> Vec<Refused> {
    check_update(old, new, new, rules)
}

/// Validates the change to a set that was sent as `given`.
pub(in crate::apiserver) fn check_update(
    old: &Value,
    new: &Value,
    given: &Value,
    rules: &Validation,
) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    update::check(old, new, &given["spec"], &mut out);
    let mut list = out.into_list();
    for refused in &mut list {
        // For an immutable field, it is already known whether it was sent.
        if refused.field != refused::IMMUTABLE_PATH {
            refused.old = refused::lookup(old, &refused.path).cloned();
        }
    }
    list
}

/// Returns the server's warnings about an accepted set, verbatim. `old` is the stored set, if there is one.
#[must_use]
pub fn warnings(set: &Value, old: Option<&Value>, rules: &Validation) -> Vec<String> {
    warning::of_set(set, old, rules)
}
