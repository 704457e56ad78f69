//! Assumptions about missing objects: plans with an object that does not exist yet, a larger quota, or more nodes.
//!
//! A grant only removes evidence: a pod that is waiting for anything else is still waiting.

mod kind;
mod nodes;
mod quota;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use strum::IntoEnumIterator;
use thiserror::Error;

use crate::conditions::Conditions;
use crate::foresight::{granted_class, granted_templates, missing_for};
use crate::members::pods_of;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Event, Phase, Snapshot};
use sts_controller::simulate::Expansion;

pub use kind::GrantedKind;
pub(crate) use quota::Exceeded;

/// An assumption that something is available.
#[derive(Debug, Clone, PartialEq)]
pub enum Grant {
    /// A missing object exists.
    Exists(GrantedKind, String),
    /// A ResourceQuota allows more.
    Quota {
        /// The quota's name.
        name: String,
        /// The resource; `None` for the only exceeded one.
        resource: Option<String>,
        /// The additional amount.
        more: Quantity,
    },
    /// The storage of a StorageClass expands volumes in this way; used by `--grow`.
    Expands(String, Expansion),
}

/// The resource name of a quota.
pub const QUOTA: &str = "quota";

/// Returns the name of an expansion mode.
fn expansion_word(expansion: Expansion) -> &'static str {
    match expansion {
        Expansion::Online => "expands-online",
        Expansion::OnMount => "expands-on-mount",
        Expansion::Offline => "expands-offline",
    }
}

/// An invalid grant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantError {
    /// The kind is not supported.
    #[error(
        "unsupported kind {0:?} (one of: secret/NAME, configmap/NAME, serviceaccount/NAME, priorityclass/NAME, \
         storageclass/NAME, quota/NAME)"
    )]
    UnknownKind(String),
    /// The object has no name.
    #[error("{0}/: the name of the object is missing")]
    NoName(String),
    /// The only supported assumption is that the object exists.
    #[error("{0}={1}: the only supported value is {0}=exists")]
    NotExists(String, String),
    /// The amount of a quota is missing or invalid.
    #[error(
        "{0}={1}: give the additional amount, such as {0}=+2Gi, or {0}=requests.memory+2Gi for one of several resources"
    )]
    NoAmount(String, String),
    /// The value for a StorageClass is unknown.
    #[error(
        "{0}={1}: unknown value (one of: {0}=exists, expands-online, expands-on-mount or expands-offline)"
    )]
    NoExpansion(String, String),
}

impl Grant {
    /// Parses both sides of `secret/db=exists` or `quota/compute=+2Gi`.
    ///
    /// # Errors
    /// When the object or the value is not supported.
    pub fn parse(object: &str, what: &str) -> Result<Self, GrantError> {
        let (word, name) = object.split_once('/').unwrap_or((object, ""));
        let word = word.to_ascii_lowercase();
        let kind = GrantedKind::by_name(&word);
        let is_quota = matches!(
            &*word,
            "quota" | "resourcequota" | "resourcequotas" | "quotas"
        );
        if kind.is_none() && !is_quota {
            return Err(GrantError::UnknownKind(word));
        }
        if name.is_empty() {
            return Err(GrantError::NoName(word));
        }
        let Some(kind) = kind else {
            let no_amount = || GrantError::NoAmount(object.to_owned(), what.to_owned());
            let (resource, more) = what.split_once('+').ok_or_else(no_amount)?;
            let more = Quantity::parse(more).map_err(|_| no_amount())?;
            if more.is_zero() || more.is_negative() {
                return Err(no_amount());
            }
            return Ok(Grant::Quota {
                name: name.to_owned(),
                resource: (!resource.is_empty()).then(|| resource.to_owned()),
                more,
            });
        };
        if what == "exists" {
            return Ok(Grant::Exists(kind, name.to_owned()));
        }
        if kind != GrantedKind::StorageClass {
            return Err(GrantError::NotExists(object.to_owned(), what.to_owned()));
        }
        let mut ways = Expansion::iter();
        match ways.find(|way| expansion_word(*way) == what) {
            Some(way) => Ok(Grant::Expands(name.to_owned(), way)),
            None => Err(GrantError::NoExpansion(object.to_owned(), what.to_owned())),
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::Exists(kind, name) => write!(out, "{}/{name}=exists", kind.word()),
            Grant::Quota {
                name,
                resource,
                more,
            } => {
                let resource = resource.as_deref().unwrap_or_default();
                write!(out, "{QUOTA}/{name}={resource}+{}", more.canonical())
            }
            Grant::Expands(class, expansion) => {
                write!(
                    out,
                    "{}/{class}={}",
                    GrantedKind::StorageClass.word(),
                    expansion_word(*expansion)
                )
            }
        }
    }
}

