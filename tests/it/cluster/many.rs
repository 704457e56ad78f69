//! Many sets of a cluster, some of which cannot be planned.

use serde_json::Value;

use super::reading::{NOW, pod, set};
use super::server::{Answer, Server};
use super::{Ran, assert_error, run};

/// The list printed by a run with errors, as the names of the planned sets and of the unplanned ones.
fn names(ran: &Ran) -> [Vec<String>; 2] {
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let list: Value = serde_json::from_str(&ran.out).unwrap();
    ["items", "errors"].map(|part| {
        let sets = list[part].as_array().into_iter().flatten();
        sets.map(|set| {
            let text = |name: &str| set["metadata"][name].as_str().unwrap();
            format!("{}/{}", text("namespace"), text("name"))
        })
        .collect()
    })
}

/// Sets of two namespaces.
fn two() -> Vec<Value> {
    let mut far = set("far", 1);
    far["metadata"]["namespace"] = "other".into();
    vec![set("web", 1), pod("web", 0), set("api", 1), far]
}

#[test]
fn an_unknown_name_does_not_affect_other_sets() {
    let server = Server::new(two());
    let config = server.kubeconfig("many-names", "prod");
    let ran = run(&config, &format!("web wbe api {NOW}"));
    assert_eq!(
        names(&ran),
        [vec!["prod/web", "prod/api"], vec!["prod/wbe"]]
    );
    let says = "error: prod/wbe: StatefulSet \"wbe\" not found in namespace \"prod\"";
    assert!(ran.err.starts_with(says), "{}", ran.err);
    assert!(ran.err.contains("did you mean"), "{}", ran.err);
    // Alone, it is the error of the run, and no other request is awaited.
    assert_error(&run(&config, &format!("wbe {NOW}")), &["did you mean"]);
    let ran = run(&config, &format!("wbe apj {NOW}"));
    assert_eq!(names(&ran), [vec![], vec!["prod/apj", "prod/wbe"]]);
    assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
}

#[test]
fn a_forbidden_namespace_does_not_affect_others() {
    let server = Server::new(two()).with_whim(|asked, _| {
        ["/api/v1/pods", "/api/v1/namespaces/other/pods"]
            .contains(&&*asked.path)
            .then(|| Answer::error(403, "Forbidden", "pods is forbidden"))
    });
    let config = server.kubeconfig("many-barred", "prod");
    let ran = run(&config, &format!("-A {NOW}"));
    assert_eq!(
        names(&ran),
        [vec!["prod/api", "prod/web"], vec!["other/far"]]
    );
    let says = "error: other/far: not allowed to list pods in namespace \"other\": request this permission";
    assert!(ran.err.starts_with(says), "{}", ran.err);
    // A server error concerns every namespace.
    let server = Server::new(two()).with_whim(|asked, _| {
        (asked.path == "/api/v1/pods").then(|| Answer::error(418, "Teapot", "never"))
    });
    let config = server.kubeconfig("many-failing", "prod");
    assert_error(&run(&config, &format!("-A {NOW}")), &["answers 418: never"]);
}

/// Sets in this many namespaces, each with its pods, and unrelated pods.
fn spread(namespaces: usize, sets: usize, others: usize) -> Vec<Value> {
    let mut objects = Vec::new();
    for namespace in 0..namespaces {
        for number in 0..sets {
            let mut parts = vec![set(&format!("web{number}"), 2)];
            parts.extend((0..2).map(|ordinal| pod(&format!("web{number}"), ordinal)));
            for mut part in parts {
                // In etcd `n00-eu/web0` comes before `n00/web0`.
                let pair = namespace / 2;
                let suffix = ["", "-eu"][namespace % 2];
                part["metadata"]["namespace"] = format!("n{pair:02}{suffix}").into();
                objects.push(part);
            }
        }
    }
    for number in 0..others {
        let mut other = pod("other", number);
        other["metadata"]["namespace"] = "n00-others".into();
        objects.push(other);
    }
    objects
}

