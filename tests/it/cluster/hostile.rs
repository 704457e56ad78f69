//! Servers and plugins that try to exhaust memory, never end, or gain trust.

use std::fs;
use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::plugins::{Login, prints};
use super::reading::{NOW, pod, set};
use super::server::{Answer, Server, folder};
use super::{assert_error, finish, kubeconfig, plan, program, run};
use crate::screens::terminal::OnTerminal;

fn server() -> Server {
    Server::new(vec![set("web", 1), pod("web", 0)])
}

#[test]
fn a_small_answer_that_unpacks_to_a_gigabyte_is_given_up() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed
        .write_all(b"{\"kind\": \"PodList\", \"items\": [")
        .unwrap();
    for _ in 0..256 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    packed.write_all(b"]}").unwrap();
    let body = packed.finish().unwrap();
    let server = server().with_whim(move |asked, _| {
        asked.path.ends_with("/pods").then(|| {
            let answer = Answer::json(&json!({})).with_header("Content-Encoding", "gzip");
            Answer {
                body: body.clone(),
                ..answer
            }
        })
    });
    let config = server.kubeconfig("bomb", "prod");
    let ran = run(&config, &format!("web {NOW}"));
    assert_error(&ran, &["list pods", "compression ratio above 200"]);
}

#[test]
fn compressed_answers_are_read_and_can_be_disabled() {
    let server = server();
    let config = server.kubeconfig("packed", "prod");
    plan(&run(&config, &format!("web {NOW}")));
    let encodings = |server: &Server| {
        let asked = server.asked();
        let encodings = asked
            .iter()
            .map(|asked| asked.header("accept-encoding").join(","));
        encodings.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(encodings(&server), ["gzip".to_owned()].into());
    for (flag, expected) in [
        ("--disable-compression", ""),
        ("--disable-compression=false", "gzip"),
    ] {
        server.state.lock().unwrap().asked.clear();
        plan(&run(&config, &format!("web {NOW} {flag}")));
        assert_eq!(encodings(&server), [expected.to_owned()].into());
    }
    let mut text: serde_json::Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    text["clusters"][0]["cluster"]["disable-compression"] = true.into();
    fs::write(&config, text.to_string()).unwrap();
    server.state.lock().unwrap().asked.clear();
    plan(&run(&config, &format!("web {NOW}")));
    assert_eq!(encodings(&server), [String::new()].into());
}

#[test]
fn a_list_of_endless_pages_is_aborted() {
    let server = server().with_whim(|asked, _| {
        let next = asked
            .query
            .get("continue")
            .map_or(0, |at| at.parse().unwrap())
            + 1;
        let page =
            json!({"kind": "PodList", "items": [], "metadata": {"continue": next.to_string()}});
        asked.path.ends_with("/pods").then(|| Answer::json(&page))
    });
    let config = server.kubeconfig("leads-on", "prod");
    let ran = run(&config, &format!("web {NOW}"));
    assert_error(&ran, &["the list does not end: 0 objects in 4 pages"]);
}

#[test]
fn a_list_or_an_object_of_another_kind_is_an_error() {
    let services = server().with_whim(|asked, _| {
        let list = json!({"kind": "ServiceList", "apiVersion": "v1", "metadata": {}, "items": []});
        asked.path.ends_with("/pods").then(|| Answer::json(&list))
    });
    let config = services.kubeconfig("services", "prod");
    let ran = run(&config, &format!("web {NOW}"));
    assert_error(&ran, &["list pods", "expected PodList, found ServiceList"]);
    let pods = server().with_whim(|asked, _| {
        asked
            .path
            .ends_with("/statefulsets/web")
            .then(|| Answer::json(&pod("web", 0)))
    });
    let config = pods.kubeconfig("pod-for-a-set", "prod");
    let ran = run(&config, &format!("web {NOW}"));
    assert_error(&ran, &["expected kind StatefulSet, found Pod"]);
}

#[test]
fn optional_requests_may_fail() {
    for plural in ["events", "nodes", "poddisruptionbudgets"] {
        let server = server().with_whim(move |asked, _| {
            let error = || Answer::error(500, "InternalError", "etcd is in pieces");
            asked.path.ends_with(plural).then(error)
        });
        let config = server.kubeconfig(&format!("broken-{plural}"), "prod");
        let plan = plan(&run(&config, &format!("web {NOW}")));
        let said = plan["assumptions"].to_string();
        assert!(
            said.contains(plural) && said.contains("etcd is in pieces"),
            "{said}"
        );
    }
    // A required resource may not fail.
    let server = server().with_whim(|asked, _| {
        let error = || Answer::error(500, "InternalError", "etcd is in pieces");
        asked.path.ends_with("/pods").then(error)
    });
    let config = server.kubeconfig("broken-pods", "prod");
    assert_error(
        &run(&config, &format!("web {NOW}")),
        &["500", "etcd is in pieces"],
    );
}

/// However an optional request fails, the plan is there and says what is uncertain.
#[test]
fn an_optional_request_never_costs_the_plan() {
    const OPTIONAL: [(&str, &str); 8] = [
        ("/persistentvolumeclaims", "which claims exist"),
        (
            "/poddisruptionbudgets",
            "which disruption budgets a rollout ignores",
        ),
        ("/services", "whether the governing service exists"),
        (
            "/horizontalpodautoscalers",
            "whether an autoscaler sets the replicas",
        ),
        ("/events", "why pods are stuck"),
        ("/nodes", "whether the nodes of the pods are healthy"),
        ("/persistentvolumes", "whether volumes are kept"),
        ("/storageclasses", "whether volumes can be expanded"),
    ];
    type Failure = (&'static str, fn() -> Answer, &'static str);
    let failures: [Failure; 8] = [
        (
            "late",
            || Answer {
                delay: Duration::from_secs(20),
                ..Answer::text("")
            },
            "did not answer within 1s",
        ),
        (
            "cut",
            || Answer {
                cut: Some(20),
                ..Answer::json(&json!({"items": [1, 2, 3, 4, 5]}))
            },
            "were truncated",
        ),
        (
            "busy",
            || Answer::error(429, "TooManyRequests", "slow down").with_header("Retry-After", "0"),
            "429: slow down",
        ),
        (
            "page",
            || Answer::text("<html>Log in</html>"),
            "is not from a Kubernetes API server",
        ),
        (
            "absent",
            || Answer::error(404, "NotFound", "no such kind"),
            "the server does not have ",
        ),
        (
            "gone",
            || Answer::error(410, "Expired", "too old"),
            "410 Gone",
        ),
        (
            "other",
            || Answer::json(&json!({"kind": "PodList", "items": []})),
            "found PodList",
        ),
        ("bad", || Answer::error(400, "BadRequest", "no"), "400: no"),
    ];
    for (name, answer, problem) in failures {
        let server = server().with_whim(move |asked, _| {
            let mut optional = OPTIONAL.iter().map(|(path, _)| *path).chain(["/metrics"]);
            optional.any(|path| asked.path.ends_with(path)).then(answer)
        });
        let config = server.kubeconfig(&format!("optional-{name}"), "prod");
        let plan = plan(&run(&config, &format!("web {NOW} --request-timeout 1s")));
        let notes = plan["assumptions"].as_array().unwrap();
        for (path, uncertain) in OPTIONAL {
            let is_said = notes.iter().filter_map(|note| note.as_str()).any(|note| {
                note.contains(problem) && note.contains(&format!("so it is uncertain {uncertain}"))
            });
            assert!(is_said, "{name} {path}: {notes:?}");
        }
        let said = plan["assumptions"].to_string();
        assert!(said.contains("feature gate"), "{name}: {said}");
    }
    // A wrong login fails every request.
    let server = server().with_whim(|asked, _| {
        let error = || Answer::error(401, "Unauthorized", "no");
        asked.path.ends_with("/nodes").then(error)
    });
    let config = server.kubeconfig("optional-login", "prod");
    assert_error(
        &run(&config, &format!("web {NOW}")),
        &["does not accept the credentials"],
    );
}

#[test]
fn a_long_wait_is_reported() {
    let server = server().with_whim(|asked, _| {
        (asked.path == "/version").then(|| Answer {
            delay: Duration::from_secs(6),
            ..Answer::json(&json!({"major": "1", "minor": "33", "gitVersion": "v1.33.4"}))
        })
    });
    let config = server.kubeconfig("slow", "prod");
    let ran = run(&config, &format!("web {NOW}"));
    let says = format!(
        "waiting for the API server {}, to get the server's version\n",
        server.url
    );
    assert_eq!(ran.err, says);
    plan(&ran);
}

#[test]
fn a_dripping_answer_is_aborted_in_time() {
    // An occasional byte keeps the connection busy forever, so the limit is on the whole answer.
    let server = server().with_whim(|asked, _| {
        let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": []});
        asked.path.ends_with("/pods").then(|| Answer {
            drip: Duration::from_millis(100),
            ..Answer::json(&list)
        })
    });
    let config = server.kubeconfig("drips", "prod");
    let ran = run(&config, &format!("web {NOW} --request-timeout 1s"));
    assert_error(&ran, &["did not answer within 1s", "list pods"]);
}

#[test]
fn a_redirect_is_not_followed() {
    // Following the redirect would send the token elsewhere.
    let elsewhere = server();
    let to = format!(
        "{}/apis/apps/v1/namespaces/prod/statefulsets/web",
        elsewhere.url
    );
    for status in [301, 302, 307, 308] {
        let to = to.clone();
        let server = server().with_whim(move |asked, _| {
            asked.path.ends_with("/statefulsets/web").then(|| {
                let answer = Answer {
                    status,
                    ..Answer::text("")
                };
                answer.with_header("Location", &to)
            })
        });
        let config = server.kubeconfig(&format!("redirects-{status}"), "prod");
        let ran = run(&config, &format!("web {NOW}"));
        assert_error(
            &ran,
            &[&status.to_string(), "it redirects to ", &elsewhere.url],
        );
    }
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn answers_of_wrong_types_are_reported_with_their_position() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let with = |change: fn(&mut serde_json::Value)| {
        let mut set = set("web", 1);
        change(&mut set);
        set.to_string()
    };
    for (name, body, says) in [
        ("null", "null".to_owned(), "StatefulSet"),
        ("number", "7".to_owned(), "StatefulSet"),
        ("list", "[]".to_owned(), "StatefulSet"),
        ("deep", deep, "invalid JSON"),
        (
            "name",
            with(|set| set["metadata"]["name"] = 7.into()),
            "metadata.name",
        ),
        (
            "replicas",
            with(|set| set["spec"]["replicas"] = "3".into()),
            "spec.replicas",
        ),
        ("spec", with(|set| set["spec"] = "text".into()), "spec"),
        (
            "template",
            with(|set| set["spec"]["template"] = json!([1])),
            "spec.template",
        ),
        (
            "status",
            with(|set| set["status"]["replicas"] = 1.5.into()),
            "status.replicas",
        ),
    ] {
        let server = server().with_whim(move |asked, _| {
            let answer = || Answer {
                body: body.clone().into_bytes(),
                ..Answer::json(&json!({}))
            };
            asked.path.ends_with("/statefulsets/web").then(answer)
        });
        let config = server.kubeconfig(&format!("type-{name}"), "prod");
        println!("{name}");
        assert_error(&run(&config, &format!("web {NOW}")), &[says]);
    }
    // The same for pods: no plan is made from a partial list.
    for (name, change, says) in [
        (
            "phase",
            (|pod| pod["status"]["phase"] = json!({})) as fn(&mut serde_json::Value),
            "status.phase",
        ),
        ("pod", |pod| *pod = json!("web-0"), "not a list"),
        (
            "labels",
            |pod| pod["metadata"]["labels"] = json!(["a"]),
            "metadata.labels",
        ),
    ] {
        let server = server().with_whim(move |asked, _| {
            let mut item = pod("web", 0);
            change(&mut item);
            let list =
                json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [item]});
            asked.path.ends_with("/pods").then(|| Answer::json(&list))
        });
        let config = server.kubeconfig(&format!("type-{name}"), "prod");
        println!("{name}");
        assert_error(&run(&config, &format!("web {NOW}")), &[says]);
    }
}

