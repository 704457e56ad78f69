//! Source of objects, and selection of sets: docs/contract.md, "Inputs".

use kubectl_config::ConfigFlags;

use super::Demo;
use super::set_rule::is_like;

/// Source of objects: a demo, files, or a cluster if neither is named.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Demo to plan.
    pub demo: Option<&'static Demo>,
    /// Files and directories; `-` is standard input.
    pub files: Vec<String>,
    /// True if directories are read recursively.
    pub recursive: bool,
    /// Connection to the cluster.
    pub connection: ConfigFlags,
    /// Namespace to read, and default namespace of objects in files; `None` for that of the kubeconfig.
    pub namespace: Option<String>,
    /// True if the terminal shows progress.
    pub shows_progress: bool,
    /// True if the objects are kept in their original form, for a dump.
    pub keeps_originals: bool,
}

impl World {
    /// Reports whether the objects come from a cluster.
    pub fn is_live(&self) -> bool {
        self.demo.is_none() && self.files.is_empty()
    }
}

/// Selection of sets.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Names, in which `*` stands for any part; empty for all sets.
    pub names: Vec<String>,
    /// True for the sets of all namespaces.
    pub all_namespaces: bool,
    /// Label selector.
    pub selector: Option<String>,
    /// True if sets that do not exist are no error.
    pub ignores_not_found: bool,
}

impl Selection {
    /// Reports whether a name selects several sets.
    pub fn has_pattern(&self) -> bool {
        self.names.iter().any(|name| name.contains('*'))
    }

    /// Reports whether the names select a set of this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| is_like(pattern, name))
    }
}
