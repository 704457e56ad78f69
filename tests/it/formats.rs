//! Formats for terminals and scripts: wide, name, summary, jsonpath and custom-columns; and several outputs at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use kubectl_sts_plan::internals::{Columns, Format, Printer, Style, Template, print};
use serde_json::{Value, json};
use sts_plan::analysis::analyze;
use sts_plan::fleet::ReportList;
use sts_plan::plan::Plan;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

use crate::fixtures::snapshot;
use crate::golden;
use crate::program::{self, program};
use crate::render::{HOSTILE, conditions, fleet, hostile, report, scenarios, text};
use crate::svg::with_looks;

pub const FIXTURES: [&str; 6] = [
    "rollout",
    "partition",
    "crashloop",
    "scale-down",
    "on-delete",
    "parallel",
];

fn path(name: &str) -> PathBuf {
    golden::root().join("golden").join(name)
}

fn printed(printer: &Printer, reports: &[Report], style: &Style) -> String {
    let mut out = Vec::new();
    print(printer, &ReportList::new(reports), style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn columns(spec: &str) -> Printer {
    Printer::Columns(Columns::new(spec).unwrap())
}

fn jsonpath(template: &str) -> Printer {
    Printer::JsonPath(Template::new(template).unwrap())
}

fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        ..Style::default()
    }
}

#[test]
fn trees() {
    for name in FIXTURES {
        let reports = [report(snapshot(name))];
        for width in [80, 200] {
            let actual = text(Format::Wide, &reports, &terminal(width));
            for line in actual.lines() {
                assert_eq!(line, line.trim_end(), "{name}");
            }
            golden::check(&path(&format!("{name}.wide.{width}.txt")), &actual);
        }
        // Names are complete everywhere.
        let narrow = text(Format::Wide, &reports, &terminal(20));
        for pod in &reports[0].set.pods {
            assert!(narrow.contains(&format!("pod/{}", pod.name)), "{narrow}");
        }
        assert!(narrow.contains(&reports[0].set.update_revision));
    }
    for width in [80, 200] {
        let actual = text(Format::Wide, &fleet(), &terminal(width));
        golden::check(&path(&format!("overview.wide.{width}.txt")), &actual);
    }
}

/// One golden file for short formats.
#[test]
fn formats_for_scripts() {
    let spec = "NAME:.metadata.name,RESULT:.outcome.result,AT:{.outcome.at},PODS:set.pods[*].name,NONE:.nope";
    let template = "{.metadata.namespace}/{.metadata.name}{range .set.pods[?(@.ready==true)]} {.name}{end}{\"\\n\"}";
    let mut actual = String::new();
    for name in FIXTURES {
        let reports = [report(snapshot(name))];
        actual.push_str(&format!("# {name}\n"));
        for format in [Format::Name, Format::Summary] {
            actual.push_str(&text(format, &reports, &Style::default()));
        }
        for printer in [jsonpath(template), columns(spec)] {
            actual.push_str(&printed(&printer, &reports, &Style::default()));
        }
    }
    actual.push_str("# several sets\n");
    let fleet = fleet();
    for printer in [
        Printer::Plain(Format::Name),
        Printer::Plain(Format::Summary),
        jsonpath("{range .items[*]}{.metadata.name} {end}{.kind}{\"\\n\"}"),
        columns(spec),
    ] {
        actual.push_str(&printed(&printer, &fleet, &Style::default()));
    }
    golden::check(&path("scripts.txt"), &actual);
    let headless = Style {
        headers: false,
        ..Style::default()
    };
    let rows = printed(&columns(spec), &fleet, &headless);
    assert_eq!(rows.lines().count(), fleet.len());
}

