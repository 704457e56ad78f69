//! The operator that a set belongs to: its owner, or the one that its labels tell.

use super::Plan;
use sts_controller::object::Set;

/// Labels and annotations that operators put on their sets, with the kind of the object that a set belongs to. Their value
/// is its name. Some operators set no ownerReferences, or only if an option asks for them.
const MARKS: [(&str, &str); 11] = [
    // Zalando's postgres-operator: enable_owner_references is off by default.
    ("cluster-name", "postgresql"),
    (
        "postgres-operator.crunchydata.com/cluster",
        "PostgresCluster",
    ),
    ("strimzi.io/cluster", "Kafka"),
    ("elasticsearch.k8s.elastic.co/cluster-name", "Elasticsearch"),
    ("clickhouse.altinity.com/chi", "ClickHouseInstallation"),
    ("cassandra.datastax.com/cluster", "CassandraDatacenter"),
    ("scylla/cluster", "ScyllaCluster"),
    ("mysql.oracle.com/cluster", "InnoDBCluster"),
    ("opster.io/opensearch-cluster", "OpenSearchCluster"),
    ("v1.min.io/tenant", "Tenant"),
    ("vault_cr", "Vault"),
];

/// The labels with which other labels of [`MARKS`] count: their names alone say little.
const ONLY_WITH: [(&str, (&str, &str)); 1] = [("cluster-name", ("application", "spilo"))];

/// The label with the program that manages an object.
pub(super) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The label of the sets whose pods Grafana's rollout-operator deletes, one set at a time.
pub(super) const ROLLOUT_GROUP: &str = "rollout-group";

impl Plan {
    /// Returns the operator that reverts changes of the set: the object that owns it, or the one that its labels name.
    pub(crate) fn operator(&self) -> Option<String> {
        let set = &self.snapshot.set;
        let owner = set.meta.controller();
        let owner = owner.map(|owner| format!("{} {}", owner.kind, owner.name));
        owner.or_else(|| of_labels(set))
    }

    /// Returns who deletes the outdated pods of a set with the strategy OnDelete, if it is not its user.
    pub(crate) fn deleter(&self) -> Option<String> {
        let labels = &self.snapshot.set.meta.labels;
        let grouped = || {
            let group = labels.get(ROLLOUT_GROUP)?;
            Some(format!("rollout-operator (group {group})"))
        };
        self.operator().or_else(grouped)
    }
}

fn of_labels(set: &Set) -> Option<String> {
    let value = |key: &str| mark(set, key);
    let counts = |key: &str| {
        let mut others = ONLY_WITH.iter().filter(|(of, _)| *of == key);
        others.all(|(_, (other, wanted))| value(other) == Some(wanted))
    };
    let mut marks = MARKS.iter().filter(|(key, _)| counts(key));
    let marked = marks.find_map(|(key, kind)| Some(format!("{kind} {}", value(key)?)));
    let named = || value(MANAGED_BY).filter(|it| is_operator(it));
    marked.or_else(|| named().map(str::to_owned))
}

/// Returns the value of a label, or else of an annotation.
pub(crate) fn mark<'s>(set: &'s Set, key: &str) -> Option<&'s str> {
    let label = set.meta.labels.get(key).map(|label| &**label);
    let annotations = set.annotations.as_ref();
    label.or_else(|| annotations?.get(key)?.as_str())
}

/// Reports whether a manager is called an operator, such as `tidb-operator`.
pub(super) fn is_operator(manager: &str) -> bool {
    manager.contains("operator")
}