/// Returns the number of requests for a plan of all namespaces, and the number that concern a single namespace.
fn requests(server: &Server) -> [usize; 2] {
    let lists: Vec<String> = server.paths();
    let lists: Vec<&String> = lists.iter().filter(|path| *path != "/metrics").collect();
    let of_one = lists.iter().filter(|path| path.contains("/namespaces/"));
    [lists.len(), of_one.count()]
}

#[test]
fn all_namespaces_take_few_lists() {
    let server = Server::new(spread(10, 5, 0));
    let config = server.kubeconfig("sweep-few", "prod");
    let ran = run(&config, &format!("-A {NOW}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The version, the namespaces that have sets, seven lists of namespaced objects and two cluster-scoped lists.
    assert_eq!(requests(&server), [11, 0]);

    // The plans equal those of namespaces that are read separately, except for the source.
    let alone = Server::new(spread(10, 5, 0)).with_whim(|asked, _| {
        (asked.path == "/api/v1/pods").then(|| Answer::error(403, "Forbidden", "no"))
    });
    let config = alone.kubeconfig("sweep-alone", "prod");
    let each = run(&config, &format!("-A {NOW}"));
    assert_eq!((each.code, &each.out), (Some(0), &ran.out), "{}", each.err);
    assert_eq!(requests(&alone), [75, 70]);
}

#[test]
fn lists_of_many_pages_are_read_in_parallel() {
    let plans = |server: &Server, test: &str| {
        let ran = run(&server.kubeconfig(test, "prod"), &format!("-A {NOW}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    // Pages end within namespaces, and some contain only unrelated pods.
    let long = Server::new(spread(20, 8, 1_400));
    let all = plans(&long, "sweep-long");
    // Four pages of pods; the last begins within a namespace.
    assert_eq!(requests(&long), [14, 0]);
    // A list that expires is not restarted: the remaining namespaces are read separately.
    let expiring = Server::new(spread(20, 8, 1_400)).with_whim(|asked, _| {
        let late = asked.query.get("continue").is_some_and(|at| at == "1500");
        (late && asked.path == "/api/v1/pods")
            .then(|| Answer::error(410, "Expired", "the provided continue parameter is too old"))
    });
    assert_eq!(plans(&expiring, "sweep-expiring"), all);
    let [_, of_one] = requests(&expiring);
    assert_eq!(of_one, 14 * 7);
    // So are those after a list that is out of order.
    let odd = Server::new(spread(20, 8, 1_400)).with_whim(|asked, _| {
        let first = asked.path == "/api/v1/services";
        let service = |namespace: &str| {
            serde_json::json!({"metadata": {"name": "web", "namespace": namespace}, "spec": {}})
        };
        let items = [service("n09"), service("n09-eu")];
        first.then(|| Answer::json(&serde_json::json!({"kind": "ServiceList", "items": items})))
    });
    plans(&odd, "sweep-odd");
    let [_, of_one] = requests(&odd);
    assert_eq!(of_one, 20 * 7);
    // Namespaces that were already planned may lack objects that come too late.
    let late = Server::new(spread(20, 8, 1_400)).with_whim(|asked, _| {
        let late = asked.query.get("continue").is_some_and(|at| at == "1500");
        let stray =
            serde_json::json!({"metadata": {"name": "web0-0", "namespace": "n00"}, "spec": {}});
        let list = serde_json::json!({"kind": "PodList", "items": [stray]});
        (late && asked.path == "/api/v1/pods").then(|| Answer::json(&list))
    });
    let ran = run(&late.kubeconfig("sweep-late", "prod"), &format!("-A {NOW}"));
    assert_error(&ran, &["list pods", "not ordered by namespace"]);
}

#[test]
fn with_many_unrelated_pods_only_namespaces_with_sets_are_read() {
    let server = Server::new(spread(2, 1, 7_500));
    let config = server.kubeconfig("sweep-others", "prod");
    let ran = run(&config, &format!("-A {NOW}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // After one page of pods, which says how many more there are.
    assert_eq!(requests(&server), [19, 14]);
}

#[test]
fn a_change_that_fails_for_one_set_does_not_affect_others() {
    let mut odd = set("odd", 1);
    odd["spec"]["template"]["spec"]["containers"][0]["name"] = "d".into();
    let mut huge = set("huge", 20_001);
    huge["metadata"]["namespace"] = "other".into();
    let mut objects = two();
    objects.extend([odd, huge]);
    let server = Server::new(objects);
    let config = server.kubeconfig("many-changes", "prod");
    let ran = run(&config, &format!("-A --image c=nginx:2 {NOW}"));
    assert_eq!(
        names(&ran),
        [
            vec!["other/far", "prod/api", "prod/web"],
            vec!["other/huge", "prod/odd"]
        ]
    );
}

#[test]
fn an_impossible_dry_run_does_not_affect_others() {
    let server = Server::new(two()).with_whim(|asked, _| {
        (asked.method == "PATCH" && asked.path.ends_with("/api")).then(|| {
            Answer::error(
                400,
                "BadRequest",
                "admission webhook does not support dry run",
            )
        })
    });
    let config = server.kubeconfig("many-dry-runs", "prod");
    let mut manifests = String::new();
    for name in ["web", "api"] {
        let mut set = set(name, 2);
        let metadata = set["metadata"].as_object_mut().unwrap();
        metadata.retain(|member, _| member == "name" || member == "labels");
        manifests.push_str(&format!("---\n{set}\n"));
    }
    let file = config.with_file_name("new.yaml");
    std::fs::write(&file, manifests).unwrap();
    let ran = run(&config, &format!("--apply {} {NOW}", file.display()));
    assert_eq!(names(&ran), [vec!["prod/web"], vec!["prod/api"]]);
    assert!(ran.err.contains("--apply-mode=local"), "{}", ran.err);
}

/// Objects with many small parts take many times the size of their text if they are kept as trees.
#[cfg(target_os = "linux")]
#[test]
fn many_pods_are_read_in_little_memory() {
    const PODS: usize = 4_000;
    let mut text = pod("web", 0);
    let setting =
        |number| serde_json::json!({"name": number, "valueFrom": {"fieldRef": {"fieldPath": "a"}}});
    let env: Vec<Value> = (0..100)
        .map(|number| setting(format!("E{number}")))
        .collect();
    text["spec"]["containers"][0]["env"] = env.into();
    let text = text.to_string();
    let server = Server::new(vec![set("web", PODS)]).with_whim(move |asked, _| {
        if asked.path != "/api/v1/namespaces/prod/pods" {
            return None;
        }
        let from: usize = asked
            .query
            .get("continue")
            .map_or(0, |at| at.parse().unwrap());
        let end = (from + 500).min(PODS);
        let pods = (from..end).map(|ordinal| text.replace("web-0", &format!("web-{ordinal}")));
        let pods: Vec<String> = pods.collect();
        let next = if end < PODS {
            end.to_string()
        } else {
            String::new()
        };
        let list = format!(
            "{{\"kind\":\"PodList\",\"metadata\":{{\"continue\":\"{next}\"}},\"items\":[{}]}}",
            pods.join(",")
        );
        Some(Answer::text(&list))
    });
    let config = server.kubeconfig("many-pods", "prod");
    // As trees they take 800 MB.
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -v 500000; exec \"$@\"",
            "sh",
            crate::program::PROGRAM,
        ])
        .args(["-A", "-o", "summary"])
        .env_clear()
        .env("HOME", nonexistent!())
        .env("KUBECONFIG", config);
    let ran = super::finish(command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("prod/web: Plan: "), "{}", ran.out);
}

#[test]
fn progress_is_shown_only_on_a_terminal() {
    let server = Server::new(two()).with_whim(|asked, _| {
        asked.path.ends_with("/nodes").then(|| Answer {
            delay: std::time::Duration::from_millis(1500),
            ..Answer::json(&serde_json::json!({"kind": "NodeList", "items": []}))
        })
    });
    let config = server.kubeconfig("many-silent", "prod");
    let ran = run(&config, &format!("-A {NOW}"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}
