//! Turning files and standard input into a snapshot.

pub mod manifest;
