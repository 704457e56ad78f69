//! Messages of software that no entry has words for: they are recognized by the families of terms, and the ordinary lines
//! of a log are not.

use serde_json::{Value, json};
use test_kit::kv::plan;
use test_kit::situation::crashed;

/// Messages of databases, brokers and other servers, with their causes. None is an example of an entry.
const TOLD: &[(&str, &str)] = &[
    (
        "x509: certificate has expired or is not yet valid: current time 2026-11-27T03:00:00Z is after 2026-11-01T00:00:00Z",
        "certificate-expired",
    ),
    ("CERT_HAS_EXPIRED", "certificate-expired"),
    (
        "java.security.cert.CertificateExpiredException: NotAfter: Sun Nov 01 00:00:00 UTC 2026",
        "certificate-expired",
    ),
    ("invalid peer certificate: Expired", "certificate-expired"),
    (
        "remote error: tls: bad certificate",
        "certificate-untrusted",
    ),
    (
        "tls: unknown certificate authority",
        "certificate-untrusted",
    ),
    (
        "javax.net.ssl.SSLHandshakeException: No name matching kafka-0 found",
        "certificate-untrusted",
    ),
    (
        "x509: certificate is valid for localhost, not pg-0.pg",
        "certificate-untrusted",
    ),
    (
        "Time drift of 12s between this node and the cluster exceeds the limit of 10s",
        "clock-skew",
    ),
    (
        "clock synchronization error: this node is more than 500ms away from at least half of the known nodes (2 of 2 are within the offset)",
        "clock-skew",
    ),
    (
        "RequestTimeTooSkewed: The difference between the request time and the server's time is too large.",
        "clock-skew",
    ),
    (
        "NTP time drift too large: system clock is 90s ahead of peers",
        "clock-skew",
    ),
    (
        "rpc error: code = FailedPrecondition desc = mismatch cluster id, need 0 but got 6727549312918307533",
        "cluster-identity",
    ),
    (
        "[ERROR] cluster ID mismatch: local_id 6501639174036732112 remote_id 6512386590412789559. you are trying to connect to another cluster, please reconnect to the correct PD",
        "cluster-identity",
    ),
    (
        "Cluster ID in data directory does not match: stored 1a, got 2b",
        "cluster-identity",
    ),
    (
        "this node belongs to cluster \"a\", refusing to join cluster \"b\"",
        "cluster-identity",
    ),
    (
        "Please change configurations to allowlist and denylist: invalid configuration",
        "configuration-rejected",
    ),
    (
        "Fatal: \"MAILER_TYPE\" is deprecated and was removed, please use \"PROTOCOL\" in [mailer]",
        "configuration-rejected",
    ),
    (
        "[config] FATAL: option `storage.type' has an invalid value",
        "configuration-rejected",
    ),
    (
        "Error: invalid value \"abc\" for flag -retention: time: invalid duration",
        "configuration-rejected",
    ),
    (
        "The CPU does not support the required CPU features that were configured during compile time",
        "cpu-too-old",
    ),
    (
        "qemu: tensorflow library was compiled to use AVX instructions, but these aren't available on your machine.",
        "cpu-too-old",
    ),
    (
        "Instruction check fail. The CPU does not support SSSE3 instruction set. (ClickHouse)",
        "cpu-too-old",
    ),
    ("CPU does not support x86-64-v2", "cpu-too-old"),
    (
        "nats: error: nats: Authorization Violation on connect",
        "credentials-rejected",
    ),
    (
        "ldap_bind: Invalid credentials (49)",
        "credentials-rejected",
    ),
    (
        "FATAL: password authentication failed for user \"keycloak\"",
        "credentials-rejected",
    ),
    (
        "FATAL: no pg_hba.conf entry for host \"10.1.2.3\", user \"app\", database \"app\", no encryption",
        "host-not-allowed",
    ),
    (
        "java.util.concurrent.CompletionException: java.lang.IllegalStateException: Expected to find a snapshot at index >= log's first index 566002535, but found snapshot 0. A previous snapshot is most likely corrupted.",
        "data-corrupted",
    ),
    (
        "java.lang.IllegalStateException: Expected to find event with the snapshot position 4659997 in log stream, but nothing was found. Failed to recover 'Broker-0-StreamProcessor-1'.",
        "data-corrupted",
    ),
    (
        "ERRO tikv-server.rs:166: failed to create kv engine: \"Corruption: error in middle of record\"",
        "data-corrupted",
    ),
    (
        "PANIC:  could not read file \"pg_logical/replorigin_checkpoint\": No error information",
        "data-corrupted",
    ),
    (
        "[ERR] DCRD: Unable to start server on [:9108]: Upgrade from version 4 database not supported yet",
        "data-format",
    ),
    (
        "Database schema version is 12 but this build expects 11. Downgrade is not supported.",
        "data-format",
    ),
    (
        "UNSUPPORTED_STORAGE_VERSION: Database was created by a newer Runtime",
        "data-format",
    ),
    (
        "stateVersion: incompatible storage version 4; current state supports only 3",
        "data-format",
    ),
    (
        "Database 'nexus' is already locked by another process",
        "data-locked",
    ),
    (
        "Failed to acquire lock; another process is holding the lock on /data/lock",
        "data-locked",
    ),
    (
        "arangod: database directory is already in use: lock file '/var/lib/arangodb3/LOCK' is held by process 1",
        "data-locked",
    ),
    (
        "Could not lock database: the ledger is in use by another instance",
        "data-locked",
    ),
    (
        "Failed to create cookie file '/vernemq/.erlang.cookie': eacces",
        "data-permission",
    ),
    (
        "initdb: error: could not create directory \"/var/lib/postgresql/data/pgdata\": Permission denied",
        "data-permission",
    ),
    (
        "Fatal error: can't open the append log file: Permission denied",
        "data-permission",
    ),
    (
        "Unable to write to path /vault/data: operation denied for uid 100",
        "data-permission",
    ),
    (
        "exec /usr/local/bin/docker-entrypoint.sh: exec format error",
        "exec-format",
    ),
    (
        "standard_init_linux.go:228: exec user process caused: exec format error",
        "exec-format",
    ),
    (
        "panic: FATAL: cannot open file \"/store/data/big/2021_05/6350/timestamps.bin\" for reading: open /store/data/big/2021_05/6350/timestamps.bin: no such file or directory",
        "file-missing",
    ),
    (
        "FATAL could not load key /etc/ssl/server.key: No such file or directory",
        "file-missing",
    ),
    (
        "sh: 1: /docker-entrypoint-init.d/setup.sh: not found",
        "file-missing",
    ),
    (
        "python: can't open file '/app/manage.py': [Errno 2] No such file or directory",
        "file-missing",
    ),
    (
        "terminating: eheap_alloc: Cannot reallocate 4314800 bytes of memory",
        "heap-exhausted",
    ),
    (
        "java.lang.OutOfMemoryError: GC overhead limit exceeded",
        "heap-exhausted",
    ),
    (
        "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)",
        "heap-exhausted",
    ),
    ("NoMemoryError: failed to allocate memory", "heap-exhausted"),
    (
        "panic: FATAL: cannot read /vm-data/cache/curr_hour_metric_ids: read /vm-data/cache/curr_hour_metric_ids: input/output error",
        "io-error",
    ),
    ("[Error] X is not a valid licence key.", "license-expired"),
    (
        "license error: Failed to parse license key",
        "license-expired",
    ),
    (
        "License expired at 2026-11-01; shutting down",
        "license-expired",
    ),
    ("invalid license key", "license-expired"),
    (
        "Splunk: You must accept the license with --accept-license (SPLUNK_START_ARGS) to start",
        "license-unaccepted",
    ),
    (
        "You must accept the license agreement: set ACCEPT_EULA=Y",
        "license-unaccepted",
    ),
    (
        "NEO4J_ACCEPT_LICENSE_AGREEMENT must be yes: In order to use Neo4j Enterprise Edition you must accept the license agreement.",
        "license-unaccepted",
    ),
    (
        "** FATAL ** Failed to merge schema: Bad cookie in table definition emqx_exclusive_subscription: 'emqx@emqx-0'",
        "member-identity",
    ),
    (
        "Cannot add a member with a node-id `searcher-1` already present in the cluster.",
        "member-identity",
    ),
    (
        "Already member of cluster: ['rabbit@ip-10-36-136-99','rabbit@ip-10-36-126-31']",
        "member-identity",
    ),
    (
        "Error: node name is already in use by another member of the cluster",
        "member-identity",
    ),
    (
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "memory-refused",
    ),
    (
        "FATAL: could not map anonymous shared memory: Cannot allocate memory",
        "memory-refused",
    ),
    (
        "memory allocation of 1073741824 bytes failed",
        "memory-refused",
    ),
    ("mmap: cannot allocate memory", "memory-refused"),
    (
        "unable to look up pulsar-zookeeper: host is unknown",
        "name-unresolved",
    ),
    (
        "java.net.UnknownHostException: kafka-headless: Name or service not known",
        "name-unresolved",
    ),
    (
        "nginx: [emerg] host not found in upstream \"api\" in /etc/nginx/conf.d/default.conf:3",
        "name-unresolved",
    ),
    (
        "psycopg2.OperationalError: could not translate host name \"postgres\" to address: Name or service not known",
        "name-unresolved",
    ),
    (
        "raft_server.cpp:551] Multi-node with no leader: refusing to reset peers.",
        "peers-missing",
    ),
    (
        "Insufficient remaining votes to become leader (rejected by [1, 2]). We will backoff before retrying election again",
        "peers-missing",
    ),
    (
        "not healthy enough for leader race; waiting for leader to bootstrap",
        "peers-missing",
    ),
    (
        "waiting for Master quorum is lost (need 3 of 5 masters)",
        "peers-missing",
    ),
    ("bind on 0.0.0.0:8529 failed: address in use", "port-in-use"),
    (
        "Error starting userland proxy: listen tcp 0.0.0.0:6379: bind: address already in use",
        "port-in-use",
    ),
    ("java.net.BindException: Address in use", "port-in-use"),
    (
        "Web server failed to start. Port 8080 was already in use.",
        "port-in-use",
    ),
    (
        "maximum number of memory mappings per process is 65530, which is too low; it must be at least 512000",
        "process-limit",
    ),
    ("accept4: too many open files in system", "process-limit"),
    (
        "ulimit: open files: cannot modify limit: Operation not permitted",
        "process-limit",
    ),
    (
        "WARNING: soft rlimits too low. Number of files is 1024, should be at least 64000",
        "process-limit",
    ),
    (
        "panic VictoriaMetrics/lib/storage/merge.go:77 BUG: the next TSID is smaller than the current TSID",
        "program-error",
    ),
    (
        "thread 'main' panicked at 'index out of bounds: the len is 0 but the index is 0', src/main.rs:7",
        "program-error",
    ),
    (
        "java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"s\" is null",
        "program-error",
    ),
    (
        "Error: Cannot find module '/app/config/production.json'",
        "program-incomplete",
    ),
    (
        "Unable to access jarfile /app/service.jar",
        "program-incomplete",
    ),
    (
        "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./app)",
        "program-incomplete",
    ),
    (
        "Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /app)",
        "program-incomplete",
    ),
    (
        "Mnesia: ** ERROR ** mnesia_event got {inconsistent_database, starting_partitioned_network, 'emqx@10.65.39.96'}",
        "replica-diverged",
    ),
    (
        "SQLite Error 1: 'no such table: __EFMigrationsHistory'.",
        "schema-missing",
    ),
    (
        "FATAL Database 'xxx' needs upgrade. Please start the server with the --database.auto-upgrade option",
        "schema-outdated",
    ),
    (
        "Could not load TLS keypair: tls: failed to find any PEM data in key input",
        "secret-malformed",
    ),
    (
        "failed to parse PEM block containing private key",
        "secret-malformed",
    ),
    (
        "tls: failed to find any PEM data in certificate input",
        "secret-malformed",
    ),
    (
        "nginx: [emerg] cannot load certificate \"/certs/cert.pem\": PEM_read_bio_X509_AUX() failed (SSL: error:0909006C:PEM routines:get_name:no start line:Expecting: TRUSTED CERTIFICATE)",
        "secret-malformed",
    ),
    (
        "[fatal] check bootstrapped err [tikv:9001]PD server timeout[try again later]",
        "service-unreachable",
    ),
    (
        "[error=\"[tikv:9002]TiKV server timeout\"] unexpected error",
        "service-unreachable",
    ),
    (
        "could not connect to the primary server: timeout expired",
        "service-unreachable",
    ),
    (
        "Error creating bean: Unable to acquire JDBC Connection: The connection attempt timed out",
        "service-unreachable",
    ),
    (
        "Missing environment variable NODE_COOKIE; refusing to start",
        "setting-missing",
    ),
    (
        "mTLS configuration missing. Refusing to start TCP server!",
        "setting-missing",
    ),
    (
        "FATAL: SESSION_SECRET must be set. Exiting.",
        "setting-missing",
    ),
    (
        "TG_API_ID, TG_API_HASH and TG_STRING_SESSION must be set. Exiting.",
        "setting-missing",
    ),
    (
        "tls: server selected unsupported protocol version 301",
        "tls-mismatch",
    ),
    (
        "http: server gave HTTP response to HTTPS client",
        "tls-mismatch",
    ),
    (
        "org.elasticsearch.transport: received plaintext http traffic on an https channel, closing connection",
        "tls-mismatch",
    ),
    (
        "javax.net.ssl.SSLException: Unsupported or unrecognized SSL message",
        "tls-mismatch",
    ),
    (
        "Upgrade aborted. An interim upgrade to version 1.41.3 is required before upgrading to version 2.1.3.",
        "upgrade-skipped",
    ),
    (
        "ERROR Current version is too old. Please upgrade to Long-Term Support version firstly. (SonarQube)",
        "upgrade-skipped",
    ),
    (
        "It is required to upgrade to the latest 15.11.x version first before proceeding. GitLab",
        "upgrade-skipped",
    ),
    (
        "ts=2026 level=error msg=\"unable to upgrade: upgrade from version 12.0.3 requires upgrading to 13.3 first\"",
        "upgrade-skipped",
    ),
    (
        "WARNING: could not write block: Disk quota exceeded",
        "volume-full",
    ),
    (
        "Disk usage 99% exceeds threshold: cannot start with less than 1GiB free",
        "volume-full",
    ),
    (
        "Error: Disk space is too low! Shutting down (bitcoind)",
        "volume-full",
    ),
    (
        "Low disk space. Gracefully shutting down Geth to prevent database corruption.  available=1.89GiB",
        "volume-full",
    ),
];

