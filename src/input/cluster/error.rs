//! Errors of reading a cluster, each with advice.

use std::time::Duration;

use jiff::SignedDuration;
use kubectl_config::ConfigError;
use thiserror::Error;

use super::resource::Resource;
use crate::input::{LoadError, suggest};
use sts_controller::version::VersionError;
use sts_plan::duration::spell;

/// Error of reading a cluster.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// No cluster is configured.
    #[error(
        "no cluster configured: {0} names none, and this is not a pod; set --context or --server (kubectl would try http://localhost:8080), pass objects with -f, or try kubectl sts-plan demo"
    )]
    NoCluster(String),
    /// The kubeconfig has no context, cluster or user of that name, but a similar one.
    #[error("{what} {name:?} does not exist in the kubeconfig; did you mean {near}?")]
    NoSuchEntry {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        name: String,
        /// Similar name.
        near: String,
    },
    /// The flags, the kubeconfig or the credentials are invalid.
    #[error(transparent)]
    Config(ConfigError),
    /// No connection.
    #[error("cannot reach the API server {server}: {problem}")]
    Unreachable {
        /// Address of the API server.
        server: String,
        /// Reason and advice.
        problem: String,
    },
    /// The server did not answer in time.
    #[error(
        "timeout: the API server {server} did not answer within {} to the request to {action}; retry, or raise --request-timeout",
        spell(SignedDuration::try_from(*.after).unwrap_or(SignedDuration::MAX))
    )]
    Late {
        /// Address of the API server.
        server: String,
        /// Description of the request, after "cannot".
        action: String,
        /// Timeout.
        after: Duration,
    },
    /// Every response was truncated.
    #[error(
        "cannot {action}: all {tries} responses of the API server {server} were truncated: {problem}; try again later"
    )]
    Truncated {
        /// Address of the API server.
        server: String,
        /// Description of the request, after "cannot".
        action: String,
        /// Number of attempts.
        tries: u32,
        /// Problem with the last response.
        problem: String,
    },
    /// The server does not accept the credentials.
    #[error("the API server {server} does not accept the credentials (Unauthorized): {doubt}")]
    Unauthorized {
        /// Address of the API server.
        server: String,
        /// Possible reason and advice.
        doubt: String,
    },
    /// The account lacks a permission.
    #[error(
        "not allowed to {action}: request this permission (kubectl sts-plan rbac prints a role with it); the server says: {message}"
    )]
    Forbidden {
        /// Verb, resource and namespace.
        action: String,
        /// Message of the server.
        message: String,
    },
    /// The account may not impersonate.
    #[error(
        "not allowed to impersonate: request this permission, or omit --as; the server says: {message}"
    )]
    NotAnother {
        /// Message of the server.
        message: String,
    },
    /// The server answered with an error.
    #[error("cannot {action}: the API server answers {code}: {message}{}", tried(*.tries))]
    Refused {
        /// Description of the request, after "cannot".
        action: String,
        /// The HTTP status.
        code: u16,
        /// Message of the server.
        message: String,
        /// Number of attempts.
        tries: u32,
    },
    /// A dry run is not possible.
    #[error(
        "cannot {action} in a dry run: the API server answers {code}: {message}; --apply-mode=local merges and validates the change locally"
    )]
    NoDryRun {
        /// Description of the request, after "cannot".
        action: String,
        /// The HTTP status.
        code: u16,
        /// Message of the server.
        message: String,
    },
    /// The response is not one of a Kubernetes API server.
    #[error(
        "cannot {action}: the response of {server} is not from a Kubernetes API server: {problem}"
    )]
    Malformed {
        /// Address of the API server.
        server: String,
        /// Description of the request, after "cannot".
        action: String,
        /// Problem with the response.
        problem: String,
    },
    /// A list expired several times before it was complete.
    #[error(
        "cannot {action}: the list expired (410 Gone) before it was complete, {tries} times; try again later"
    )]
    Expired {
        /// Description of the request, after "cannot".
        action: String,
        /// Number of attempts.
        tries: u32,
    },
    /// The set does not exist.
    #[error("StatefulSet {name:?} not found in namespace {namespace:?}{hint}")]
    NoSuchSet {
        namespace: String,
        /// Requested name.
        name: String,
        /// Suggestion or list of existing sets.
        hint: String,
    },
    /// The version of the server is not supported.
    #[error(
        "unsupported version of the API server {server}: {error}; choose another controller with --kubernetes-version"
    )]
    Version {
        /// Address of the API server.
        server: String,
        /// Reason.
        error: VersionError,
    },
    /// An object is invalid.
    #[error(transparent)]
    Object(#[from] LoadError),
    /// The runtime cannot be created.
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
}

impl ClusterError {
    /// Reports whether every other request would fail in the same way.
    pub(super) fn ends_the_run(&self) -> bool {
        matches!(
            self,
            ClusterError::NoCluster(_)
                | ClusterError::NoSuchEntry { .. }
                | ClusterError::Config(_)
                | ClusterError::Unauthorized { .. }
                | ClusterError::NotAnother { .. }
                | ClusterError::Runtime(_)
        )
    }
}

impl From<ConfigError> for ClusterError {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::NoCluster(place) => ClusterError::NoCluster(place),
            ConfigError::NoSuchEntry { what, name, names } => {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                match suggest::near(&name, &known) {
                    Some(near) => ClusterError::NoSuchEntry { what, name, near },
                    None => ClusterError::Config(ConfigError::NoSuchEntry { what, name, names }),
                }
            }
            error => ClusterError::Config(error),
        }
    }
}

fn tried(tries: u32) -> String {
    match tries {
        0 | 1 => String::new(),
        tries => format!(" ({tries} attempts)"),
    }
}

/// Describes a request for messages: `list pods in namespace "prod"`.
pub(super) fn action(
    verb: &str,
    resource: Resource,
    namespace: Option<&str>,
    name: Option<&str>,
) -> String {
    let name = name.map(|name| format!(" {name:?}")).unwrap_or_default();
    match namespace {
        _ if !resource.namespaced => format!("{verb} {resource}{name}"),
        Some(namespace) => format!("{verb} {resource}{name} in namespace {namespace:?}"),
        None => format!("{verb} {resource}{name} in all namespaces"),
    }
}