#[test]
fn no_template_exhausts_anything() {
    let deep = |open: &str, close: &str, times: usize| {
        format!("{{{}{}}}", open.repeat(times), close.repeat(times))
    };
    let many = json!({"a": vec![vec![vec![1; 100]; 100]; 100]});
    for template in [
        deep("[?(", ")]", 30_000),
        deep("[?('", "')]", 30_000),
        "{range .a[*]}".repeat(30_000),
        "{range .nope}".repeat(90),
        "{range .a[*]}".repeat(90),
        format!("{{{}}}", "..[*]".repeat(40)),
        format!("{{{}}}", ".*".repeat(40)),
        "{".repeat(100_000),
        "{.a[-9223372036854775808:9223372036854775807:9223372036854775807]}".to_owned(),
        "{.a[99999999999999999999]}".to_owned(),
        "{'\u{e9}\\".to_owned(),
        "{'\\x".to_owned(),
        "{[".to_owned(),
        "{[?(".to_owned(),
        "{.\\".to_owned(),
    ] {
        let made = Template::new(&template).and_then(|template| template.text(&many, false));
        if let Err(error) = made {
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Formats JSON with short values on one line.
fn folded(value: &Value, indent: usize, out: &mut String) {
    const WIDE: usize = 140;
    let line = value.to_string();
    let (open, close, parts): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(members) if line.len() + indent > WIDE => {
            let named = |(name, value)| (format!("{}: ", Value::from(name)), value);
            (
                '{',
                '}',
                members
                    .iter()
                    .map(|(name, value)| named((name.as_str(), value)))
                    .collect(),
            )
        }
        Value::Array(items) if line.len() + indent > WIDE => (
            '[',
            ']',
            items.iter().map(|item| (String::new(), item)).collect(),
        ),
        _ => return out.push_str(&line),
    };
    out.push(open);
    for (at, (name, value)) in parts.iter().enumerate() {
        out.push_str(if at > 0 { ",\n" } else { "\n" });
        out.push_str(&" ".repeat(indent + 2));
        out.push_str(name);
        folded(value, indent + 2, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// Returns the visible text of a page, a line for each row and paragraph.
fn words_of(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let (mut words, mut skipping) = (String::new(), "");
    for part in body.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        let name = tag
            .split([' ', '/'])
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        if skipping.is_empty() {
            match name {
                "script" | "style" | "svg" => skipping = name,
                "p" | "tr" | "li" | "h1" | "h2" | "div" | "table" | "summary" => words.push('\n'),
                "td" | "th" if !tag.starts_with('/') => words.push_str(" | "),
                _ => {}
            }
        } else if tag.strip_prefix('/') == Some(skipping) {
            skipping = "";
        }
        if skipping.is_empty() {
            words.push_str(text);
        }
    }
    let lines = words.lines().map(|line| line.trim_matches([' ', '|']));
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

fn without_objects(plan: &Plan) -> Report {
    let questions = Questions {
        eta: true,
        ..Questions::default()
    };
    Report::without_objects(&analyze(plan, &questions))
}

/// Shortens a plan: removes the sent objects, and most of similar entries.
fn brief(name: &str) -> Report {
    let mut report = without_objects(&Plan::new(snapshot(name), conditions()));
    report.next.writes.clear();
    report.read.truncate(1);
    report.steps.truncate(3);
    report.set.pods.truncate(1);
    report.outcome.pods.truncate(1);
    report
}

/// Every format has a reviewable golden file for each of the six fixtures. The tests of a format write most of them.
#[test]
fn every_format_of_every_fixture() {
    let scripts = fs::read_to_string(path("scripts.txt")).unwrap();
    for name in FIXTURES {
        let report = without_objects(&Plan::new(snapshot(name), conditions()));
        let json = text(Format::Json, &[report], &Style::default());
        let mut lines = String::new();
        folded(&serde_json::from_str(&json).unwrap(), 0, &mut lines);
        golden::check(&path(&format!("{name}.json")), &(lines + "\n"));
        let yaml = text(Format::Yaml, &[brief(name)], &Style::default());
        golden::check(&path(&format!("{name}.yaml")), &yaml);
        let page = text(
            Format::Html,
            &[with_looks(snapshot(name))],
            &Style::default(),
        );
        golden::check(&path(&format!("{name}.page.txt")), &words_of(&page));
        for &format in Format::ALL {
            let ending = match format {
                Format::Table => "80.txt",
                Format::Wide => "wide.80.txt",
                Format::Json => "json",
                Format::Yaml => "yaml",
                Format::Name | Format::Summary => {
                    assert!(
                        scripts
                            .contains(&format!("# {name}\nstatefulset.apps/web\nprod/web: Plan: "))
                    );
                    continue;
                }
                Format::Junit => "junit.xml",
                Format::Prometheus => {
                    let gauges = text(format, &[brief(name)], &Style::default());
                    golden::check(&path(&format!("{name}.prom")), &gauges);
                    "prom"
                }
                Format::Sarif => "sarif.json",
                Format::Github => "github.txt",
                Format::Gitlab => "gitlab.json",
                Format::Markdown => "md",
                Format::Svg => "svg.txt",
                Format::Html => "page.txt",
            };
            let file = path(&format!("{name}.{ending}"));
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(
                (1..320).contains(&lines),
                "{}: {lines} lines",
                file.display()
            );
        }
    }
}

#[test]
fn columns_are_written_as_in_kubectl() {
    for (spec, message) in [
        ("", "no columns given"),
        ("NAME", "invalid column \"NAME\""),
        ("A:.a,B", "invalid column \"B\""),
        ("A:", "invalid path \"\""),
        ("A:{a}{b}", "invalid path"),
        ("A:{a", "invalid path"),
        ("A:.a[", "column \"A\": unterminated array"),
    ] {
        let error = Columns::new(spec).unwrap_err().to_string();
        assert!(error.contains(message), "{spec}: {error}");
    }
    for path in [".kind", "kind", "{kind}", "{.kind}"] {
        let reports = [report(snapshot("rollout"))];
        let out = printed(&columns(&format!("K:{path}")), &reports, &Style::default());
        assert_eq!(out, "K\nPlan\n", "{path}");
    }
}

#[test]
fn foreign_text_does_nothing_to_a_terminal_in_a_template() {
    let report = hostile(HOSTILE);
    let is_safe = |out: &str| {
        !out.chars().any(|character| {
            character != '\n'
                && (character.is_control()
                    || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}".contains(character))
        })
    };
    for printer in [
        jsonpath("{.metadata.name}{\"\\n\"}{.set}{$..pod}"),
        columns("A\u{1b}:.metadata.name,B:.set,C:.set.pods[*]"),
    ] {
        let out = printed(&printer, std::slice::from_ref(&report), &Style::default());
        assert!(is_safe(&out), "{out:?}");
    }
    // A program gets it verbatim.
    let style = Style {
        verbatim: true,
        ..Style::default()
    };
    assert_eq!(
        printed(&jsonpath("{.metadata.name}"), &[report], &style),
        HOSTILE
    );
}

fn run(folder: &Path, args: &[&str]) -> Output {
    program()
        .current_dir(folder)
        .args([
            "-f",
            golden::root()
                .join("fixtures/rollout.yaml")
                .to_str()
                .unwrap(),
        ])
        .args(["--now", "2026-11-20T03:00:00Z"])
        .args(args)
        .output()
        .unwrap()
}

fn folder(test: &str) -> PathBuf {
    program::new_folder(&format!("formats-{test}"))
}

#[test]
fn several_formats_come_of_one_run() {
    let folder = folder("several");
    let ran = run(
        &folder,
        &[
            "-o=jsonpath={.summary}",
            "--color=always",
            "--out",
            "json=plan.json",
            "--out=table=plan.txt",
            "--out=jsonpath={.set.pods[?(@.name==\"web-1\")].revision}=revision.txt",
            "--out=custom-columns=NAME:.metadata.name=names.txt",
            "--out=markdown=plan.md",
            "--out=svg=plan.svg",
        ],
    );
    assert!(ran.status.success(), "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let plan: Value = serde_json::from_str(&read("plan.json")).unwrap();
    assert!(plan["next"]["writes"].to_string().contains("\"object\""));
    assert_eq!(plan["summary"], String::from_utf8(ran.stdout).unwrap());
    let table = read("plan.txt");
    assert!(
        table.starts_with("prod/web") && !table.contains('\u{1b}'),
        "{table}"
    );
    assert_eq!(read("revision.txt"), plan["set"]["pods"][1]["revision"]);
    assert_eq!(read("names.txt"), "NAME\nweb\n");
    assert!(read("plan.md").starts_with("### "));
    assert!(read("plan.svg").contains("<svg"));
    // No temporary file remains.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 6);
}

#[test]
fn an_output_that_fails_is_an_error() {
    let folder = folder("fails");
    for (args, message) in [
        (&["--out", "json=-"][..], "use -o json"),
        (&["--out", "json"], "expected FORMAT=PATH"),
        (&["--out", "json="], "missing path"),
        (&["--out", "toml=x"], "unknown output format \"toml\""),
        (&["--out", "jsonpath={.a}"], "jsonpath=...=PATH"),
        (
            &["--out", "json=a", "--out", "yaml=a"],
            "another output has the same path",
        ),
        (
            &["--out", "json=no/such/x"],
            "cannot write the plan to no/such/x",
        ),
        (
            &["-o", "jsonpath={.steps[99]}"],
            "array index out of bounds",
        ),
        (&["-o", "jsonpath={.a"], "unclosed action"),
        (&["-o", "custom-columns=A"], "invalid column"),
        (
            &["--out", "json=kept", "--out", "jsonpath={.steps[99]}=kept2"],
            "the template for kept2 does not match the plan: array index out of bounds",
        ),
    ] {
        let ran = run(&folder, args);
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains(message), "{args:?}: {stderr}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{args:?}");
    }
}

/// The number and the pod of each row of operations in a text of these columns.
fn numbered(text: &str, separator: &str) -> Vec<(usize, String)> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.split(separator).map(str::trim);
        let mut cells = cells.by_ref().filter(|cell| !cell.is_empty());
        let (number, at, pod) = (cells.next()?, cells.next()?, cells.next()?);
        let is_time = at.starts_with(|it: char| it.is_ascii_digit()) && at.ends_with('s');
        let pod = pod.trim_matches('`').to_owned();
        Some((number.parse().ok()?, pod)).filter(|_| is_time)
    });
    rows.collect()
}

#[test]
fn an_operation_has_the_same_number_in_every_format() {
    let stages = [
        "demo",
        "canary",
        "--partition",
        "1",
        "--then",
        "--partition",
        "0",
        "-o",
        "json",
    ];
    let (code, staged, error) = program::run(&stages);
    assert_eq!((code, &*error), (0, ""));
    let staged: Report = serde_json::from_str(&staged).unwrap();
    assert_eq!(staged.stages.len(), 2);
    let known = [
        "first-rollout",
        "rollout",
        "partition",
        "scale-down",
        "parallel",
        "livelock",
    ];
    let reports = scenarios()
        .into_iter()
        .filter(|(name, _)| known.contains(name));
    let reports = reports.map(|(_, report)| report).chain([staged]);
    for report in reports {
        let value = serde_json::to_value(&report).unwrap();
        let operations = value["operations"].as_array().unwrap();
        let operations = operations.iter().map(|operation| {
            let number = operation["number"].as_u64().unwrap();
            let pod = operation["pod"].as_str().unwrap();
            (usize::try_from(number).unwrap(), pod.to_owned())
        });
        let operations: Vec<(usize, String)> = operations.collect();
        assert_eq!(operations[0].0, 1);
        let reports = [report];
        let verbose = Style {
            verbose: true,
            ..Style::default()
        };
        for (format, style) in [
            (Format::Table, Style::default()),
            (Format::Table, verbose),
            (Format::Wide, Style::default()),
        ] {
            let shown = text(format, &reports, &style);
            let (_, table) = shown.split_once("\nSTEP").unwrap();
            assert_eq!(numbered(table, "  "), operations, "{shown}");
        }
        let shown = text(Format::Markdown, &reports, &Style::default());
        let (_, table) = shown.split_once("\n| Step |").unwrap();
        assert_eq!(numbered(table, "|"), operations, "{shown}");
        let shown = words_of(&text(Format::Html, &reports, &Style::default()));
        let (_, table) = shown.split_once("\nOperations\n").unwrap();
        let (table, _) = table.split_once("\nState\n").unwrap();
        assert_eq!(numbered(table, "|"), operations, "{shown}");
    }
}
