//! Builds the snapshot of one StatefulSet from API objects, as a client or a file provides them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::identity::is_member;
use crate::object::{Claim, FieldError, Meta, Pod, Revision, Set, Snapshot, Status, Volume};

/// Reason that a snapshot cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// No object is a StatefulSet.
    #[error("no StatefulSet among the objects")]
    NoSet,
    /// Several objects are StatefulSets.
    #[error("several StatefulSets ({0}, {1}): a snapshot has exactly one")]
    SeveralSets(Arc<str>, Arc<str>),
    /// A field of an object has the wrong type.
    #[error("{kind} {name}: {error}")]
    Field {
        /// The object's kind.
        kind: &'static str,
        /// The object's name.
        name: String,
        /// The field and the problem.
        error: FieldError,
    },
}

impl Snapshot {
    /// Builds the snapshot of the one StatefulSet among stored objects. Takes the pods, claims and revisions of its
    /// namespace that the controller may see: its own, orphans, and objects under a name that it needs. Ignores objects
    /// of other kinds, and expands lists, so callers can pass everything they have.
    ///
    /// ```
    /// use serde_json::json;
    /// use sts_controller::object::Snapshot;
    ///
    /// let set = json!({
    ///     "apiVersion": "apps/v1",
    ///     "kind": "StatefulSet",
    ///     "metadata": {"name": "web", "namespace": "shop", "uid": "1"},
    ///     "spec": {
    ///         "replicas": 1,
    ///         "serviceName": "web",
    ///         "selector": {"matchLabels": {"app": "web"}},
    ///         "template": {
    ///             "metadata": {"labels": {"app": "web"}},
    ///             "spec": {"containers": [{"name": "main", "image": "app:1"}]},
    ///         },
    ///     },
    /// });
    /// let pod = |name: &str| json!({
    ///     "apiVersion": "v1",
    ///     "kind": "Pod",
    ///     "metadata": {"name": name, "namespace": "shop", "uid": name, "labels": {"app": "web"}},
    /// });
    /// let snapshot = Snapshot::from_objects([pod("web-0"), set, pod("other-7c9f")])?;
    /// assert_eq!(&*snapshot.set.meta.name, "web");
    /// assert!(snapshot.pods.contains_key("web-0"));
    /// # Ok::<(), sts_controller::controller::SnapshotError>(())
    /// ```
    ///
    /// # Errors
    /// When not exactly one object is a StatefulSet of the group `apps`, or a field has the wrong type.
    pub fn from_objects(
        objects: impl IntoIterator<Item = Value>,
    ) -> Result<Snapshot, SnapshotError> {
        let mut set: Option<(Set, Status)> = None;
        let (mut pods, mut claims, mut revisions) = (Vec::new(), Vec::new(), Vec::new());
        for object in objects.into_iter().flat_map(items) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (kind, version) = (text(&object["kind"]), text(&object["apiVersion"]));
            let name = text(&object["metadata"]["name"]);
            let of = |kind: &'static str| {
                move |error: FieldError| SnapshotError::Field { kind, name, error }
            };
            let group = version.split_once('/').map_or("", |(group, _)| group);
            match (group, kind.as_str()) {
                ("apps", "StatefulSet") => {
                    let status = Status::of_set(&object);
                    let read = status.and_then(|status| Ok((Set::from_json(object)?, status)));
                    let read = read.map_err(of("StatefulSet"))?;
                    if let Some((first, _)) = &set {
                        let (first, second) = (&first.meta.name, &read.0.meta.name);
                        return Err(SnapshotError::SeveralSets(
                            Arc::clone(first),
                            Arc::clone(second),
                        ));
                    }
                    set = Some(read);
                }
                ("apps", "ControllerRevision") => {
                    let read = Revision::from_json(&object).map_err(of("ControllerRevision"))?;
                    revisions.push(read);
                }
                ("", "Pod") => pods.push(Pod::from_json(object).map_err(of("Pod"))?),
                ("", "PersistentVolumeClaim") => {
                    let read = Claim::from_json(object).map_err(of("PersistentVolumeClaim"))?;
                    claims.push(read);
                }
                _ => {}
            }
        }
        let (set, status) = set.ok_or(SnapshotError::NoSet)?;
        let mut snapshot = Snapshot::of_set(set, status);
        let set = &*snapshot.set;
        claims.retain(|claim| in_namespace(&claim.meta, set) && is_of_template(claim, set));
        snapshot.claims = by_name(claims, |claim| &claim.meta);
        pods.retain(|pod| in_namespace(&pod.meta, set) && is_relevant(pod, set, &snapshot.claims));
        revisions.retain(|it| in_namespace(&it.meta, set) && is_history(it, set));
        snapshot.pods = by_name(pods, |pod| &pod.meta);
        snapshot.revisions = by_name(revisions, |revision| &revision.meta);
        Ok(snapshot)
    }
}

/// Reports whether the controller may list an object: the set owns it, or it is an orphan.
fn is_own_or_orphan(meta: &Meta, set: &Set) -> bool {
    meta.controller()
        .is_none_or(|owner| owner.uid.is_empty() || owner.uid == set.meta.uid)
}

/// Reports whether a pod matters to the set: by its owner, its name, or a claim that it keeps in use.
fn is_relevant(pod: &Pod, set: &Set, claims: &BTreeMap<Arc<str>, Arc<Claim>>) -> bool {
    let mut mounted = pod
        .volumes
        .iter()
        .filter_map(|it: &Volume| it.claim.as_ref());
    is_member(set, &pod.meta.name)
        || is_own_or_orphan(&pod.meta, set)
            && (pod.meta.controller().is_some() || mounted.any(|claim| claims.contains_key(claim)))
}

/// Reports whether a claim's name comes from one of the set's templates.
fn is_of_template(claim: &Claim, set: &Set) -> bool {
    set.claim_templates.iter().any(|template| {
        let pod = claim.meta.name.strip_prefix(&*template.name);
        pod.and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|pod| is_member(set, pod))
    })
}

/// Reports whether a revision is in the set's history, or has a name that one of its revisions could have.
fn is_history(revision: &Revision, set: &Set) -> bool {
    let rest = revision.meta.name.strip_prefix(&*set.meta.name);
    is_own_or_orphan(&revision.meta, set) || rest.is_some_and(|rest| rest.starts_with('-'))
}

/// Returns the items of a list, or the object itself. Items of a typed list, such as a `PodList`, need no kind.
fn items(mut object: Value) -> Vec<Value> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let Some(kind) = kind.strip_suffix("List").map(str::to_owned) else {
        return vec![object];
    };
    let version = object["apiVersion"].take();
    let Value::Array(mut items) = object["items"].take() else {
        return Vec::new();
    };
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        item.entry("kind").or_insert_with(|| kind.clone().into());
        item.entry("apiVersion").or_insert_with(|| version.clone());
    }
    items
}

fn in_namespace(meta: &Meta, set: &Set) -> bool {
    meta.namespace == set.meta.namespace
}

fn by_name<T>(objects: Vec<T>, meta: impl Fn(&T) -> &Meta) -> BTreeMap<Arc<str>, Arc<T>> {
    let named = |object: T| (Arc::clone(&meta(&object).name), Arc::new(object));
    objects.into_iter().map(named).collect()
}
