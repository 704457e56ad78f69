//! Messages that nearly are of another cause, and reports that are over or not decisive. Each row has the message as a
//! component or a process wrote it, and the cause that it is of.

use serde_json::{Value, json};

use test_kit::kv::{of, plan, told};
use test_kit::situation::Said::{Claims, Creating, Probe, Refused, Unplaced};
use test_kit::situation::{Said, crashed, event, situation};

fn analysis_of(input: &[Value]) -> Value {
    plan(input)["analysis"].clone()
}

fn cause_of(said: &Said<'_>) -> Value {
    analysis_of(&situation(said))["cause"]["id"].clone()
}

#[test]
fn a_process_that_fails_has_a_cause_of_its_own_beside_a_new_sandbox() {
    let with_sandbox = |words: &str, code: i64, count: i64| {
        let mut input = crashed(words, code);
        let message = "Pod sandbox changed, it will be killed and re-created.";
        let mut changed = event("Pod", "pg-2", "SandboxChanged", message, 7);
        changed["type"] = json!("Normal");
        changed["count"] = json!(count);
        input.push(changed);
        analysis_of(&input)["cause"]["id"].clone()
    };
    assert_eq!(with_sandbox("", 143, 20), "sandbox-recreated");
    assert_eq!(
        with_sandbox("received SIGTERM, exiting", 0, 3),
        "sandbox-recreated"
    );
    // Once is a restart of the node, and a process that fails is no victim.
    assert_eq!(with_sandbox("", 143, 1), "crash-terminated");
    assert_eq!(with_sandbox("", 1, 20), "crash-loop");
    let words = "FATAL: lock file \"postmaster.pid\" already exists";
    assert_eq!(with_sandbox(words, 2, 20), "data-locked");
}

