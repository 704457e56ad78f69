//! The integration tests, one binary.

mod quantity;
