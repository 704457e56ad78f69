//! Watches that end, break, are refused or cannot continue: where they resume, and how soon.

use super::*;

/// The versions from which a resource was watched.
fn versions(server: &Server, resource: &str) -> Vec<u64> {
    let state = server.state();
    let watches = state.watches.iter().filter(|(of, _)| of == resource);
    let versions = watches.map(|(_, query)| query["resourceVersion"].parse().unwrap());
    versions.collect()
}

/// Waits until a resource was watched this often. Returns the version from which it was last watched.
#[track_caller]
fn last_version(server: &Server, resource: &str, watches: usize) -> u64 {
    until(|| versions(server, resource).len() >= watches);
    versions(server, resource)[watches - 1]
}

/// Asserts that the watch continues: the next event is reported.
#[track_caller]
fn goes_on(server: &Server, watch: &Watch) {
    crash(server, "web-1");
    let pods = &watch.update()["set"]["pods"];
    assert_eq!(pods[1]["waiting"], "CrashLoopBackOff");
}

#[test]
fn watches_request_bookmarks_and_a_timeout() {
    let server = server_of("rollout.yaml");
    let _watch = Watch::begun(&server);
    let state = server.state();
    for (resource, query) in &state.watches {
        assert_eq!(query["allowWatchBookmarks"], "true");
        assert_eq!(query["timeoutSeconds"], "290");
        let name = query.get("fieldSelector").map(String::as_str);
        let of_set = (resource == "statefulsets").then_some("metadata.name%3Dweb");
        assert_eq!(name, of_set, "{resource}");
    }
}

#[test]
fn a_watch_resumes_from_the_last_version() {
    let server = server_of("rollout.yaml");
    let watch = Watch::begun(&server);
    let lists = server.count("list pods");

    let marked = server.say("pods", |version| {
        json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"resourceVersion": version}}})
    });
    assert!(versions(&server, "pods")[0] < marked);
    thread::sleep(QUIET);
    server.cut();
    assert_eq!(last_version(&server, "pods", 2), marked);

    // Half an event reports nothing.
    server.state().half = true;
    crash(&server, "web-1");
    assert_eq!(last_version(&server, "pods", 3), marked);
    let pods = &watch.update()["set"]["pods"];
    assert_eq!(pods[1]["waiting"], "CrashLoopBackOff");
    let told = server.state().version();
    server.cut();
    assert_eq!(last_version(&server, "pods", 4), told);
    assert_eq!(server.count("list pods"), lists, "no list was needed");
}

#[test]
fn missed_events_are_listed_again() {
    let events = [
        json!({"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "code": 500,
            "status": "Failure", "message": "etcd event received with PrevKv=nil"}}),
        json!({"type": "MODIFIED", "object": {"metadata": {"name": "web-1"}}}),
        json!({"type": "SHUFFLED", "object": {"metadata": {"name": "web-1"}}}),
        json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": ""}}}),
    ];
    for event in events {
        let server = server_of("rollout.yaml");
        let watch = Watch::begun(&server);
        let lists = server.count("list pods");
        server.say("pods", |_| event.clone());
        until(|| server.count("list pods") > lists);
        until(|| server.count("watch pods") > 1);
        // The watch continues.
        crash(&server, "web-1");
        let pods = &watch.update()["set"]["pods"];
        assert_eq!(pods[1]["waiting"], "CrashLoopBackOff", "{event}");
        assert_eq!(server.count("list pods"), lists + 1, "{event}");
    }
}

#[test]
fn a_watch_may_expire_by_a_status() {
    let server = server_of("rollout.yaml");
    let watch = Watch::begun(&server);
    let lists = server.count("list pods");
    server.state().expires_by_status = true;
    server.forget(|server| crash(server, "web-1"));
    let pods = &watch.update()["set"]["pods"];
    assert_eq!(pods[1]["waiting"], "CrashLoopBackOff");
    assert!(server.count("list pods") > lists);
}

#[test]
fn lists_come_in_pages() {
    let server = server_of("rollout.yaml");
    server.state().page = 1;
    let watch = Watch::new(&server, "-o json");
    assert_eq!(watch.update()["set"]["pods"].as_array().unwrap().len(), 3);
    until_watched(&server);
    let lists = server.count("list pods");
    server.forget(|server| crash(server, "web-2"));
    let pods = &watch.update()["set"]["pods"];
    assert_eq!(pods.as_array().unwrap().len(), 3);
    assert_eq!(pods[2]["waiting"], "CrashLoopBackOff");
    let pods = server.names("pods").len();
    assert_eq!(server.count("list pods"), lists + pods);
}

#[test]
fn a_watch_that_ends_at_once_restarts_once_a_second() {
    let server = server_of("rollout.yaml");
    server.state().ends_at_once = true;
    let watch = Watch::begun(&server);
    let (before, started) = (server.count("watch pods"), Instant::now());
    until(|| server.count("watch pods") >= before + 3);
    let took = started.elapsed();
    assert!(took > Duration::from_millis(1900), "{took:?}");
    // Nothing has failed.
    server.state().ends_at_once = false;
    goes_on(&server, &watch);
}

#[test]
fn a_repeatedly_refused_watch_is_reported_once() {
    let server = server_of("rollout.yaml");
    let watch = Watch::begun(&server);
    let (lists, watches) = (server.count("list pods"), server.count("watch pods"));
    server.state().refused = Some(500);
    server.cut();
    until(|| server.count("watch pods") >= watches + 3);
    server.state().refused = None;
    goes_on(&server, &watch);
    assert_eq!(server.count("list pods"), lists, "no list was needed");
    watch.signal("INT");
    let (_, code, said) = watch.end();
    assert_eq!(code, 130);
    let says = "warning: cannot watch pods: it is refused; retrying\n";
    assert_eq!(said.matches(says).count(), 1, "{said}");
}
