//! Stages of a set's request at the API server.

use serde_json::{Map, Value};

use super::effect::changes;
use super::{ChangeError, Outcome};
use crate::apiserver::defaults::stored as decode;
use crate::apiserver::schema::{FieldError, normalized, stateful_set};
use crate::apiserver::validation::{
    Refused, RefusedKind, Rejection, check_create, check_update, drop_disabled_fields, generation,
    longest_usable_name, unchecked_errors, warnings,
};
use crate::encode::{hash, json as encode_json, revision_data, revision_name};
use crate::version::Behaviour;

/// Uid of a set that is only planned. The caller, who has the clock, sets its `creationTimestamp`.
pub const PLANNED_UID: &str = "planned-set";

/// Metadata fields that the server always sets itself.
const SERVER_SET: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "clusterName",
];
/// Metadata fields that a client may send for a stored object only unchanged.
const IDENTITY: [&str; 3] = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"];

pub(in crate::apiserver) fn submit(
    stored: Option<&Value>,
    mut wanted: Value,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let validation = behaviour.validation;
    // The server decodes the request before it overwrites part of it.
    check_metadata(&wanted, validation.minor).map_err(ChangeError::WrongType)?;
    let conflict = stored.and_then(|stored| conflict(stored, &wanted));
    preserve_server_fields(stored, &mut wanted);
    let old = match stored {
        None => None,
        Some(stored) => {
            let old =
                decode(stored, &behaviour.defaulting).map_err(ChangeError::StoredWrongType)?;
            Some(old.set)
        }
    };
    let decoded = decode(&wanted, &behaviour.defaulting).map_err(ChangeError::WrongType)?;
    let mut set = decoded.set;
    let dropped = drop_disabled_fields(&mut set, old.as_ref(), &validation);
    let count = generation(old.as_ref(), &set, &validation);
    if let Some(metadata) = set.get_mut("metadata").and_then(Value::as_object_mut)
        && count != 0
    {
        metadata.insert("generation".to_owned(), count.into());
    }
    let refused = match (&old, conflict) {
        (_, Some(conflict)) => vec![conflict],
        (None, None) => check_create(&set, &wanted, &validation),
        (Some(old), None) => check_update(old, &set, &wanted, &validation),
    };
    let server_warnings = warnings(&set, old.as_ref(), &validation);
    let mut warnings_and_notes = server_warnings.clone();
    for dropped in &dropped {
        warnings_and_notes.push(format!(
            "{}: silently dropped by Kubernetes {}, since feature gate {} is off",
            dropped.path,
            behaviour.version.or_newest(),
            dropped.gate
        ));
    }
    warnings_and_notes.extend(name_too_long(&set, behaviour));
    let is_same = |old: &Value| old["spec"]["template"] == set["spec"]["template"];
    let not_checked = if old.as_ref().is_some_and(is_same) {
        Vec::new()
    } else {
        not_checked(&set, &wanted, behaviour)
    };
    Ok(Outcome {
        changes: match &old {
            None => Vec::new(),
            Some(old) => changes(old, &set, &refused, behaviour.defaulting.minor),
        },
        set,
        refused,
        server_warnings,
        warnings: warnings_and_notes,
        not_checked,
        dropped,
        unknown: decoded.unknown,
    })
}

/// Returns the differences between a stored set and its replacement.
pub(in crate::apiserver) fn compare(
    stored: &Value,
    outcome: &mut Outcome,
    behaviour: &Behaviour,
) -> Result<(), ChangeError> {
    let old = decode(stored, &behaviour.defaulting).map_err(ChangeError::StoredWrongType)?;
    outcome.changes = changes(
        &old.set,
        &outcome.set,
        &outcome.refused,
        behaviour.defaulting.minor,
    );
    Ok(())
}