/// Lines that a log has whether or not the process fails.
const ORDINARY: &[&str] = &[
    "2026-11-27 03:57:12 INFO  Starting application v2.3.1 with config file /etc/app/config.yaml",
    "INFO  o.a.k.c.Cluster - Cluster ID: xVq2",
    "[INFO] Database version: 14.5, schema version 12 is up to date",
    "level=info msg=\"Server is ready to receive web requests.\"",
    "LOG:  database system was shut down at 2026-11-27 03:55:01 UTC",
    "LOG:  listening on IPv4 address \"0.0.0.0\", port 5432",
    "LOG:  received fast shutdown request",
    "LOG:  database system is shut down",
    "2026-11-27T03:57:12.411Z INFO raft: elected leader node-1 term 4",
    "I1127 03:57:12.411 1 leaderelection.go:250] attempting to acquire leader lease db/lock...",
    "Loading configuration from /etc/nginx/nginx.conf",
    "Listening on port 8080",
    "Server started on http://0.0.0.0:3000",
    "Shutting down gracefully",
    "Received SIGTERM, exiting",
    "Done.",
    "{\"level\":\"info\",\"ts\":\"2026-11-27T03:57:12Z\",\"msg\":\"opened backend db\",\"path\":\"/data/member/snap/db\",\"took\":\"12ms\"}",
    "{\"level\":\"info\",\"msg\":\"serving client traffic insecurely; this is strongly discouraged!\"}",
    "Running migrations: 45 of 45 applied",
    "[Note] InnoDB: Buffer pool(s) load completed at 261127  3:57:12",
    "[System] [MY-010116] [Server] /usr/sbin/mysqld (mysqld 8.0.36) starting as process 1",
    "[Note] Plugin 'FEEDBACK' is disabled.",
    "Ready to accept connections tcp",
    "# oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo",
    "# Redis version=7.2.4, bits=64, commit=00000000, modified=0, pid=1, just started",
    "DB loaded from append only file: 0.001 seconds",
    "Using storage engine rocksdb, data in /var/lib/arangodb3",
    "INFO [main] 2026-11-27 03:57:12 CassandraDaemon.java:632 - JVM vendor/version: OpenJDK 64-Bit Server VM/11.0.20",
    "INFO  Node /10.0.0.4:7000 state jump to NORMAL",
    "[2026-11-27 03:57:12,411] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
    "Connected to database at postgres:5432",
    "Connecting to redis://redis:6379",
    "Waiting for peers",
    "License: Apache-2.0",
    "Copyright (c) 2026 Example Inc. All rights reserved.",
    "npm ERR! code ELIFECYCLE",
    "npm ERR! errno 1",
    "npm ERR! app@1.0.0 start: `node server.js`",
    "Exit status 1",
    "Process exited with code 1",
    "Error: process exited",
    "fatal error",
    "Fatal: see log",
    "panic",
    "exit status 2",
    "main.main() /src/main.go:42 +0x1d",
    "\tat java.base/java.lang.Thread.run(Thread.java:840)",
    "\tat com.example.config.KeyLoader.load(KeyLoader.java:12)",
    "goroutine 1 [running]:",
    "Traceback (most recent call last):",
    "  File \"/app/main.py\", line 12, in <module>",
    "RuntimeError: something went wrong",
    "ValueError: not enough values to unpack (expected 2, got 1)",
    "java.lang.IllegalStateException: Failed to load ApplicationContext",
    "org.springframework.context.ApplicationContextException: Failed to start bean 'webServerStartStop'",
    "Error creating bean with name 'orderService' defined in URL [jar:file:/app.jar]",
    "UnhandledPromiseRejectionWarning: Error",
    "throwing inside of an async function without a catch block. The promise rejected with the reason \"undefined\".",
    "Checked for corruption: none found",
    "{\"lock\":\"none\",\"disk\":\"ok\",\"corrupt\":0}",
    "cannot proceed: the gadget is bent",
    "The process will exit now",
    "Initializing cluster members: pg-0, pg-1, pg-2",
    "INFO joined cluster with 3 members",
    "Snapshot 12 saved to /data/snapshots/12",
    "WAL segment 000000010000000000000012 archived",
    "Compaction of level 2 finished, 14 files",
    "Reading certificate from /etc/tls/tls.crt",
    "TLS enabled on port 8443",
    "Loaded 3 plugins",
    "User admin logged in",
    "Authentication is enabled",
    "Key rotation scheduled in 24h",
    "time=\"2026-11-27T03:57:12Z\" level=info msg=\"using config\" file=/etc/app.yaml",
    "Configured memory limit: 512MB",
    "Max open files: 1048576",
    "Heap size is 2048 MB",
    "Clock source: tsc",
    "Upgrade check finished: no newer version available",
    "Storage version 3, format 2",
    "Checking data directory /data ... ok",
    "Checking disk space ... ok",
    "Lock acquired on /data/LOCK",
    "member 8211f1d0f64f3269 became leader at term 3",
    "health check succeeded",
    "worker 1 finished with result 0",
    "Retrying in 5 seconds (attempt 3)",
];

