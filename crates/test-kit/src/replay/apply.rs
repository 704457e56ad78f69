//! One real `kubectl apply`: the stored object, or the reason that it was refused.

use serde_json::Value;
use sts_controller::apiserver::apply::apply_manifest;
use sts_controller::apiserver::strict_decoding_error;
use sts_controller::apiserver::validation::server_message;

use super::equal::difference;

pub fn compare(case: &Value) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let stored = case.get("stored").filter(|stored| !stored.is_null());
    let answer = apply_manifest(stored, &case["manifest"], &behaviour);
    let error = case["error"].as_str().map(str::trim_end);
    let (outcome, error) = match (answer, error) {
        (Err(_), Some(_)) => return Ok(()),
        (Err(ours), None) => return Err(format!("applied, ours refused: {ours}")),
        (Ok(outcome), error) => (outcome, error),
    };
    let name = outcome.set["metadata"]["name"].as_str().unwrap_or_default();
    let not_decoded = strict_decoding_error(&outcome.unknown);
    match error {
        None => {
            if let Some(ours) = not_decoded {
                return Err(format!("applied, ours not decoded: {ours}"));
            }
            if !outcome.refused.is_empty() {
                let ours = server_message(name, &outcome.refused);
                return Err(format!("applied, ours refused: {ours}"));
            }
            applied(&outcome.set, &case["result"])
        }
        Some(theirs) if theirs.contains(" is invalid: ") && not_decoded.is_none() => {
            let ours = server_message(name, &outcome.refused);
            if outcome.refused.is_empty() {
                Err(format!("refused, ours applied: {theirs}"))
            } else if sorted(&ours) == sorted(theirs) {
                Ok(())
            } else {
                Err(format!("refused, ours {ours}, theirs {theirs}"))
            }
        }
        Some(_) if not_decoded.is_some() || !outcome.refused.is_empty() => Ok(()),
        Some(theirs) => Err(format!("refused, ours applied: {theirs}")),
    }
}

/// Returns the sorted lines of an error message, since some follow the order of a map on the server.
fn sorted(message: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = message.lines().collect();
    lines.sort_unstable();
    lines
}

/// Compares everything in the stored object that a user can write.
fn applied(ours: &Value, theirs: &Value) -> Result<(), String> {
    let members = |set: &Value| {
        let metadata = &set["metadata"];
        serde_json::json!({
            "spec": set["spec"],
            "labels": metadata["labels"],
            "annotations": metadata["annotations"],
            "finalizers": metadata["finalizers"],
            "ownerReferences": metadata["ownerReferences"],
            "generation": metadata["generation"],
        })
    };
    difference(&members(ours), &members(theirs), &mut String::new()).map_or(Ok(()), Err)
}
