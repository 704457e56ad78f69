//! Errors on the way to a client, in one sentence each that says what to do.

use thiserror::Error;

/// Number of names that a message lists.
const SHOWN: usize = 20;

/// The reason that flags and kubeconfigs make no client.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A kubeconfig is not there, or is none.
    #[error("kubeconfig {file}: {problem}")]
    Kubeconfig {
        /// The file's path.
        file: String,
        /// The problem, and what to do; nothing of what the file holds.
        problem: String,
    },
    /// Nothing says where the cluster is.
    #[error(
        "there is no cluster: {0} names none, and this is not a pod of one; choose a context with --context, or an address with --server"
    )]
    NoCluster(
        /// The context or the kubeconfigs, in words.
        String,
    ),
    /// The kubeconfig has no context, cluster or user of that name.
    #[error("{what} {name:?} does not exist in the kubeconfig; {}", listed(names))]
    NoSuchEntry {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// The flags or the kubeconfig contradict themselves, or hold what makes no request.
    #[error("{0}")]
    Access(
        /// The problem, and what to do.
        String,
    ),
    /// The credentials could not be had.
    #[error("the credentials cannot be had: {0}")]
    Credentials(
        /// The problem, and what to do.
        String,
    ),
}

/// Lists the names that there are.
fn listed(names: &[String]) -> String {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.as_slice(), more) {
        ([], _) => "there is none at all".to_owned(),
        ([only], _) => format!("there is {only}"),
        (names, 0) => format!("there are {}", names.join(", ")),
        (names, more) => format!("there are {} and {more} more", names.join(", ")),
    }
}
