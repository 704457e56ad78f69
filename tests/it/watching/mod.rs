//! `-w` against a watched server: its output, its timing, and its end.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests wait for a program that goes by the clock"
)]

use crate::program;

mod breaks;
pub mod server;
mod staged;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use serde_json::{Value, json};

use server::Server;

/// Longer than any step here takes.
const LONG: Duration = Duration::from_secs(20);
/// Without output for this long, none will come.
const QUIET: Duration = Duration::from_millis(700);

/// A server with a fixture's objects: set `web` of namespace `prod`.
pub fn server_of(fixture: &str) -> Server {
    let path = format!("{}/tests/fixtures/{fixture}", env!("CARGO_MANIFEST_DIR"));
    let mut reading = kubectl_manifest::read(fixture, &fs::read(path).unwrap())
        .unwrap()
        .manifests;
    let objects = reading.iter_mut().map(|manifest| manifest.value.take());
    Server::new(objects.collect())
}

/// A watch in progress.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn new(server: &Server, args: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
            .args(["web", "-n", "prod", "-w", "--server", &server.url])
            .args(args.split_whitespace())
            .env_clear()
            .env("HOME", nonexistent!())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Watch { child, lines }
    }

    /// A watch that has printed its first plan, and watches every kind.
    #[track_caller]
    fn begun(server: &Server) -> Self {
        let watch = Watch::new(server, "-o json");
        watch.update();
        until_watched(server);
        watch
    }

    /// Sends it a signal.
    #[track_caller]
    fn signal(&self, signal: &str) {
        let kill = Command::new("kill")
            .args(["-s", signal, &self.child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }

    /// The next line as JSON.
    #[track_caller]
    fn update(&self) -> Value {
        let line = self.lines.recv_timeout(LONG).expect("an update");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    /// The last line before a quiet period, if any.
    fn latest(&self) -> Option<Value> {
        let mut last = None;
        while let Ok(line) = self.lines.recv_timeout(QUIET) {
            last = Some(serde_json::from_str(&line).expect("a line of JSON"));
        }
        last
    }

    /// The remaining output, the exit code, and standard error.
    fn end(mut self) -> (Vec<String>, i32, String) {
        let started = Instant::now();
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if started.elapsed() < LONG => {}
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("it does not end; so far: {lines:?}");
                }
            }
        }
        let mut said = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        (lines, self.child.wait().unwrap().code().unwrap_or(-1), said)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn now() -> String {
    let now = Timestamp::try_from(SystemTime::now()).unwrap();
    Timestamp::from_second(now.as_second()).unwrap().to_string()
}

/// Executes the controller's next writes of a plan.
fn control(server: &Server, plan: &Value) {
    for write in plan["next"]["writes"].as_array().unwrap() {
        let text = |name: &str| write[name].as_str().unwrap().to_owned();
        let (resource, name) = (text("resource"), text("name"));
        match (text("verb").as_str(), resource.as_str()) {
            ("create", _) if server.get(&resource, &name).is_none() => {
                let mut object = write["object"].clone();
                let (version, kind) = match resource.as_str() {
                    "pods" => ("v1", "Pod"),
                    "persistentvolumeclaims" => ("v1", "PersistentVolumeClaim"),
                    _ => ("apps/v1", "ControllerRevision"),
                };
                object["apiVersion"] = version.into();
                object["kind"] = kind.into();
                let metadata = &mut object["metadata"];
                metadata["name"] = name.clone().into();
                metadata["namespace"] = "prod".into();
                metadata["creationTimestamp"] = now().into();
                metadata["uid"] = format!("{name} of {}", server.state().asked.len()).into();
                if kind == "Pod" {
                    object["spec"]["nodeName"] = "node".into();
                    object["status"] = json!({"phase": "Pending"});
                }
                server.put(object);
            }
            ("delete", "pods") => server.change("pods", &name, |pod| {
                pod["metadata"]["deletionTimestamp"] = now().into();
            }),
            ("update", "statefulsets/status") => server.change("statefulsets", &name, |set| {
                set["status"] = write["object"].clone();
            }),
            _ => {}
        }
    }
}

/// Performs the kubelets' next actions: terminating pods are removed, others become ready.
fn kubelets(server: &Server) {
    for name in server.names("pods") {
        let pod = server.get("pods", &name).unwrap();
        if pod["metadata"]["deletionTimestamp"].is_string() {
            server.remove("pods", &name);
        } else if pod["status"]["phase"] == "Pending" {
            server.change("pods", &name, |pod| {
                pod["status"] = json!({"phase": "Running",
                    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": now()}]});
            });
        }
    }
}

fn crash(server: &Server, pod: &str) {
    server.change("pods", pod, |pod| {
        pod["status"] = json!({"phase": "Running",
            "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": now()}],
            "containerStatuses": [{"name": "app", "ready": false, "restartCount": 7,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]});
    });
}

/// Executes a plan until nothing is left to happen. Returns the last plan, and the reported events.
#[track_caller]
fn drive(server: &Server, watch: &Watch, mut plan: Value) -> (Value, Vec<String>) {
    let mut happened = Vec::new();
    for _ in 0..40 {
        if plan["steps"].as_array().unwrap().is_empty() {
            return (plan, happened);
        }
        if plan["next"]["writes"].as_array().unwrap().is_empty() {
            kubelets(server);
        } else {
            control(server, &plan);
        }
        let mut line = Some(watch.update());
        while let Some(update) = line {
            let since = &update["since"];
            assert_eq!(since["differences"], json!([]), "{since:#}");
            let verdict = since["verdict"].as_str().unwrap();
            assert!(
                ["onTrack", "ahead", "finished"].contains(&verdict),
                "{verdict}"
            );
            let steps = since["steps"].as_array().unwrap().iter();
            happened.extend(steps.map(|step| step["what"].as_str().unwrap().to_owned()));
            plan = update;
            let next = watch.lines.recv_timeout(QUIET).ok();
            line = next.map(|line| serde_json::from_str(&line).unwrap());
        }
    }
    panic!("it never comes to rest: {plan:#}");
}

/// Waits until a condition holds.
#[track_caller]
fn until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < LONG, "it never holds");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until every watch has begun: the first update comes as soon as the lists are complete.
#[track_caller]
fn until_watched(server: &Server) {
    let kinds = [
        "statefulsets",
        "pods",
        "persistentvolumeclaims",
        "controllerrevisions",
    ];
    until(|| {
        kinds
            .iter()
            .all(|kind| server.count(&format!("watch {kind}")) > 0)
    });
}

#[test]
fn a_rollout_is_followed_to_its_end() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "-o json");
    let first = watch.update();
    assert_eq!(
        (&first["kind"], &first["since"]),
        (&json!("Plan"), &Value::Null)
    );
    assert_eq!(first["kubernetes"]["source"], "server");
    let (plan, happened) = drive(&server, &watch, first);
    let (rest, code, said) = watch.end();
    assert_eq!((code, said.as_str()), (0, ""), "{rest:?}");
    for pod in ["web-2", "web-1", "web-0"] {
        for deed in [
            "delete POD",
            "POD is gone",
            "create POD",
            "POD becomes ready",
        ] {
            let deed = deed.replace("POD", pod);
            assert!(
                happened.iter().any(|what| what.contains(&deed)),
                "{deed}: {happened:#?}"
            );
        }
    }
    assert!(
        plan["set"]["pods"]
            .as_array()
            .unwrap()
            .iter()
            .all(|pod| pod["fate"] == "kept")
    );
}