/// Reports whether an object, such as `Secret app-credentials`, is assumed to exist.
pub(crate) fn exists(grants: &[Grant], object: &str) -> bool {
    grants.iter().any(|grant| match grant {
        Grant::Exists(kind, name) => object
            .strip_prefix(kind.name())
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|named| named == name),
        Grant::Quota { .. } | Grant::Expands(..) => false,
    })
}

/// Returns the grant that provides an object.
fn grant_of<'g>(grants: &'g [Grant], object: &str) -> Option<&'g Grant> {
    let mut grants = grants.iter();
    grants.find(|grant| exists(std::slice::from_ref(grant), object))
}

/// The effect of grants on the pods of a set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relief {
    /// Waiting pods that start, each with its reason.
    pub starts: BTreeMap<Arc<str>, String>,
    /// The effects, one sentence each.
    pub sentences: Vec<String>,
    /// The grants with an effect, as written.
    pub used: BTreeSet<String>,
}

impl Relief {
    /// Returns the effect on existing pods.
    pub(crate) fn of(snapshot: &Snapshot, conditions: &Conditions) -> Self {
        let mut relief = Relief::default();
        if !conditions.grants.is_empty() {
            relief.give_objects(snapshot, conditions);
            relief.give_classes(snapshot, conditions);
        }
        if !conditions.outage.added.is_empty() {
            nodes::place(&mut relief, snapshot, conditions);
        }
        relief
    }

    fn give_objects(&mut self, snapshot: &Snapshot, conditions: &Conditions) {
        let namespace = &snapshot.set.meta.namespace;
        for pod in pods_of(snapshot) {
            let starts = matches!(pod.phase, Phase::Unset | Phase::Pending | Phase::Running);
            if !starts || pod.is_ready() || pod.is_terminating() {
                continue;
            }
            let missing = missing_for(pod, &conditions.related, namespace)
                .or_else(|| granted_class(snapshot, conditions, pod));
            let Some(missing) = missing else {
                continue;
            };
            if let Some(grant) = grant_of(&conditions.grants, &missing) {
                self.start(
                    &pod.meta.name,
                    &format!("{missing} exists"),
                    &grant.to_string(),
                );
            }
        }
    }

    /// Adds the effect on claims that are yet to be created.
    fn give_classes(&mut self, snapshot: &Snapshot, conditions: &Conditions) {
        for (template, class) in granted_templates(snapshot, conditions) {
            if let Some(grant) = grant_of(&conditions.grants, &class) {
                self.sentences.push(format!(
                    "new claims of {template} get a volume because {class} exists (--assume {grant})"
                ));
                self.used.insert(grant.to_string());
            }
        }
    }

    fn start(&mut self, pod: &Arc<str>, why: &str, grant: &str) {
        self.sentences.push(format!(
            "pod {pod} starts because {why} (--assume {grant}), unless it needs anything else that is missing"
        ));
        self.starts.insert(Arc::clone(pod), why.to_owned());
        self.used.insert(grant.to_owned());
    }

