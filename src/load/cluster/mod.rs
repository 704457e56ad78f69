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

mod connect;
mod error;
mod kubeconfig;
mod list;
mod read;
mod read_only;
mod request;
mod resource;
mod similar;
mod version;

pub use connect::{Access, Cluster, Link};
pub use error::ClusterError;
pub use kubeconfig::kubeconfig_files;
pub use read::{Scope, Seen, Unseen};
pub use read_only::{Guarded, ReadOnly, is_read_only};
pub use resource::Resource;
