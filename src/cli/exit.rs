//! Exit codes: docs/contract.md, "Exit codes". Scripts rely on them; help prints them from here.

use std::fmt::Write as _;

use sts_plan::fleet::{GateFailure, PlanEnd};
use sts_plan::plan::PlanResult;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success. With `--detailed-exitcode`: nothing to do.
    Done = 0,
    /// Error in usage, input, connection or permissions; timeout of a watch.
    Error = 1,
    /// `--detailed-exitcode`: the plan has work to do and completes. `--next`: wait.
    Work = 2,
    /// `--detailed-exitcode` or `--fail-on blocked`: blocked or livelock.
    Blocked = 3,
    /// The API server would refuse the change, with or without a gate.
    Rejected = 4,
    /// A finding that `--fail-on` names; a broken requirement; an exploration that found a counterexample or did not
    /// finish.
    Finding = 5,
    /// Interrupted by Ctrl-C: 128 plus the signal number, as in shells.
    Interrupted = 130,
}

impl Exit {
    /// `verify`: the rollout diverged from the prediction.
    pub const DIVERGED: Exit = Exit::Blocked;
    /// `verify`: the set is no longer the one that was planned.
    pub const STALE: Exit = Exit::Rejected;

    /// Returns the worse of two codes. Rejected is worse than blocked, and both are worse than a finding, because they
    /// say more about the same plan.
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
}

/// The exit code of a plan under `--detailed-exitcode`.
impl From<PlanEnd> for Exit {
    fn from(end: PlanEnd) -> Self {
        match end {
            PlanEnd::NothingToDo => Exit::Done,
            PlanEnd::Works => Exit::Work,
            PlanEnd::Blocked => Exit::Blocked,
            PlanEnd::Rejected => Exit::Rejected,
        }
    }
}

impl From<&GateFailure> for Exit {
    fn from(failure: &GateFailure) -> Self {
        match failure {
            GateFailure::Result(PlanResult::Rejected) => Exit::Rejected,
            GateFailure::Result(_) | GateFailure::Answer(_) | GateFailure::AgainstEvidence(_) => {
                Exit::Blocked
            }
            GateFailure::Finding(..) | GateFailure::Effect(_) => Exit::Finding,
            GateFailure::Unknown(_) | GateFailure::NotChecked(_) | GateFailure::Inconsistent(_) => {
                Exit::Error
            }
        }
    }
}

/// Formats the exit codes of a plan on one line.
pub(super) fn in_a_line() -> String {
    format!(
        "Exit codes: {} planned, {} error, {} rejected; with gates {} blocked, {} finding.",
        Exit::Done as u8,
        Exit::Error as u8,
        Exit::Rejected as u8,
        Exit::Blocked as u8,
        Exit::Finding as u8,
    )
}

/// Formats the exit codes of a plan for help.
pub(super) fn of_plan() -> String {
    let codes = [
        (
            Exit::Done,
            "plan printed (--detailed-exitcode: and nothing to do)",
        ),
        (Exit::Error, "error in usage or input"),
        (
            Exit::Work,
            "--detailed-exitcode: the plan has work to do and completes;\n     \
             --next: wait",
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
            "a finding that --fail-on names; a broken requirement; or --explore found a\n     \
             counterexample or did not finish",
        ),
    ];
    table("Exit codes:", &codes) + "\n  If several apply, the first of 4, 3, 5, 2 is returned."
}

/// Formats the exit codes of `-w` for help.
pub(super) fn of_watch() -> String {
    let codes = [
        (
            Exit::Done,
            "the set is complete, or it is gone and the watch saw its deletion",
        ),
        (
            Exit::Error,
            "error, timeout, or the set disappeared unexpectedly",
        ),
        (Exit::Blocked, "blocked or livelock"),
        (Exit::Interrupted, "interrupted"),
    ];
    table("Exit codes of -w:", &codes)
}

/// Formats the exit codes of `verify` for help.
pub(super) fn of_verify() -> String {
    let codes = [
        (
            Exit::Done,
            "everything happened as predicted: pending, on track, ahead or finished\n     \
             (a late step is reported, but is not a divergence)",
        ),
        (Exit::Error, "error in usage or input"),
        (
            Exit::Work,
            "--detailed-exitcode: as predicted, but not finished yet",
        ),
        (Exit::DIVERGED, "diverged: the rollout took another course"),
        (
            Exit::STALE,
            "stale: the set is gone, or its spec is no longer the planned one",
        ),
    ];
    table("Exit codes:", &codes)
}

fn table(title: &str, codes: &[(Exit, &str)]) -> String {
    let mut out = title.to_owned();
    for (exit, meaning) in codes {
        // Writing to a string does not fail.
        let _ = write!(out, "\n  {}  {meaning}", *exit as u8);
    }
    out
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}
