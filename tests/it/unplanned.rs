//! Sets that cannot be planned, next to others that can: every format and the exit code show it.

use kubectl_sts_plan::internals::{Format, Style, render};
use serde_json::Value;
use sts_plan::fleet::ReportList;
use sts_plan::report::{PLAN_SCHEMA, Unplanned};

use crate::fixtures::snapshot;
use crate::golden;
use crate::program;
use crate::render::{HOSTILE, report};
use crate::svg::parse;

fn list(format: Format, planned: &[&str], errors: &[Unplanned], width: Option<usize>) -> String {
    let reports: Vec<_> = planned.iter().map(|name| report(snapshot(name))).collect();
    let style = Style {
        width,
        ..Style::default()
    };
    let mut out = Vec::new();
    let plans = ReportList::new(&reports).with_errors(errors);
    render(format, &plans, &style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn errors() -> Vec<Unplanned> {
    vec![
        Unplanned::new(
            "prod",
            "api",
            "StatefulSet prod/api: there is no container \"main\" in the template: it has app, proxy",
        ),
        Unplanned::new(
            "",
            "nowhere",
            "StatefulSet \"nowhere\" not found in the input",
        ),
    ]
}

#[test]
fn each_format_has_them() {
    let texts = [
        (Format::Table, Some(80)),
        (Format::Wide, Some(200)),
        (Format::Name, None),
        (Format::Summary, None),
        (Format::Markdown, None),
        (Format::Junit, None),
        (Format::Github, None),
    ];
    let mut all = String::new();
    for (format, width) in texts {
        let text = list(format, &["partition"], &errors(), width);
        // The folded part belongs to the plan, which other tests check.
        let text = text.split("\n<details>").next().unwrap();
        all.push_str(&format!("--- {format}\n{}\n", text.trim_end()));
    }
    golden::check(&golden::root().join("golden/unplanned.txt"), &all);
}

#[test]
fn programs_find_them_next_to_the_plans() {
    let schema = jsonschema::validator_for(&serde_json::from_str(PLAN_SCHEMA).unwrap()).unwrap();
    for planned in [&["partition"][..], &[]] {
        let json: Value =
            serde_json::from_str(&list(Format::Json, planned, &errors(), None)).unwrap();
        assert!(schema.is_valid(&json), "{json:#}");
        assert_eq!(json["kind"], "PlanList");
        assert_eq!(json["items"].as_array().unwrap().len(), planned.len());
        let error = &json["errors"][0];
        assert_eq!(error["metadata"]["namespace"], "prod");
        assert_eq!(error["outcome"]["result"], "error");
        let message = error["outcome"]["message"].as_str().unwrap();
        assert!(message.starts_with("there is no container"), "{message}");
        assert_eq!(error["summary"], format!("ERROR: {message}"));
        assert!(json["errors"][1]["metadata"].get("namespace").is_none());

        let sarif: Value =
            serde_json::from_str(&list(Format::Sarif, planned, &errors(), None)).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results[0]["ruleId"], "error");
        assert_eq!(results[0]["level"], "error");
        let told = results[0]["message"]["text"].as_str().unwrap();
        assert_eq!(told, format!("prod/api: {message}"));
    }
    // Without an error, nothing is shown.
    let none = list(Format::Json, &["partition", "rollout"], &[], None);
    assert!(!none.contains("\"errors\""));
}

#[test]
fn pages_and_pictures_name_them() {
    for planned in [&["partition"][..], &[]] {
        let svg = list(Format::Svg, planned, &errors(), None);
        parse(&svg);
        assert_eq!(svg.matches("Not planned").count(), 2);
        let html = list(Format::Html, planned, &errors(), None);
        assert_eq!(html.matches(">not planned<").count(), 2);
        for text in [svg, html] {
            assert!(text.contains("there is no container"), "{text}");
        }
    }
}

#[test]
fn foreign_text_never_escapes_its_place() {
    let hostile = [Unplanned::new(HOSTILE, HOSTILE, HOSTILE)];
    for &format in Format::ALL {
        let text = list(format, &[], &hostile, None);
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
        let markup = matches!(format, Format::Html | Format::Svg | Format::Markdown);
        assert!(
            !(markup && text.contains("<script>alert")),
            "{format}: {text}"
        );
    }
}

/// Two sets, with containers `c` and `d`, and one that is far too large.
const INPUT: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: prod, labels: {fine: 'yes'}}
spec:
  replicas: 1
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: 'nginx:1'}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: api, namespace: prod}
spec:
  replicas: 1
  serviceName: api
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers: [{name: d, image: 'nginx:1'}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: huge, namespace: prod, uid: u, resourceVersion: '1'}
spec:
  replicas: 20001
  serviceName: huge
  selector: {matchLabels: {app: huge}}
  template:
    metadata: {labels: {app: huge}}
    spec:
      containers: [{name: c, image: 'nginx:1'}]
