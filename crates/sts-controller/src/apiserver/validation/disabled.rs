//! Steps before validation: the server drops fields with a disabled feature gate, and sets the generation.

use serde_json::{Map, Value};

use super::difference::differences;
use super::gated_fields::{self, Dropped};
use crate::apiserver::schema::stateful_set;
use crate::version::Validation;

/// Silently removes the fields with a disabled feature gate, like the server does. Fields that the stored set uses stay
/// usable.
pub fn drop_disabled_fields(
    new: &mut Value,
    old: Option<&Value>,
    rules: &Validation,
) -> Vec<Dropped> {
    let used = |pointer: &str| {
        old.and_then(|old| old.pointer(pointer))
            .is_some_and(|value| !value.is_null())
    };
    let mut out = Vec::new();
    let mut drop = |disabled: bool, in_use: bool, path: &'static str, gate: &'static str| {
        if !disabled || in_use {
            return;
        }
        let Some((parent, member)) = path.rsplit_once('.') else {
            return;
        };
        let parent = format!("/{}", parent.replace('.', "/"));
        if let Some(value) = new
            .pointer_mut(&parent)
            .and_then(Value::as_object_mut)
            .and_then(|members| members.remove(member))
            .filter(|value| !value.is_null())
        {
            out.push(Dropped {
                path: path.to_owned(),
                value,
                gate,
            });
        }
    };
    drop(
        rules.min_ready_seconds_dropped,
        // The server tests for use with "not negative", which holds for any stored set.
        old.is_some(),
        "spec.minReadySeconds",
        "StatefulSetMinReadySeconds",
    );
    drop(
        rules.retention_policy_dropped,
        used("/spec/persistentVolumeClaimRetentionPolicy"),
        "spec.persistentVolumeClaimRetentionPolicy",
        "StatefulSetAutoDeletePVC",
    );
    drop(
        rules.max_unavailable_dropped,
        used("/spec/updateStrategy/rollingUpdate/maxUnavailable"),
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
        "MaxUnavailableStatefulSet",
    );
    drop(
        rules.ordinals_dropped,
        used("/spec/ordinals"),
        "spec.ordinals",
        "StatefulSetStartOrdinal",
    );
    if let Some(template) = new.pointer_mut("/spec/template") {
        let old = old.map(|old| &old["spec"]["template"]);
        gated_fields::drop_fields(template, old, rules.minor, &mut out);
    }
    out
}

/// Returns `metadata.generation` of the stored set: 1 for a new set, incremented if the meaning of the spec changes.
/// Labels and annotations do not count.
#[must_use]
pub fn generation(old: Option<&Value>, new: &Value, rules: &Validation) -> i64 {
    let Some(old) = old else {
        return 1;
    };
    let before = old["metadata"]["generation"].as_i64().unwrap_or(0);
    let spec =
        |set: &Value| Value::Object(Map::from_iter([("spec".to_owned(), set["spec"].clone())]));
    if differences(&spec(old), &spec(new), stateful_set(), rules.minor).is_empty() {
        before
    } else {
        before.saturating_add(1)
    }
}
