//! Turning files, standard input or a live cluster into a snapshot of each set.

mod base64;
pub mod cluster;
pub mod defaults;
mod inventory;
pub mod manifest;
mod objects;
pub mod schema;

pub use inventory::{Inventory, Object};
pub use manifest::{Reading, read_paths};
pub use objects::{
    LoadError, Loaded, Reader, SetManifest, check_size, load, place_of, read_set, receive,
};
