//! One real `kubectl apply --server-side --dry-run=server`: the printed set, or the reason that it is refused.

use serde_json::Value;
use sts_controller::apiserver::server_side_apply::{
    ApplyError, Options, Persistence, kubectl_apply,
};
use sts_controller::apiserver::validation::server_message;

use super::equal::difference;

pub fn compare(case: &Value) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let stored = case.get("stored").filter(|stored| !stored.is_null());
    let options = Options {
        manager: case["fieldManager"].as_str().unwrap_or("kubectl"),
        force: case["forceConflicts"] == true,
        time: None,
    };
    let manifest = &case["manifest"];
    let answer = kubectl_apply(stored, manifest, &options, Persistence::DryRun, &behaviour);
    let theirs = case["error"].as_str().map(str::trim_end);
    let name = case["manifest"]["metadata"]["name"]
        .as_str()
        .unwrap_or_default();
    let ours = match answer {
        Ok(outcome) if outcome.refused.is_empty() => match theirs {
            None => return printed(&outcome.set, &case["result"]),
            Some(theirs) => return Err(format!("refused, ours applied: {theirs}")),
        },
        Ok(outcome) => server_message(name, &outcome.refused),
        Err(error @ ApplyError::Conflicts(_)) => format!("error: {error}"),
        Err(error) => format!("Error from server: {error}"),
    };
    match theirs {
        None => Err(format!("applied, ours refused: {ours}")),
        // kubectl's message about conflicts ends with advice.
        Some(theirs) if theirs == ours || theirs.starts_with(&format!("{ours}\nPlease review")) => {
            Ok(())
        }
        Some(theirs) => Err(format!("refused, ours {ours}, theirs {theirs}")),
    }
}

/// Compares the output, except for values that differ from run to run.
fn printed(ours: &Value, theirs: &Value) -> Result<(), String> {
    let members = |set: &Value| {
        let mut set = set.clone();
        // Recordings may lack managedFields, which kubectl shows only on request.
        let has = theirs["metadata"].get("managedFields").is_some();
        if let Some(metadata) = set["metadata"].as_object_mut() {
            metadata.remove("uid");
            metadata.remove("resourceVersion");
            if !has {
                metadata.remove("managedFields");
            }
            for entry in metadata
                .get_mut("managedFields")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(entry) = entry.as_object_mut() {
                    entry.remove("time");
                }
            }
        }
        set
    };
    difference(&members(ours), &members(theirs), &mut String::new()).map_or(Ok(()), Err)
}
