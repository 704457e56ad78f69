//! The flags that select sets: docs/contract.md, "Flags of every kubectl user".

use anyhow::{Result, bail};
use clap::Args;

use crate::request;

/// The namespace, which every command has that reads objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Namespace {
    /// Namespace [default: the kubeconfig's]
    ///
    /// With -f the default is all. Objects of -f without a namespace belong to it.
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
}

impl Namespace {
    /// An empty one is as good as none, as kubectl has it: a script writes `-n "$NAMESPACE"`.
    pub(super) fn given(self) -> Option<String> {
        self.namespace.filter(|text| !text.is_empty())
    }
}

/// The selection of sets where they are not named.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Selection {
    /// All sets of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Sets whose labels match: a=b,c!=d,e in (f,g),h,!i
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,
}

impl Selection {
    /// The sets of these names, or of all names if there are none.
    pub(super) fn of(self, names: Vec<String>) -> request::Selection {
        request::Selection {
            names,
            all_namespaces: self.all_namespaces,
            selector: self.selector.filter(|text| !text.is_empty()),
        }
    }
}

/// All namespaces have no one set of a name.
pub(super) fn all_or_named(selection: &Selection, names: &[String]) -> Result<()> {
    if selection.all_namespaces && !names.is_empty() {
        bail!(
            "-A plans all sets of all namespaces: leave the names out, or choose a namespace with -n"
        );
    }
    Ok(())
}
