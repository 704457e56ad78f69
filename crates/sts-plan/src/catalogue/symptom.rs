//! Symptoms: what the objects show of a stuck pod, and how it is told.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::Deserialize;

use super::fact::Fact;
use super::terms::{Cure, ReadPart};

/// A symptom of a stuck pod, whether or not the catalogue knows its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, strum::EnumIter)]
#[serde(rename_all = "kebab-case")]
pub enum Symptom {
    /// A container exits repeatedly.
    CrashLoop,
    /// The kubelet restarts a container whose probe or hook fails.
    CheckFails,
    /// A container exits because it needs a later pod of its set, which is created only once this one is ready.
    LaterPod,
    /// A container needs more memory than its limit.
    OutOfMemory,
    /// The containers of a pod need more memory than the limit that they share.
    PodOutOfMemory,
    /// A container without a memory limit needs more memory than its node has.
    NodeOutOfMemory,
    /// The image of a container cannot be pulled.
    ImagePull,
    /// The image of a volume cannot be pulled.
    VolumeImagePull,
    /// A container cannot be created because of a Secret, a ConfigMap or a mount.
    ContainerConfig,
    /// The scheduler has no node for the pod.
    Unschedulable,
    /// A volume cannot be attached or mounted, and another pod uses it.
    VolumeHeld,
    /// A volume cannot be attached or mounted.
    VolumeNotAttached,
    /// The pod's node does not respond.
    NodeLost,
    /// The pod's node no longer exists.
    NodeGone,
    /// The pod's node is reported as not responding, and the input does not have it.
    NodeReportedLost,
    /// No node responds.
    NodesSilent,
    /// The kubelet of the pod's node responds, and reports the node as not ready.
    NodeNotReady,
    /// The pod is held by its finalizers.
    Finalizers,
    /// The pod is past its grace period for an unknown reason.
    Terminating,
    /// A quota has no room for the pod.
    Quota,
    /// Admission, a policy or validation refuses the pod.
    Refused,
    /// The API server refuses the deletion of the pod.
    DeletionRefused,
    /// The kubelet keeps rejecting or evicting the pod.
    KubeletRejects,
    /// A claim of the pod is being deleted.
    ClaimDeleted,
    /// No scheduler has picked the pod up.
    SchedulerSilent,
    /// The kubelet on its node has not picked the pod up.
    KubeletSilent,
    /// The pod waits for a running init container.
    InitContainer,
    /// A container waits to start.
    NotStarting,
    /// The StorageClass of a claim does not exist.
    ClassMissing,
    /// A claim names no StorageClass, and none is the default.
    ClassUnset,
    /// No volume fits a claim, and nothing provisions one.
    VolumeMissing,
    /// The provisioner of a claim fails.
    ProvisioningFails,
    /// The provisioner of a claim does not answer.
    ProvisionerSilent,
    /// The volume that a claim names cannot be bound to it.
    VolumeRefused,
    /// The volume of a claim is gone.
    ClaimLost,
    /// No node of the input accepts the pod.
    NoNode,
    /// The nodes that would accept the pod are not ready.
    NoReadyNode,
    /// The pods exclude each other, and there are too few places for them.
    TooFewNodes,
    /// A Secret or ConfigMap is missing.
    MissingConfig,
    /// The pod is running but not ready.
    NotReady,
    /// The containers are ready, but a readiness gate is not met.
    GateNotMet,
    /// A component evicts the pod again and again.
    EvictedAgain,
    /// The pod is deleted again and again, and no event says by what.
    DeletedAgain,
    /// The controller replaces the pod again and again, because the set changes.
    ReplacedAgain,
    /// The template of the set changes again and again.
    TemplateChanges,
}

/// A symptom as its file declares it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SymptomEntry {
    /// The kind of cause in JSON.
    pub(crate) kind: String,
    /// The cause that this state of the objects identifies, if no message has to: an id of the catalogue.
    #[serde(default)]
    pub(crate) cause: Option<String>,
    /// The cure, which decides the remedies that are tried.
    pub(crate) cure: Cure,
    /// The part of the template that it reads. Another template is a remedy only if it differs there.
    #[serde(default)]
    pub(crate) reads: ReadPart,
    /// The object that it is about, as a key: `node/{node}`. Empty for the pod alone.
    #[serde(default)]
    pub(crate) about: String,
    /// The sentence of the headline. `{title}` is that of the cause, unless its message says more.
    pub(crate) sentence: String,
    /// The details that follow in parentheses.
    #[serde(default)]
    pub(crate) details: String,
    /// The component's own words.
    #[serde(default)]
    pub(crate) reported: String,
    /// The texts after which these words give the reason; the last place of any counts. Without any, a long message is cut in the
    /// middle: most end with the reason.
    #[serde(default)]
    pub(crate) reason_after: Vec<String>,
    /// The end of the sentence.
    #[serde(default)]
    pub(crate) rest: String,
    /// The sentence for several sets, without the pod. The title of the cause stands for it if it is empty or has a name
    /// that is unknown.
    #[serde(default)]
    pub(crate) shared: String,
    /// The cases in which the advice of the cause holds.
    #[serde(default)]
    pub(crate) advice: Advice,
    /// The change that is needed, in place of the advice of the cause: the first sentence that is said.
    #[serde(default)]
    pub(crate) fix: Vec<SaidIf>,
    /// The cautions, in their order.
    #[serde(default)]
    pub(crate) cautions: Vec<SaidIf>,
    /// The condition under which the pod is ready; empty if the pod alone says it.
    #[serde(default)]
    pub(crate) ready: String,
    /// The commands that show the problem, in place of those that read the pod.
    #[serde(default)]
    pub(crate) look: Vec<SaidIf>,
    /// True if the process of the container has run, and may have changed its data.
    #[serde(default)]
    pub(crate) ran: bool,
    /// True if only events show the reason.
    #[serde(default)]
    pub(crate) needs_events: bool,
}

/// The cases in which the advice of a cause holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Advice {
    /// If its entry names the cause itself.
    #[default]
    Specific,
    /// In all cases.
    Always,
    /// In none: the cautions and remedies say what to do.
    Never,
}

/// A sentence or a command, if all names in its text are known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SaidIf {
    /// The sentence.
    #[serde(default)]
    pub(crate) say: String,
    /// The fact whose sentences follow.
    #[serde(default)]
    pub(crate) each: Option<Fact>,
    /// The facts that must be known as well.
    #[serde(default)]
    pub(crate) when: Vec<Fact>,
    /// The facts that must not be known.
    #[serde(default)]
    pub(crate) unless: Vec<Fact>,
}
