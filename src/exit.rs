//! What the program's end tells a script: contract section 7.

use crate::plan::{Outcome, Plan};

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// A plan was printed.
    Done = 0,
    /// Usage, input, connection or permission was wrong.
    Error = 1,
    /// There is something to do, and it completes.
    Work = 2,
    /// Blocked or livelock.
    Blocked = 3,
    /// The API server would refuse the change.
    Rejected = 4,
    /// Something that was required, or asked to be shown in every order, is not so.
    Finding = 5,
}

impl Exit {
    /// `verify`: something else happened than what was predicted.
    pub const DIVERGED: Exit = Exit::Blocked;
    /// `verify`: the set is another one than what was planned.
    pub const STALE: Exit = Exit::Rejected;
}

impl Exit {
    /// What `--detailed-exitcode` says of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        match &plan.outcome {
            Outcome::Rejected(_) => Exit::Rejected,
            Outcome::Blocked(_) | Outcome::Livelock => Exit::Blocked,
            Outcome::Complete if plan.has_work() => Exit::Work,
            Outcome::Complete => Exit::Done,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}
