//! What a plan says in words: why it waits, what happens next, and how it ends. It reads holds; it never
//! works out the algorithm again.

mod command;
mod deletion;
mod evidence;
mod headline;
mod hold;
mod obstacle;
mod refusal;
mod remedy;
mod summary;

pub use evidence::{assumed, evidence};
pub use headline::headline;
pub use hold::hold;
pub use obstacle::{look_into, obstacle};
pub use refusal::{refusal, way_round};
pub use remedy::{Advice, advice};
pub use summary::summary;