#[test]
fn last_words_that_share_words_have_causes_of_their_own() {
    for (words, code, id) in [
        // Permissions of a file, a port, a table, a system call, and of the storage.
        ("open /data/x: permission denied", 1, "data-permission"),
        (
            "IO error: while open a file for random read: /data/000123.sst: No such file or directory; recovery failed",
            1,
            "data-corrupted",
        ),
        (
            "FATAL: could not open segment 12 of relation base/16384/2619: No such file or directory",
            1,
            "data-corrupted",
        ),
        (
            "listen tcp :443: bind: permission denied",
            1,
            "port-privileged",
        ),
        (
            "ERROR: permission denied for table users (SQLSTATE 42501)",
            1,
            "request-forbidden",
        ),
        (
            "/entrypoint.sh: line 12: /opt/bin/run: Permission denied",
            126,
            "script-not-executable",
        ),
        (
            "/entrypoint.sh: line 12: /data/log: Permission denied",
            1,
            "data-permission",
        ),
        (
            "pthread_create failed: Operation not permitted",
            1,
            "thread-refused",
        ),
        (
            "pthread_create failed: Resource temporarily unavailable",
            1,
            "process-limit",
        ),
        (
            "Could not locate Gemfile or .bundle/ directory",
            10,
            "program-incomplete",
        ),
        ("Error: spawn /bin/sh EMFILE", 1, "process-limit"),
        (
            "Error: read failed { errno: -24, code: 'EMFILE' }",
            1,
            "process-limit",
        ),
        (
            "Errno::EMFILE: Too many open files @ rb_sysopen - /app/Gemfile.lock",
            1,
            "process-limit",
        ),
        (
            "chown: changing ownership of '/data': Operation not permitted",
            1,
            "owner-unchangeable",
        ),
        (
            "failed to obtain node locks\nCaused by: java.nio.file.AccessDeniedException: /data/node.lock",
            1,
            "data-permission",
        ),
        (
            "failed to obtain node locks, tried [/data]",
            1,
            "data-locked",
        ),
        // Missing space of a disk, of shared memory, of the kernel, and of a service.
        (
            "write /var/lib/x: no space left on device",
            1,
            "local-disk-full",
        ),
        (
            "could not resize shared memory segment \"/P.1\": No space left on device",
            1,
            "shared-memory-full",
        ),
        (
            "could not create semaphores: No space left on device",
            1,
            "kernel-object-limit",
        ),
        (
            "disk usage exceeded flood-stage watermark, index has read-only-allow-delete block",
            1,
            "service-full",
        ),
        (
            "fsnotify watcher: no space left on device",
            1,
            "file-watch-limit",
        ),
        // The key file of a member, and the place of the member in its cluster.
        (
            "Error creating service context: Location5579201: Unable to acquire security key[s]",
            1,
            "key-file-unusable",
        ),
        (
            "MongoServerError: Our replica set config is invalid or we are not a member of it",
            1,
            "member-unlisted",
        ),
        (
            "error: config is invalid: unknown field listenAddr",
            1,
            "configuration-rejected",
        ),
        (
            "cluster id mismatch, local 7100 != remote 7200",
            1,
            "cluster-identity",
        ),
        // A bucket, and other things that a service refuses.
        (
            "err=\"bucket store initial sync: sync block: BaseFetcher: iter bucket: The specified bucket does not exist\"",
            1,
            "bucket-unusable",
        ),
        (
            "err=\"decode account key: illegal base64 data at input byte 0\"",
            1,
            "secret-malformed",
        ),
        // A lock of a migration, and a migration that has not run.
        (
            "ActiveRecord::ConcurrentMigrationError: Cannot run migrations because another migration process is currently running.",
            1,
            "migration-locked",
        ),
        (
            "Migrations are pending. To resolve this issue, run: bin/rails db:migrate",
            1,
            "schema-outdated",
        ),
        // Drivers of a node.
        (
            "Failed to initialize NVML: Driver/library version mismatch",
            1,
            "gpu-driver-mismatch",
        ),
        ("Failed to initialize NVML: Unknown Error", 1, "gpu-failing"),
        (
            "java.lang.IllegalStateException: The index [[.kibana/a]] was created with version [7.10.2] but the minimum compatible version is [2.0.0].",
            1,
            "index-too-old",
        ),
        // A member, its data, and its peers.
        ("myid file is missing", 2, "member-number-missing"),
        (
            "The Cluster ID a doesn't match stored clusterId Some(b) in meta.properties",
            1,
            "cluster-identity",
        ),
        (
            "InvalidCookieException: Cookie for this bookie is not stored in metadata store",
            1,
            "member-identity",
        ),
        (
            "cannot fetch cluster info from peer urls",
            1,
            "peers-missing",
        ),
        ("java.lang.OutOfMemoryError: Map failed", 1, "process-limit"),
        (
            "java.lang.OutOfMemoryError: Java heap space",
            3,
            "heap-exhausted",
        ),
        // What the image lacks, what its configuration lacks, and what the pod lacks.
        (
            "error while loading shared libraries: libssl.so.1.1: cannot open shared object file",
            127,
            "program-incomplete",
        ),
        (
            "plugin [x] was built for OpenSearch version 2.4.0 but version 2.11.0 is running",
            1,
            "plugin-version",
        ),
        (
            "open /etc/tls/tls.crt: no such file or directory",
            1,
            "file-missing",
        ),
        (
            "exec: \"serve\": executable file not found in $PATH",
            127,
            "command-not-found",
        ),
        (
            "DATABASE_URL environment variable is required",
            1,
            "setting-missing",
        ),
        // A service that is away, that is full, that answers with an error, and a name that is not there.
        (
            "dial tcp 10.0.0.1:5432: connect: connection refused",
            1,
            "service-unreachable",
        ),
        (
            "dial tcp: lookup kafka.prod.svc: i/o timeout",
            1,
            "dns-unreachable",
        ),
        (
            "HTTP 429 Too Many Requests from https://config",
            1,
            "service-error",
        ),
        (
            "FATAL: remaining connection slots are reserved",
            1,
            "connections-exhausted",
        ),
        ("HTTP 401 Unauthorized", 1, "credentials-rejected"),
        // The schema, before and behind the program.
        (
            "Detected resolved migration not applied to database: 12",
            1,
            "schema-outdated",
        ),
        (
            "Detected applied migration not resolved locally: 12",
            1,
            "data-format",
        ),
        (
            "Migration checksum mismatch for migration version 3",
            1,
            "migration-changed",
        ),
        (
            "error: Dirty database version 12. Fix and force version.",
            1,
            "migration-locked",
        ),
    ] {
        let input = crashed(words, code);
        let found = analysis_of(&input)["cause"]["id"].clone();
        assert_eq!(found, id, "{words}");
    }
}

