#![doc = include_str!("../README.md")]
//!
//! `credentials.send(client, request)` adds the credentials to a request, and runs a plugin again when its token
//! expires. On WebAssembly, which has no cluster, the crate only has the flags.

pub mod bounded;
mod duration;
mod flags;
mod secret;

pub use duration::parse_duration;
pub use flags::{ConfigFlags, any_path, yes_or_no};
pub use secret::Token;

#[cfg(not(target_family = "wasm"))]
mod cluster;

#[cfg(not(target_family = "wasm"))]
pub use cluster::{
    Access, ConfigError, Credentials, CredentialsError, Entries, Kuberc, Notice, Proxies,
    ServiceAccount, configure, entries, kubeconfig_files, namespace_of, without_password,
};