#[test]
fn a_broken_pod_is_a_divergence_and_ends_blocked() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "-o json");
    control(&server, &watch.update());
    watch.latest();
    crash(&server, "web-1");
    let update = watch.update();
    assert_eq!(update["since"]["verdict"], "diverged");
    assert_eq!(update["since"]["differences"][0]["name"], "web-1");
    // The plan waits for pending events, and only then is blocked.
    let (last, _) = drive(&server, &watch, update);
    assert_eq!(last["outcome"]["result"], "blocked");
    let (lines, code, said) = watch.end();
    let says = "exit code 3: StatefulSet prod/web is blocked\n";
    assert_eq!((lines.len(), code, said.as_str()), (0, 3, says));
}

#[test]
fn people_see_the_new_plan_with_the_divergence() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "--timeout 4s -v");
    thread::sleep(Duration::from_millis(1500));
    crash(&server, "web-1");
    let (lines, code, said) = watch.end();
    assert_eq!(code, 1);
    let says = "error: timeout: StatefulSet prod/web is not complete: ";
    assert!(said.starts_with(says), "{said}");
    let text = lines.join("\n");
    assert_eq!(text.matches("prod/web  StatefulSet").count(), 2, "{text}");
    for says in [
        "s later\n",
        "\nNOT AS PREDICTED\n",
        "pod web-1\n",
        "CrashLoopBackOff",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "no terminal, no escapes");
}