#[test]
fn a_password_in_an_address_is_not_printed() {
    let folder = folder("password");
    for server in [
        "http://me:hunter2@127.0.0.1:1",
        "https://me:hunter2@127.0.0.1:1",
        "ftp://me:hunter2@127.0.0.1:1",
        "http://me:hunter2@host name",
        "http://127.0.0.1:1/?token=hunter2",
        "https://127.0.0.1:1/path?token=hunter2#a",
    ] {
        let config = kubeconfig(&folder, &json!({"server": server}), &json!({"token": "t"}));
        let ran = run(&config, "web");
        assert_error(&ran, &["***"]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
}

#[test]
fn a_plugin_that_hangs_is_killed_in_time() {
    let login = Login::new("hangs");
    let config = login.config(
        "echo $$ > \"$(dirname \"$0\")/pid\"\nexec sleep 60",
        &json!({}),
    );
    let ran = run(&config, "web --request-timeout 1s");
    assert_error(&ran, &["plugin", "timeout after 1s", "--request-timeout"]);
    let pid = fs::read_to_string(login.folder.join("pid")).unwrap();
    let alive = format!("/proc/{}/stat", pid.trim());
    assert!(fs::metadata(&alive).is_err(), "it still runs");
}

/// The plugin itself may have exited while a process that it started still holds its output.
#[cfg(unix)]
#[test]
fn children_of_a_plugin_are_killed_with_it() {
    for (name, last) in [("waits", "wait"), ("leaves", "exit 0")] {
        let login = Login::new(&format!("children-{name}"));
        let config = login.config(
            &format!("sleep 60 &\necho $! > \"$(dirname \"$0\")/pid\"\n{last}"),
            &json!({}),
        );
        let ran = run(&config, "web --request-timeout 1s");
        assert_error(&ran, &["plugin", "timeout after 1s"]);
        let pid = fs::read_to_string(login.folder.join("pid")).unwrap();
        assert_gone(&pid, &format!("{name}: a child of the plugin"));
    }
}

/// A plugin that may prompt has no process group of its own.
#[cfg(target_os = "linux")]
#[test]
fn children_of_a_prompting_plugin_are_killed_with_it() {
    let login = Login::new("children-prompt");
    // Closing the terminal ends processes that do not ignore it.
    let config = login.config(
        "trap '' HUP\nsh -c 'sleep 60 & echo $! > \"$0\"; wait' \"$(dirname \"$0\")/pid\" &\nread answer",
        &json!({"interactiveMode": "IfAvailable"}),
    );
    let args = format!("web --request-timeout 2s --kubeconfig {}", config.display());
    let Some(terminal) = OnTerminal::new(&args) else {
        return;
    };
    let (said, code) = terminal.end();
    assert!(
        code == 1 && said.contains("timeout after 2s"),
        "{code}: {said}"
    );
    let pid = fs::read_to_string(login.folder.join("pid")).unwrap();
    assert_gone(&pid, "a child of the plugin");
}

/// Waits until a process has ended.
#[track_caller]
fn assert_gone(pid: &str, what: &str) {
    let stat = format!("/proc/{}/stat", pid.trim());
    // An exited process that its parent has not waited for is a zombie.
    let is_gone = || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
    for _ in 0..50 {
        if is_gone() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{what} still runs");
}

#[test]
fn a_kuberc_decides_which_plugins_run() {
    let login = Login::new("kuberc");
    let token = prints(&json!({"token": "of-the-plugin"}));
    let script = format!("echo >> \"$(dirname \"$0\")/runs\"\n{token}");
    let config = login.config(&script, &json!({}));
    let plugin = login.folder.join("plugin.sh");
    let kuberc = login.folder.join("kuberc");
    let runs = login.folder.join("runs");
    let preference = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";
    let with = |policy: &str| {
        fs::write(&kuberc, format!("{preference}{policy}")).unwrap();
        let _ = fs::remove_file(&runs);
        let mut command = program(&config);
        command.arg("web").env("KUBERC", &kuberc);
        (finish(command), fs::metadata(&runs).is_ok())
    };
    for (policy, says) in [
        (
            "credentialPluginPolicy: DenyAll",
            "credentialPluginPolicy is DenyAll",
        ),
        (
            "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{name: other}]",
            "not in credentialPluginAllowlist",
        ),
        (
            "credentialPluginPolicy: Allowlist",
            "requires a credentialPluginAllowlist",
        ),
        (
            "credentialPluginPolicy: deny",
            "use AllowAll, DenyAll or Allowlist",
        ),
    ] {
        let (ran, was_run) = with(policy);
        assert_error(&ran, &[says]);
        assert!(!was_run, "{policy}");
    }
    let allowed = format!(
        "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{name: {}}}]",
        plugin.display()
    );
    for policy in [
        "",
        "aliases: []",
        "credentialPluginPolicy: AllowAll",
        &allowed,
    ] {
        let (ran, was_run) = with(policy);
        assert_eq!(ran.code, Some(0), "{policy}: {}", ran.err);
        assert!(was_run, "{policy}");
    }
    // If it is off, it has no effect. If it is named, it must exist.
    fs::write(
        &kuberc,
        format!("{preference}credentialPluginPolicy: DenyAll"),
    )
    .unwrap();
    let mut command = program(&config);
    command
        .arg("web")
        .env("KUBERC", "off")
        .env("HOME", &login.folder);
    assert_eq!(finish(command).code, Some(0));
    let mut command = program(&config);
    command
        .arg("web")
        .env("KUBERC", login.folder.join("nowhere"));
    assert_error(&finish(command), &["does not exist: correct KUBERC"]);
    // The file in the home directory.
    fs::create_dir_all(login.folder.join(".kube")).unwrap();
    fs::copy(&kuberc, login.folder.join(".kube/kuberc")).unwrap();
    let mut command = program(&config);
    command.arg("web").env("HOME", &login.folder);
    assert_error(&finish(command), &["credentialPluginPolicy is DenyAll"]);
}
