//! Hostile inputs: sound ones that chance has changed, with the words and the structure of their format in mind.
//!
//! ```sh
//! cargo test --test fuzz                                                        # a few hundred inputs a target
//! FUZZ_SECONDS=50 cargo test --test fuzz -- --nocapture --test-threads 1        # as many as go into ten minutes
//! PROPTEST_RNG_SEED=7 PROPTEST_CASES=5000 cargo test --test fuzz yaml           # others, of one target
//! ```
//!
//! No target may panic, work for long or eat memory, and where there are two ways to one answer, they agree.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a target that cannot go on fails, and each says how much it was given"
)]

mod drive;
mod files;
mod input;
mod orders;
mod planning;
mod reading;
mod tree;
mod yaml;
