//! The catalogue of causes: a component's message is recognized as the cause that it announces, completely or not at
//! all.

use serde_json::{Value, json};
use sts_plan::cause::causes;

use crate::golden;
use crate::program;

const NOW: &str = "2026-11-21T12:00:00Z";

/// The trouble of pg-2, and how the program learns of it.
pub enum Said {
    /// A container waits with a reason and a message, and terminated before with this code.
    Waits(&'static str, &'static str, i64),
    /// A container crashes, and an event gives the reason.
    Killed(&'static str, &'static str),
    /// The scheduler has no node.
    Unplaced(&'static str),
    /// The scheduler has no node, and an event gives more details.
    Placing(&'static str, &'static str),
    /// The containers are being created, and an event says why they are not ready.
    Creating(&'static str, &'static str),
    /// The pod is running but not ready; the message of its probe.
    Probe(&'static str),
    /// The pod is not created; the server's message.
    Refused(&'static str),
}
use Said::{Creating, Killed, Placing, Probe, Refused, Unplaced, Waits};

/// The id of a cause, what announces it, and whether undoing the rollout may be proposed.
pub const CASES: &[(&str, Said, bool)] = &[
    (
        "liveness-kill",
        Killed(
            "Container postgres failed liveness probe, will be restarted",
            "Liveness probe failed: HTTP probe failed with statuscode: 500",
        ),
        true,
    ),
    (
        "startup-kill",
        Killed(
            "Container postgres failed startup probe, will be restarted",
            "Startup probe failed: connection refused",
        ),
        true,
    ),
    (
        "exec-format",
        Waits("CrashLoopBackOff", "exec /app: exec format error", 1),
        true,
    ),
    (
        "exec-format",
        Waits(
            "CrashLoopBackOff",
            "exec container process `/app`: Exec format error",
            126,
        ),
        true,
    ),
    (
        "command-not-found",
        Waits(
            "CrashLoopBackOff",
            "exec: \"serve\": executable file not found in $PATH",
            128,
        ),
        true,
    ),
    (
        "command-not-found",
        Waits(
            "CreateContainerError",
            "executable file `serve` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found",
            0,
        ),
        true,
    ),
    (
        "command-not-found",
        Waits(
            "CrashLoopBackOff",
            "exec /docker-entrypoint.sh: no such file or directory",
            1,
        ),
        true,
    ),
    (
        "command-not-executable",
        Waits("CrashLoopBackOff", "back-off", 126),
        true,
    ),
    (
        "command-not-executable",
        Waits(
            "CreateContainerError",
            "the path `/entrypoint.sh` exists but it is not executable: OCI permission denied",
            0,
        ),
        true,
    ),
    (
        "secret-key-missing",
        Waits(
            "CreateContainerConfigError",
            "couldn't find key user in Secret db/creds",
            0,
        ),
        true,
    ),
    (
        "config-key-missing",
        Waits(
            "CreateContainerConfigError",
            "couldn't find key mode in ConfigMap db/settings",
            0,
        ),
        true,
    ),
    (
        "run-as-root",
        Waits(
            "CreateContainerConfigError",
            "container has runAsNonRoot and image will run as root",
            0,
        ),
        true,
    ),
    (
        "subpath-missing",
        Waits(
            "CreateContainerConfigError",
            "failed to prepare subPath for volumeMount \"data\" of container \"postgres\"",
            0,
        ),
        true,
    ),
    (
        "subpath-missing",
        Waits(
            "CreateContainerConfigError",
            "unable to provision SubPath `../data`: must not contain '..'",
            0,
        ),
        true,
    ),
    (
        "container-name-taken",
        Waits(
            "CreateContainerError",
            "failed to reserve container name: name \"x\" is reserved for \"y\"",
            0,
        ),
        true,
    ),
    (
        "container-name-taken",
        Waits(
            "CreateContainerError",
            "error reserving ctr name k8s_postgres_pg-2 for id ab: name is reserved",
            0,
        ),
        true,
    ),
    (
        "run-container-error",
        Waits(
            "RunContainerError",
            "failed to start container: device busy",
            1,
        ),
        true,
    ),
    (
        "container-config",
        Waits("CreateContainerError", "something else", 3),
        true,
    ),
    (
        "crash-segfault",
        Waits("CrashLoopBackOff", "back-off", 139),
        true,
    ),
    (
        "crash-segfault",
        Waits(
            "CrashLoopBackOff",
            "Failed to write core dump. To enable core dumping, try \"ulimit -c unlimited\" before starting Java again",
            139,
        ),
        true,
    ),
    (
        "crash-killed",
        Waits("CrashLoopBackOff", "back-off", 137),
        true,
    ),
    (
        "crash-terminated",
        Waits("CrashLoopBackOff", "back-off", 143),
        true,
    ),
    ("completed", Waits("CrashLoopBackOff", "back-off", 0), true),
    ("crash-loop", Waits("CrashLoopBackOff", "back-off", 1), true),
    (
        "crash-loop",
        Waits(
            "CrashLoopBackOff",
            "Migration checksum mismatch for migration version 3",
            1,
        ),
        true,
    ),
    (
        "crash-loop",
        Waits(
            "CrashLoopBackOff",
            "Unrecognized VM option 'UseConcMarkSweepGC' Error: Could not create the Java Virtual Machine.",
            1,
        ),
        true,
    ),
    (
        "image-name-invalid",
        Waits("InvalidImageName", "couldn't parse image name", 1),
        true,
    ),
    (
        "image-never-pulled",
        Waits(
            "ErrImageNeverPull",
            "Container image is not present with pull policy of Never",
            1,
        ),
        true,
    ),
    (
        "image-rate-limit",
        Waits(
            "ImagePullBackOff",
            "429 Too Many Requests - toomanyrequests",
            1,
        ),
        false,
    ),
    (
        "image-rate-limit",
        Waits(
            "ErrImagePull",
            "reading manifest 2 in docker.io/library/pg: too many requests to registry",
            0,
        ),
        false,
    ),
    (
        "image-unauthorized",
        Waits("ImagePullBackOff", "401 Unauthorized", 1),
        false,
    ),
    (
        "image-not-found",
        Waits("ImagePullBackOff", "manifest unknown", 1),
        true,
    ),
    (
        "image-platform",
        Waits(
            "ErrImagePull",
            "code = NotFound desc = no match for platform in manifest: not found",
            1,
        ),
        true,
    ),
    (
        "image-tls",
        Waits("ErrImagePull", "x509: signed by unknown authority", 1),
        false,
    ),
    (
        "image-timeout",
        Waits("ErrImagePull", "dial tcp 10.0.0.1:443: i/o timeout", 1),
        false,
    ),
    (
        "image-signature",
        Waits(
            "SignatureValidationFailed",
            "image pull failed for pg:2 because the signature validation failed: Source image rejected",
            1,
        ),
        true,
    ),
    (
        "image-signature",
        Waits(
            "ImagePullBackOff",
            "Back-off pulling image \"pg:2\": SignatureValidationFailed: image pull failed for pg:2 because the signature validation failed: Source image rejected",
            0,
        ),
        true,
    ),
    (
        "registry-unavailable",
        Waits(
            "RegistryUnavailable",
            "image pull failed for pg:2 because the registry is unavailable: ping attempt failed",
            1,
        ),
        false,
    ),
    (
        "no-disk-space",
        Waits("ErrImagePull", "write /var/lib: no space left on device", 1),
        false,
    ),
    (
        "no-disk-space",
        Waits(
            "ErrImagePull",
            "failed to extract layer sha256:ab: mount callback failed: write /usr/lib/x: no space left on device: unknown",
            0,
        ),
        false,
    ),
    (
        "rwop-in-use",
        Unplaced(
            "0/3 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
        ),
        false,
    ),
    (
        "rwop-in-use",
        Unplaced(
            "0/3 nodes are available: 3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
        ),
        false,
    ),
    (
        "node-group-maximum",
        Placing(
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 2 max node group size reached",
        ),
        false,
    ),
    (
        "node-group-maximum",
        Placing(
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 1 exceeded quota: \"cluster-wide\", resources: cpu, memory",
        ),
        false,
    ),
    (
        "node-group-maximum",
        Placing(
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 1 max cluster gpu limit reached",
        ),
        false,
    ),
    (
        "scale-up-failed",
        Placing("FailedScaleUp", "instance type is out of capacity"),
        false,
    ),
    (
        "disk-pressure",
        Unplaced(
            "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.",
        ),
        false,
    ),
    (
        "memory-pressure",
        Unplaced(
            "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/memory-pressure: }.",
        ),
        false,
    ),
    (
        "node-unreachable-taint",
        Unplaced(
            "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.",
        ),
        false,
    ),
    (
        "volume-zone",
        Unplaced("0/3 nodes are available: 3 node(s) had volume node affinity conflict."),
        false,
    ),
    (
        "volume-limit",
        Unplaced("0/3 nodes are available: 3 node(s) exceed max volume count."),
        false,
    ),
    (
        "host-port",
        Unplaced(
            "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.",
        ),
        false,
    ),
    (
        "topology-spread",
        Unplaced(
            "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.",
        ),
        false,
    ),
    (
        "anti-affinity",
        Unplaced("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."),
        false,
    ),
    (
        "affinity",
        Unplaced("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."),
        false,
    ),
    (
        "affinity",
        Unplaced("0/3 nodes are available: 3 node(s) didn't match node selector."),
        false,
    ),
    (
        "cordoned",
        Unplaced("0/3 nodes are available: 3 node(s) were unschedulable."),
        false,
    ),
    (
        "taints",
        Unplaced("0/3 nodes are available: 3 node(s) had untolerated taint {dedicated: db}."),
        false,
    ),
    (
        "preempted",
        Placing("Preempted", "Preempted by pod 7f3e0b1a on node n-1"),
        false,
    ),
    (
        "insufficient-resources",
        Unplaced("0/3 nodes are available: 3 Insufficient memory."),
        false,
    ),
    ("unschedulable", Unplaced("no plugin says why"), false),
    (
        "unschedulable",
        Unplaced("0/3 nodes are available: 3 node(s) didn't match Pod's required features."),
        false,
    ),
    (
        "multi-attach",
        Creating(
            "FailedAttachVolume",
            "Multi-Attach error for volume \"pvc-1\" Volume is already exclusively attached to one node and can't be attached to another",
        ),
        false,
    ),
    (
        "token-missing",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"kube-api-access\" : failed to fetch token: serviceaccounts \"pg\" not found",
        ),
        false,
    ),
    (
        "csi-secrets",
        Creating(
            "FailedMount",
            "failed to mount secrets store objects for pod db/pg-2",
        ),
        false,
    ),
    (
        "fsck",
        Creating(
            "FailedMount",
            "'fsck' found errors on device /dev/sdb but could not correct them",
        ),
        false,
    ),
    (
        "fsck",
        Creating(
            "FailedMount",
            "mount: /x: can't read superblock on /dev/nvme1n1.",
        ),
        false,
    ),
    (
        "nfs-timeout",
        Creating("FailedMount", "mount.nfs: Connection timed out"),
        false,
    ),
    (
        "mount-permission",
        Creating("FailedMount", "mounting failed: access denied by server"),
        false,
    ),
    (
        "csi-driver-missing",
        Creating(
            "FailedMount",
            "driver name ebs.csi.aws.com not found in the list of registered CSI drivers",
        ),
        false,
    ),
    (
        "attach-limit",
        Creating("FailedAttachVolume", "AttachmentLimitExceeded: volumes"),
        false,
    ),
    (
        "attach-limit",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : OperationNotAllowed: The maximum number of data disks allowed to be attached to a VM of this size is 8.",
        ),
        false,
    ),
    (
        "volume-gone",
        Creating("FailedAttachVolume", "The volume 'vol-1' does not exist"),
        false,
    ),
    (
        "volume-gone",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = NotFound desc = Could not find disk Key{\"d\", zone: \"a\"}: notFound",
        ),
        false,
    ),
    (
        "mount-timeout",
        Creating(
            "FailedMount",
            "Unable to attach or mount volumes: unmounted volumes=[data]: timed out waiting for the condition",
        ),
        false,
    ),
    (
        "no-address",
        Creating(
            "FailedCreatePodSandBox",
            "plugin type=\"aws-cni\" failed (add): failed to assign an IP address to container",
        ),
        false,
    ),
    (
        "no-address",
        Creating(
            "FailedCreatePodSandBox",
            "plugin type=\"cilium-cni\" failed (add): unable to allocate IP via local cilium agent: [POST /ipam][502] postIpamFailure all CIDR ranges are exhausted",
        ),
        false,
    ),
    (
        "no-address",
        Creating(
            "FailedCreatePodSandBox",
            "failed to setup network for sandbox \"ab\": error at storage engine: Could not allocate IP in range: ip: 10.0.0.1 / - 10.0.0.6",
        ),
        false,
    ),
    (
        "cni-not-ready",
        Creating(
            "NetworkNotReady",
            "network is not ready: container runtime network not ready: cni config uninitialized",
        ),
        false,
    ),
    (
        "cni-not-ready",
        Creating(
            "FailedCreatePodSandBox",
            "failed to setup network for sandbox \"ab\": plugin type=\"cilium-cni\" failed (add): dial unix /var/run/cilium/cilium.sock: connect: no such file or directory",
        ),
        false,
    ),
    (
        "sandbox-failing",
        Creating("FailedCreatePodSandBox", "runc create failed"),
        false,
    ),
    (
        "sandbox-failing",
        Creating(
            "FailedCreatePodSandBox",
            "failed to start shim: dial unix /run/containerd/s/ab: connect: connection refused",
        ),
        false,
    ),
    (
        "recovering",
        Probe("Readiness probe failed: /var/run/postgresql:5432 - rejecting connections"),
        true,
    ),
    (
        "readiness-failing",
        Probe("Readiness probe failed: HTTP probe failed with statuscode: 503"),
        true,
    ),
    ("not-ready", Probe(""), true),
    (
        "webhook-down",
        Refused(
            "Internal error occurred: failed calling webhook \"v.example.com\": no endpoints available for service \"v\"",
        ),
        false,
    ),
    (
        "webhook-denied",
        Refused("admission webhook \"v.example.com\" denied the request: no"),
        true,
    ),
    (
        "policy-denied",
        Refused(
            "pods \"pg-2\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
        ),
        true,
    ),
    (
        "policy-denied",
        Refused(
            "pods \"pg-2\" is forbidden: policy 'sidecar' with binding 'db' denied request: expression failed",
        ),
        true,
    ),
    (
        "pod-security",
        Refused(
            "pods \"pg-2\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot",
        ),
        true,
    ),
    (
        "limit-range",
        Refused(
            "pods \"pg-2\" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi",
        ),
        true,
    ),
    (
        "quota-unset",
        Refused(
            "pods \"pg-2\" is forbidden: failed quota: compute: must specify limits.cpu for: postgres",
        ),
        true,
    ),
    (
        "claim-quota",
        Refused(
            "persistentvolumeclaims \"data-pg-2\" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi, used: requests.storage=9Gi, limited: requests.storage=9Gi",
        ),
        false,
    ),
    (
        "quota",
        Refused(
            "pods \"pg-2\" is forbidden: exceeded quota: compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi",
        ),
        false,
    ),
    (
        "quota",
        Refused(
            "pods \"pg-2\" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [high]}]",
        ),
        true,
    ),
    (
        "serviceaccount-missing",
        Refused(
            "pods \"pg-2\" is forbidden: error looking up service account db/pg: serviceaccount \"pg\" not found",
        ),
        false,
    ),
    (
        "priority-class-missing",
        Refused("pods \"pg-2\" is forbidden: no PriorityClass with name high was found"),
        false,
    ),
    (
        "namespace-terminating",
        Refused(
            "pods \"pg-2\" is forbidden: unable to create new content in namespace db because it is being terminated",
        ),
        false,
    ),
    (
        "server-timeout",
        Refused("etcdserver: request timed out"),
        false,
    ),
    ("refused", Refused("something that nobody knows"), false),
    (
        "claims-unbound",
        Unplaced("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
        false,
    ),
    (
        "claims-unbound",
        Unplaced("0/3 nodes are available: persistentvolumeclaim \"data-pg-2\" is being deleted."),
        false,
    ),
    (
        "invalid",
        Refused("Pod \"pg-2\" is invalid: spec.containers[0].image: Required value"),
        true,
    ),
    (
        "invalid",
        Refused("Pod \"pg-2\" is invalid: spec.hostname: Too long: may not be more than 63 bytes"),
        true,
    ),
    (
        "karpenter-incompatible",
        Placing(
            "FailedScheduling",
            "Failed to schedule pod, incompatible with nodepool \"default\", no instance type satisfied resources",
        ),
        false,
    ),
    (
        "karpenter-incompatible",
        Placing(
            "FailedScheduling",
            "Failed to schedule pod, no instance type has enough resources, requirements=karpenter.sh/nodepool In [default], resources={\"cpu\":\"64\"}",
        ),
        false,
    ),
    (
        "node-nominated",
        Placing(
            "Nominated",
            "Pod should schedule on: nodeclaim/default-7xk2p",
        ),
        false,
    ),
    (
        "nominated",
        Unplaced(
            "0/3 nodes are available: 3 Insufficient memory. preemption: not eligible due to a terminating pod on the nominated node.",
        ),
        false,
    ),
    (
        "runtime-class-missing",
        Refused("pods \"pg-2\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found"),
        true,
    ),
    (
        "scale-up-triggered",
        Placing(
            "TriggeredScaleUp",
            "pod triggered scale-up: [{group 2->3 (max: 10)}]",
        ),
        false,
    ),
    (
        "volume-full",
        Waits(
            "CrashLoopBackOff",
            "PANIC: could not write to file \"pg_wal/xlogtemp.31\": No space left on device",
            1,
        ),
        false,
    ),
    (
        "runtime-timeout",
        Waits("CreateContainerError", "context deadline exceeded", 0),
        false,
    ),
    (
        "volume-key-missing",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"config\" : configmap references non-existent config key: pg.conf",
        ),
        false,
    ),
    (
        "volume-ownership",
        Creating(
            "VolumePermissionChangeInProgress",
            "Setting volume ownership for 0/volumes/csi/pv-2/mount, processed 1200000 files.",
        ),
        false,
    ),
    (
        "post-start-hook",
        Waits("PostStartHookError", "PostStartHook failed", 137),
        true,
    ),
    (
        "device-runtime",
        Waits(
            "RunContainerError",
            "OCI runtime create failed: error running hook #0: stderr: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown",
            128,
        ),
        false,
    ),
    (
        "device-runtime",
        Waits(
            "CreateContainerError",
            "CDI device injection failed: unresolvable CDI devices vendor.com/device=card1",
            0,
        ),
        false,
    ),
    (
        "security-profile-missing",
        Waits(
            "CreateContainerError",
            "cannot load seccomp profile \"/var/lib/kubelet/seccomp/pg.json\": open /var/lib/kubelet/seccomp/pg.json: no such file or directory",
            0,
        ),
        false,
    ),
    (
        "security-profile-missing",
        Waits(
            "CreateContainerError",
            "apparmor failed to apply profile: write /proc/self/attr/apparmor/exec: no such file or directory",
            0,
        ),
        false,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "FATAL: lock file \"postmaster.pid\" already exists",
            1,
        ),
        false,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "HINT:  Is another postmaster (PID 1) running in data directory \"/data\"?",
            1,
        ),
        false,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "InnoDB: Unable to lock ./ibdata1 error: 11",
            1,
        ),
        false,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "FATAL: database files are incompatible with server",
            1,
        ),
        true,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "# Can't handle RDB format version 12",
            1,
        ),
        true,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "cockroach version v24.1 is incompatible with data in store <no-attributes>=/data; use version v24.3 or later",
            1,
        ),
        true,
    ),
    (
        "io-error",
        Waits(
            "CrashLoopBackOff",
            "PANIC: could not read file \"global/pg_control\": Input/output error",
            1,
        ),
        false,
    ),
    (
        "certificate-expired",
        Waits(
            "CrashLoopBackOff",
            "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
            1,
        ),
        false,
    ),
    (
        "image-store",
        Waits(
            "ImageInspectError",
            "Failed to inspect image \"pg:2\": rpc error: code = Unknown desc = layer not known",
            0,
        ),
        false,
    ),
    (
        "image-timeout",
        Waits(
            "ErrImagePull",
            "failed to pull and unpack image \"pg:2\": context canceled",
            0,
        ),
        false,
    ),
    (
        "image-timeout",
        Waits(
            "ErrImagePull",
            "failed to authorize: failed to fetch anonymous token: unexpected status: 503 Service Unavailable",
            0,
        ),
        false,
    ),
    (
        "image-timeout",
        Waits(
            "ErrImagePull",
            "dial tcp: lookup r.example on 10.0.0.2:53: server misbehaving",
            0,
        ),
        false,
    ),
    (
        "no-nodes",
        Unplaced("no nodes available to schedule pods"),
        false,
    ),
    (
        "node-starting",
        Unplaced(
            "0/3 nodes are available: 3 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}.",
        ),
        false,
    ),
    (
        "storage-capacity",
        Unplaced("0/3 nodes are available: 3 node(s) did not have enough free storage."),
        false,
    ),
    (
        "resource-claim",
        Unplaced("0/3 nodes are available: 3 cannot allocate all claims."),
        false,
    ),
    (
        "multi-attach",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : googleapi: Error 400: RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
        ),
        false,
    ),
    (
        "config-not-synced",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"cfg\" : failed to sync configmap cache: timed out waiting for the condition",
        ),
        false,
    ),
    (
        "cloud-permission",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : UnauthorizedOperation: You are not authorized to perform this operation",
        ),
        false,
    ),
    (
        "csi-busy",
        Creating(
            "FailedMount",
            "rpc error: code = Aborted desc = An operation with the given volume key vol-1 already exists",
        ),
        false,
    ),
    (
        "csi-busy",
        Creating(
            "FailedMount",
            "rpc error: code = Aborted desc = an operation with the given Volume ID 0001-ab already exists",
        ),
        false,
    ),
    (
        "csi-busy",
        Creating(
            "FailedMount",
            "rpc error: code = Aborted desc = An operation with the given volume=\"vol-1\" is already in progress",
        ),
        false,
    ),
    (
        "local-disk-missing",
        Creating(
            "FailedMount",
            "MountVolume.NewMounter initialization failed for volume \"pv-1\" : path \"/mnt/disks/ssd1\" does not exist",
        ),
        false,
    ),
    (
        "host-path-missing",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"h\" : hostPath type check failed: /data is not a directory",
        ),
        false,
    ),
    (
        "mount-unclear",
        Creating(
            "FailedMount",
            "mount failed: exit status 32: wrong fs type, bad option, bad superblock on /dev/nvme1n1, missing codepage or helper program, or other error",
        ),
        false,
    ),
    (
        "device-error",
        Creating(
            "FailedMount",
            "MountVolume.MountDevice failed for volume \"pvc-1\" : failed to mount: input/output error",
        ),
        false,
    ),
    (
        "storage-unreachable",
        Creating(
            "FailedMount",
            "MountVolume.WaitForAttach failed for volume \"pv-1\" : failed to get any path for iscsi disk",
        ),
        false,
    ),
    // The machine is not there, the volume may well be.
    (
        "volume-not-attached",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = NotFound desc = Instance \"i-0123\" not found",
        ),
        false,
    ),
    (
        "volume-not-attached",
        Creating(
            "FailedMount",
            "MountVolume.MountDevice failed for volume \"pvc-1\" : rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        ),
        false,
    ),
    (
        "volume-not-attached",
        Creating(
            "FailedMount",
            "mount.nfs: mounting server:/data failed, reason given by server: No such file or directory",
        ),
        false,
    ),
    (
        "volume-not-attached",
        Creating(
            "FailedMount",
            "failed to fetch token: serviceaccounts \"pg\" is forbidden: User \"system:node:n-1\" cannot create resource \"serviceaccounts/token\"",
        ),
        false,
    ),
    (
        "volume-not-attached",
        Creating(
            "FailedMount",
            "'fsck' not found to detect filesystem on device /dev/sdc with options []: exit status 127",
        ),
        false,
    ),
    (
        "network-attachment-missing",
        Creating(
            "FailedCreatePodSandBox",
            "Multus: cannot find a network-attachment-definition (storage-net) in namespace (db)",
        ),
        false,
    ),
    (
        "runtime-handler-missing",
        Creating(
            "FailedCreatePodSandBox",
            "failed to get sandbox runtime: no runtime for \"gvisor\" is configured",
        ),
        false,
    ),
    (
        "runtime-handler-missing",
        Creating(
            "FailedCreatePodSandBox",
            "failed to find runtime handler gvisor from runtime list map[crun:0xc0]",
        ),
        false,
    ),
    (
        "sandbox-image",
        Creating(
            "FailedCreatePodSandBox",
            "failed to get sandbox image \"registry.k8s.io/pause:3.9\": dial tcp: i/o timeout",
        ),
        false,
    ),
    (
        "sandbox-name-taken",
        Creating(
            "FailedCreatePodSandBox",
            "failed to reserve sandbox name \"pg-2_db_1_0\": name is reserved for \"abc\"",
        ),
        false,
    ),
    (
        "not-starting",
        Creating(
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: DRA driver gpu.nvidia.com is not registered",
        ),
        false,
    ),
    (
        "controller-forbidden",
        Refused(
            "pods is forbidden: User \"system:serviceaccount:kube-system:statefulset-controller\" cannot create resource \"pods\" in API group \"\" in the namespace \"db\"",
        ),
        false,
    ),
    (
        "object-too-large",
        Refused("etcdserver: request is too large"),
        true,
    ),
    (
        "object-too-large",
        Refused(
            "Pod \"pg-2\" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes",
        ),
        true,
    ),
    (
        "etcd-full",
        Refused("etcdserver: mvcc: database space exceeded"),
        false,
    ),
    (
        "pod-name-taken",
        Refused("pods \"pg-2\" already exists"),
        false,
    ),
    (
        "scc-denied",
        Refused(
            "pods \"pg-2\" is forbidden: unable to validate against any security context constraint: []",
        ),
        true,
    ),
    (
        "scc-denied",
        Refused("pods \"pg-2\" is forbidden: PodSecurityPolicy: unable to admit pod: []"),
        true,
    ),
    (
        "namespace-terminating",
        Refused("namespaces \"db\" not found"),
        false,
    ),
    (
        "server-error",
        Refused("Internal error occurred: unexpected response: 500"),
        false,
    ),
    (
        "file-watch-limit",
        Waits(
            "CrashLoopBackOff",
            "failed to create fsnotify watcher: too many open files",
            1,
        ),
        false,
    ),
    (
        "file-watch-limit",
        Waits(
            "CrashLoopBackOff",
            "ENOSPC: System limit for number of file watchers reached",
            1,
        ),
        false,
    ),
    (
        "process-limit",
        Waits(
            "CrashLoopBackOff",
            "max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]",
            78,
        ),
        false,
    ),
    (
        "process-limit",
        Waits(
            "CrashLoopBackOff",
            "java.io.IOException: Too many open files",
            1,
        ),
        false,
    ),
    (
        "data-corrupted",
        Waits(
            "CrashLoopBackOff",
            "PANIC:  could not locate a valid checkpoint record",
            1,
        ),
        false,
    ),
    (
        "data-corrupted",
        Waits("CrashLoopBackOff", "panic: walpb: crc mismatch", 2),
        false,
    ),
    (
        "data-corrupted",
        Waits(
            "CrashLoopBackOff",
            "Corruption: block checksum mismatch: stored = 1, computed = 2",
            1,
        ),
        false,
    ),
    (
        "data-corrupted",
        Waits(
            "CrashLoopBackOff",
            "Short read or OOM loading DB. Unrecoverable error, aborting now.",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "discovery failed: member 8211f1d0f64f3269 has already been bootstrapped",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "kafka.common.InconsistentClusterIdException: The Cluster ID a doesn't match stored clusterId b",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "error validating peerURLs: unmatched member while checking PeerURLs",
            1,
        ),
        false,
    ),
    (
        "peers-missing",
        Waits(
            "CrashLoopBackOff",
            "Error while waiting for Mnesia tables: {timeout_waiting_for_tables,['rabbit@pg-1']}",
            1,
        ),
        true,
    ),
    (
        "clock-skew",
        Waits(
            "CrashLoopBackOff",
            "clock synchronization error: this node is more than 500ms away from at least half of the known nodes",
            1,
        ),
        false,
    ),
    (
        "credentials-rejected",
        Waits(
            "CrashLoopBackOff",
            "FATAL:  password authentication failed for user \"app\"",
            1,
        ),
        false,
    ),
    (
        "credentials-rejected",
        Waits(
            "CrashLoopBackOff",
            "AccessDeniedException: User: arn:aws:sts::1:role/x is not authorized to perform: secretsmanager:GetSecretValue",
            1,
        ),
        false,
    ),
    (
        "name-unresolved",
        Waits(
            "CrashLoopBackOff",
            "could not translate host name \"db\" to address: Temporary failure in name resolution",
            1,
        ),
        true,
    ),
    (
        "service-unreachable",
        Waits(
            "CrashLoopBackOff",
            "dial tcp 10.96.14.2:5432: connect: connection refused",
            1,
        ),
        true,
    ),
    (
        "heap-exhausted",
        Waits(
            "CrashLoopBackOff",
            "Terminating due to java.lang.OutOfMemoryError: Java heap space",
            3,
        ),
        true,
    ),
    (
        "data-permission",
        Waits(
            "CrashLoopBackOff",
            "mkdir: cannot create directory '/data/pg': Permission denied",
            1,
        ),
        true,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "java.lang.IllegalStateException: failed to obtain node locks, tried [/usr/share/elasticsearch/data]; maybe these locations are not writable or multiple nodes were started on the same data path?",
            1,
        ),
        false,
    ),
    (
        "read-only-file-system",
        Waits(
            "CrashLoopBackOff",
            "mkdir: cannot create directory '/run/pg': Read-only file system",
            1,
        ),
        true,
    ),
    (
        "illegal-instruction",
        Waits("CrashLoopBackOff", "", 132),
        true,
    ),
    ("crash-aborted", Waits("CrashLoopBackOff", "", 134), true),
    (
        "memory-limit-too-low",
        Waits(
            "RunContainerError",
            "runc create failed: unable to start container process: container init was OOM-killed (memory limit too low?): unknown",
            128,
        ),
        true,
    ),
    (
        "memory-limit-too-low",
        Waits(
            "CreateContainerError",
            "the memory limit could be too low: read from sync socket",
            0,
        ),
        true,
    ),
    (
        "mount-onto-file",
        Waits(
            "RunContainerError",
            "error mounting \"/var/lib/kubelet/x\" to rootfs at \"/etc/pg.conf\": not a directory: Are you trying to mount a directory onto a file (or vice-versa)?: unknown",
            128,
        ),
        true,
    ),
    (
        "mount-onto-file",
        Waits(
            "CreateContainerError",
            "mount `/var/lib/kubelet/pods/x/volume-subpaths/conf/pg/0` to `etc/pg.conf`: Not a directory: OCI runtime error",
            0,
        ),
        true,
    ),
    (
        "image-content",
        Waits(
            "ImagePullBackOff",
            "failed commit on ref \"layer-sha256:ab\": unexpected commit digest sha256:cd, expected sha256:ab: failed precondition",
            128,
        ),
        true,
    ),
    (
        "image-content",
        Waits(
            "ErrImagePull",
            "writing blob: storing blob: Digest did not match, expected sha256:ab, got sha256:cd",
            0,
        ),
        true,
    ),
    (
        "image-store-damaged",
        Waits(
            "ImagePullBackOff",
            "failed to extract layer sha256:ab: failed to get reader from content store: content digest sha256:cd: not found",
            128,
        ),
        false,
    ),
    (
        "image-format",
        Waits(
            "ImagePullBackOff",
            "media type \"application/vnd.docker.distribution.manifest.v1+prettyjws\" is no longer supported since containerd v2.1",
            128,
        ),
        true,
    ),
    (
        "image-unauthorized",
        Waits(
            "ImagePullBackOff",
            "failed to resolve reference \"pg:2\": denied: Permission \"artifactregistry.repositories.downloadArtifacts\" denied on resource (or it may not exist)",
            128,
        ),
        true,
    ),
    (
        "image-unauthorized",
        Waits(
            "ErrImagePull",
            "failed to authorize: failed to fetch oauth token: unexpected status from POST request to https://r.example/token: 400 Bad Request",
            0,
        ),
        true,
    ),
    (
        "image-platform",
        Waits(
            "ImagePullBackOff",
            "no matching manifest for linux/arm64/v8 in the manifest list entries",
            128,
        ),
        true,
    ),
    (
        "probe-command",
        Probe(
            "Readiness probe errored and resulted in unknown state: exec: \"pg_ready\": executable file not found in $PATH",
        ),
        true,
    ),
    (
        "probe-command",
        Probe(
            "Readiness probe errored and resulted in unknown state: executable file `pg_ready` not found in $PATH: No such file or directory",
        ),
        true,
    ),
    // A message tells more than an exit code.
    (
        "service-unreachable",
        Waits(
            "CrashLoopBackOff",
            "Error connecting to 127.0.0.6:15002: connection refused",
            126,
        ),
        true,
    ),
    (
        "service-unreachable",
        Waits(
            "CrashLoopBackOff",
            "WARNING: password file \"/.pgpass\" has group or world access; could not connect to server: Connection refused",
            1,
        ),
        true,
    ),
    // Of several reasons, the one that can be mended on most nodes decides.
    (
        "insufficient-resources",
        Unplaced("0/6 nodes are available: 1 node(s) were unschedulable, 5 Insufficient memory."),
        true,
    ),
    (
        "insufficient-resources",
        Unplaced(
            "0/6 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 5 Insufficient cpu.",
        ),
        true,
    ),
    (
        "insufficient-resources",
        Unplaced(
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.",
        ),
        true,
    ),
    (
        "cordoned",
        Unplaced(
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict.",
        ),
        true,
    ),
    (
        "cordoned",
        Unplaced(
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules.",
        ),
        true,
    ),
    (
        "volume-limit",
        Unplaced(
            "0/3 nodes are available: 1 node(s) exceed max volume count, 2 node(s) had volume node affinity conflict.",
        ),
        true,
    ),
    (
        "node-unreachable-taint",
        Unplaced(
            "0/3 nodes are available: 1 node(s) had taint {node.kubernetes.io/unreachable: }, that the pod didn't tolerate, 2 node(s) had volume node affinity conflict.",
        ),
        true,
    ),
    (
        "scale-up-backoff",
        Placing(
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
        ),
        false,
    ),
    (
        "volume-read-only",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"pvc-1\" : applyFSGroup failed for vol vol-0a: lchown /x: read-only file system",
        ),
        false,
    ),
    (
        "volume-key",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : volume encryption key is pending deletion: KMSInvalidStateException",
        ),
        false,
    ),
    (
        "volume-not-ready",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = Aborted desc = volume pvc-1 is not ready for workloads",
        ),
        false,
    ),
    (
        "volume-not-ready",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"pvc-1\" : rpc error: code = InvalidArgument desc = volume pvc-1 hasn't been attached yet",
        ),
        false,
    ),
    (
        "attacher-missing",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : timed out waiting for external-attacher of ebs.csi.aws.com CSI driver to attach volume vol-0abc",
        ),
        false,
    ),
    (
        "attacher-missing",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : timed out waiting for external-attacher of org.democratic-csi.iscsi CSI driver to attach volume vol-1",
        ),
        false,
    ),
    (
        "attacher-missing",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : Attach timeout for volume vol-0abc",
        ),
        false,
    ),
    (
        "csi-driver-missing",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : CSINode n-1 does not contain driver ebs.csi.aws.com",
        ),
        false,
    ),
    (
        "csi-driver-missing",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : csinode.storage.k8s.io \"n-1\" not found",
        ),
        false,
    ),
    (
        "csi-driver-missing",
        Creating(
            "FailedMount",
            "connection error: desc = \"transport: Error while dialing: dial unix /var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock: connect: connection refused\"",
        ),
        false,
    ),
    (
        "csi-driver-missing",
        Creating(
            "FailedMapVolume",
            "MapVolume.SetUpDevice failed for volume \"pvc-1\" : driver name ebs.csi.aws.com not found in the list of registered CSI drivers",
        ),
        false,
    ),
    (
        "multi-attach",
        Creating(
            "FailedAttachVolume",
            "Code=\"AttachDiskWhileBeingDetached\" Message=\"the disk is currently being detached\"",
        ),
        false,
    ),
    (
        "multi-attach",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-1\" : googleapi: Error 400: The disk resource 'd' is already being used by 'instances/n-2'",
        ),
        false,
    ),
    (
        "mount-permission",
        Creating(
            "FailedMount",
            "MountVolume.SetUp failed for volume \"pvc-1\" : mount failed: exit status 32\nOutput: mount.nfs: access denied by server",
        ),
        false,
    ),
    (
        "cgroup-failing",
        Creating(
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: unable to apply cgroup configuration: mkdir /sys/fs/cgroup/x: cannot allocate memory",
        ),
        false,
    ),
    (
        "network-plugin-failing",
        Creating(
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox \"ab\": plugin type=\"calico\" failed (add): stat /var/lib/calico/nodename: no such file or directory",
        ),
        false,
    ),
    (
        "csi-busy",
        Creating(
            "FailedMount",
            "MountVolume.MountDevice failed for volume \"pvc-2\" : rpc error: code = Aborted desc = an operation with the given Volume ID 0001 already exists",
        ),
        false,
    ),
    (
        "attach-limit",
        Creating(
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pvc-2\" : The maximum number of data disks allowed to be attached to a VM of this size is 8.",
        ),
        false,
    ),
    (
        "multi-attach",
        Creating(
            "FailedMount",
            "MountVolume.MountDevice failed for volume \"pvc-2\" : rpc error: code = Internal desc = Volume pvc-2 still mounted on node node-1",
        ),
        false,
    ),
    (
        "no-disk-space",
        Waits(
            "ErrImagePull",
            "failed to pull and unpack image: failed to extract layer sha256:1: write /usr/lib/x.so: no space left on device",
            0,
        ),
        false,
    ),
    (
        "image-timeout",
        Waits(
            "ErrImagePull",
            "failed to do request: Head \"https://reg/v2/\": dial tcp: lookup reg on 10.0.0.2:53: server misbehaving",
            0,
        ),
        false,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "# Can't handle RDB format version 11\n# Fatal error loading the DB, check server logs. Exiting.",
            1,
        ),
        true,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "store /data, last used with cockroach version v21.2, is too old for running version v23.1",
            1,
        ),
        true,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "Feature flags: `stream_filtering`: required feature flag not enabled! It must be enabled before upgrading RabbitMQ.",
            1,
        ),
        true,
    ),
    (
        "data-format",
        Waits(
            "CrashLoopBackOff",
            "java.io.IOException: No snapshot found, but there are log entries. Something is broken!",
            1,
        ),
        true,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "Code: 76. DB::Exception: Cannot lock file /data/status. Another server instance in same directory is already running.",
            76,
        ),
        false,
    ),
    (
        "data-locked",
        Waits(
            "CrashLoopBackOff",
            "StoreLockException: Unable to obtain lock on store lock file: /data/store_lock",
            1,
        ),
        false,
    ),
    (
        "data-corrupted",
        Waits(
            "CrashLoopBackOff",
            "org.apache.cassandra.io.sstable.CorruptSSTableException: Corrupted: /data/nb-42-big-Statistics.db",
            3,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "tocommit(29) is out of range [lastIndex(20)]. Was the raft log corrupted, truncated, or lost?",
            2,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "FATAL:  requested timeline 6 is not a child of this server's history",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "CRITICAL: system ID mismatch, node pg-2 belongs to a different cluster: 70 != 71",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "refusing to rejoin cluster because server has been offline for more than the configured server_rejoin_age_max (168h0m0s)",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "This node previously joined a cluster with UUID [a] and is now trying to join a different cluster with UUID [b].",
            1,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "DB::Exception: Replica /tables/0/replicas/ch-2 already exists. (REPLICA_ALREADY_EXISTS)",
            253,
        ),
        false,
    ),
    (
        "member-identity",
        Waits(
            "CrashLoopBackOff",
            "failed to start node: StoreTombstone(\"store is tombstone\")",
            1,
        ),
        false,
    ),
    (
        "member-id",
        Waits(
            "CrashLoopBackOff",
            "InconsistentNodeIdException: Configured node.id `1001` doesn't match stored node.id `1389' in meta.properties.",
            1,
        ),
        true,
    ),
    (
        "member-id",
        Waits(
            "CrashLoopBackOff",
            "Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION",
            1,
        ),
        true,
    ),
    (
        "peers-missing",
        Waits(
            "CrashLoopBackOff",
            "java.lang.RuntimeException: Unable to gossip with any peers",
            3,
        ),
        true,
    ),
    (
        "peers-missing",
        Waits(
            "CrashLoopBackOff",
            "Unable to load format.json: Read failed. Insufficient number of drives online",
            1,
        ),
        true,
    ),
    (
        "process-limit",
        Waits(
            "CrashLoopBackOff",
            "the maximum number of open file descriptors is too small, got 65536",
            1,
        ),
        false,
    ),
    (
        "mode-too-open",
        Waits(
            "CrashLoopBackOff",
            "FATAL:  data directory \"/data/pg\" has invalid permissions",
            1,
        ),
        true,
    ),
    (
        "mode-too-open",
        Waits(
            "CrashLoopBackOff",
            "permissions on /etc/secrets/mongo.key are too open",
            1,
        ),
        true,
    ),
    (
        "mode-too-open",
        Waits(
            "CrashLoopBackOff",
            "Cookie file /var/lib/rabbitmq/.erlang.cookie must be accessible by owner only",
            1,
        ),
        true,
    ),
    (
        "memory-refused",
        Waits(
            "CrashLoopBackOff",
            "# There is insufficient memory for the Java Runtime Environment to continue.",
            1,
        ),
        true,
    ),
    (
        "port-in-use",
        Waits(
            "CrashLoopBackOff",
            "listen tcp 0.0.0.0:4222: bind: address already in use",
            1,
        ),
        true,
    ),
    (
        "bootstrap-unsafe",
        Waits(
            "CrashLoopBackOff",
            "[ERROR] WSREP: It may not be safe to bootstrap the cluster from this node.",
            1,
        ),
        false,
    ),
    (
        "data-directory-not-empty",
        Waits(
            "CrashLoopBackOff",
            "initdb: error: directory \"/var/lib/postgresql/data\" exists but is not empty",
            1,
        ),
        true,
    ),
    (
        "configuration-rejected",
        Waits(
            "CrashLoopBackOff",
            "[ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=0'.",
            1,
        ),
        true,
    ),
    (
        "configuration-rejected",
        Waits(
            "CrashLoopBackOff",
            "FATAL:  recovery aborted because of insufficient parameter settings",
            1,
        ),
        true,
    ),
    (
        "configuration-rejected",
        Waits(
            "CrashLoopBackOff",
            "error loading config: yaml: line 14: did not find expected key",
            1,
        ),
        true,
    ),
    (
        "sealed",
        Probe(
            "Readiness probe failed: Seal Type shamir Initialized true Sealed true Unseal Progress 0/3",
        ),
        false,
    ),
    (
        "probe-timeout",
        Probe("Readiness probe failed: command timed out: \"pg_isready\" timed out after 1s"),
        true,
    ),
    (
        "name-too-long",
        Refused(
            "Pod \"pg-2\" is invalid: metadata.labels: Invalid value: \"pg-1\": must be no more than 63 characters",
        ),
        false,
    ),
];

