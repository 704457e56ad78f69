//! Turning files, standard input or a live cluster into a snapshot of each set.

pub mod access;
pub mod cluster;
pub mod dump;
pub mod files;
mod inventory;
pub mod live;
mod objects;
pub mod originals;
pub mod read;
pub mod resolve;
pub mod source_map;
mod suggest;

pub use inventory::{Inventory, Object};
pub use objects::{
    LoadError, Loaded, Reader, SetManifest, check_size, dump_among, load, location_of, read_set,
    receive,
};