/// A pipe gets a line for each change, and the time that the rollout took.
#[test]
fn a_rollout_in_a_pipe_is_a_line_for_each_change() {
    let server = server_of("rollout.yaml");
    let folder = program::new_folder("watch-lines");
    let told = folder.join("told");
    let on_change = format!("--on-change=done=echo>>{}", told.display());
    let people = Watch::new(&server, &on_change);
    let summary = Watch::new(&server, "-o summary");
    let programs = Watch::new(&server, "-o json");
    let first = programs.update();
    until_watched(&server);
    thread::sleep(QUIET);
    drive(&server, &programs, first);
    let (lines, code, said) = people.end();
    assert_eq!((code, said.as_str()), (0, ""), "{lines:#?}");
    let (last, changes) = lines.split_last().unwrap();
    assert!(
        last.starts_with("took ") && last.ends_with("s, predicted 1m21s"),
        "{last}"
    );
    assert!(changes[0].contains(" prod/web: Next: "), "{changes:#?}");
    assert!(changes.len() < 24, "{changes:#?}");
    for line in changes {
        let clock = line.split(' ').next().unwrap();
        assert!(
            clock.len() == 8 && clock.matches(':').count() == 2,
            "{line}"
        );
    }
    let ready = |line: &&String| line.contains("web-0 becomes ready (3 of 3 on 7f46c795fc)");
    assert_eq!(changes.iter().filter(ready).count(), 1, "{changes:#?}");
    // The command runs once, at the end.
    assert_eq!(fs::read_to_string(&told).unwrap(), "\n");
    let (lines, code, _) = summary.end();
    assert_eq!(code, 0);
    let (last, plans) = lines.split_last().unwrap();
    assert!(last.starts_with("took "), "{last}");
    assert!(
        plans
            .iter()
            .all(|line| line.starts_with("prod/web: Plan: ")),
        "{plans:#?}"
    );
}

#[test]
fn a_command_can_wait_for_a_blocked_rollout() {
    let server = server_of("rollout.yaml");
    let command = r#"echo "$STS_PLAN_MESSAGE" >> messages"#;
    let (watch, folder) = watch_on(&server, "on-blocked", ("blocked,done=", command), "");
    let programs = Watch::new(&server, "-o json");
    control(&server, &programs.update());
    programs.latest();
    crash(&server, "web-1");
    let update = programs.update();
    drive(&server, &programs, update);
    let (_, code, said) = watch.end();
    assert_eq!(code, 3, "{said}");
    let messages = fs::read_to_string(folder.join("messages")).unwrap();
    assert_eq!(messages.lines().count(), 1, "{messages}");
    assert!(
        messages.contains("BLOCKED") && !messages.contains("MISS"),
        "{messages}"
    );
}

#[test]
fn nothing_is_planned_before_every_list_is_complete() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "-o json");
    watch.update();
    drop(watch);
    // The first list of pods is the read before the watch, which retries automatically.
    server.state().failing.insert("pods".into(), 4);
    let watch = Watch::new(&server, "-o json");
    let first = watch.update();
    assert_eq!(first["set"]["pods"].as_array().unwrap().len(), 3);
    assert_eq!(server.state().failing["pods"], 0);
}