#[test]
fn reports_of_components_that_share_words_have_causes_of_their_own() {
    let mount = "MountVolume.SetUp failed for volume \"pvc-1\" : ";
    for (said, id) in [
        (
            Creating(
                "FailedMount",
                &format!("{mount}exec: \"iscsiadm\": executable file not found in $PATH"),
            ),
            "node-program-missing",
        ),
        (
            Creating(
                "FailedMount",
                &format!("{mount}iscsiadm: cannot make connection to 10.0.0.9: No route to host"),
            ),
            "storage-unreachable",
        ),
        (
            Creating("FailedMount", &format!("{mount}stale NFS file handle")),
            "stale-file-handle",
        ),
        (
            Creating(
                "FailedMount",
                &format!("{mount}mount.nfs: Connection timed out"),
            ),
            "nfs-timeout",
        ),
        (
            Creating(
                "FailedMount",
                &format!("{mount}mount.nfs: access denied by server"),
            ),
            "nfs-access-denied",
        ),
        (
            Creating(
                "FailedMount",
                &format!("{mount}rbd image pool/x is still being used"),
            ),
            "image-watched",
        ),
        (
            Creating(
                "FailedMount",
                &format!(
                    "{mount}applyFSGroup failed for vol 1: lchown /x: operation not permitted"
                ),
            ),
            "owner-change-refused",
        ),
        (
            Creating(
                "FailedMount",
                &format!("{mount}applyFSGroup failed for vol 1: lstat /x: input/output error"),
            ),
            "device-error",
        ),
        (
            Creating(
                "FailedAttachVolume",
                "AttachVolume.Attach failed for volume \"pvc-1\" : the disk is currently being detached",
            ),
            "disk-detaching",
        ),
        (
            Creating(
                "FailedAttachVolume",
                "AttachVolume.Attach failed for volume \"pvc-1\" : InvalidVolume.ZoneMismatch",
            ),
            "volume-in-other-zone",
        ),
        (
            Creating(
                "FailedCreatePodSandBox",
                "failed to setup network for sandbox: no IP addresses available in range set: 10.244.2.1-10.244.2.254",
            ),
            "node-address-leak",
        ),
        (
            Creating(
                "FailedCreatePodSandBox",
                "failed to setup network for sandbox: add cmd: failed to assign an IP address to container",
            ),
            "no-address-aws",
        ),
        (
            Claims(
                "ProvisioningFailed",
                "rpc error: code = ResourceExhausted desc = no enough space left on VG: free=1",
            ),
            "pool-full",
        ),
        (
            Claims(
                "ProvisioningFailed",
                "rpc error: code = ResourceExhausted desc = Quota 'SSD_TOTAL_GB' exceeded",
            ),
            "provisioner-quota",
        ),
        (
            Claims(
                "ProvisioningFailed",
                "Volume capabilities MULTI_NODE_MULTI_WRITER not supported. Only AccessModes[ReadWriteOnce] supported.",
            ),
            "claim-access-mode",
        ),
        (
            Probe(
                "Readiness probe failed: Get \"http://10.0.2.102:8080/\": dial tcp 10.0.2.102:8080: i/o timeout",
            ),
            "probe-network",
        ),
        (
            Probe(
                "Readiness probe failed: Get \"http://10.0.2.102:8080/\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
            ),
            "probe-timeout",
        ),
        (
            Probe("Readiness probe failed: dial tcp 10.0.2.102:8080: connect: connection refused"),
            "probe-refused",
        ),
        (
            Probe("Readiness probe failed: /tmp:5432 - rejecting connections"),
            "recovering",
        ),
        (
            Probe(
                "Readiness probe failed: standby: requested WAL segment 01 has already been removed",
            ),
            "standby-lost",
        ),
        (
            Probe("Readiness probe failed: service unhealthy (responded with \"NOT_SERVING\")"),
            "readiness-failing",
        ),
        (
            Refused(
                "Internal error occurred: failed calling webhook \"v.io\": service \"istiod-1\" not found",
            ),
            "webhook-service-missing",
        ),
        (
            Refused(
                "Internal error occurred: failed calling webhook \"v.io\": no endpoints available for service \"istiod\"",
            ),
            "webhook-down",
        ),
        (
            Refused(
                "admission webhook \"v.io\" denied the request: signature of reg/db: GET https://reg/token: DENIED: access",
            ),
            "signature-unreadable",
        ),
        (
            Refused(
                "admission webhook \"v.io\" denied the request: no matching signatures: GET https://reg/token: DENIED",
            ),
            "signature-refused",
        ),
    ] {
        assert_eq!(cause_of(&said), id);
    }
}

