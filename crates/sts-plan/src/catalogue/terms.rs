//! Terms of an entry: the place of a report, the component at fault, the cure, and the traits.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::{Deserialize, Serialize};

/// The place where a cause is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// The state of a container that exited or is not created.
    Container,
    /// The state of a container whose image is not pulled.
    Image,
    /// The events of a pod whose image is being pulled.
    Pulling,
    /// The containers of a pod that has not started.
    Start,
    /// The readiness of the containers.
    Ready,
    /// The readiness gates of a pod.
    Gate,
    /// The scheduler or an autoscaler.
    Scheduler,
    /// The mounts and attachments of a pod.
    Volume,
    /// A claim.
    Claim,
    /// The sandbox of a pod.
    Sandbox,
    /// A creation that the API server refuses.
    Creation,
    /// A deletion that the API server refuses.
    Deletion,
    /// A node.
    Node,
    /// A pod that the kubelet rejects or evicts.
    Rejected,
    /// A pod that does not terminate.
    Stop,
    /// The events of pods of one name, each of which a component has ended.
    Loop,
    /// The status of the set.
    Set,
    /// The owner of the set.
    Owner,
    /// All pods of the set.
    All,
}

/// The component at fault.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    strum::IntoStaticStr,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
pub enum Blames {
    /// The pod template.
    Template,
    /// Another pod.
    Pod,
    /// The node.
    Node,
    /// The nodes as a whole, or the autoscaler.
    Cluster,
    /// The volume or its claim.
    Volume,
    /// The storage behind the volumes.
    Storage,
    /// The network.
    Network,
    /// The image registry.
    Registry,
    /// An object that is missing or incomplete: a Secret, a ServiceAccount, a class.
    Object,
    /// A policy or a quota.
    Policy,
    /// The API server, or a service that it calls.
    Server,
    /// The controller manager.
    Controller,
    /// The owner of the set, of a finalizer or of a condition.
    Owner,
    /// A service that the pods depend on.
    Dependency,
    /// Nothing: the wait is temporary.
    Nobody,
    /// Unknown.
    #[default]
    Unknown,
}

/// A check of the kubelet on a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TemplatePart {
    /// Any part that the component at fault reads.
    #[default]
    AtFault,
    /// The init containers.
    InitContainers,
    /// The repository of an image: its tag is irrelevant.
    Repository,
    /// The requests and limits.
    Resources,
    /// No part.
    Nothing,
    /// These members of the pod or its containers, as a list.
    #[serde(untagged)]
    Members(Vec<String>),
}

/// The part of a template that a symptom reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ReadPart {
    /// No part.
    #[default]
    Nothing,
    /// The container that fails, and what it depends on.
    Container,
    /// The same, for a process that runs, and may need a service that it calls.
    Process,
    /// The configuration of the container: its environment, volumes and account.
    Configuration,
    /// The init containers, if the cause is one of them.
    InitContainers,
    /// The image of the container.
    Image,
    /// The volumes.
    Volumes,
    /// The fields that the scheduler reads.
    Scheduling,
    /// The name of the scheduler.
    Scheduler,
    /// The missing object: a template that does not need it differs.
    Object,
    /// The fields that the message names.
    Named,
}

/// The cure of a symptom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Cure {
    /// Another template, or the pod again on the revision of its replacement.
    #[default]
    Template,
    /// Another image, or the same image in the registry.
    Image,
    /// A higher memory limit, or another template.
    Memory,
    /// Nodes that take the pod, or a template that the scheduler can place.
    Nodes,
    /// The missing object, or a template that does not need it.
    Object,
    /// A volume for the claim: no template helps.
    Claim,
    /// The pod's node, which must come back: nothing may remove its pods by force.
    RestoreNode,
    /// Another node, if that of the pod does not come back.
    LeaveNode,
    /// Room in a quota: surplus pods are deleted, or the quota is raised.
    Quota,
    /// The admission of the pod, or a template that is admitted.
    Admission,
    /// Somebody else: a controller, the kubelet, the storage or the API server.
    Outside,
}

/// The precedence of an entry among the reports on one pod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rank {
    /// No other report is more specific.
    Decisive,
    /// The cause itself.
    #[default]
    Specific,
    /// A symptom: a specific report takes precedence, and the advice only repeats the headline.
    Generic,
    /// A report that an earlier report was not settled in time.
    Echo,
}