#[test]
fn a_broken_watch_resumes() {
    let server = server_of("rollout.yaml");
    let watch = Watch::begun(&server);
    let lists = server.count("list pods");
    server.cut();
    server.change("statefulsets", "web", |set| {
        set["spec"]["replicas"] = 5.into();
        set["metadata"]["generation"] = 9.into();
    });
    let update = watch.update();
    assert_eq!(update["set"]["replicas"], 5);
    assert_eq!(update["since"]["verdict"], "stale");
    assert_eq!(
        update["since"]["stale"]["fields"][0]["path"],
        "spec.replicas"
    );
    assert_eq!(server.count("list pods"), lists, "no list was needed");
    until(|| server.count("watch pods") >= 2);
}

#[test]
fn an_expired_watch_lists_again() {
    let server = server_of("rollout.yaml");
    let watch = Watch::begun(&server);
    let lists = server.count("list pods");
    server.forget(|server| {
        server.change("statefulsets", "web", |set| {
            set["spec"]["replicas"] = 2.into();
            set["metadata"]["generation"] = 9.into();
        });
    });
    let mut update = watch.update();
    while let Some(later) = watch.latest() {
        update = later;
    }
    assert_eq!(update["set"]["replicas"], 2);
    until(|| server.count("list pods") > lists);
    // The watch continues.
    crash(&server, "web-2");
    assert_eq!(
        watch.update()["set"]["pods"][2]["waiting"],
        "CrashLoopBackOff"
    );
}

#[test]
fn simultaneous_changes_are_one_update_and_irrelevant_ones_none() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "-o json");
    watch.update();
    watch.latest();
    for round in 0..300 {
        server.change("pods", "web-0", |pod| {
            pod["metadata"]["annotations"]["round"] = round.to_string().into();
        });
    }
    let replicas = |generation: u32| {
        server.change("statefulsets", "web", |set| {
            set["spec"]["replicas"] = (4 + generation % 2).into();
            set["metadata"]["generation"] = generation.into();
        });
    };
    // The next update is for a later change, however slow the machine: an annotation changes no plan.
    replicas(9);
    assert_eq!(watch.update()["metadata"]["generation"], 9);
    let started = Instant::now();
    for generation in 10..310 {
        replicas(generation);
        thread::sleep(Duration::from_millis(3));
    }
    let mut updates = vec![watch.update()];
    while updates.last().unwrap()["metadata"]["generation"] != 309 {
        updates.push(watch.update());
    }
    let most = started.elapsed().as_millis() / 200 + 2;
    assert!(updates.len() as u128 <= most, "{} updates", updates.len());
}

#[test]
fn a_wait_for_a_person_does_not_end_the_watch() {
    let server = server_of("on-delete.yaml");
    let mut watch = Watch::new(&server, "-o json");
    let first = watch.update();
    until_watched(&server);
    let (first, _) = drive(&server, &watch, first);
    assert_eq!(first["analysis"]["verdict"], "waiting-for-user");
    // A settled cluster would have ended it by then.
    assert_eq!(watch.latest(), None);
    thread::sleep(2 * QUIET);
    assert!(watch.child.try_wait().unwrap().is_none());
    let update = first["set"]["updateRevision"].clone();
    for pod in server.names("pods") {
        server.change("pods", &pod, |pod| {
            pod["metadata"]["labels"]["controller-revision-hash"] = update.clone();
        });
    }
    let plan = watch.latest().expect("an update");
    let (plan, _) = drive(&server, &watch, plan);
    assert_eq!(plan["analysis"]["verdict"], "nothing-to-do");
    assert_eq!(watch.end().1, 0);
}

