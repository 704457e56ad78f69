//! Input: turns files, standard input or a live cluster into a snapshot of each set.

#[cfg(not(target_family = "wasm"))]
pub mod access;
mod applied;
#[cfg(not(target_family = "wasm"))]
pub mod cluster;
pub mod dump;
mod entry;
pub mod files;
mod inventory;
mod kind;
#[cfg_attr(target_family = "wasm", path = "no_cluster.rs")]
pub mod live;
mod locations;
mod objects;
pub mod originals;
mod parts;
pub mod read;
pub mod resolve;
mod set_manifest;
pub mod source_map;
mod suggest;
mod times;
mod unquoted;
mod version_shown;
mod wrong;

pub use entry::receive;
pub use inventory::{Inventory, Object, Shared};
pub use objects::{LoadError, Loaded, Reader, dump_among, load};
pub use set_manifest::SetManifest;
pub use wrong::location_of;