#[test]
fn a_warning_is_not_the_cause_beside_what_ends_the_process() {
    for (words, id) in [
        (
            "WARN demo certificate has expired, ignored\nFATAL missing required environment variable ACME_ID",
            "setting-missing",
        ),
        (
            "2026-11-21 INFO cache: no space left on device, skipped\ninvalid api key",
            "credentials-rejected",
        ),
        ("WARN disk is full", "volume-full"),
    ] {
        assert_eq!(
            analysis_of(&crashed(words, 1))["cause"]["id"],
            id,
            "{words}"
        );
    }
}

#[test]
fn what_is_not_recognized_says_so_and_where_the_answer_is() {
    let mut input = crashed("the flux capacitor is out of phase", 3);
    let text = told(&input);
    assert!(text.contains("Do:   roll back"), "{text}");
    let fix = "Fix:  the message is not recognized: read the log of postgres; only the new revision fails: the reason is in what differs (image)";
    assert!(text.contains(fix), "{text}");
    // On the same template as ready pods, neither a rollback nor the template is the answer.
    let pods: Vec<String> = ["pg-0", "pg-1"].map(str::to_owned).into();
    let own = of(&mut input, "Pod", "pg-2")["metadata"]["labels"].clone();
    for name in pods {
        let labels = &mut of(&mut input, "Pod", &name)["metadata"]["labels"];
        labels["controller-revision-hash"] = own["controller-revision-hash"].clone();
    }
    let text = told(&input);
    assert!(!text.contains("rollout undo"), "{text}");
    assert!(
        text.contains("check pg-2's own data, node and volume"),
        "{text}"
    );
}

#[test]
fn a_mount_that_failed_before_the_container_ran_is_over() {
    let mut input = situation(&Probe(
        "Readiness probe failed: HTTP probe failed with statuscode: 503",
    ));
    let failed = event(
        "Pod",
        "pg-2",
        "FailedMount",
        "Unable to attach or mount volumes: unmounted volumes=[data]",
        9,
    );
    input.push(failed);
    assert_eq!(analysis_of(&input)["cause"]["id"], "readiness-failing");
}

#[test]
fn a_kill_of_an_earlier_run_is_not_the_cause_of_the_last_one() {
    let mut input = crashed("open /etc/app.yaml: no such file or directory", 2);
    let mut killing = event(
        "Pod",
        "pg-2",
        "Killing",
        "Container postgres failed liveness probe, will be restarted",
        9,
    );
    killing["lastTimestamp"] = json!("2026-11-21T09:20:00Z");
    input.push(killing);
    assert_eq!(analysis_of(&input)["cause"]["id"], "file-missing");
}

#[test]
fn scale_ups_that_fail_each_time_are_not_awaited() {
    let mut input = situation(&Unplaced("0/3 nodes are available: 3 Insufficient memory."));
    let triggered = event(
        "Pod",
        "pg-2",
        "TriggeredScaleUp",
        "pod triggered scale-up: [{g 2->3 (max: 10)}]",
        8,
    );
    let mut failed = event(
        "Pod",
        "pg-2",
        "FailedScaleUp",
        "Node scale up in zones z failed: GCE out of resources",
        9,
    );
    failed["lastTimestamp"] = json!("2026-11-21T11:55:00Z");
    input.extend([triggered, failed]);
    assert_eq!(analysis_of(&input)["cause"]["id"], "scale-up-stockout");
}

#[test]
fn a_probe_that_cannot_log_in_is_not_the_fault_of_the_probe() {
    let of_probe = |message: &str| {
        let killing = "Container postgres failed liveness probe, will be restarted";
        let probe = format!("Liveness probe failed: {message}");
        cause_of(&Said::Killed(killing, &probe))
    };
    for message in [
        "mysqladmin: connect to server at 'localhost' failed error: 'Access denied for user 'root'@'localhost' (using password: YES)'",
        "NOAUTH Authentication required.",
    ] {
        assert_eq!(of_probe(message), "probe-credentials", "{message}");
    }
    assert_eq!(
        of_probe("HTTP probe failed with statuscode: 500"),
        "liveness-kill"
    );
}