/// A trait of a cause, which few entries have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CauseTrait {
    /// Its words are the keys of taints, which nodes also report.
    WordsAreTaints,
    /// It stands for a taint that the message may not name.
    NamesNoTaint,
    /// The node is out of the question, whatever happens to it.
    ExcludesNode,
    /// It is about nodes that are not where the volume of the pod is.
    NotWhereVolumeIs,
    /// Its nodes come into use on their own once they have started: they come before nodes that are full.
    NodesAreStarting,
    /// The pod waits for devices of a node, such as GPUs: nodes with a taint can have them.
    WantsDevice,
    /// The pod waits for room, which a preemption can have taken.
    LacksRoom,
    /// No place has enough free storage for a new volume.
    LacksStorage,
    /// The kubelet of one node rejects the pod, which other nodes may take.
    RejectedThere,
    /// The registry fails for every image.
    ConcernsRegistry,
    /// The process ends before it can change the data on its volumes.
    LeavesData,
    /// It is of another container of the same pod.
    WithinPod,
    /// The process misses something that another container of the pod can provide, such as a file.
    FedByPod,
    /// The data of the pod are not where its claim says: it comes before other causes.
    DataGone,
    /// It is reported only once, however long it lasts.
    ReportedOnce,
    /// The headline names the pod that uses the volume.
    NamesHolder,
    /// The network has no address for the pod.
    LacksAddress,
    /// The process compares an identity that it reads at its start with that of its data.
    OfIdentity,
    /// The member of a cluster waits for other members, which may be later pods of its set.
    NeedsMembers,
    /// The autoscaler waits after a failure, whose own reason says more.
    AfterFailedScaleUp,
    /// The process lacks space on its volume: a claim that is being grown and does not grow comes first.
    LacksSpace,
    /// The name in its message is that of a host.
    NamesHost,
    /// The first address in its message is that of the service at fault: `{name}` in the texts of the page.
    NamesAddress,
    /// The message says what is wrong, such as the text of a policy, so that a headline quotes it.
    MessageTells,
    /// The probe says what is wrong with the process itself, also if it says so of all pods at once.
    ProbeTells,
    /// The message names a setting that the process does not accept: an option or a variable of the template.
    NamesSetting,
    /// The message names a setting that the process lacks, such as a variable.
    NamesVariable,
    /// Its message names in capitals the variables that the process lacks.
    LacksVariable,
    /// The message names the port that is in use.
    NamesPort,
    /// The process uses up its heap, whose size an option sets.
    SetsHeap,
    /// The process asks for more memory than it gets, by the options of its heap.
    ReservesMemory,
    /// The image does not fit the platform of the node: nodes of another one can run it.
    OfPlatform,
    /// The namespace of the set is being deleted, with everything in it.
    NamespaceGoes,
    /// The namespace of the set decides, by a label.
    OfNamespace,
    /// The credentials of a pull secret are refused.
    OfPullSecret,
    /// The API server does not trust the certificate of a webhook, whose CA is in a Secret beside its Service.
    OfWebhookCertificate,
    /// The name in its message is that of a network of Multus.
    NamesNetwork,
    /// The registry knows an account by a secret that expires.
    OfRegistryAccount,
    /// The registry hands out tokens that are valid for some hours.
    OfShortToken,
}

/// A state of a set or the objects around it that the program recognizes by more than a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Situation {
    /// The controller has not observed the last change for a while.
    ControllerBehind,
    /// A pod is missing, and nothing says why.
    ControllerSilent,
    /// An operator owns the set.
    Operator,
    /// A deployment tool manages the set.
    DeployingTool,
    /// An autoscaler sets the replicas.
    Autoscaler,
    /// All pods became unready together.
    AllUnready,
    /// The node of a pod is down.
    NodeDown,
    /// The nodes that fit are cordoned.
    NodesCordoned,
    /// The nodes that fit are being removed.
    NodesLeaving,
    /// A node that fits has just joined, and is not ready yet.
    NodeJoining,
    /// The template names the node of its pods.
    NodeNamed,
    /// Nodes are created for the pod, and do not join.
    NodesNotJoining,
    /// No node that fits is where the pod's volume is.
    VolumeElsewhere,
    /// The volume of the pod is local to one node, which is not there.
    VolumeNodeGone,
    /// The volumes of the pod are in places that no node can be in at once.
    VolumesApart,
    /// The nodes lack room for the pod.
    RoomLacking,
    /// The node of the pod's local volume lacks room for it.
    LocalNodeFull,
    /// The pod requests more than any node that is left has, even empty.
    RequestTooLarge,
    /// A taint has outlived the condition of its node.
    TaintLeft,
    /// Somebody has put a taint on a node that ran the pod before.
    TaintSet,
    /// The cluster autoscaler has not removed a node that it marked long ago.
    ScaleDownLeft,
    /// A probe has no valid credentials.
    ProbeUnauthorized,
    /// The kubelet ends a process that recovers, because its liveness probe fails.
    LivenessEndsRecovery,
    /// The kubelet ends a process that recovers, because its startup probe fails.
    StartupEndsRecovery,
    /// The kubelet creates the sandbox of a pod again and again.
    SandboxRecreated,
    /// Pods are deleted again and again, and no event says by what.
    DeletedAgain,
    /// The controller deletes pods again and again, because the set changes.
    ReplacedAgain,
}

/// The kind of object that the message of a cause names as missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NamedObject {
    /// A ServiceAccount.
    ServiceAccount,
    /// A StorageClass.
    StorageClass,
    /// A PriorityClass.
    PriorityClass,
    /// A key of a Secret or ConfigMap.
    Key,
}
