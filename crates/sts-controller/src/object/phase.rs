//! Pod phases.

/// `status.phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumIter, strum::IntoStaticStr)]
pub enum Phase {
    /// No phase: the pod does not exist yet, or the kubelet has not seen it.
    #[strum(serialize = "")]
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
    /// Reports whether a pod in this phase has ended: none of its containers runs, or will.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(self, Phase::Succeeded | Phase::Failed)
    }

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
}
