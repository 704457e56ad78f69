//! The subcommands, one a file.

pub mod completion;
pub mod plan;
pub mod rbac;
pub mod verify;
pub mod versions;
pub mod watch;
