//! Reading a live cluster. Nothing is ever written to one: see [`ReadOnly`].
//!
//! ```text
//! kubeconfig -> connect -> request -> list -> read -> the reader of manifests
//! ```
//!
//! What the server sends goes as it is through the reader that files go through, so that an object and a dump of it
//! are the same to the planner.
//!
//! A list is whole or it is an error: a page that is cut off, refused or late is asked for again as kubectl would
//! (the module `request`), a list that expires in the middle begins anew, and whatever is still wrong after that ends the run.

mod apply;
mod connect;
mod error;
mod gates;
mod kubeconfig;
mod list;
mod names;
mod permission;
mod progress;
mod read;
mod read_only;
mod request;
mod resource;
mod similar;
mod version;

pub use apply::{Answered, Cause, Proposal, Verdict};
pub use connect::{Access, Cluster, Link, namespace_of};
pub use error::ClusterError;
pub use kubeconfig::{Entries, entries, kubeconfig_files};
pub use permission::{PERMISSIONS, Permission, Target};
pub use progress::Progress;
pub use read::{Scope, Seen, Unseen};
pub use read_only::{Guarded, ReadOnly, is_read_only};
pub use resource::Resource;
