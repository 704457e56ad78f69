//! An object of the name of a missing one in another namespace, where the pod does not look for it.

use super::{Facts, Recognized};
use crate::catalogue::CauseTrait;
use crate::foresight::Foreseen;
use crate::plan::Plan;

/// The kind of the networks of Multus, which a pod may name with their namespace.
const NETWORK: &str = "NetworkAttachmentDefinition";

/// Returns the object of the same kind and name in another namespace: `namespace staging has a Secret of that name`.
pub(super) fn twin(plan: &Plan, facts: &Facts, recognized: Option<&Recognized>) -> Option<String> {
    let own = &plan.snapshot.set.meta.namespace;
    let (kind, name) = match &facts.foreseen {
        Some(Foreseen::MissingConfig { object, .. }) => object.split_once(' ')?,
        _ => {
            let found = recognized.filter(|it| it.entry.has(CauseTrait::NamesNetwork))?;
            (NETWORK, found.entry.name_in(&found.message)?)
        }
    };
    let mut all = plan.related.all_bystanders();
    let found =
        all.find(|it| *it.kind == *kind && *it.meta.name == *name && it.meta.namespace != *own)?;
    let namespace = &found.meta.namespace;
    Some(match kind {
        NETWORK => format!(
            "namespace {namespace} has one of that name: {namespace}/{name} in the annotation means that one"
        ),
        _ => format!(
            "namespace {namespace} has a {kind} of that name, but pods read only their own namespace ({own})"
        ),
    })
}