fn items() -> Vec<Value> {
    let path = golden::root().join("fixtures/trial/pg-crash.yaml");
    let list: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    items
        .filter(|item| item["kind"] != "Event")
        .cloned()
        .collect()
}

fn event(kind: &str, name: &str, reason: &str, message: &str, number: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 20,
        "metadata": {"name": format!("event-{number}"), "namespace": "db"},
        "involvedObject": {"kind": kind, "namespace": "db", "name": name},
        "firstTimestamp": "2026-11-21T11:40:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"})
}

/// The set whose pod pg-2 has this trouble.
fn situation(said: &Said) -> Value {
    let mut items = items();
    let at = items
        .iter()
        .position(|item| item["kind"] == "Pod" && item["metadata"]["name"] == "pg-2")
        .unwrap();
    let pod = &mut items[at];
    let mut events = Vec::new();
    let ended = |code: i64| json!({"terminated": {"exitCode": code, "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z"}});
    match said {
        Waits(reason, message, code) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            status["state"] = json!({"waiting": {"reason": reason, "message": message}});
            status["lastState"] = ended(*code);
        }
        Killed(killing, probe) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            status["state"] = json!({"running": {"startedAt": "2026-11-21T11:58:05Z"}});
            status["lastState"] = ended(137);
            events.push(event("Pod", "pg-2", "Killing", killing, 1));
            events.push(event("Pod", "pg-2", "Unhealthy", probe, 2));
        }
        Unplaced(message) => unplaced(pod, message),
        Placing(reason, message) => {
            unplaced(pod, "0/3 nodes are available: 3 Insufficient memory.");
            events.push(event("Pod", "pg-2", reason, message, 1));
        }
        Creating(reason, message) => {
            pod["status"]["phase"] = json!("Pending");
            let status = &mut pod["status"]["containerStatuses"][0];
            *status = json!({"name": "postgres", "ready": false, "restartCount": 0,
                "state": {"waiting": {"reason": "ContainerCreating"}}});
            events.push(event("Pod", "pg-2", reason, message, 1));
        }
        Probe(message) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            *status = json!({"name": "postgres", "ready": false, "restartCount": 0,
                "state": {"running": {"startedAt": "2026-11-21T11:22:00Z"}}});
            if !message.is_empty() {
                events.push(event("Pod", "pg-2", "Unhealthy", message, 1));
            }
        }
        Refused(message) => {
            items.remove(at);
            let set = items
                .iter_mut()
                .find(|item| item["kind"] == "StatefulSet")
                .unwrap();
            set["status"]["replicas"] = json!(2);
            set["status"]["updatedReplicas"] = json!(0);
            let message = format!("create Pod pg-2 in StatefulSet pg failed error: {message}");
            events.push(event("StatefulSet", "pg", "FailedCreate", &message, 1));
        }
    }
    items.extend(events);
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

