//! One manifest to what it is: an object, of which as much is read as a plan always needs, or a set that was never stored.

use std::sync::Arc;

use serde_json::{Value, json};

use super::inventory::{Object, StoredSet};
use super::kind::{Kind, kind_of};
use super::objects::{LoadError, Reader};
use super::parts::{ANNOTATIONS, data_in_file, in_file, wanted};
use super::set_manifest::SetManifest;
use super::wrong::{location_of, name_of, nameless, wrong, wrong_field};
use kubectl_manifest::Manifest;
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::{defaults, schema};
use sts_controller::object::{Claim, Packed, Pod, Revision, labels_of};
use sts_controller::version::Defaulting;
use sts_plan::change::read_set;

/// The deepest nesting that an object of the API reaches is far below this.
const MAX_DEPTH: usize = 200;

/// A manifest, by the use that planning has for it.
pub(super) enum Entry {
    /// Of a kind that is not planned with: which.
    Other(String),
    /// A set that was never stored.
    New(Box<SetManifest>),
    /// An object that is there, and what to say of it.
    Stored(Kind, Object, Vec<String>),
}

/// The kind of an object that is skipped; with its group where other groups have sets as well.
fn other_kind(manifest: &Manifest) -> String {
    match manifest.api_version.split_once('/') {
        Some((group, _)) if &*manifest.kind == "StatefulSet" => {
            format!("{}.{group}", manifest.kind)
        }
        _ => manifest.kind.to_string(),
    }
}

/// Reads a manifest as far as a plan always needs it.
pub(super) fn entry(
    mut manifest: Manifest,
    reader: &Reader<'_>,
    default: &Arc<str>,
) -> Result<Entry, LoadError> {
    let Some(kind) = kind_of(&manifest)? else {
        return Ok(Entry::Other(other_kind(&manifest)));
    };
    let mut value = match manifest.is_loaded() {
        true => std::mem::take(&mut manifest.value),
        false => manifest.part(wanted(kind)),
    };
    check_depth(&manifest, &value, kind)?;
    let namespace = match kind.is_namespaced() {
        true => set_namespace(&mut value, default),
        false => String::new(),
    };
    let name = name_of(&value);
    if name.is_empty() {
        return Err(nameless(&manifest, &value, kind));
    }
    if kind == Kind::Set && (reader.all_new || !is_stored(&value)) {
        let (name, labels) = (name.to_owned(), labels_of(&value));
        manifest.hold(value);
        return Ok(Entry::New(Box::new(SetManifest {
            namespace,
            name,
            labels,
            verdict: None,
            manifest,
        })));
    }
    if kind == Kind::Pod && !is_stored(&value) && is_hook(&manifest, &value) {
        return Ok(Entry::Other("Pod (Helm hook)".to_owned()));
    }
    let mut warnings = Vec::new();
    if kind == Kind::Set {
        let unknown = reread(&manifest, &mut value, reader.defaulting)?;
        warnings.extend(unknown.iter().map(|field| {
            let place = location_of(&manifest, &field.path);
            format!("{place}: field dropped, as the API server drops it: {field}")
        }));
    }
    let object = read(&manifest, value, kind, default)?;
    Ok(Entry::Stored(kind, object, warnings))
}

/// Reports whether Helm runs it beside the release, such as the pod of a test, which does not exist when the set is
/// applied.
fn is_hook(manifest: &Manifest, value: &Value) -> bool {
    let part = manifest.part(ANNOTATIONS);
    [&part, value].iter().any(|object| {
        object["metadata"]["annotations"]
            .get("helm.sh/hook")
            .is_some()
    })
}

fn is_stored(value: &Value) -> bool {
    value["metadata"]["uid"]
        .as_str()
        .is_some_and(|uid| !uid.is_empty())
}

/// Nothing that the planner copies or compares may be so deep that doing so exhausts the stack.
fn check_depth(manifest: &Manifest, value: &Value, kind: Kind) -> Result<(), LoadError> {
    if is_within(value, MAX_DEPTH) {
        return Ok(());
    }
    let problem =
        format!("is nested deeper than {MAX_DEPTH} levels, which no object of the API is");
    Err(wrong(manifest, value, kind, problem, &[]))
}

