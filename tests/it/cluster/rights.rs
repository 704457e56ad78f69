//! `rbac` grants exactly the rights that the program uses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reading::{NOW, pod, set};
use super::server::{Asked, Server};
use super::{assert_error, plan, run};

/// A right: verb, group and resource, or verb and path; true if it is granted in one namespace only.
type Right = (String, String, bool);

/// Returns the right that a request needs.
fn needed(asked: &Asked) -> Option<Right> {
    let parts: Vec<&str> = asked
        .path
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        // Readable by every user.
        ["version"] => return None,
        _ => return Some(("get".to_owned(), asked.path.clone(), false)),
    };
    let (within, rest) = match rest {
        ["namespaces", _, rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let verb = match (asked.method.as_str(), rest.len()) {
        ("GET", 1) => "list",
        ("GET", 2) => "get",
        other => panic!("{other:?}"),
    };
    Some((verb.to_owned(), format!("{group}/{}", rest[0]), within))
}

/// Returns the rights that the roles of a YAML stream give.
fn granted(yaml: &str) -> BTreeSet<Right> {
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut rights = BTreeSet::new();
    for role in kubectl_manifest::read("rbac", yaml.as_bytes())
        .unwrap()
        .manifests
    {
        let within = role.value["kind"] == "Role";
        for rule in role.value["rules"].as_array().into_iter().flatten() {
            for verb in texts(&rule["verbs"]) {
                for path in texts(&rule["nonResourceURLs"]) {
                    rights.insert((verb.clone(), path, within));
                }
                for group in texts(&rule["apiGroups"]) {
                    for resource in texts(&rule["resources"]) {
                        rights.insert((verb.clone(), format!("{group}/{resource}"), within));
                    }
                }
            }
        }
    }
    rights
}

#[test]
fn the_role_allows_exactly_the_requests() {
    let server = Server::new(vec![set("web", 1), pod("web", 0)]);
    let config = server.kubeconfig("role", "prod");
    let role = run(&config, "rbac");
    assert_eq!(role.code, Some(0), "{}", role.err);
    // Printing it opens no connection.
    assert_eq!(server.paths(), Vec::<String>::new());
    plan(&run(&config, &format!("web {NOW}")));
    assert_error(&run(&config, "wbe"), &["did you mean"]);
    // A dump reads everything that only causes need.
    assert_eq!(run(&config, "dump web").code, Some(0));
    let mut asked: BTreeSet<Right> = server.asked().iter().filter_map(needed).collect();
    // The additional requests of -w, as the tests with a real server show.
    for watched in [
        "apps/statefulsets",
        "apps/controllerrevisions",
        "/pods",
        "/persistentvolumeclaims",
    ] {
        asked.insert(("watch".to_owned(), watched.to_owned(), true));
    }
    assert_eq!(asked, granted(&role.out));
    assert!(role.out.contains("namespace: \"prod\""), "{}", role.out);
}

#[test]
fn the_role_for_all_namespaces_allows_all_requests() {
    let server = Server::new(vec![set("web", 1), pod("web", 0)]);
    let config = server.kubeconfig("role-all", "prod");
    let role = run(&config, "rbac -A");
    plan(&run(&config, &format!("-A {NOW}")));
    let granted = granted(&role.out);
    for (verb, what, _) in server.asked().iter().filter_map(needed) {
        // A right in all namespaces is one in each.
        let right = (verb, what, false);
        assert!(granted.contains(&right), "{right:?}");
    }
    assert!(
        granted
            .iter()
            .all(|(verb, _, within)| !within && ["get", "list", "watch"].contains(&verb.as_str()))
    );
}

#[test]
fn the_role_is_bound_to_the_given_subject() {
    let config = Server::new(Vec::new()).kubeconfig("role-for", "prod");
    let role = run(&config, "rbac -n a --as yes --as-group x:y").out;
    assert!(role.contains("kind: User, name: \"yes\""), "{role}");
    assert!(role.contains("kind: Group, name: \"x:y\""), "{role}");
    let reading = kubectl_manifest::read("rbac", role.as_bytes()).unwrap();
    let kinds: Vec<&str> = reading
        .manifests
        .iter()
        .map(|object| object.value["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "Role",
            "RoleBinding",
            "ClusterRole",
            "ClusterRoleBinding",
            "Role",
            "RoleBinding"
        ]
    );
    let named = run(&config, "rbac web");
    assert_eq!(named.code, Some(1));
    assert!(
        named.err.contains("unexpected argument 'web'"),
        "{}",
        named.err
    );
}
