//! Exit codes: docs/contract.md, "Exit codes". They are an interface: scripts compare them, and the help prints them from
//! here.

use std::fmt::Write as _;

use sts_plan::analysis::Analysis;
use sts_plan::plan::Outcome;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The answer was printed. With `--detailed-exitcode`: and there is nothing to do.
    Done = 0,
    /// Usage, input, connection or permission is wrong; a watch ran out of time.
    Error = 1,
    /// `--detailed-exitcode`: there is something to do, and it completes. `--next`: nothing may be run yet.
    Work = 2,
    /// `--detailed-exitcode` or `--fail-on blocked`: blocked or livelock.
    Blocked = 3,
    /// The API server would refuse the change, with or without a gate.
    Rejected = 4,
    /// A finding that `--fail-on` names; a requirement that breaks; an exploration that found an order of events
    /// that goes wrong, or did not come to its end.
    Finding = 5,
    /// The user pressed Ctrl-C: 128 and the number of the signal, as shells have it.
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

    /// Returns the exit code of a plan under `--detailed-exitcode`.
    #[must_use]
    pub fn of(analysis: &Analysis<'_>) -> Self {
        match &analysis.plan.outcome {
            Outcome::Rejected(_) => Exit::Rejected,
            Outcome::Blocked(_) | Outcome::Livelock => Exit::Blocked,
            Outcome::Complete if analysis.plan.has_work() => Exit::Work,
            Outcome::Complete => Exit::Done,
        }
    }
}

/// The exit codes of a plan, in a line.
pub(super) fn in_a_line() -> String {
    format!(
        "Exit codes: {} planned, {} error, {} rejected; with a gate {} blocked, {} finding.",
        Exit::Done as u8,
        Exit::Error as u8,
        Exit::Rejected as u8,
        Exit::Blocked as u8,
        Exit::Finding as u8,
    )
}

/// The exit codes of a plan, as help has them.
pub(super) fn of_plan() -> String {
    let codes = [
        (
            Exit::Done,
            "a plan was printed (--detailed-exitcode: and there is nothing to do)",
        ),
        (Exit::Error, "an error in usage or input"),
        (
            Exit::Work,
            "--detailed-exitcode: there is something to do, and it completes;\n     \
             --next: nothing may be run yet",
        ),
        (
            Exit::Blocked,
            "--detailed-exitcode or --fail-on blocked: blocked or livelock",
        ),
        (
            Exit::Rejected,
            "the API server would refuse the change, with or without a gate",
        ),
        (
            Exit::Finding,
            "a finding that --fail-on names; a requirement breaks; or exploring found an\n     \
             order that goes wrong, or did not come to its end",
        ),
    ];
    table("Exit codes:", &codes) + "\n  Of several, 4 counts before 3, 3 before 5, and 5 before 2."
}

/// The exit codes of `-w`, as help has them.
pub(super) fn of_watch() -> String {
    let codes = [
        (
            Exit::Done,
            "the set is complete, or gone after its deletion was seen",
        ),
        (
            Exit::Error,
            "an error, the end of --timeout, or the set is gone without a warning",
        ),
        (
            Exit::Blocked,
            "blocked or livelock: nothing more will happen",
        ),
        (Exit::Interrupted, "interrupted"),
    ];
    table("Exit codes of -w:", &codes)
}

/// The exit codes of `verify`, as help has them.
pub(super) fn of_verify() -> String {
    let codes = [
        (
            Exit::Done,
            "all that happened is what was predicted: pending, on track, ahead or\n     \
             finished (a step that is late is said to be so, and is not a divergence)",
        ),
        (Exit::Error, "an error in usage or input"),
        (
            Exit::Work,
            "--detailed-exitcode: the same as 0, and not finished yet",
        ),
        (Exit::DIVERGED, "diverged: something else happened"),
        (
            Exit::STALE,
            "stale: the set is gone, or asks for something else than what was\n     planned",
        ),
    ];
    table("Exit codes:", &codes)
}

fn table(title: &str, codes: &[(Exit, &str)]) -> String {
    let mut out = title.to_owned();
    for (exit, meaning) in codes {
        // Writing to a text does not fail.
        let _ = write!(out, "\n  {}  {meaning}", *exit as u8);
    }
    out
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}
