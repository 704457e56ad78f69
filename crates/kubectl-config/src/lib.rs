//! Access to a cluster as kubectl has it: its connection flags, kubeconfigs merged and chosen from, credential plugins
//! and what the user's kuberc allows of them, token files, proxies, the account of a pod, and a client configuration of
//! [kube](https://docs.rs/kube) made of all that.
//!
//! kube reads kubeconfigs by itself, and differs from kubectl in places that a kubectl plugin's users meet: which
//! of several files counts, which proof is shown first, when a plugin is asked again, what is refused. Here
//! each is as in kubectl, and an error says in one sentence what to do, by the names of kubectl's flags; it never quotes a
//! secret.
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
//! `credentials.send(client, request)` shows the server what proves who asks, and asks a plugin again when its token ends.
//! For WebAssembly, which has no cluster, the crate is its flags.

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