#[test]
fn a_deleted_set_ends_the_watch() {
    for (foreseen, expected) in [(false, 1), (true, 0)] {
        let server = server_of("rollout.yaml");
        let watch = Watch::new(&server, "-o json");
        watch.update();
        if foreseen {
            server.change("statefulsets", "web", |set| {
                set["metadata"]["deletionTimestamp"] = now().into();
                set["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
            });
            watch.update();
        }
        server.remove("statefulsets", "web");
        let (_, code, said) = watch.end();
        assert_eq!(
            (code, said.as_str()),
            (expected, "StatefulSet prod/web is gone\n")
        );
    }
}

/// A watch whose changes go to a command, which runs in this folder.
fn watch_on_change(server: &Server, folder: &str, command: &str, more: &str) -> (Watch, PathBuf) {
    watch_on(server, folder, ("", command), more)
}

/// The same, for the changes that `when` names.
fn watch_on(
    server: &Server,
    folder: &str,
    (when, command): (&str, &str),
    more: &str,
) -> (Watch, PathBuf) {
    let folder = program::new_folder(folder);
    let script = folder.join("command");
    fs::write(&script, format!("cd {}\n{command}\n", folder.display())).unwrap();
    let script = script.display();
    let args = format!("-o json {more} --on-change={when}.${{IFS}}{script}");
    (Watch::new(server, &args), folder)
}

#[test]
fn a_command_gets_each_changed_plan() {
    let server = server_of("rollout.yaml");
    let command = r#"cat > plan.json; echo "$STS_PLAN_MESSAGE" >> messages; mv plan.json last.json; echo noise"#;
    let (watch, folder) = watch_on_change(&server, "on-change", command, "");
    let first = watch.update();
    thread::sleep(QUIET);
    let messages = folder.join("messages");
    assert!(!messages.exists(), "the first plan is no change");
    let (last, _) = drive(&server, &watch, first);
    let (rest, code, said) = watch.end();
    assert_eq!((code, said.as_str()), (0, ""), "{rest:?}");
    let told = fs::read(folder.join("last.json")).unwrap();
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(
        told["outcome"], last["outcome"],
        "the last plan is reported"
    );
    assert_eq!(told["since"]["kind"], "Verification");
    let messages = fs::read_to_string(messages).unwrap();
    assert!(messages.lines().count() > 3, "{messages}");
    for line in messages.lines() {
        assert!(line.starts_with("prod/web: "), "{line}");
    }
    assert!(messages.contains("web-1 becomes ready"), "{messages}");
}

#[test]
fn runs_of_the_command_do_not_overlap_and_get_the_newest_plan() {
    let server = server_of("rollout.yaml");
    let command = "mkdir running || touch overlap; cat > plan; sleep 1; rmdir running; echo x >> runs; mv plan last";
    let (watch, folder) = watch_on_change(&server, "on-change-slow", command, "--timeout 5s");
    watch.update();
    for replicas in [4, 5, 6, 7, 8] {
        server.change("statefulsets", "web", |set| {
            set["spec"]["replicas"] = replicas.into();
            set["metadata"]["generation"] = (10 + replicas).into();
        });
        thread::sleep(Duration::from_millis(300));
    }
    let (_, code, _) = watch.end();
    assert_eq!(code, 1);
    assert!(!folder.join("overlap").exists());
    let runs = fs::read_to_string(folder.join("runs"))
        .unwrap()
        .lines()
        .count();
    assert!((2..=4).contains(&runs), "{runs}");
    let last: Value = serde_json::from_slice(&fs::read(folder.join("last")).unwrap()).unwrap();
    assert_eq!(last["set"]["replicas"], 8);
}

#[test]
fn a_command_that_fails_or_hangs_is_a_warning() {
    for (name, command, more, says) in [
        (
            "fails",
            "echo first >&2; echo no such page >&2; exit 3",
            "",
            "--on-change: the command failed (exit status: 3): no such page",
        ),
        (
            "hangs",
            "sleep 300 & sleep 300",
            "--on-change-timeout 1s",
            "--on-change: the command timed out after 1s and was killed",
        ),
    ] {
        let server = server_of("rollout.yaml");
        let args = format!("--timeout 3s {more}");
        let (watch, folder) = watch_on_change(
            &server,
            &format!("on-change-{name}"),
            &format!("echo $$ > pid; {command}"),
            &args,
        );
        watch.update();
        crash(&server, "web-1");
        let (_, code, said) = watch.end();
        assert_eq!(code, 1);
        assert!(said.contains(&format!("warning: {says}\n")), "{said}");
        // Together with everything that it started.
        let pid = fs::read_to_string(folder.join("pid")).unwrap();
        until(|| {
            let all = Command::new("ps").args(["-eo", "pgid=,stat="]).output();
            let all = String::from_utf8(all.unwrap().stdout).unwrap();
            let mut all = all.lines().map(|line| line.split_whitespace());
            // An ended process may be a zombie until its parent waits for it.
            !all.any(|mut of| of.next() == Some(pid.trim()) && !of.next().unwrap().starts_with('Z'))
        });
    }
}

#[test]
fn forbidden_watches_are_reported() {
    let server = server_of("rollout.yaml");
    server.state().forbidden.insert("watch pods".into());
    let (lines, code, said) = Watch::new(&server, "-o json").end();
    assert_eq!(code, 1, "{lines:?}");
    let says = "error: not allowed to list and watch pods in namespace \"prod\", required for -w: you may not watch pods\n";
    assert_eq!(said, says);
    // Claims are optional.
    let server = server_of("rollout.yaml");
    server
        .state()
        .forbidden
        .insert("list persistentvolumeclaims".into());
    let watch = Watch::new(&server, "-o json");
    let plan = watch.update();
    let assumed = plan["assumptions"].to_string();
    assert!(
        assumed.contains("not allowed to list persistentvolumeclaims"),
        "{assumed}"
    );
}

/// A token may expire during a watch. That is neither a missing right nor a reason to plan without claims.
#[test]
fn credentials_that_expire_end_the_watch() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, "-o json");
    watch.update();
    server.state().refused = Some(401);
    server.cut();
    let (_, code, said) = watch.end();
    assert_eq!(code, 1);
    let says = "does not accept the credentials (Unauthorized): ";
    assert!(
        said.starts_with("error: the API server ") && said.contains(says),
        "{said}"
    );
}

