//! An object of another kind, with what it reports.

use std::fmt;
use std::sync::Arc;

use super::chain::{self, deepest};
use crate::catalogue::trouble_of;
use crate::plan::Plan;
use sts_controller::object::Bystander;

/// An object of another kind, with what it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Kind.
    pub kind: Arc<str>,
    /// Name.
    pub name: Arc<str>,
    /// Namespace; empty if it is of the whole cluster.
    pub namespace: Arc<str>,
    /// True if it is in another namespace than the set.
    pub is_elsewhere: bool,
    /// The condition or event that says why it fails; empty if nothing does.
    pub trouble: String,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Witness {
            kind,
            namespace,
            name,
            ..
        } = self;
        f.write_str(&chain::named(kind, namespace, name, self.is_elsewhere))
    }
}

impl Witness {
    /// Reads what an object reports: the condition that fails, or else the last warning about it.
    pub(super) fn of(plan: &Plan, object: &Bystander) -> Self {
        let meta = &object.meta;
        let condition = object.failing().map(|it| match &*it.message {
            "" => it.reason.to_string(),
            message => message.to_owned(),
        });
        let events = plan
            .related
            .events(&meta.namespace, &object.kind, &meta.name);
        let warning = events.iter().rfind(|event| event.is_warning);
        let trouble = behind(plan, object)
            .or(condition)
            .or_else(|| warning.map(|event| event.message.to_string()));
        Witness {
            kind: Arc::clone(&object.kind),
            name: Arc::clone(&meta.name),
            namespace: Arc::clone(&meta.namespace),
            is_elsewhere: chain::is_elsewhere(plan, meta),
            trouble: trouble.unwrap_or_default(),
        }
    }
}

/// Returns the trouble of the object behind the trouble of another: `ClusterIssuer ca reports: no such secret`.
fn behind(plan: &Plan, object: &Bystander) -> Option<String> {
    let own = trouble_of(object)?;
    let (deepest, trouble) = deepest(plan, object, own);
    let is_other = !std::ptr::eq(deepest, object);
    is_other.then(|| format!("{} {}", chain::path(plan, deepest), trouble.says))
}
