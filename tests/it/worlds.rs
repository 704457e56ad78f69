//! The engine's generated worlds, with the assumptions of their plans.

pub use test_kit::plans::conditions;
pub use test_kit::worlds::*;