#[test]
fn a_signal_ends_the_watch_with_exit_code_130() {
    let server = server_of("rollout.yaml");
    for signal in ["INT", "TERM"] {
        let watch = Watch::new(&server, "-o json");
        watch.update();
        watch.signal(signal);
        let (_, code, said) = watch.end();
        let line = "exit code 130: interrupted before StatefulSet prod/web was complete\n";
        assert_eq!((code, said.as_str()), (130, line));
    }
}

#[test]
fn documents_of_yaml_come_one_after_the_other() {
    let server = server_of("rollout.yaml");
    let (lines, code, _) = Watch::new(&server, "-o yaml --timeout 2s").end();
    assert_eq!(code, 1);
    assert_eq!(
        (lines[0].as_str(), lines[1].as_str()),
        ("---", "apiVersion: sts-plan/v1")
    );
}

#[test]
fn an_unwatchable_input_is_a_clear_error() {
    let program = env!("CARGO_BIN_EXE_kubectl-sts_plan");
    let cases = [
        ("web -w -f x.yaml", "-w watches a live cluster"),
        ("web -w --image a:1", "--image is a planned change"),
        ("web -w --delete", "--delete is a planned change"),
        (
            "web -w --now 2026-01-01T00:00:00Z",
            "-w uses the current time",
        ),
        ("web -w --save x.json", "--save cannot be used with -w"),
        (
            "web -w --detailed-exitcode",
            "--detailed-exitcode cannot be used with -w",
        ),
        ("web -w -o markdown", "use table, summary, json or yaml"),
        ("web --timeout 5s", "--timeout requires a watch: add -w"),
        (
            "web --on-change true",
            "--on-change requires a watch: add -w",
        ),
        (
            "web -w --interactive",
            "--interactive cannot be used with -w",
        ),
        ("web --interactive", "--interactive requires a terminal"),
        (
            "web --interactive -o json",
            "--output cannot be used with --interactive",
        ),
        ("web -w --timeout soon", "invalid duration"),
        ("verify x.json -w", "unexpected argument '-w'"),
    ];
    for (args, says) in cases {
        let output = Command::new(program)
            .args(args.split(' '))
            .env_clear()
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0), "{args}");
        assert!(
            output.stdout.is_empty() && said.contains(says),
            "{args}: {said}"
        );
    }
    let server = server_of("rollout.yaml");
    server.put({
        let mut other = server.get("statefulsets", "web").unwrap();
        other["metadata"]["name"] = "other".into();
        other["metadata"]["uid"] = "another".into();
        other
    });
    let output = Command::new(program)
        .args(["-w", "-n", "prod", "--server", &server.url])
        .env_clear()
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("-w watches one set, found 2"), "{said}");
}
