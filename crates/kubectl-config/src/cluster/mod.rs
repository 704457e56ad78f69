//! Combines flags, kubeconfigs and the environment to a server and a user.
//!
//! ```text
//! kubeconfig, service_account -> access (flags over them) -> configure -> credentials
//! ```

mod access;
mod certificate;
mod configure;
mod credentials;
mod error;
mod kubeconfig;
mod kuberc;
mod notice;
mod oidc;
mod plugin;
#[cfg(unix)]
mod plugin_children;
mod proxy;
mod service_account;
mod token;

pub use access::Access;
pub use configure::{configure, namespace_of, without_password};
pub use credentials::{Credentials, CredentialsError};
pub use error::ConfigError;
pub use kubeconfig::files::kubeconfig_files;
pub use kubeconfig::{Entries, entries};
pub use kuberc::Kuberc;
pub use notice::Notice;
pub use proxy::Proxies;
pub use service_account::ServiceAccount;
