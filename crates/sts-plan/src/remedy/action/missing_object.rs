//! Creating or completing an object that a pod needs.

use std::sync::Arc;

use super::entry::{Assumed, RemedyEntry, Scene};
use crate::cause::NamedObject;
use crate::command::named;

/// An object that a pod needs and that is missing or incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingObject {
    /// A missing ServiceAccount.
    ServiceAccount(String),
    /// A missing StorageClass.
    StorageClass(String),
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
    /// Returns the missing object that the message of a cause names, if any.
    pub(in crate::remedy) fn of(kind: NamedObject, message: &str) -> Option<Self> {
        let quoted = |after: &str| {
            let (_, rest) = message.split_once(after)?;
            let name: String = rest
                .trim_start_matches('"')
                .chars()
                .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '.'))
                .collect();
            (!name.is_empty()).then_some(name)
        };
        match kind {
            NamedObject::ServiceAccount => quoted("serviceaccounts \"")
                .or_else(|| quoted("serviceaccount \""))
                .map(MissingObject::ServiceAccount),
            NamedObject::StorageClass => quoted("storageclass.storage.k8s.io \"")
                .or_else(|| quoted("storageclass "))
                .map(MissingObject::StorageClass),
            NamedObject::Key => {
                let (_, rest) = message.split_once("find key ")?;
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
        MissingObject::Key { kind, name, key } => (
            vec![scene.kubectl(&format!("edit {} {}", kind.to_lowercase(), named(name)))],
            format!("add key {key} to {kind} {name}: the kubelet retries automatically"),
        ),
    };
    RemedyEntry {
        assumed: Some(Assumed::ObjectProvided(Arc::clone(pod))),
        commands,
        condition: Some(condition),
        ..RemedyEntry::default()
    }
}
