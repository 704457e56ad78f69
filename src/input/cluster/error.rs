//! Errors of a cluster, in one sentence each that says what to do.

use std::time::Duration;

use jiff::SignedDuration;
use kubectl_config::ConfigError;
use thiserror::Error;

use super::resource::Resource;
use crate::input::{LoadError, suggest};
use sts_controller::version::VersionError;
use sts_plan::duration::spell;

/// The reason that a cluster cannot be read.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// Nothing says where the cluster is.
    #[error(
        "there is no cluster to read: {0} names none, and this is not a pod of one; choose a context with --context, an address with --server (kubectl would try http://localhost:8080), or give the objects with -f"
    )]
    NoCluster(String),
    /// The kubeconfig has no context, cluster or user of that name, but a similar one.
    #[error("{what} {name:?} does not exist in the kubeconfig; did you mean {near}?")]
    NoSuchEntry {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant.
        near: String,
    },
    /// The flags, the kubeconfig or the credentials are wrong.
    #[error(transparent)]
    Config(ConfigError),
    /// No connection.
    #[error("cannot reach the API server {server}: {problem}")]
    Unreachable {
        /// Its address.
        server: String,
        /// The reason, and what to do.
        problem: String,
    },
    /// No answer came in time.
    #[error(
        "the API server {server} did not answer within {} when asked to {asked}: wait longer with --request-timeout, or try again",
        spell(SignedDuration::try_from(*.after).unwrap_or(SignedDuration::MAX))
    )]
    Late {
        /// Its address.
        server: String,
        /// The request, in words that follow "cannot".
        asked: String,
        /// The time that was waited for it.
        after: Duration,
    },
    /// Every answer was cut off.
    #[error(
        "the API server {server} broke off every answer when asked to {asked}, {tries} times: {problem}; nothing is planned of half an answer, try again later"
    )]
    Truncated {
        /// Its address.
        server: String,
        /// The request, in words that follow "cannot".
        asked: String,
        /// Number of tries.
        tries: u32,
        /// The end of the last one, in words.
        problem: String,
    },
    /// The server does not know who asks.
    #[error("the API server {server} does not accept the credentials (Unauthorized): {doubt}")]
    Unauthorized {
        /// Its address.
        server: String,
        /// The possible problem with them, and what to do.
        doubt: String,
    },
    /// The account lacks a right.
    #[error(
        "not allowed to {asked}, which is needed: ask for that right (kubectl sts-plan rbac prints a role with it); the server says: {message}"
    )]
    Forbidden {
        /// The verb, the resource and the place.
        asked: String,
        /// The server's words.
        message: String,
    },
    /// The account may not impersonate.
    #[error(
        "not allowed to act as another: ask for the right to impersonate, or leave --as out; the server says: {message}"
    )]
    NotAnother {
        /// The server's words.
        message: String,
    },
    /// The server answers with an error.
    #[error("cannot {asked}: the API server answers {code}: {message}{}", tried(*.tries))]
    Refused {
        /// The request, in words that follow "cannot".
        asked: String,
        /// The HTTP status.
        code: u16,
        /// The server's words.
        message: String,
        /// Number of tries.
        tries: u32,
    },
    /// A dry run is not possible.
    #[error(
        "cannot {asked}, not even as a dry run: the API server answers {code}: {message}; --apply-mode=local merges and checks the change here"
    )]
    NoDryRun {
        /// The request, in words that follow "cannot".
        asked: String,
        /// The HTTP status.
        code: u16,
        /// The server's words.
        message: String,
    },
    /// The answer is not what such a server sends.
    #[error("cannot {asked}: the answer of {server} is none of a Kubernetes API server: {problem}")]
    Malformed {
        /// Its address.
        server: String,
        /// The request, in words that follow "cannot".
        asked: String,
        /// The problem with the answer.
        problem: String,
    },
    /// A list expired again and again before it was whole.
    #[error(
        "cannot {asked}: the list expired before it was whole, {tries} times; the API server forgets too fast or answers too slowly, try again later"
    )]
    Expired {
        /// The request, in words that follow "cannot".
        asked: String,
        /// Number of tries.
        tries: u32,
    },
    /// There is no such set.
    #[error("StatefulSet {name:?} is not in namespace {namespace:?}{hint}")]
    NoSuchSet {
        /// The namespace.
        namespace: String,
        /// The name that was asked for.
        name: String,
        /// The sets that are there, in words.
        hint: String,
    },
    /// The server's version is not one that can be planned.
    #[error(
        "the API server {server} is too old or unknown: {error}; --kubernetes-version plans with the controller of another version"
    )]
    Version {
        /// Its address.
        server: String,
        /// The reason.
        error: VersionError,
    },
    /// An object is not what the API gives it to be.
    #[error(transparent)]
    Object(#[from] LoadError),
    /// The system gives no runtime.
    #[error("cannot start reading: {0}")]
    Runtime(std::io::Error),
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
        tries => format!(" (asked {tries} times)"),
    }
}

/// `list pods in namespace "prod"`, as it stands in messages.
pub(super) fn asked(
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
