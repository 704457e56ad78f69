//! Creating or completing an object that a pod needs.

use std::sync::Arc;

use super::entry::{Assumed, RemedyEntry, Scene};
use crate::cause::{Cause, NamedObject};
use crate::command::named;
use crate::foresight::Foreseen;

/// An object that a pod needs and that is missing or incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingObject {
    /// A missing ServiceAccount.
    ServiceAccount(String),
    /// A missing StorageClass.
    StorageClass(String),
    /// A missing Secret or ConfigMap, such as `ConfigMap web-config`.
    Config(String),
    /// A missing PriorityClass.
    PriorityClass(String),
    /// A missing key of a Secret or ConfigMap.
    Key {
        /// `Secret` or `ConfigMap`.
        kind: &'static str,
        /// Name of the object.
        name: String,
        /// The key.
        key: String,
    },
}

impl MissingObject {
    /// Returns the missing object that a cause names, if a user makes it.
    pub(in crate::remedy) fn of(cause: &Cause) -> Option<Self> {
        // Another object of the input makes it, and would replace one that is made by hand.
        let neighbors = &cause.facts.neighbors;
        if neighbors.maker.is_some() || neighbors.publisher.is_some() {
            return None;
        }
        if let Some(Foreseen::MissingConfig { object, .. }) = &cause.facts.foreseen {
            return Some(MissingObject::Config(object.clone()));
        }
        match cause.entry()?.names? {
            NamedObject::PriorityClass => cause.object().map(MissingObject::PriorityClass),
            NamedObject::ServiceAccount => cause.object().map(MissingObject::ServiceAccount),
            NamedObject::StorageClass => cause.object().map(MissingObject::StorageClass),
            NamedObject::Key => {
                let (_, rest) = cause.message().split_once("find key ")?;
                let (key, rest) = rest.split_once(" in ")?;
                let mut words = rest.split_whitespace();
                let kind = match words.next()? {
                    "Secret" => "Secret",
                    _ => "ConfigMap",
                };
                let name = words.next()?.rsplit('/').next()?.to_owned();
                Some(MissingObject::Key {
                    kind,
                    name,
                    key: key.to_owned(),
                })
            }
        }
    }
}

pub(super) fn provide(pod: &Arc<str>, object: &MissingObject, scene: Scene<'_>) -> RemedyEntry {
    let (commands, condition) = match object {
        MissingObject::ServiceAccount(name) => (
            vec![scene.kubectl(&format!("create serviceaccount {}", named(name)))],
            format!("if ServiceAccount {name} needs no permissions"),
        ),
        MissingObject::StorageClass(name) => (
            vec![
                format!("kubectl get storageclass {}", named(name)),
                "kubectl apply -f FILE".to_owned(),
            ],
            format!("if StorageClass {name} does not exist and FILE has its old definition"),
        ),
        MissingObject::Config(object) => (
            vec![scene.kubectl("apply -f FILE")],
            format!("if FILE has {object}"),
        ),
        MissingObject::PriorityClass(name) => (
            vec!["kubectl apply -f FILE".to_owned()],
            format!("if FILE has PriorityClass {name}"),
        ),
        MissingObject::Key { kind, name, key } => (
            vec![scene.kubectl(&format!("edit {} {}", kind.to_lowercase(), named(name)))],
            format!("add key {key} to {kind} {name}: the kubelet retries automatically"),
        ),
    };
    let lacking = scene.causes.iter().flatten();
    let lacking =
        lacking.filter(|it| it.pod != *pod && MissingObject::of(it).as_ref() == Some(object));
    let others = lacking.map(|it| Arc::clone(&it.pod)).collect();
    RemedyEntry {
        assumed: Some(Assumed::ObjectProvided(Arc::clone(pod), others)),
        commands,
        condition: Some(condition),
        ..RemedyEntry::default()
    }
}
