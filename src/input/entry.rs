//! Classification of a manifest: an object, parsed as far as a plan always needs it, or a set that was never stored.

use std::sync::Arc;

use serde_json::{Value, json};

use super::inventory::{Object, StoredSet};
use super::kind::{Kind, kind_of};
use super::objects::{LoadError, Reader};
use super::parts::{ANNOTATIONS, OF_BYSTANDER, data_in_file, eager_part, in_file};
use super::set_manifest::SetManifest;
use super::times::ObjectTimes;
use super::wrong::{location_of, name_of, nameless, wrong, wrong_field};
use kubectl_manifest::{Manifest, PathSegment, excerpt};
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::{defaults, schema};
use sts_controller::object::{
    Bystander, Claim, Packed, Pod, RelatedKind, Revision, is_dns_subdomain, labels_of,
};
use sts_controller::version::Defaulting;
use sts_plan::cause::{bystander_kind, keeps};
use sts_plan::change::read_set;

/// Maximum nesting, far above that of any API object.
const MAX_DEPTH: usize = 200;

/// A manifest by its use in planning.
pub(super) enum Entry {
    /// A kind that plans do not use.
    Other(String),
    /// A kind that only explains failures.
    Beside(Box<Bystander>),
    /// A set that was never stored.
    New(Box<SetManifest>),
    /// A stored object.
    Stored(StoredEntry),
}

/// A stored object of a file.
pub(super) struct StoredEntry {
    pub(super) kind: Kind,
    pub(super) object: Object,
    pub(super) times: ObjectTimes,
    pub(super) warnings: Vec<String>,
}

/// Returns the kind of a skipped object, with its group if that group has sets too.
fn other_kind(manifest: &Manifest) -> String {
    match manifest.api_version.split_once('/') {
        Some((group, _)) if &*manifest.kind == "StatefulSet" => {
            format!("{}.{group}", manifest.kind)
        }
        _ => manifest.kind.to_string(),
    }
}

/// Reads an object that only explains failures; `None` if it explains none, or is invalid. Only the kinds of the catalogue
/// are known to have a namespace or not.
fn bystander(manifest: &Manifest, default: &Arc<str>) -> Option<Bystander> {
    let version = manifest.api_version.split_once('/');
    let group = version.map_or("", |(group, _)| group);
    let kind = bystander_kind(&manifest.kind, group);
    let part = manifest.part(OF_BYSTANDER);
    // No API object is so deep that copying it would overflow the stack.
    let mut value = is_within(&part, MAX_DEPTH).then(|| part.into_owned())?;
    if kind.is_some_and(|kind| !kind.of_cluster) && value["metadata"].is_object() {
        set_namespace(&mut value, default);
    }
    Bystander::from_json(&value).ok().filter(keeps)
}

