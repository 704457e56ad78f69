//! One recorded manifest: the object that the server stores, and its revision.

use serde_json::Value;
use sts_controller::apiserver::defaults::stored;
use sts_controller::controller::{encode_json, hash, revision_data, revision_name};

use super::equal::difference;

pub fn compare(case: &Value) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let set = stored(&case["input"], &behaviour.defaulting)
        .map_err(|errors| format!("refused: {errors:?}"))?
        .set;
    if let Some(what) = difference(&set["spec"], &case["spec"], &mut String::from("spec")) {
        return Err(what);
    }
    let data = revision_data(&set["spec"]["template"], behaviour.null_creation_timestamp);
    let data = encode_json(&data, behaviour.short_escapes);
    if case["data"] != data.as_str() {
        return Err(format!("data: ours {data}, theirs {}", case["data"]));
    }
    let set_name = set["metadata"]["name"].as_str().unwrap_or_default();
    let name = revision_name(set_name, &hash(&data, Some(0)));
    if case["revision"] != name.as_str() {
        return Err(format!(
            "revision: ours {name}, theirs {}",
            case["revision"]
        ));
    }
    Ok(())
}
