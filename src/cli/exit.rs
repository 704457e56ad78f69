//! What the program's end tells a script: contract section 7.

use sts_plan::plan::{Outcome, Plan};

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// A finding that `--fail-on` names; or something that was required, or asked to be shown in every order, is
    /// not so.
    Finding = 5,
    /// Somebody pressed Ctrl-C: 128 and the number of the signal, as shells have it.
    Interrupted = 130,
}

impl Exit {
    /// `verify`: something else happened than what was predicted.
    pub const DIVERGED: Exit = Exit::Blocked;
    /// `verify`: the set is another one than what was planned.
    pub const STALE: Exit = Exit::Rejected;

    /// The worse of two. A refused change is worse than a blocked one, of which nothing else came, and both are
    /// worse than a finding: they say more about the same plan.
    #[must_use]
    pub fn worse(self, other: Exit) -> Exit {
        let rank = |exit: Exit| match exit {
            Exit::Done => 0,
            Exit::Work => 1,
            Exit::Finding => 2,
            Exit::Blocked => 3,
            Exit::Rejected => 4,
            Exit::Error => 5,
            Exit::Interrupted => 6,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }

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
