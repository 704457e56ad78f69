//! A namespace that is being deleted, and the objects that keep it.

use sts_controller::object::RelatedObjects;

/// Conditions of a namespace that say what its deletion waits for, the most telling first.
const WAITS: [&str; 5] = [
    "NamespaceFinalizersRemaining",
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceDeletionContentFailure",
    "NamespaceContentRemaining",
];

/// Returns the report of a namespace on what keeps it, if the input has it: `Some content in the namespace has finalizers
/// remaining: strimzi.io/topic-operator in 2 resource instances`.
pub(super) fn remaining(related: &RelatedObjects, name: &str) -> String {
    let mut objects = related.bystanders(name);
    let Some(namespace) = objects.find(|it| &*it.kind == "Namespace" && *it.meta.name == *name)
    else {
        return String::new();
    };
    let told = |kind: &&str| {
        let mut conditions = namespace.conditions.iter();
        let found = conditions.find(|it| *it.kind == **kind && it.is_true == Some(true));
        found.map(|it| it.message.to_string())
    };
    WAITS.iter().find_map(told).unwrap_or_default()
}
