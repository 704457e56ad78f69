//! Turning files and standard input into a snapshot.

pub mod defaults;
pub mod manifest;
pub mod schema;
