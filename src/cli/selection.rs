//! Flags that select sets: docs/contract.md, "Flags of every kubectl user".

use anyhow::{Result, bail};
use clap::Args;

use crate::request;

/// Namespace of every command that reads objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Namespace {
    /// Namespace [default: the kubeconfig's]
    ///
    /// With -f, the default is all namespaces, and objects without a namespace get this one.
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
}

impl Namespace {
    /// Returns the namespace. As in kubectl, an empty one is unset: scripts pass `-n "$NAMESPACE"`.
    pub(super) fn non_empty(self) -> Option<String> {
        self.namespace.filter(|text| !text.is_empty())
    }
}

/// Selection of sets without names.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Selection {
    /// All sets in all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Label selector: a=b,c!=d,e in (f,g),h,!i
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,
}

impl Selection {
    /// Returns the selection of these names, or of all sets if there are none.
    pub(super) fn of(self, names: Vec<String>) -> request::Selection {
        request::Selection {
            names,
            all_namespaces: self.all_namespaces,
            selector: self.selector.filter(|text| !text.is_empty()),
            ignores_not_found: false,
        }
    }
}

/// Refuses names together with `-A` or `-l`.
pub(super) fn all_or_named(selection: &Selection, names: &[String]) -> Result<()> {
    if selection.all_namespaces && !names.is_empty() {
        bail!("-A cannot be combined with names: omit the names, or set a namespace with -n");
    }
    if selection.selector.as_ref().is_some_and(|it| !it.is_empty()) && !names.is_empty() {
        bail!("-l cannot be combined with names: omit one of them");
    }
    Ok(())
}