/// Parses a manifest as far as a plan always needs it.
pub(super) fn entry(
    mut manifest: Manifest,
    reader: &Reader<'_>,
    default: &Arc<str>,
) -> Result<Entry, LoadError> {
    let Some(kind) = kind_of(&manifest)? else {
        return Ok(match bystander(&manifest, default) {
            Some(object) => Entry::Beside(Box::new(object)),
            None => Entry::Other(other_kind(&manifest)),
        });
    };
    let mut value = match manifest.is_loaded() {
        true => std::mem::take(&mut manifest.value),
        false => manifest.part(eager_part(kind)).into_owned(),
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
    check_names(&manifest, &value, kind)?;
    let mut warnings = Vec::new();
    if kind == Kind::Set {
        let unknown = reread(&manifest, &mut value, reader.defaulting)?;
        warnings.extend(unknown.iter().map(|field| {
            let place = location_of(&manifest, &field.path);
            format!("{place}: unknown field dropped, as by the API server: {field}")
        }));
    }
    let times = ObjectTimes::of(kind, &value);
    let object = read(&manifest, value, kind, default)?;
    Ok(Entry::Stored(StoredEntry {
        kind,
        object,
        times,
        warnings,
    }))
}

/// Reports whether the object is a Helm hook, such as a test pod, which is not part of the release when the set is
/// applied.
fn is_hook(manifest: &Manifest, value: &Value) -> bool {
    let part = manifest.part(ANNOTATIONS);
    [&*part, value].iter().any(|object| {
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

/// Refuses names that no API server accepts: no such object exists, and commands could not name it.
fn check_names(manifest: &Manifest, value: &Value, kind: Kind) -> Result<(), LoadError> {
    // Servers do not check the names of events.
    let names: &[&[&str]] = match kind {
        Kind::Related(RelatedKind::Event) => &[&["metadata", "namespace"]],
        Kind::Pod => &[
            &["metadata", "name"],
            &["metadata", "namespace"],
            &["spec", "nodeName"],
        ],
        _ => &[&["metadata", "name"], &["metadata", "namespace"]],
    };
    for path in names {
        let at = path.iter().fold(value, |value, key| &value[*key]);
        let name = at.as_str().unwrap_or_default();
        if name.is_empty() || is_dns_subdomain(name) {
            continue;
        }
        let problem = format!(
            "is invalid at {}: {:?} is no name that an API server accepts: use lower case letters, digits, '-' and '.', \
             with a letter or a digit at both ends",
            path.join("."),
            excerpt(name)
        );
        let path: Vec<_> = path.iter().map(|key| PathSegment::Key(key)).collect();
        return Err(wrong(manifest, value, kind, problem, &path));
    }
    Ok(())
}

/// Refuses objects so deep that copying or comparing them would overflow the stack.
fn check_depth(manifest: &Manifest, value: &Value, kind: Kind) -> Result<(), LoadError> {
    if is_within(value, MAX_DEPTH) {
        return Ok(());
    }
    let problem = format!("is nested deeper than {MAX_DEPTH} levels, which no API object is");
    Err(wrong(manifest, value, kind, problem, &[]))
}

/// Reports whether a value has at most `levels` levels, counting the contents of the innermost collection.
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

/// Sets the namespace of an object without one, and returns the namespace.
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
        // The typed reading reports the wrong type.
        _ => default.to_owned(),
    }
}

/// Parses an object from a server like one from a file; `None` if plans do not use its kind.
///
/// # Errors
/// When the object is invalid.
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
        // The server may know more fields than the tables of its version: its decoding cannot be repeated here.
        if !unknown.is_empty() {
            value = set;
        }
    }
    read(&manifest, value, kind, &Arc::from("")).map(Some)
}

/// Checks the types of all values of a set.
fn check_types(manifest: &Manifest, set: &Value, defaulting: &Defaulting) -> Result<(), LoadError> {
    schema::normalized(set, schema::stateful_set(), defaulting.minor)
        .map(drop)
        .map_err(|errors| wrong_field(manifest, set, Kind::Set, &errors))
}

/// Converts a stored set to what a server of the version would read, since files may be edited or come from other
/// versions. Returns the fields that the server would drop; none for an unknown version.
fn reread(
    manifest: &Manifest,
    set: &mut Value,
    defaulting: &Defaulting,
) -> Result<Vec<UnknownField>, LoadError> {
    if !defaulting.is_known() {
        return check_types(manifest, set, defaulting).map(|()| Vec::new());
    }
    let lacks_account = account_of(set).is_none();
    let unknown = defaults::reread(set, defaulting)
        .map_err(|errors| wrong_field(manifest, set, Kind::Set, &errors))?;
    // Every server stores the old name of the account too. What lacks it was written by hand, and so were its revisions,
    // which nothing would fill in: they would differ.
    if let Some(spec) = set
        .pointer_mut(POD_SPEC)
        .and_then(Value::as_object_mut)
        .filter(|_| lacks_account)
    {
        spec.remove(OLD_ACCOUNT);
    }
    Ok(unknown)
}

/// Place of the pod's specification in a set.
const POD_SPEC: &str = "/spec/template/spec";
/// Former name of `serviceAccountName`.
const OLD_ACCOUNT: &str = "serviceAccount";

/// Returns the account of a set's pods under its former name.
fn account_of(set: &Value) -> Option<&Value> {
    set.pointer(POD_SPEC)?.get(OLD_ACCOUNT)
}

/// Parses the object of a manifest, as far as needed. `namespace` is the namespace of objects without one.
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
            // The object no longer matches its text.
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
