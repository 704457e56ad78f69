//! Settings that the message of a process is about: the template of its pod has them, or another revision has them.

use serde_json::{Value, json};
use test_kit::kv::{crashes, of, plan, status};

/// The words that say what has to change for a crash loop of kv-2 with these last words, whose container has these members.
fn fix(words: &str, members: &Value) -> String {
    fix_of(crash(words, members))
}

fn crash(words: &str, members: &Value) -> Vec<Value> {
    let mut crashing = crashes("");
    crashing["containerStatuses"][0]["lastState"] = json!({"terminated": {"exitCode": 1,
        "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z", "message": words}});
    let mut objects = status(crashing);
    let container = &mut of(&mut objects, "Pod", "kv-2")["spec"]["containers"][0];
    let container = container.as_object_mut().unwrap();
    container.extend(members.as_object().unwrap().clone());
    objects
}

fn fix_of(objects: Vec<Value>) -> String {
    let report = plan(&objects);
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    obstacles[0]["fix"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_setting_in_the_message_is_named_with_its_place() {
    for (words, members, wanted) in [
        (
            "Error parsing command line arguments: unknown long flag '--storage.tsdb.overlap'",
            json!({"args": ["--config.file=/etc/a.yml", "--storage.tsdb.overlap"]}),
            "remove or correct --storage.tsdb.overlap in args of container kv",
        ),
        (
            "flag provided but not defined: -retention-days",
            json!({"command": ["sh", "-c", "exec kv --retention-days=5"]}),
            "remove or correct --retention-days in command of container kv",
        ),
        (
            "[ERROR] unknown variable 'default-authentication-plugin=native'.",
            json!({"args": ["--default_authentication_plugin=native"]}),
            "remove or correct --default_authentication_plugin in args of container kv",
        ),
        (
            "Unrecognized VM option 'UseConcMarkSweepGC'\nError: Could not create the Java Virtual Machine.",
            json!({"env": [{"name": "JAVA_OPTS", "value": "-Xmx1g -XX:+UseConcMarkSweepGC"}]}),
            "remove or correct -XX:+UseConcMarkSweepGC in env JAVA_OPTS of container kv",
        ),
        (
            "Unrecognized setting. No declared setting with name: dbms.memory.heap.max_size.",
            json!({"env": [{"name": "NEO4J_dbms_memory_heap_max__size", "value": "1G"}]}),
            "remove or correct env NEO4J_dbms_memory_heap_max__size of container kv",
        ),
        (
            "ERROR: Hostname v1 options [hostname-url, hostname-strict-backchannel] are still in use, please review your configuration",
            json!({"env": [{"name": "KC_HOSTNAME_URL", "value": "x"}, {"name": "KC_HOSTNAME_STRICT_BACKCHANNEL", "value": "x"}]}),
            "remove or correct env KC_HOSTNAME_URL, env KC_HOSTNAME_STRICT_BACKCHANNEL of container kv",
        ),
        (
            "Error: Missing environment variables:\n    SESSION_SECRET: undefined\n    UPSTREAM_URL: undefined\n",
            json!({"env": [{"name": "LOG_LEVEL", "value": "info"}]}),
            "set SESSION_SECRET, UPSTREAM_URL: in env of kv, or in the ConfigMap or Secret that it reads",
        ),
        // It may be in a file, or name something else.
        (
            "nats.conf:31:3: unknown field \"max_memory_store\"",
            json!({"args": ["--config=/etc/nats.conf", "-D"]}),
            "correct the setting that the log names",
        ),
        (
            "Terminating due to java.lang.OutOfMemoryError: Java heap space",
            json!({"env": [{"name": "JAVA_OPTS", "value": "-Xms512m -Xmx1g"}]}),
            "raise -Xmx1g in env JAVA_OPTS of container kv",
        ),
        (
            "# There is insufficient memory for the Java Runtime Environment to continue.",
            json!({"args": ["java", "-Xms8g", "-Xmx8g"]}),
            "lower -Xms8g in args of container kv",
        ),
    ] {
        let found = fix(words, &members);
        assert!(found.starts_with(wanted), "{wanted}: {found}");
    }
}

#[test]
fn a_variable_that_another_revision_has_is_set_again() {
    let words = "KeyError: 'SENTINEL_HOSTS'";
    let mut objects = crash(words, &json!({}));
    let stored = objects.iter().find(|it| it["kind"] == "ControllerRevision");
    let mut older = stored.unwrap().clone();
    older["metadata"]["name"] = json!("kv-older");
    older["metadata"]["uid"] = json!("u-older");
    older["revision"] = json!(7);
    let container = &mut older["data"]["spec"]["template"]["spec"]["containers"][0];
    container["env"] = json!([{"name": "SENTINEL_HOSTS", "value": "a:1"}]);
    objects.push(older);
    let found = fix_of(objects);
    let wanted = "set SENTINEL_HOSTS in env of kv again: revision kv-older has it";
    assert!(found.starts_with(wanted), "{found}");
}

#[test]
fn a_port_that_another_container_has_is_named() {
    let words = "bind() to 0.0.0.0:9000 failed: Address already in use";
    let mut objects = crash(words, &json!({}));
    let containers = &mut of(&mut objects, "Pod", "kv-2")["spec"]["containers"];
    let other = json!({"name": "proxy", "image": "proxy:1", "ports": [{"containerPort": 9000}]});
    containers.as_array_mut().unwrap().push(other);
    let found = fix_of(objects);
    let wanted = "give one of the two another port: container proxy of the same pod has port 9000";
    assert!(found.starts_with(wanted), "{found}");
}

#[test]
fn the_log_is_quoted_where_it_says_what_to_do() {
    let words = "Couldn't find a valid ICU package installed on the system. Please install libicu with the package manager.";
    let found = fix(words, &json!({}));
    let wanted = ". The log says: Please install libicu with the package manager";
    assert!(found.ends_with(wanted), "{found}");
}
