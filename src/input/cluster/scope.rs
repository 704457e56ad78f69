//! Selection of the sets to read from a cluster.

use super::resource::Resource;

/// Sets to read, together with the objects that their controller reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Sets of these names in a namespace. Optional sets are skipped if they do not exist.
    Names {
        namespace: String,
        names: Vec<String>,
        /// True if all must exist. If several are named, each missing one has its own error.
        must_exist: bool,
    },
    /// Sets of a namespace that match a selector, if any.
    Every {
        namespace: String,
        /// Selector in the form of `-l`.
        selector: Option<String>,
        /// True if it is one of many namespaces: cluster-scoped objects and events are then omitted, since the table
        /// has no room for them.
        one_of_many: bool,
    },
    /// Only the objects around sets, of all namespaces.
    Cluster,
}

impl Scope {
    /// Reports whether objects of a kind are read with the sets.
    pub(super) fn has_use_for(&self, resource: Resource) -> bool {
        match self {
            Scope::Names { .. } => true,
            Scope::Every {
                selector,
                one_of_many,
                ..
            } => match resource {
                // The sets themselves are read separately; sets that the selector excludes may still conflict with
                // them.
                Resource::SETS => selector.is_some(),
                Resource::EVENTS => !one_of_many,
                _ => resource.namespaced || !one_of_many,
            },
            Scope::Cluster => !resource.namespaced && resource != Resource::VOLUMES,
        }
    }

    /// Returns the namespace; `None` for the cluster.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Scope::Names { namespace, .. } | Scope::Every { namespace, .. } => Some(namespace),
            Scope::Cluster => None,
        }
    }
}
