//! Validation by the API server of a version, as far as it decides a rollout.
//!
//! A set goes through the stages of an update in the server's order: [`drop_disabled_fields`] removes what a
//! switched-off feature gate hides, [`generation`] counts specs that differ, and [`validate_create`] or
//! [`validate_update`] say what is wrong with it, in the server's own words. All of them take objects that
//! [`crate::apiserver::defaults::stored`] has read, since the server validates what it decoded and defaulted.
//!
//! Versions are told apart in [`Validation`] and nowhere else.
//!
//! # Coverage
//!
//! The set's own fields, its metadata, what may be changed in a stored set, claim templates, the whole pod
//! template (which servers look into from 1.34 on only), and pods, of which servers of all versions ask as much
//! ([`validate_pod`]). Rules of single fields are data (`rule.rs`); what involves several is a function beside
//! its table. Each file is one area, in the server's order.
//!
//! Not covered is what admission does outside of validation: quotas, limit ranges, pod security, webhooks and
//! validation policies. What is fine here may still be refused.
//!
//! A negative `terminationGracePeriodSeconds` is not refused, because servers take it (and treat it as 1).

mod address;
mod claim;
mod claim_growth;
mod difference;
mod disabled;
mod go;
mod hidden;
mod lenience;
mod meta;
mod name;
mod of_pod;
mod pod;
mod read;
mod refusals;
mod refused;
mod rule;
mod selector;
mod signer;
mod spec;
mod status;
mod update;
mod volume;
mod warning;
mod word;

pub(in crate::apiserver) use go::quoted as go_quoted;

pub use claim_growth::claim_growth_refusal;
pub use difference::{Difference, differences};
pub use disabled::{Dropped, drop_disabled_fields, generation};
pub use name::longest_usable_name;
pub use of_pod::pod_refusal;
pub(in crate::apiserver) use refused::{CONFLICT_WITH, conflict_message};
pub use refused::{FieldOwner, Refused, RefusedKind, Rejection, server_message};
pub use status::status_refusal;

use serde_json::Value;

use crate::version::Validation;

use refusals::Refusals;

/// Returns the server's refusals of a set that is to be created, in its order; empty if it accepts the set.
#[must_use]
pub fn validate_create(set: &Value, rules: &Validation) -> Vec<Refused> {
    check_create(set, set, rules)
}

/// The same of a set that was sent as `given`: what is empty there is not the same to the server as what is
/// missing.
pub(in crate::apiserver) fn check_create(
    set: &Value,
    given: &Value,
    rules: &Validation,
) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    meta::check_new(&set["metadata"], &mut out);
    let depth = spec::Depth::of_new(rules);
    spec::check(&set["spec"], &given["spec"], depth, &mut out);
    out.into_list()
}

/// Returns the next later minor whose servers were asked, with its refusals of a template that this one is taken to
/// accept: the minor in which a rule began is known from its field's history alone.
pub(in crate::apiserver) fn check_not_made(
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

/// Returns the server's refusals of a change of a stored set, in its order; empty if it accepts the change.
///
/// Both sets are as this version reads them, the stored one too: defaulting happens whenever an object is
/// taken out of storage.
#[must_use]
pub fn validate_update(old: &Value, new: &Value, rules: &Validation) -> Vec<Refused> {
    check_update(old, new, new, rules)
}

/// The same of a set that was sent as `given`.
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
        // About a field that cannot change it is known already whether it was there.
        if refused.field != update::FIELD {
            refused.old = refused::lookup(old, &refused.path).cloned();
        }
    }
    list
}

/// Returns the server's refusals of a pod that is to be created, in its order; empty if it accepts the pod. The pod is
/// complete but for what the server itself fills in.
#[must_use]
pub fn validate_pod(pod: &Value, rules: &Validation) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    out.of_pod = true;
    pod::check_pod(pod, &mut out);
    out.into_list()
}

/// Returns the server's answer to a client about an object, such as `Pod "web-0"`; none if nothing is refused.
fn in_one_line(kind: &str, name: &str, refused: &[Refused]) -> Option<String> {
    if refused.is_empty() {
        return None;
    }
    let object = format!("{kind} {}", go::quoted(name));
    let mut reasons: Vec<String> = Vec::new();
    for refused in refused {
        let reason = format!("{}: {}", refused.field, refused.message);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Some(match reasons.as_slice() {
        [reason] => format!("{object} is invalid: {reason}"),
        reasons => format!("{object} is invalid: [{}]", reasons.join(", ")),
    })
}

/// Returns the server's warnings about a set that it accepts, in its words. `old` is the stored set, if there is one.
#[must_use]
pub fn warnings(set: &Value, old: Option<&Value>, rules: &Validation) -> Vec<String> {
    warning::of_set(set, old, rules)
}
