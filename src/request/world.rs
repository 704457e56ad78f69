//! The source of the objects, and the selection of sets among them: docs/contract.md, "Inputs".

use kubectl_config::ConfigFlags;

use super::Demo;

/// The source of the objects: a demo, files, or a cluster where neither is named.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The demo whose objects are planned.
    pub demo: Option<&'static Demo>,
    /// Files and directories; `-` is standard input.
    pub files: Vec<String>,
    /// True if directories are read with everything below them.
    pub recursive: bool,
    /// The connection to the cluster.
    pub connection: ConfigFlags,
    /// The namespace of what names none; in a cluster, the one to read. The kubeconfig's if there is none.
    pub namespace: Option<String>,
    /// True if a terminal shows how far reading is.
    pub shows_progress: bool,
    /// True if the objects are kept as they came, to be written out again.
    pub keeps_originals: bool,
}

impl World {
    /// Reports whether the objects are those of a cluster.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.demo.is_none() && self.files.is_empty()
    }
}

/// The selection of sets.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Their names as the user wrote them, with a kind or without; none for all.
    pub names: Vec<String>,
    /// True if the sets of all namespaces are meant.
    pub all_namespaces: bool,
    /// The selector of their labels.
    pub selector: Option<String>,
}