    /// Returns the creations that are still refused, each with its warning event.
    pub(crate) fn creations(
        &mut self,
        snapshot: &Snapshot,
        conditions: &Conditions,
        refused: Vec<(Arc<str>, Arc<Event>)>,
    ) -> Vec<(Arc<str>, Arc<Event>)> {
        if conditions.grants.is_empty() {
            return refused;
        }
        let mut left: BTreeMap<Arc<str>, Arc<Event>> = BTreeMap::new();
        let mut quotas: BTreeMap<String, Arc<Event>> = BTreeMap::new();
        for (pod, event) in refused {
            if let Some(grant) = admitted(&event, &conditions.grants) {
                let grant = grant.to_string();
                self.sentences.push(format!(
                    "pod {pod} is created although it was refused before (--assume {grant})"
                ));
                self.used.insert(grant);
                continue;
            }
            if let Some(exceeded) = Exceeded::read(&event) {
                quotas
                    .entry(exceeded.quota)
                    .or_insert_with(|| Arc::clone(&event));
            }
            left.insert(pod, event);
        }
        for event in quotas.into_values() {
            quota::give(self, &mut left, snapshot, conditions, &event);
        }
        left.into_iter().collect()
    }

    /// Returns a sentence for each grant without effect.
    pub(crate) fn unused(&self, conditions: &Conditions) -> Vec<String> {
        let grants = conditions.grants.iter();
        // The stages of a growth report their own assumptions.
        let grants = grants.filter(|grant| !matches!(grant, Grant::Expands(..)));
        let grants = grants.map(ToString::to_string);
        let unused = grants.filter(|grant| !self.used.contains(grant));
        unused
            .map(|grant| format!("--assume {grant} has no effect: no pod is waiting for it"))
            .collect()
    }
}

/// Returns the grant that resolves a refusal by providing the missing object.
fn admitted<'g>(event: &Event, grants: &'g [Grant]) -> Option<&'g Grant> {
    let message = &*event.message;
    grants.iter().find(|grant| match grant {
        Grant::Exists(GrantedKind::ServiceAccount, name) => {
            message.contains(&format!("serviceaccount \"{name}\" not found"))
        }
        Grant::Exists(GrantedKind::PriorityClass, name) => {
            let words = format!("no PriorityClass with name {name} ");
            format!("{message} ").contains(&words)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::Grant;

    fn read(text: &str) -> Result<String, String> {
        let (object, what) = text.split_once('=').unwrap();
        Grant::parse(object, what)
            .map(|grant| grant.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn grants_accept_the_resource_names_of_kubectl() {
        for (text, canonical) in [
            ("secret/db=exists", "secret/db=exists"),
            ("secrets/db=exists", "secret/db=exists"),
            ("cm/app=exists", "configmap/app=exists"),
            ("sa/app=exists", "serviceaccount/app=exists"),
            ("priorityclasses/high=exists", "priorityclass/high=exists"),
            ("sc/fast=exists", "storageclass/fast=exists"),
            (
                "sc/fast=expands-offline",
                "storageclass/fast=expands-offline",
            ),
            ("quota/compute=+2Gi", "quota/compute=+2Gi"),
            ("resourcequota/compute=pods+3", "quota/compute=pods+3"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(canonical));
        }
    }

    #[test]
    fn errors_name_the_supported_values() {
        for (text, expected) in [
            ("deployment/x=exists", "one of: secret/NAME"),
            ("secret/=exists", "the name of the object is missing"),
            ("secret/db=gone", "is secret/db=exists"),
            ("sc/fast=offline", "expands-on-mount or expands-offline"),
            ("sc/fast=offline", "one of: sc/fast=exists"),
            ("quota/compute=2Gi", "quota/compute=+2Gi"),
            ("quota/compute=+much", "quota/compute=+2Gi"),
            ("quota/compute=+0", "quota/compute=+2Gi"),
            ("quota/compute=+-1", "quota/compute=+2Gi"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
