//! Facts of a case that the texts of a symptom name.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::Deserialize;

/// A fact of a case: a name in braces in a text of a symptom, or a condition of a caution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Fact {
    /// The pod.
    Pod,
    /// `on the new revision`, if only pods on other revisions are ready.
    Place,
    /// The node at fault, or that of the pod.
    Node,
    /// The container at fault.
    Container,
    /// The containers that are not ready.
    Containers,
    /// `init container`, if the container is one.
    Init,
    /// The image that cannot be pulled.
    Image,
    /// The memory limit.
    Limit,
    /// The memory limit of the container in the other revision, if it is higher.
    HigherLimit,
    /// The CPU limit of the container, if it is low.
    CpuLimit,
    /// `exit 1`.
    Exit,
    /// `17 restarts`.
    Restarts,
    /// The probe or hook that fails: `its liveness probe`.
    Check,
    /// `while it recovers`, if a check ends a process that does.
    Recovering,
    /// The component's reason, unless the title of the cause tells it.
    Reason,
    /// The message of a container that waits in a failure, or else its reason.
    Waiting,
    /// The reason and message of a node's condition.
    Condition,
    /// The component's message, if there is one.
    Message,
    /// The message that identifies the cause, or else the component's; may be empty.
    Report,
    /// The line of the container's log that tells most.
    LastWords,
    /// The messages of the scheduler and of an autoscaler.
    Placing,
    /// The message of the scheduler.
    Unplaced,
    /// A refusal without the name of its pod, if it has none.
    Refusal,
    /// The fields that a refusal of Pod Security asks for.
    Demanded,
    /// The template may have the repair already.
    Repaired,
    /// The volume of an earlier claim of the same name.
    EarlierVolume,
    /// The nodes that only a cordon keeps from the pod.
    OnlyCordoned,
    /// The step of a volume that fails: `attach`, `mount` or `resize`.
    Step,
    /// The number of attempts to create the pod.
    Count,
    /// The time in which a loop has had its turns: `3h58m`.
    Lasts,
    /// The time between two changes of the template.
    Every,
    /// The fields that such a change writes.
    Changed,
    /// The one that writes the set, or may delete its pods.
    Writer,
    /// The object whose changes a reloader answers by restarting the pods: `Secret db-tls`.
    Trigger,
    /// `terminating`, if the pod is.
    Terminating,
    /// The zones of its volumes.
    Zones,
    /// The first claim at fault.
    Claim,
    /// The first claim whose volume no other node can attach.
    LocalClaim,
    /// The first claim whose volume may be attachable elsewhere.
    UnknownClaim,
    /// The volume of the claim.
    Volume,
    /// The finalizers of the pod or the claim.
    Finalizers,
    /// The finalizer of the garbage collector.
    Collected,
    /// The later pod of the set that this one needs.
    Later,
    /// The pod that uses the volume.
    Holder,
    /// That pod with its node.
    User,
    /// That pod with its node, if the cause is that it uses the volume.
    Claimant,
    /// The quota.
    Quota,
    /// The amounts of the quota.
    Amounts,
    /// The pod's scheduler.
    Scheduler,
    /// The predicted failure, as a sentence.
    Foreseen,
    /// The reason why a claim gets no volume.
    Trouble,
    /// The missing Secret or ConfigMap.
    Object,
    /// The kind of that object, in lower case.
    ObjectKind,
    /// The name of that object.
    ObjectName,
    /// The object that lacks a key, for a command: `secret/tls -n web`.
    ObjectPath,
    /// The keys that it has.
    Keys,
    /// The key that it lacks.
    MissingKey,
    /// The key that subPath of a mount names and its object lacks, as a clause.
    SubPath,
    /// The program of a probe's command that the image does not have.
    ProbeProgram,
    /// The pods of others that use most of the quota, with their amounts.
    QuotaUsers,
    /// The container that a refusal names and that a webhook adds.
    Injected,
    /// The setting of the resources of that container.
    InjectedBy,
    /// The constraints of OpenShift that the ServiceAccount may use, with what they do not allow, as a clause.
    Unfit,
    /// The command that grants the ServiceAccount wider ones.
    Grant,
    /// The pull secret whose token has expired, as a clause.
    StaleToken,
    /// The pull secret whose credentials the registry refuses, as a clause.
    RefusedSecret,
    /// The component that writes the missing ConfigMap into every namespace.
    Publisher,
    /// The object of the same kind and name in another namespace, as a clause.
    Twin,
    /// The object that makes what is missing: `Certificate web`.
    Maker,
    /// The kind of that object, in lower case.
    MakerKind,
    /// The name of that object.
    MakerName,
    /// The namespace of that object; unknown if it is of the whole cluster.
    MakerNamespace,
    /// Its condition or event that says why it fails.
    MakerTrouble,
    /// The Job of a new set that has not completed: `Job web-init`.
    Job,
    /// The name of that Job.
    JobName,
    /// The reason and message with which it failed.
    JobTrouble,
    /// The claim that is pinned to a node that does not exist.
    PinnedClaim,
    /// That node.
    PinnedTo,
    /// The pods on nodes that use the claim.
    ClaimUsers,
    /// The names of those pods, for a command.
    ClaimPods,
    /// The objects and finalizers that keep the namespace, which is being deleted.
    Remaining,
    /// The Service that the process needs.
    Service,
    /// The Service that the API server calls, if the input does not have it, but pods with its name that are not ready.
    UnlistedService,
    /// The pods that it selects, none of which is ready, with these words.
    ServicePods,
    /// The reason and the last words of one of those pods.
    ServiceTrouble,
    /// The first step for them: `repair it`, or `scale it up`.
    FirstStep,
    /// The Service that the process calls, and that its namespace does not have.
    MissingService,
    /// That Service, if the set names it as the one that gives its pods their names.
    GoverningService,
    /// The Services that the namespace has.
    OtherServices,
    /// The claim of a full volume, with its size.
    FullClaim,
    /// The condition under which that claim grows: `StorageClass gp3 allows it`.
    Growth,
    /// The claim of a full volume that is being grown, and whose resize fails.
    StuckClaim,
    /// The reason why its resize fails.
    ResizeTrouble,
    /// The pod of a component of the cluster that has to work again, with its namespace.
    Component,
    /// Its reason and the last words of its process.
    ComponentTrouble,
    /// The constraints of the pod that rule out nodes whatever their free capacity, in the scheduler's words.
    Constraints,
    /// The nodes that are out of use for now, if the pod lacks room on the others.
    Away,
    /// The cure of what the first of these nodes reports.
    Cure,
    /// The nodes of which a scheduler's reason is true, or their number, if other nodes have another reason.
    Left,
    /// The first of these nodes that has nothing of the missing resource, while another node has.
    Drained,
    /// The labels that the pod selects and no node has.
    Unlabeled,
    /// The toleration that differs a little from a taint of a node.
    NearToleration,
    /// The domains that a spread of the pod asks for, and those that the nodes have.
    Domains,
    /// The condition of the Kueue Workload of the pod that says what it waits for.
    Queued,
    /// The object that the pod depends on, and that reports its own trouble: `Volume longhorn-system/pvc-1`.
    Culprit,
    /// Its own report: `is faulted: all its replicas have failed`.
    CulpritTrouble,
    /// The cure of its trouble.
    CulpritCure,
    /// The claim of the set that is much newer than those of the other pods, with their ages.
    NewClaim,
    /// The Secret or ConfigMap that is mounted where the message misses a file, and that lacks its key.
    LackingFile,
    /// The empty volume that is mounted over the file in the message.
    HiddenBy,
    /// The names that the message rejects, with the file, Secret or ConfigMap that has them.
    Misconfigured,
    /// The Secret or ConfigMap with the configuration in the message, if it rejects no name of it.
    ConfigFile,
    /// The Service that has the address in the message.
    ServiceAt,
    /// The sentence in which the process says what to do.
    Advised,
    /// The Service whose port leads to no container of the pod, as a sentence.
    UnheardService,
    /// The path that the load balancer asks, if the readiness probe asks another one, as a sentence.
    HealthCheck,
    /// The port of a probe that no container of the pod declares, as a sentence.
    UnheardProbe,
    /// The object that owns or deploys the set, if it is paused or fails.
    Applier,
    /// The repair that its specification already has: `has a memory limit of 8Gi`.
    ApplierRepair,
    /// The field, label or annotation that pauses it.
    ApplierPaused,
    /// The node of another architecture on which a pod of the set runs the image.
    RunningNode,
    /// The architecture of that node.
    Architecture,
    /// The option or variable of the template that the message names, with its place.
    Setting,
    /// The option that sets the heap that the process uses up, with its place.
    HeapOption,
    /// The option that reserves more memory than the process gets, with its place.
    ReservedOption,
    /// The variable in the message that another revision has.
    LostVariable,
    /// The variables that the message misses, and that the template does not set.
    LackedVariables,
    /// That revision.
    LostIn,
    /// The port in the message that another container of the pod has too.
    Port,
    /// That container.
    PortUser,
    /// True if the image has no variant for the platform of the node.
    OfPlatform,
    /// The StorageClass that does not exist.
    Class,
    /// The first node that would take the pod once it is ready.
    UnreadyNode,
    /// True if a node would take the pod if it had more free capacity.
    ForRoom,
    /// The namespace of the set.
    Namespace,
    /// The title of the cause, unless its message says more.
    Title,
    /// The container that sets a kernel parameter and is refused: `init sets vm.max_map_count`.
    KernelSetting,
    /// The time until the pod is evicted from its node.
    EvictedIn,
    /// True if a user or an eviction deletes the pod in the plan.
    Deleted,
    /// The node that does not respond and has to confirm the end of the pod.
    SilentNode,
    /// The node of a pod, if the input has no nodes.
    UnseenNode,
    /// The controller's next retry.
    Retry,
    /// The retry, if its time is known.
    TimedRetry,
    /// The surplus pods of the set.
    Surplus,
    /// Another failing pod of the set, which this one reports that it cannot reach.
    Leader,
    /// The next pod of the set, for which this one waits, and which is created only once this one is ready.
    Uncreated,
    /// Another pod that reports what this one may share.
    Sharing,
    /// The reason that it reports.
    SharedTitle,
    /// The container that fails, if both revisions have it.
    Unchanged,
    /// The time for which the pod has run on its template.
    WorkedFor,
    /// The undoing that the pod's data may not survive: `roll back`.
    RiskyUndo,
    /// True if an entry names the cause itself, not a symptom.
    Specific,
    /// True if other pods on this revision are ready.
    SiblingsReady,
    /// True if there is a revision to roll back to.
    Previous,
    /// True if that revision differs in what the cause reads.
    TemplateHelps,
    /// True if the template may be at fault.
    OfTemplate,
    /// True if a policy or the template is at fault.
    OfPolicy,
    /// True if the node or the registry is at fault, and no revision helps.
    Outside,
    /// True if the revisions have the same image for the container.
    SameImage,
    /// True if the revisions do not differ in anything the scheduler reads.
    SameScheduling,
    /// True if the volumes are in several zones.
    SeveralZones,
    /// True if the volume is deleted with its claim.
    VolumeLost,
    /// The other nodes that do not respond and may still have the volumes of the pod.
    LostNode,
    /// The use of memory for which the pod was evicted, as a clause.
    OwnMemory,
    /// The use of local storage for which the pod was evicted, as a clause.
    OwnStorage,
    /// The pod that took its place.
    Preemptor,
    /// The address by which a server sees the node.
    NodeAddress,
    /// The size of a claim without a volume, and the largest free storage for it, as a clause.
    FreeStorage,
    /// The places of its volumes that no node can be in at once, as a clause.
    Apart,
    /// The pods of the set that hold its host ports.
    OwnPods,
    /// The pods of others that hold its host ports, with their nodes.
    PortHolders,
    /// The nodes in the zone of a volume that lack its label, as a clause.
    Keyless,
    /// The pod of another owner that uses its claim.
    Rival,
    /// The state of the machine of its node, if its provider reports it as shut down.
    ShutDown,
    /// The event that announced the end of the machine of its node.
    Notice,
    /// The node that is selected for its claim without a volume.
    SelectedNode,
    /// The other nodes for a pod that its node rejects, as a clause.
    Elsewhere,
    /// The request that is larger than each of the nodes that are left, as a clause.
    TooLarge,
    /// The nodes that lack the label of a spread, as a clause.
    Unspread,
    /// The pods that its affinity wants to be near.
    Near,
    /// The nodes with devices that cannot be allocated, a sentence each.
    Devices,
    /// The other nodes that the volumes are attached to, a sentence each.
    Attachments,
    /// The nodes whose out-of-service taint keeps the pod away, a sentence each.
    ForgottenTaints,
}