fn cause(words: &str, exit_code: i64) -> String {
    let report = plan(&crashed(words, exit_code));
    let id = &report["analysis"]["cause"]["id"];
    id.as_str().unwrap().to_owned()
}

#[test]
fn messages_are_recognized_by_what_they_say() {
    let wrong = TOLD.iter().filter_map(|(words, id)| {
        let found = cause(words, 1);
        (found != *id).then(|| format!("{id}: {found}: {words}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Messages of well-known programs, each after the cause that it tells. `\\n` ends a line of a message.
const SIBLINGS: &str = include_str!("siblings.txt");

#[test]
fn messages_of_well_known_programs_are_recognized() {
    let wrong = SIBLINGS.lines().filter_map(|line| {
        let (id, words) = line.split_once('\t').unwrap();
        let found = cause(&words.replace("\\n", "\n").replace("\\t", "\t"), 1);
        (found != id).then(|| format!("{id}: {found}: {words}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(SIBLINGS.lines().count() > 250);
}

#[test]
fn ordinary_lines_are_no_cause() {
    let told = ORDINARY.iter().filter_map(|words| {
        let found = cause(words, 1);
        (found != "crash-loop").then(|| format!("{found}: {words}"))
    });
    let told: Vec<String> = told.collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn terms_count_as_whole_words_and_close_together() {
    // `host` is no `ghost`, and `lock` no `block`.
    assert_eq!(cause("ghost cannot be found by resolver", 1), "crash-loop");
    assert_eq!(
        cause("block 12 is held already in data order", 1),
        "crash-loop"
    );
    let far = format!(
        "the lock {} is held already on the data",
        "of it ".repeat(40)
    );
    assert_eq!(cause(&far, 1), "crash-loop");
    assert_eq!(
        cause("the lock is held already on the data", 1),
        "data-locked"
    );
}

#[test]
fn an_exit_code_with_a_message_is_no_signal() {
    let fix = |words: &str, code: i64| {
        let report = plan(&crashed(words, code));
        report["outcome"]["blockedBy"][0]["fix"].to_string()
    };
    let silent = fix("", 130);
    assert!(
        silent.contains("exit code 130 is that of a signal (SIGINT), unless the program chose it"),
        "{silent}"
    );
    assert!(!fix("the node goes away", 130).contains("SIGINT"));
    let silent = fix("", 78);
    assert!(
        silent.contains("exit code 78 is often a wrong configuration (EX_CONFIG)"),
        "{silent}"
    );
    // ClickHouse exits with the number of its error.
    assert_eq!(
        cause("Code: 139. DB::Exception: No element x", 139),
        "crash-loop"
    );
    assert_eq!(cause("", 139), "crash-segfault");
}

#[test]
fn another_pod_that_mounts_the_claim_of_locked_data_is_named() {
    let mut input = crashed("session.lock: already locked by another process", 1);
    let claim = input
        .iter()
        .filter(|item| item["kind"] == "Pod" && item["metadata"]["name"] == "pg-2")
        .find_map(|pod| pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"].as_str())
        .unwrap()
        .to_owned();
    let fix = |input: &[Value]| plan(input)["outcome"]["blockedBy"][0]["fix"].to_string();
    assert!(!fix(&input).contains("restore"), "{}", fix(&input));
    let other = |phase: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "restore", "namespace": "db", "uid": "u-restore"},
            "spec": {"nodeName": "n-7", "containers": [{"name": "sh", "image": "sh"}],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": phase}})
    };
    input.push(other("Running"));
    let told = fix(&input);
    assert!(
        told.contains("end the other pod that mounts the claim of pg-2, if it may end: restore"),
        "{told}"
    );
    // A pod that has ended holds nothing.
    input.pop();
    input.push(other("Succeeded"));
    assert!(!fix(&input).contains("restore"));
}
