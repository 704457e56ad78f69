//! Client-side `kubectl apply`.

use serde_json::{Map, Value};

use super::ChangeError;
use super::strategic;
use crate::encode::json as encode_json;
use crate::object::FieldError;

/// Annotation with the last applied manifest, which kubectl uses to find removed fields.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the object after kubectl's patch of the stored one, or the created object without one.
///
/// Fields in the manifest have its values. Fields that it lacks are removed if the last applied manifest had them.
/// Otherwise they stay: they are defaults, or belong to another writer. Without the annotation, nothing is removed.
///
/// # Errors
/// When the manifest cannot be merged.
pub fn apply(stored: Option<&Value>, manifest: &Value) -> Result<Value, ChangeError> {
    let namespace = stored.and_then(|stored| stored["metadata"]["namespace"].as_str());
    let modified = annotated(manifest, namespace)?;
    let Some(stored) = stored else {
        return Ok(modified);
    };
    let original = match stored["metadata"]["annotations"][LAST_APPLIED].as_str() {
        None | Some("") => Value::Object(Map::new()),
        Some(text) => match serde_json::from_str(text) {
            Ok(original @ Value::Object(_)) => original,
            Ok(Value::Null) => Value::Object(Map::new()),
            Ok(_) => return Err(ChangeError::LastApplied("it is something else".to_owned())),
            Err(error) => return Err(ChangeError::LastApplied(error.to_string())),
        },
    };
    three_way(&original, &modified, stored)
}

/// Returns the stored set with everything in the manifest, and without fields that only the last applied manifest had.
///
/// # Errors
/// When kubectl or the server cannot merge them.
pub fn three_way(
    original: &Value,
    modified: &Value,
    current: &Value,
) -> Result<Value, ChangeError> {
    let (Some(modified), Some(current)) = (modified.as_object(), current.as_object()) else {
        return Ok(modified.clone());
    };
    let nothing = Map::new();
    let original = original.as_object().unwrap_or(&nothing);
    let patch = strategic::create(original, modified, current)?;
    strategic::apply(current.clone(), patch).map(Value::Object)
}

/// Returns the manifest with itself in an annotation, as kubectl writes it: compact, members sorted, with a final line
/// feed. `annotations` is present even if empty, and so is the namespace of the request.
fn annotated(manifest: &Value, namespace: Option<&str>) -> Result<Value, ChangeError> {
    let mut modified = manifest.clone();
    let metadata = members(modified.as_object_mut(), "metadata", "metadata")?;
    if let Some(namespace) = namespace
        && metadata.get("namespace").is_none_or(Value::is_null)
    {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
    annotations(&mut modified)?.remove(LAST_APPLIED);
    let text = encode_json(&modified, true) + "\n";
    annotations(&mut modified)?.insert(LAST_APPLIED.to_owned(), text.into());
    Ok(modified)
}

fn annotations(manifest: &mut Value) -> Result<&mut Map<String, Value>, ChangeError> {
    let metadata = members(manifest.as_object_mut(), "metadata", "metadata")?;
    members(Some(metadata), "annotations", "metadata.annotations")
}

/// Returns the member as an object, and creates it if it is missing.
fn members<'m>(
    owner: Option<&'m mut Map<String, Value>>,
    name: &str,
    path: &str,
) -> Result<&'m mut Map<String, Value>, ChangeError> {
    let owner = owner.ok_or(ChangeError::NotAnObject)?;
    let member = owner.entry(name).or_insert(Value::Null);
    if member.is_null() {
        *member = Value::Object(Map::new());
    }
    member.as_object_mut().ok_or_else(|| {
        ChangeError::WrongType(vec![FieldError {
            path: path.to_owned(),
            message: "expected an object".to_owned(),
        }])
    })
}
