//! Reading a live cluster. Nothing is ever written: see [`is_read_only`].
//!
//! ```text
//! kubectl-config -> connect -> request -> list -> read -> the reader of manifests
//! ```
//!
//! Objects of a server are parsed like files, so that an object and a dump of it give the same plan.
//!
//! A list is complete or an error. A truncated, refused or late page is requested again as kubectl does (module
//! `request`), and an expired list starts over; any other error ends the run.

mod apply;
mod around;
mod beside_nodes;
mod body;
mod connect;
mod demand;
mod error;
mod error_chain;
mod evict;
mod gates;
mod handshake;
mod list;
mod names;
mod page;
mod permission;
mod progress;
mod read;
mod read_only;
mod request;
mod resource;
mod scope;
mod sweep;
mod version;
mod watch;

pub use apply::Proposal;
pub use connect::{ApiClient, Cluster};
pub use demand::Demand;
pub use error::ClusterError;
pub use evict::EvictionAnswer;
pub use permission::{OF_NODES, ON_DEMAND, PERMISSIONS, Permission, Target};
pub use progress::Progress;
pub use read::{ReadOptions, ReadResult};
pub use read_only::is_read_only;
pub use resource::Resource;
pub use scope::Scope;
pub use sweep::Sweep;
pub use watch::{ObjectChange, ObjectChanges, WatchError, Watched};
