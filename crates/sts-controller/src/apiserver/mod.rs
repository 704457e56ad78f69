//! The API server of a version: decoding, defaulting, validation and apply.

pub mod apply;
pub mod defaults;
pub mod quantity;
pub mod schema;
pub mod server_side_apply;
mod strict;
pub mod validation;

pub use strict::strict_decoding_error;
