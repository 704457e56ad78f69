//! The kubeconfig files that kubectl would read.

use std::path::{Path, PathBuf};

/// Returns the files that kubectl would read: the named one, else those of `KUBECONFIG`, else that in the home
/// directory.
#[must_use]
pub fn kubeconfig_files(
    named: Option<&Path>,
    listed: Option<&std::ffi::OsStr>,
    home: Option<&Path>,
) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let listed: Vec<PathBuf> = listed
        .map(|listed| {
            std::env::split_paths(listed)
                .filter(|path| !path.as_os_str().is_empty())
                .collect()
        })
        .unwrap_or_default();
    if !listed.is_empty() {
        return listed;
    }
    home.map(|home| home.join(".kube").join("config"))
        .into_iter()
        .collect()
}
