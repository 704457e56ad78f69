//! Errors of the configuration, each with advice.

use thiserror::Error;

/// Number of names in a message.
const SHOWN: usize = 20;

/// Error in flags, kubeconfigs or credentials.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A kubeconfig does not exist, or is invalid.
    #[error("kubeconfig {file}: {problem}")]
    Kubeconfig {
        /// Path of the file.
        file: String,
        /// Problem and advice, without contents of the file.
        problem: String,
    },
    /// No cluster is configured.
    #[error(
        "no cluster configured: {0} names none, and this is not a pod; set --context or --server"
    )]
    NoCluster(
        /// Description of the context or the kubeconfigs.
        String,
    ),
    /// The kubeconfig has no context, cluster or user of that name.
    #[error("{what} {name:?} does not exist in the kubeconfig; {}", listed(names))]
    NoSuchEntry {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name.
        name: String,
        /// Existing names.
        names: Vec<String>,
    },
    /// The flags or the kubeconfig are contradictory or invalid.
    #[error("{0}")]
    Access(
        /// Problem and advice.
        String,
    ),
    /// The credentials could not be obtained.
    #[error("cannot get credentials: {0}")]
    Credentials(
        /// Problem and advice.
        String,
    ),
}

/// Lists the existing names.
fn listed(names: &[String]) -> String {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.as_slice(), more) {
        ([], _) => "it has none".to_owned(),
        ([only], _) => format!("it has {only}"),
        (names, 0) => format!("it has {}", names.join(", ")),
        (names, more) => format!("it has {} and {more} more", names.join(", ")),
    }
}