/// Returns the server's conflict for a client with an older copy of the object, which precedes all other checks.
fn conflict(stored: &Value, wanted: &Value) -> Option<Refused> {
    const FIELD: &str = "metadata.resourceVersion";
    let version = |set: &'_ Value| {
        let version = set["metadata"]["resourceVersion"].as_str();
        version
            .filter(|version| !version.is_empty())
            .map(str::to_owned)
    };
    let (old, new) = (version(stored)?, version(wanted)?);
    if old == new {
        return None;
    }
    let name = stored["metadata"]["name"].as_str().unwrap_or_default();
    Some(Refused {
        path: FIELD.to_owned(),
        field: FIELD.to_owned(),
        kind: RefusedKind::Conflict,
        message: format!(
            "Operation cannot be fulfilled on statefulsets.apps \"{name}\": the object has been modified; please apply your changes to the latest version and try again"
        ),
        rejection: Rejection::Invalid,
        old: Some(old.into()),
        new: Some(new.into()),
        owner: None,
    })
}

fn check_metadata(wanted: &Value, minor: u32) -> Result<(), Vec<FieldError>> {
    let Some(metadata) = wanted.get("metadata") else {
        return Ok(());
    };
    let sent = Value::Object(Map::from_iter([("metadata".to_owned(), metadata.clone())]));
    normalized(&sent, stateful_set(), minor).map(drop)
}

fn preserve_server_fields(stored: Option<&Value>, wanted: &mut Value) {
    let Some(wanted) = wanted.as_object_mut() else {
        return;
    };
    match stored.and_then(|stored| stored.get("status")) {
        Some(status) => wanted.insert("status".to_owned(), status.clone()),
        None => wanted.remove("status"),
    };
    let metadata = wanted
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else {
        return;
    };
    let is_sent = |member: &str| {
        let value = metadata.get(member);
        value.is_some_and(|value| !value.is_null() && value != "")
    };
    let sent = IDENTITY.map(is_sent);
    let mut keep = |member: &str| match stored.and_then(|stored| stored["metadata"].get(member)) {
        Some(value) => metadata.insert(member.to_owned(), value.clone()),
        None => metadata.remove(member),
    };
    for member in SERVER_SET {
        keep(member);
    }
    for (member, is_sent) in IDENTITY.into_iter().zip(sent) {
        // No client can change the deletion timestamp.
        let is_fixed = member == "deletionTimestamp"
            && stored.is_some_and(|stored| !stored["metadata"][member].is_null());
        // A set from a file may have no uid, or a placeholder: any may be the right one.
        let is_unknown = member == "uid"
            && stored.is_some_and(|stored| {
                let uid = stored["metadata"][member].as_str();
                uid.is_none_or(|uid| uid.is_empty() || uid == PLANNED_UID)
            });
        if stored.is_none() || !is_sent || is_fixed || is_unknown {
            keep(member);
        }
    }
    if stored.is_none() {
        metadata.insert("uid".to_owned(), PLANNED_UID.into());
    }
}

/// Returns notes on values that count as accepted by the history of their field alone, though a later minor rejects
/// them.
fn not_checked(set: &Value, given: &Value, behaviour: &Behaviour) -> Vec<String> {
    let Some((minor, refused)) = unchecked_errors(set, given, &behaviour.validation) else {
        return Vec::new();
    };
    let version = behaviour.version.or_newest();
    refused
        .into_iter()
        .map(|Refused { field, message, .. }| {
            format!("{field}: not verified for {version}; 1.{minor} rejects it ({message})")
        })
        .collect()
}

/// Returns the warning about a valid name that is too long for pods (quirk Q41).
fn name_too_long(set: &Value, behaviour: &Behaviour) -> Option<String> {
    /// The hash is a 32-bit number with its digits replaced.
    const MAX_HASH_LENGTH: usize = 10;
    let name = set["metadata"]["name"].as_str()?;
    if name.len() <= longest_usable_name(MAX_HASH_LENGTH) {
        return None;
    }
    let data = revision_data(&set["spec"]["template"], behaviour.null_creation_timestamp);
    let collisions = set["status"]["collisionCount"].as_i64().unwrap_or(0);
    let hash = hash(
        &encode_json(&data, behaviour.short_escapes),
        Some(collisions),
    );
    let most = longest_usable_name(hash.len());
    (name.len() > most).then(|| {
        format!(
            "metadata.name: {} bytes are too long for pods (maximum {most}): each has the name of its revision, {}, as a label value of at most 63 bytes",
            name.len(),
            revision_name(name, &hash)
        )
    })
}
