//! The real kubectl with the same templates and columns. Its recorded answers are compared on every machine. If kubectl
//! is installed, it is also asked again. `UPDATE_GOLDEN=1` records all answers again.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kubectl_sts_plan::internals::{Columns, Style, Template};
use serde_json::{Value, json};

use crate::cluster::server::{Answer, Server};
use crate::golden;
use crate::program;
use test_kit::vectors;

/// Fraction of recorded answers that are requested again: all of them take two minutes.
const ONE_IN: usize = 10;
/// kubectl mostly waits, so many can run at once.
const AT_ONCE: usize = 8;

fn recorded(name: &str) -> PathBuf {
    golden::root().join("vectors").join(name)
}

/// The objects of the test, named `web` and `db`.
fn things() -> [Value; 2] {
    let web = vectors::cases(&recorded("jsonpath.jsonl"))[0]["input"].clone();
    let mut db = web.clone();
    db["metadata"] = json!({"name": "db"});
    [web, db]
}

/// A server that has two objects, and announces their kind to kubectl.
fn server() -> Server {
    let [web, db] = things();
    let version = json!({"groupVersion": "example.com/v1", "version": "v1"});
    let known = [
        ("/api", json!({"kind": "APIVersions", "versions": ["v1"]})),
        (
            "/api/v1",
            json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": []}),
        ),
        (
            "/apis",
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": "example.com", "versions": [version], "preferredVersion": version}]}),
        ),
        (
            "/apis/example.com/v1",
            json!({"kind": "APIResourceList", "apiVersion": "v1",
            "groupVersion": "example.com/v1", "resources": [{"name": "things", "singularName": "thing",
            "namespaced": true, "kind": "Thing", "verbs": ["get", "list"]}]}),
        ),
        (
            "/apis/example.com/v1/namespaces/default/things/web",
            web.clone(),
        ),
        (
            "/apis/example.com/v1/namespaces/default/things",
            json!({"kind": "ThingList",
            "apiVersion": "example.com/v1", "metadata": {"resourceVersion": "1"}, "items": [web, db]}),
        ),
    ];
    Server::new(Vec::new()).with_whim(move |asked, _| {
        let found = known.iter().find(|(path, _)| *path == asked.path);
        found.map(|(_, answer)| Answer::json(answer))
    })
}

/// The output of kubectl; `None` if it fails. The outer `None` means that kubectl is not installed.
struct Kubectl {
    server: Server,
    home: PathBuf,
}

impl Kubectl {
    fn start(test: &str) -> Option<Self> {
        let client = Command::new("kubectl")
            .args(["version", "--client"])
            .output();
        if !client.is_ok_and(|ran| ran.status.success()) {
            test_kit::tell(&format!(
                "NOT RUN: {test} needs kubectl; its recorded answers are compared in any case"
            ));
            return None;
        }
        let home = program::folder(&format!("kubectl-{test}"));
        Some(Kubectl {
            server: server(),
            home,
        })
    }

    fn get(&self, case: &Value) -> Option<String> {
        let mut command = Command::new("kubectl");
        command
            .args(["--server", &self.server.url, "get", "things"])
            .env("HOME", &self.home)
            .env("KUBECONFIG", "/dev/null")
            .stdin(Stdio::null());
        if case["list"] != true {
            command.arg("web");
        }
        if case["headers"] == false {
            command.arg("--no-headers");
        }
        command.args(["-o", &asked(case)]);
        let ran = command.output().unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        ran.status.success().then_some(out)
    }
}

/// Returns the argument of `-o`.
fn asked(case: &Value) -> String {
    if let Some(template) = case["template"].as_str() {
        return format!("jsonpath={template}");
    }
    format!("custom-columns={}", case["columns"].as_str().unwrap())
}

/// Asks kubectl again, and compares with its recorded answer.
fn ask_again(name: &str, test: &str) {
    let Some(kubectl) = Kubectl::start(test) else {
        return;
    };
    let mut cases = vectors::cases(&recorded(name));
    let all = golden::is_updating();
    let wanted: Vec<usize> = (1..cases.len())
        .step_by(if all { 1 } else { ONE_IN })
        .collect();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(at) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = kubectl.get(&cases[*at]);
                    answers.lock().unwrap().push((*at, answer));
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    assert_eq!(answers.len(), wanted.len());
    for (at, answer) in answers {
        let answer = json!(answer);
        assert!(
            all || cases[at]["out"] == answer,
            "{}\n  {answer}",
            cases[at]
        );
        cases[at]["out"] = answer;
    }
    if all {
        let lines = cases.iter().map(|case| format!("{case}\n"));
        fs::write(recorded(name), lines.collect::<String>()).unwrap();
    }
}

#[test]
fn kubectl_prints_templates_as_recorded() {
    ask_again("jsonpath.jsonl", "templates");
}

#[test]
fn kubectl_prints_columns_as_recorded() {
    ask_again("columns.jsonl", "columns");
}

/// Compares our output with the recorded one. A case that should differ states the reason.
fn compare(name: &str, most_different: usize, make: impl Fn(&Value) -> Result<String, String>) {
    let cases = vectors::cases(&recorded(name));
    let (mut wrong, mut different) = (Vec::new(), 0);
    for case in &cases[1..] {
        let made = make(case);
        let same = made.as_ref().ok().map(String::as_str) == case["out"].as_str();
        let is_meant = case["differs"].is_string();
        different += usize::from(is_meant);
        if same == is_meant {
            wrong.push(format!("{case}\n  {made:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    assert!(different <= most_different, "{different}");
}

#[test]
fn templates_select_what_they_select_in_kubectl() {
    let [web, _] = things();
    compare("jsonpath.jsonl", 0, |case| {
        let template = Template::new(case["template"].as_str().unwrap());
        let text = template.and_then(|template| template.text(&web, true));
        text.map_err(|error| error.to_string())
    });
}

#[test]
fn columns_are_those_of_kubectl() {
    compare("columns.jsonl", 5, |case| {
        let columns = Columns::new(case["columns"].as_str().unwrap());
        let columns = columns.map_err(|error| error.to_string())?;
        let style = Style {
            headers: case["headers"] != false,
            ..Style::default()
        };
        let things = things();
        let shown = if case["list"] == true {
            &things[..]
        } else {
            &things[..1]
        };
        let mut out = Vec::new();
        let written = columns.write(shown, &style, &mut out);
        written.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    });
}
