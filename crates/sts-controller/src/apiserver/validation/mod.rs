//! What the API server of a version would refuse, as far as it decides a rollout.
//!
//! A set goes through the stages of an update in the server's order: [`drop_disabled_fields`] removes what a
//! switched-off feature gate hides, [`generation`] counts specs that differ, and [`validate_create`] or
//! [`validate_update`] say what is wrong with it, in the server's own words. All of them take objects that
//! [`crate::apiserver::defaults::stored`] has read, since the server validates what it decoded and defaulted.
//!
//! Versions are told apart in [`Validation`] and nowhere else.
//!
//! # What is covered
//!
//! The set's own fields, its metadata, and what may be changed in a stored set: all that the server checks.
//! Pod templates, which servers look into from 1.34 on only: names, duplicates, images, ports, variables,
//! mounts and the volumes that they need, resources, probes, and the policies. Claim templates: access
//! modes, storage requests, class names and volume modes.
//!
//! Not covered in a template, and so taken to be fine: affinity, tolerations, topology spread, security
//! contexts, DNS options, host aliases, what handlers and volume sources are made of beyond their required
//! names, fields that refer to others by path (`fieldRef`, `resourceFieldRef`), host ports under
//! `hostNetwork`, and everything that admission does outside of validation: quotas, limit ranges, pod
//! security, webhooks and validation policies. A template that is fine here may still be refused.
//!
//! A negative `terminationGracePeriodSeconds` is not refused, because servers take it (and treat it as 1).

mod claim;
mod container;
mod difference;
mod disabled;
mod handler;
mod meta;
mod mount;
mod name;
mod pod;
mod refused;
mod resources;
mod selector;
mod spec;
mod update;
mod volume;

pub use difference::{Difference, differences};
pub use disabled::{Dropped, drop_disabled_fields, generation};
pub use name::longest_usable_name;
pub use refused::{Refused, RefusedKind, server_message};

use serde_json::Value;

use crate::version::Validation;

use refused::Refusals;

/// What the server refuses about a set that is to be created, in its order; nothing if it takes it.
#[must_use]
pub fn validate_create(set: &Value, rules: &Validation) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    meta::check_new(&set["metadata"], &mut out);
    spec::check(&set["spec"], spec::Depth::of_new(rules), &mut out);
    out.into_list()
}

/// What the server refuses about a change of a stored set, in its order; nothing if it takes it.
///
/// Both sets are as this version reads them, the stored one too: defaulting happens whenever an object is
/// taken out of storage.
#[must_use]
pub fn validate_update(old: &Value, new: &Value, rules: &Validation) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    update::check(old, new, &mut out);
    let mut list = out.into_list();
    for refused in &mut list {
        // About a field that cannot change it is known already whether it was there.
        if refused.field != update::FIELD {
            refused.old = refused::lookup(old, &refused.path).cloned();
        }
    }
    list
}

/// What the server remarks on while it takes the set.
#[must_use]
pub fn warnings(set: &Value, rules: &Validation) -> Vec<String> {
    let limit = set["spec"]["revisionHistoryLimit"].as_i64().unwrap_or(0);
    if rules.negative_history_limit_warned && limit < 0 {
        vec![
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        ]
    } else {
        Vec::new()
    }
}