fn unplaced(pod: &mut Value, message: &str) {
    pod["metadata"]["creationTimestamp"] = json!("2026-11-21T11:40:00Z");
    pod["status"] = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": message, "lastTransitionTime": "2026-11-21T11:40:00Z"}]});
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
}

#[test]
fn messages_of_components_are_recognized_as_their_causes() {
    let mut wrong = Vec::new();
    for (id, said, may_undo) in CASES {
        let input = situation(said).to_string();
        let (_, out, err) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &input);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{id}: {err}"));
        let analysis = &report["analysis"];
        let found = &analysis["cause"]["id"];
        if found != id || analysis["verdict"] != "stuck" {
            wrong.push(format!("{id}: {found}, {}", analysis["headline"]));
            continue;
        }
        let entry = causes().find(|entry| entry.id == *id).unwrap();
        assert_eq!(analysis["cause"]["blames"], entry.blames.name(), "{id}");
        // No other template helps if the template is not the cause.
        let remedies = analysis["remedies"].to_string();
        if !may_undo && remedies.contains("rollout undo") {
            wrong.push(format!("{id} is not the template's fault: {remedies}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_earlier_reason_is_not_hidden_by_the_timeout_that_repeats_it() {
    let timeout =
        "Unable to attach or mount volumes: unmounted volumes=[data]: context deadline exceeded";
    let said = Creating("FailedMount", timeout);
    let earlier = |reason: &str, message: &str, last: &str| {
        let mut event = event("Pod", "pg-2", reason, message, 7);
        event["lastTimestamp"] = json!(last);
        analysis_with(&said, &[event])["cause"]["id"].clone()
    };
    let attach = "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = Internal desc = backend fault 17";
    let recent = "2026-11-21T11:57:00Z";
    let cases = [
        ("FailedAttachVolume", attach, "volume-not-attached"),
        (
            "FailedMount",
            "MountVolume.SetUp failed for volume \"conf\" : configmap \"pg-conf\" not found",
            "config-missing",
        ),
    ];
    for (reason, message, id) in cases {
        assert_eq!(earlier(reason, message, recent), id);
        // A failure to mount that is not repeated is over. A failure to attach can be reported once.
        let settled = earlier(reason, message, "2026-11-21T11:30:00Z");
        assert_eq!(
            settled == "mount-timeout",
            reason == "FailedMount",
            "{settled}"
        );
    }
}

#[test]
fn a_hook_that_fails_in_another_container_is_not_the_cause() {
    let said = Waits("CrashLoopBackOff", "back-off", 1);
    for (container, id) in [("agent", "crash-loop"), ("postgres", "post-start-hook")] {
        let mut hook = event(
            "Pod",
            "pg-2",
            "FailedPostStartHook",
            "PostStartHook failed",
            7,
        );
        hook["involvedObject"]["fieldPath"] = json!(format!("spec.containers{{{container}}}"));
        assert_eq!(
            analysis_with(&said, &[hook])["cause"]["id"],
            id,
            "{container}"
        );
    }
}

#[test]
fn the_line_of_a_message_that_tells_the_cause_is_shown() {
    let headline = |words: &str, reason: &str| {
        let mut input = situation(&Waits("CrashLoopBackOff", "back-off", 1));
        let mut items = input["items"].as_array_mut().unwrap().iter_mut();
        let pod = items.find(|item| item["metadata"]["name"] == "pg-2" && item["kind"] == "Pod");
        let ended = &mut pod.unwrap()["status"]["containerStatuses"][0]["lastState"]["terminated"];
        ended["message"] = json!(words);
        ended["reason"] = json!(reason);
        let args = ["-f", "-", "--now", NOW, "-o", "json"];
        let (_, out, _) = program::feed(&args, &input.to_string());
        let report: Value = serde_json::from_str(&out).unwrap();
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    for (words, reason, line) in [
        (
            "PANIC:  no valid checkpoint\nLOG:  startup process was terminated",
            "Error",
            "PANIC:  no valid checkpoint",
        ),
        (
            "unknown flag: --log\nUsage: pg [flags]",
            "Error",
            ": unknown flag: --log",
        ),
        (
            "java.lang.Error: x\nCaused by: bad value\n\tat a.b.c(D.java:1)",
            "Error",
            ": Caused by: bad value",
        ),
        (
            "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: device is busy: unknown",
            "StartError",
            ": device is busy: unknown",
        ),
    ] {
        let told = headline(words, reason);
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn a_transient_problem_is_awaited() {
    let young = |said: &Said| {
        let text = situation(said).to_string();
        // Everything happened moments ago.
        text.replace("2026-11-21T11:40:00Z", "2026-11-21T11:59:50Z")
    };
    let cases = [
        Placing(
            "TriggeredScaleUp",
            "pod triggered scale-up: [{group 2->3 (max: 10)}]",
        ),
        Unplaced("0/3 nodes are available: 3 Insufficient memory."),
        Unplaced("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
    ];
    for said in &cases {
        let args = ["-f", "-", "--now", NOW, "--fail-on", "blocked"];
        let (code, out, _) = program::feed(&args, &young(said));
        assert_eq!(code, 0, "{out}");
        assert!(!out.contains("BLOCKED") && !out.contains("STUCK"), "{out}");
        // The state of the pod is still reported.
        let (_, out, _) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &young(said));
        let report: Value = serde_json::from_str(&out).unwrap();
        let mut pods = report["set"]["pods"].as_array().unwrap().iter();
        let pod = pods.find(|pod| pod["name"] == "pg-2").unwrap();
        assert_eq!(pod["waiting"], "Unschedulable", "{out}");
    }
}

/// The analysis of a situation with additional objects.
fn analysis_with(said: &Said, more: &[Value]) -> Value {
    let mut input = situation(said);
    let items = input["items"].as_array_mut().unwrap();
    items.extend(more.iter().cloned());
    let args = ["-f", "-", "--now", NOW, "-o", "json"];
    let (_, out, err) = program::feed(&args, &input.to_string());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    report["analysis"].clone()
}

#[test]
fn a_taint_that_the_scheduler_does_not_name_is_read_from_the_nodes() {
    let node = |name: &str, key: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "spec": {"taints": [{"key": key, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    };
    // The message of Kubernetes 1.36.
    let said = Unplaced("0/2 nodes are available: 2 node(s) had untolerated taint(s).");
    let pressed = [
        node("n-1", "node.kubernetes.io/disk-pressure"),
        node("n-2", "node.kubernetes.io/disk-pressure"),
    ];
    let analysis = analysis_with(&said, &pressed);
    assert_eq!(analysis["cause"]["id"], "disk-pressure");
    let headline = analysis["headline"].as_str().unwrap();
    assert!(headline.contains("taint on n-1, n-2"), "{headline}");
    // If the nodes differ, it is unknown which of the taints it is.
    let mixed = [
        node("n-1", "node.kubernetes.io/disk-pressure"),
        node("n-2", "dedicated"),
    ];
    assert_eq!(analysis_with(&said, &mixed)["cause"]["id"], "taints");
}

#[test]
fn the_pod_that_uses_a_claim_of_one_pod_alone_is_named() {
    let said = Unplaced(
        "0/3 nodes are available: 3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
    );
    let input = situation(&said);
    let pods = input["items"].as_array().unwrap().iter();
    let mut claims = pods
        .filter(|item| item["kind"] == "Pod" && item["metadata"]["name"] == "pg-2")
        .flat_map(|pod| pod["spec"]["volumes"].as_array().unwrap())
        .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str());
    let claim = claims.next().unwrap().to_owned();
    let holder = |phase: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "look", "namespace": "db", "uid": "u-look"},
            "spec": {"nodeName": "n-7", "containers": [{"name": "sh", "image": "sh"}],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": phase}})
    };
    let analysis = analysis_with(&said, &[holder("Running")]);
    assert_eq!(analysis["cause"]["id"], "rwop-in-use");
    let headline = analysis["headline"].as_str().unwrap();
    assert!(
        headline.contains("; in use by look on node n-7"),
        "{headline}"
    );
    // A finished pod holds nothing.
    let analysis = analysis_with(&said, &[holder("Succeeded")]);
    let headline = analysis["headline"].as_str().unwrap();
    assert!(!headline.contains("look on node"), "{headline}");
}

#[test]
fn a_controller_is_late_when_it_has_not_observed_a_change_for_a_while() {
    let path = golden::root().join("fixtures/rollout.yaml");
    let mut list: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    let set = items
        .iter_mut()
        .find(|item| item["kind"] == "StatefulSet")
        .unwrap();
    let headline = |list: &Value, now: &str| {
        let args = ["-f", "-", "--now", now, "-o", "json"];
        let (_, out, err) = program::feed(&args, &list.to_string());
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    set["metadata"]["managedFields"] = json!([
        {"manager": "kubectl", "operation": "Update", "apiVersion": "apps/v1", "time": "2026-11-20T02:59:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:template": {}}}},
        {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "apps/v1", "subresource": "status",
            "time": "2026-11-20T01:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}},
    ]);
    let told = headline(&list, "2026-11-20T02:59:16Z");
    let late = "the controller has not observed generation 3 for 16s (observedGeneration 2): check kube-controller-manager";
    assert!(told.contains(late), "{told}");
    // Within moments, that is every change.
    let told = headline(&list, "2026-11-20T02:59:10Z");
    assert!(!told.contains("observed"), "{told}");
}

#[test]
fn a_refused_claim_blocks_its_pod_with_the_message_of_the_version() {
    let said = Refused(
        "persistentvolumeclaims \"pgdata-pg-2\" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi, used: requests.storage=9Gi, limited: requests.storage=9Gi",
    );
    for words in [
        "Claim pgdata-pg-2 Pod pg-2",
        "Claim pgdata-pg-2 for Pod pg-2",
    ] {
        let text = situation(&said).to_string();
        let text = text.replace("create Pod pg-2", &format!("create {words}"));
        let (_, out, err) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &text);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        assert_eq!(report["analysis"]["cause"]["id"], "claim-quota", "{words}");
    }
}

#[test]
fn sets_with_one_cause_share_a_row() {
    for (said, cause) in [
        (
            Refused(
                "pods \"pg-2\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot",
            ),
            "pods cannot be created: violates PodSecurity",
        ),
        (
            Creating(
                "FailedCreatePodSandBox",
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to assign an IP address to container",
            ),
            "(no-address)",
        ),
    ] {
        let mut all = Vec::new();
        for number in 1..=3 {
            let text = situation(&said).to_string();
            let text = text.replace(
                "\"namespace\":\"db\"",
                &format!("\"namespace\":\"team-{number}\""),
            );
            let list: Value = serde_json::from_str(&text).unwrap();
            let items = list["items"].as_array().unwrap().iter();
            all.extend(
                items
                    .filter(|item| item["metadata"]["namespace"].is_string())
                    .cloned(),
            );
        }
        let (_, out, err) = program::run_on(&all, &["--now", NOW]);
        let row = out
            .lines()
            .find(|line| line.contains("3 sets"))
            .unwrap_or_default();
        assert!(row.contains(cause), "{out}{err}");
    }
}

#[test]
fn explain_prints_the_page_of_a_cause() {
    for entry in causes() {
        let (code, out, _) = program::run(&["explain", entry.id]);
        assert_eq!(code, 0);
        assert!(
            out.contains(entry.title) && out.contains(entry.blames.name()),
            "{out}"
        );
    }
}
