//! Treatment of a cause by the analysis, beyond its recognition: facts of an entry that remedies and sentences read.

/// A check of the kubelet on a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerCheck {
    /// The liveness probe.
    Liveness,
    /// The startup probe.
    Startup,
    /// The postStart hook.
    PostStart,
}

impl ContainerCheck {
    /// The name in a sentence about a pod.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ContainerCheck::Liveness => "its liveness probe",
            ContainerCheck::Startup => "its startup probe",
            ContainerCheck::PostStart => "its postStart hook",
        }
    }

    /// The start of the message of its event.
    pub(crate) fn message_start(self) -> &'static str {
        match self {
            ContainerCheck::Liveness => "Liveness probe",
            ContainerCheck::Startup => "Startup probe",
            ContainerCheck::PostStart => "PostStartHook",
        }
    }
}

/// The part of the template whose change can end a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplatePart {
    /// Any part that the component at fault reads.
    AtFault,
    /// These members of the pod or its containers.
    Members(&'static [&'static str]),
    /// The init containers.
    InitContainers,
    /// The repository of an image: its tag is irrelevant.
    Repository,
    /// The requests and limits.
    Resources,
    /// No part.
    Nothing,
}

/// The precedence of an entry among the reports on one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// No other report is more specific.
    Decisive,
    /// The cause itself.
    Specific,
    /// A symptom: a specific report takes precedence, and the advice only repeats the headline.
    Generic,
    /// A report that an earlier report was not settled in time.
    Echo,
}

/// The kind of object that the message of a cause names as missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedObject {
    /// A ServiceAccount.
    ServiceAccount,
    /// A StorageClass.
    StorageClass,
    /// A key of a Secret or ConfigMap.
    Key,
}
