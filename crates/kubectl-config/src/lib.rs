//! Access to a cluster as in kubectl: connection flags, merged kubeconfigs, credential plugins and the kuberc policy
//! for them, token files, proxies and the service account of a pod. The result is a client configuration for
//! [kube](https://docs.rs/kube).
//!
//! kube reads kubeconfigs too, but differs from kubectl in ways that users of a kubectl plugin notice: precedence of
//! several files, precedence of credentials, renewal by plugins, and refused configurations. This crate follows
//! kubectl. Its errors include advice with the names of kubectl's flags, and never quote a secret.
//!
//! ```no_run
//! use kubectl_config::{Access, ConfigFlags, Notice, configure};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let flags = ConfigFlags { context: Some("staging".to_owned()), ..ConfigFlags::default() };
//! let access = Access::of_environment(flags);
//! let (config, credentials) = configure(&access, &Notice::default())?;
//! println!("{} in namespace {}", config.cluster_url, config.default_namespace);
//! # Ok(())
//! # }
//! ```
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
