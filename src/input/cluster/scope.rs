//! The choice of the sets of a cluster that are read.

use super::resource::Resource;

/// The sets that are read, and with them what their controller may meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The sets of these names in a namespace. Those that need not exist are passed over if they do not.
    Names {
        /// The namespace.
        namespace: String,
        /// The names.
        names: Vec<String>,
        /// True if each must be there. Where several are named, those that are not are told apart.
        must_exist: bool,
    },
    /// The sets of a namespace whose labels match a selector, if there is one.
    Every {
        /// The namespace.
        namespace: String,
        /// As `-l` has it.
        selector: Option<String>,
        /// True if it is one of many: what is of the cluster is left out then, and events, for which no row has room.
        one_of_many: bool,
    },
    /// No sets, but what is around those of all namespaces.
    Cluster,
}

impl Scope {
    /// Reports whether objects of a kind are read along with the sets.
    pub(super) fn has_use_for(&self, resource: Resource) -> bool {
        match self {
            Scope::Names { .. } => true,
            Scope::Every {
                selector,
                one_of_many,
                ..
            } => match resource {
                // The sets themselves are asked for otherwise; those that the selector leaves out may still be in
                // the way of the others.
                Resource::SETS => selector.is_some(),
                Resource::EVENTS => !one_of_many,
                _ => resource.namespaced || !one_of_many,
            },
            Scope::Cluster => !resource.namespaced && resource != Resource::VOLUMES,
        }
    }

    /// The namespace that it is of; `None` for the cluster.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Scope::Names { namespace, .. } | Scope::Every { namespace, .. } => Some(namespace),
            Scope::Cluster => None,
        }
    }
}
