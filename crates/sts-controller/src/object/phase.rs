//! Pod phases.

/// `status.phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumIter)]
pub enum Phase {
    /// No phase: the pod does not exist yet, or the kubelet has not seen it.
    Unset,
    /// `Pending`.
    Pending,
    /// `Running`.
    Running,
    /// `Succeeded`.
    Succeeded,
    /// `Failed`.
    Failed,
    /// `Unknown`, or a phase that the API does not define.
    Unknown,
}

impl Phase {
    pub(super) fn read(text: &str) -> Self {
        match text {
            "" => Phase::Unset,
            "Pending" => Phase::Pending,
            "Running" => Phase::Running,
            "Succeeded" => Phase::Succeeded,
            "Failed" => Phase::Failed,
            _ => Phase::Unknown,
        }
    }

    /// Returns the phase's name in the API; empty if unset.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Unset => "",
            Phase::Pending => "Pending",
            Phase::Running => "Running",
            Phase::Succeeded => "Succeeded",
            Phase::Failed => "Failed",
            Phase::Unknown => "Unknown",
        }
    }
}