";

/// Runs the program on the input. Returns its exit code and output.
fn run(args: &str) -> (Option<i32>, String, String) {
    let mut all = vec!["-f", "-", "--now", "2026-01-01T00:00:00Z"];
    all.extend(args.split_whitespace());
    let (code, out, err) = program::feed(&all, INPUT);
    (Some(code), out, err)
}

/// The names of the sets of a list, planned and not.
fn names(list: &Value) -> [Vec<&str>; 2] {
    ["items", "errors"].map(|part| {
        let sets = list[part].as_array().into_iter().flatten();
        sets.map(|set| set["metadata"]["name"].as_str().unwrap())
            .collect()
    })
}

#[test]
fn one_unplanned_set_does_not_affect_others() {
    let (code, out, err) = run("-o json --image c=nginx:2");
    assert_eq!(code, Some(1));
    let list: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(names(&list), [vec!["web"], vec!["api", "huge"]]);
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("error: prod/api: "), "{err}");
    assert!(lines[0].contains("\"c\""), "{err}");
    assert!(
        lines[1].contains("20001 replicas exceed the supported maximum of 20000"),
        "{err}"
    );
    // A change may fix the problem, and an error outweighs every gate.
    let (code, out, _) = run("-o json --replicas 1");
    assert_eq!(code, Some(0));
    let list: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(names(&list), [vec!["api", "huge", "web"], vec![]]);
    let (code, ..) = run("--detailed-exitcode --image d=nginx:2");
    assert_eq!(code, Some(1));
}

#[test]
fn missing_names_do_not_hide_existing_ones() {
    let (code, out, err) = run("-n prod -o json web sts/wen api web");
    assert_eq!(code, Some(1));
    let list: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(names(&list), [vec!["web", "api"], vec!["wen"]]);
    assert!(
        err.starts_with("error: prod/wen: StatefulSet \"wen\" not found in the input"),
        "{err}"
    );
    // One of two is still a list, also on the screen.
    let (code, out, _) = run("-n prod web wen");
    assert_eq!(code, Some(1));
    assert!(
        out.contains("2 sets: 1 not planned, 1 progressing"),
        "{out}"
    );
    // Alone it is the error of the run.
    for args in [
        "-n prod wen",
        "-n prod huge",
        "-n prod api --image c=nginx:2",
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args}");
        assert_eq!(err.lines().count(), 1, "{args}: {err}");
    }
}

#[test]
fn columns_and_templates_select_them() {
    let (_, out, _) =
        run("-o custom-columns=NAME:.metadata.name,RESULT:.outcome.result --no-headers");
    let rows: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [["api", "complete"], ["web", "complete"], ["huge", "error"]]
    );
    let (_, out, _) = run("-o jsonpath={.errors[*].metadata.name}");
    assert_eq!(out, "huge");
}

#[test]
fn a_saved_list_contains_the_planned_sets() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("unplanned.json");
    let (code, ..) = run(&format!("-n prod web wen --save {}", file.display()));
    assert_eq!(code, Some(1));
    let saved: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(names(&saved), [vec!["web"], vec!["wen"]]);
    // The set was never stored, so its creation is still expected.
    let (code, out, err) = run(&format!("verify {}", file.display()));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("Pending: "), "{out}");
}
