//! The world around the controller: semantics of `contract.md`, section 5.

mod api_server;

pub use api_server::Answers;