/// Reports whether a value has at most so many levels, what is in the innermost collection among them.
fn is_within(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Object(members) => members.values().all(|value| is_within(value, below)),
        Value::Array(items) => items.iter().all(|value| is_within(value, below)),
        _ => true,
    }
}

/// Gives an object without a namespace the one that it belongs to; returns the object's.
pub(super) fn set_namespace(value: &mut Value, default: &str) -> String {
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else {
        return default.to_owned();
    };
    match metadata.get("namespace").and_then(Value::as_str) {
        Some(namespace) if !namespace.is_empty() => namespace.to_owned(),
        _ if metadata
            .get("namespace")
            .is_none_or(|value| value.is_null() || value == "") =>
        {
            metadata.insert("namespace".into(), Value::from(default));
            default.to_owned()
        }
        // Of a wrong type, which the typed reading reports.
        _ => default.to_owned(),
    }
}

/// Reads what a server sent, as if it stood in a file; `None` for an object of a kind that is not planned with.
///
/// # Errors
/// What is wrong with it.
pub fn receive(value: Value, defaulting: &Defaulting) -> Result<Option<Object>, LoadError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &value["metadata"];
    let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
    let place = format!("the cluster's {namespace}/{name}");
    let mut manifest = Manifest::received(value, &place);
    let Some(kind) = kind_of(&manifest)? else {
        return Ok(None);
    };
    let mut value = std::mem::take(&mut manifest.value);
    check_depth(&manifest, &value, kind)?;
    if name.is_empty() {
        return Err(nameless(&manifest, &value, kind));
    }
    if kind == Kind::Set {
        let set = value.clone();
        let unknown = reread(&manifest, &mut value, defaulting)?;
        // A server may know more fields than the tables of its version: then its decoding cannot be repeated here.
        if !unknown.is_empty() {
            value = set;
        }
    }
    read(&manifest, value, kind, &Arc::from("")).map(Some)
}

/// Checks that all values of a set are of the right types.
fn check_types(manifest: &Manifest, set: &Value, defaulting: &Defaulting) -> Result<(), LoadError> {
    schema::normalized(set, schema::stateful_set(), defaulting.minor)
        .map(drop)
        .map_err(|errors| wrong_field(manifest, set, Kind::Set, &errors))
}

/// Turns a stored set into what a server of the version would read in its place, since files are edited by hand, and
/// come of other versions; returns the fields that it would drop. Of a version that is not known yet, none can be named
/// what it reads.
fn reread(
    manifest: &Manifest,
    set: &mut Value,
    defaulting: &Defaulting,
) -> Result<Vec<UnknownField>, LoadError> {
    if !defaulting.is_known() {
        return check_types(manifest, set, defaulting).map(|()| Vec::new());
    }
    defaults::reread(set, defaulting)
        .map_err(|errors| wrong_field(manifest, set, Kind::Set, &errors))
}

/// The object that a manifest of a kind is, of which so much was read as is wanted. The namespace is that of objects
/// that name none.
fn read(
    manifest: &Manifest,
    value: Value,
    kind: Kind,
    namespace: &Arc<str>,
) -> Result<Object, LoadError> {
    let whole = || match manifest.passage() {
        None => Packed::of(&value),
        Some(passage) => in_file(passage, namespace),
    };
    let read = match kind {
        Kind::Set => {
            let name = json!({"metadata": {"name": name_of(&value)}});
            // It is no longer what its text says.
            let stored = |(set, status)| Object::Set(Box::new(StoredSet::new(set, status)));
            let read = read_set(value).map(stored);
            return read.map_err(|error| wrong_field(manifest, &name, kind, &[error]));
        }
        Kind::Pod => Pod::from_part(&value, whole).map(|pod| Object::Pod(Arc::new(pod))),
        Kind::Claim => Claim::from_part(&value, whole).map(|claim| Object::Claim(Arc::new(claim))),
        Kind::Revision => match manifest.passage() {
            None => Revision::from_json(&value),
            Some(passage) => Revision::from_part(&value, || data_in_file(passage)),
        }
        .map(|revision| Object::Revision(Arc::new(revision))),
        Kind::Related(kind) => kind
            .read(&value)
            .map(|related| Object::Related(Box::new(related))),
    };
    read.map_err(|error| wrong_field(manifest, &value, kind, &[error]))
}
