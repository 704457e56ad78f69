//! The output of each format for a report.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use kubectl_sts_plan::internals::{Format, OutputSpec, Style, render};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::apply::{Edit, Request, change};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Assumption, Start};
use sts_controller::version::Version;
use sts_plan::fleet::ReportList;
use sts_plan::plan::{Conditions, Plan, VersionSource};
use sts_plan::report::{
    Actor, Effect, Phase, PlanResult, PodEvent, PodFate, Report, ReportStep, ReportWrite, Resource,
    RuleId, SetPod, Severity, StepEvent, Verb,
};

use crate::fixtures::{self, observed, of_kind, snapshot, snapshot_of};
use crate::golden;

pub fn conditions() -> Conditions {
    Conditions {
        version_source: VersionSource::Default,
        gone_after: Some(SignedDuration::from_secs(5)),
        ..Conditions::new(Version::NEWEST, fixtures::now())
    }
}

pub fn report(snapshot: Snapshot) -> Report {
    Report::new(&Plan::new(snapshot, conditions()))
}

/// A report under an assumption on one pod.
pub fn report_if(snapshot: Snapshot, pod: &str, start: Start) -> Report {
    let assumption = Assumption {
        start,
        ..Assumption::default()
    };
    let conditions = Conditions {
        assumptions: [(pod.to_owned(), assumption)].into(),
        ..conditions()
    };
    Report::new(&Plan::new(snapshot, conditions))
}

/// A pod that keeps failing, with the findings of each sync.
pub fn failing_for_ever() -> Report {
    let assumption = Assumption {
        start: Start::Fails,
        ..Assumption::default()
    };
    let conditions = Conditions {
        assumptions: [("web-0".to_owned(), assumption)].into(),
        ..conditions()
    };
    let plan = Plan::new(first_rollout(), conditions);
    observed(&plan)
}

pub fn text(format: Format, reports: &[Report], style: &Style) -> String {
    let mut out = Vec::new();
    render(format, &ReportList::new(reports), style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        ..Style::default()
    }
}

/// A set without any other object.
pub fn first_rollout() -> Snapshot {
    let mut items = fixtures::items("rollout");
    items.truncate(1);
    of_kind(&mut items, "StatefulSet").remove("status");
    snapshot_of(items)
}

pub fn scenarios() -> Vec<(&'static str, Report)> {
    vec![
        ("first-rollout", report(first_rollout())),
        ("rollout", report(snapshot("rollout"))),
        (
            "rollout-never-ready",
            report_if(snapshot("rollout"), "web-2", Start::NeverReady),
        ),
        ("partition", report(snapshot("partition"))),
        ("crashloop", report(snapshot("crashloop"))),
        ("scale-down", report(snapshot("scale-down"))),
        ("on-delete", report(snapshot("on-delete"))),
        ("parallel", report(snapshot("parallel"))),
        (
            "livelock",
            report_if(first_rollout(), "web-0", Start::Fails),
        ),
    ]
}

/// A change of two immutable fields.
fn rejected() -> Report {
    let snapshot = snapshot("rollout");
    let set = |path: &str, value: Value| Edit::Set {
        path: path.parse().unwrap(),
        value,
    };
    let request = Request {
        manifest: None,
        edits: vec![
            set("spec.serviceName", json!("other")),
            set(
                "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
                json!("20Gi"),
            ),
        ],
    };
    let conditions = conditions();
    let made = change(
        Some(&snapshot.set.object.open()),
        &request,
        &conditions.behaviour,
    )
    .unwrap();
    Report::new(&Plan::rejected(
        snapshot,
        conditions,
        made.changes,
        made.refused,
    ))
}

/// The longest name of a set whose pods still get valid labels.
const LONG: &str = "a-set-with-a-name-of-fifty-two-characters-1234567890";

/// A set with a long name, without any other object.
pub fn long_named() -> Snapshot {
    let mut items = fixtures::items("rollout");
    items.truncate(1);
    items[0]["metadata"]["name"] = json!(LONG);
    items[0]["spec"]["replicas"] = json!(12);
    of_kind(&mut items, "StatefulSet").remove("status");
    snapshot_of(items)
}

/// Twelve pods, the last of which never becomes ready.
fn long_names() -> Report {
    report_if(long_named(), &format!("{LONG}-11"), Start::NeverReady)
}

#[test]
fn no_name_is_broken_however_long_it_is() {
    let report = long_names();
    for width in [80, 100, 120, 200] {
        let screen = text(
            Format::Table,
            std::slice::from_ref(&report),
            &terminal(width),
        );
        for line in screen.lines() {
            let wide = line.chars().count();
            // A name on its own line is complete.
            assert!(
                wide <= width || line.trim().split(' ').count() == 1,
                "{line}"
            );
        }
        let row = screen.lines().find(|line| line.starts_with("12 "));
        let row = row.unwrap_or_else(|| panic!("{screen}"));
        assert!(
            row.contains("-11  create") && row.contains("never ready"),
            "{row}"
        );
        let reports = [report.clone(), rejected()];
        let overview = text(Format::Table, &reports, &terminal(width));
        assert!(overview.contains(&format!("prod/{LONG}")), "{overview}");
        let words: Vec<&str> = overview.split_whitespace().collect();
        assert!(
            words.join(" ").contains("-11 to become ready"),
            "{overview}"
        );
    }
}

#[test]
fn screens() {
    let more = [("rejected", rejected()), ("long-name", long_names())];
    for (name, report) in scenarios().into_iter().chain(more) {
        let reports = [report];
        for width in [80, 160] {
            let actual = text(Format::Table, &reports, &terminal(width));
            let file = format!("golden/{name}.{width}.txt");
            golden::check(&golden::root().join(file), &actual);
        }
    }
}

#[test]
fn a_set_of_three_fits_a_small_terminal() {
    for (name, report) in scenarios() {
        let lines = text(Format::Table, &[report], &terminal(80));
        let lines: Vec<&str> = lines.lines().collect();
        // One line is for the prompt. A stuck set also has remedies and diagnostic commands; its diff takes two lines.
        let most = match name {
            "crashloop" | "rollout-never-ready" => 31,
            // The note on omitted columns takes one line, and so does the clause that the headline has no room for.
            "parallel" => 28,
            _ => 26,
        };
        assert!(lines.len() < most, "{name}: {} lines", lines.len());
        for line in lines {
            assert!(line.chars().count() <= 80, "{name}: {line}");
            assert_eq!(line, line.trim_end(), "{name}");
        }
    }
}

#[test]
fn the_words_are_the_same_in_colour() {
    for (_, report) in scenarios() {
        let reports = [report];
        let plain = text(Format::Table, &reports, &terminal(80));
        let style = Style {
            color: true,
            ..terminal(80)
        };
        let coloured = text(Format::Table, &reports, &style);
        assert_ne!(plain, coloured);
        assert_eq!(plain, without_colour(&coloured));
    }
}

fn without_colour(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    out + rest
}

/// Sets of several namespaces in various states.
pub fn fleet() -> Vec<Report> {
    let mut reports = scenarios();
    let settled = {
        let mut items = fixtures::items("rollout");
        let current = items[0]["status"]["currentRevision"].clone();
        let revision = items
            .iter()
            .find(|item| item["metadata"]["name"] == current)
            .unwrap();
        let mut template = revision["data"]["spec"]["template"].clone();
        template.as_object_mut().unwrap().remove("$patch");
        items[0]["spec"]["template"] = template;
        items[0]["status"]["observedGeneration"] = items[0]["metadata"]["generation"].clone();
        report(snapshot_of(items))
    };
    reports.push(("settled", settled));
    reports
        .into_iter()
        .map(|(name, mut report)| {
            report.metadata.name = name.to_owned();
            report.metadata.namespace = if name.len() > 9 { "prod" } else { "dev" }.to_owned();
            report
        })
        .collect()
}

#[test]
fn overviews() {
    let fleet = fleet();
    for width in [80, 160] {
        let actual = text(Format::Table, &fleet, &terminal(width));
        let file = format!("golden/overview.{width}.txt");
        golden::check(&golden::root().join(file), &actual);
    }
    let style = Style {
        headers: false,
        ..terminal(80)
    };
    let headless = text(Format::Table, &fleet, &style);
    assert!(!headless.contains("NAMESPACE"));
    let none = text(Format::Table, &[], &terminal(80));
    assert_eq!(none, "0 sets\n");
}

/// Returns the display width of the characters that the test below uses.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| match character {
            '\u{300}'..='\u{36f}' => 0,
            '\u{1100}'..='\u{ffdc}' | '\u{1f300}'..='\u{1faff}' => 2,
            _ => 1,
        })
        .sum()
}

#[test]
fn columns_stay_in_line_whatever_takes_two_or_none() {
    assert_eq!(columns("e\u{301}大🚀-0"), 7);
    let names = [
        "web",
        "größe",
        "大大大",
        "e\u{301}e\u{301}",
        "서버",
        "🚀-x",
        "\u{202e}txt",
    ];
    let reports = names.map(|name| {
        let mut report = report(first_rollout());
        report.metadata.name = name.to_owned();
        report.metadata.namespace = "大-prod".to_owned();
        report
    });
    for format in [Format::Table, Format::Wide] {
        let out = text(format, &reports, &terminal(200));
        let rows: Vec<&str> = out.lines().filter(|line| line.contains("0/3")).collect();
        assert_eq!(rows.len(), names.len(), "{out}");
        for cell in ["0/3", "create web-0"] {
            let before = rows
                .iter()
                .map(|row| columns(row.split_once(cell).unwrap().0));
            let starts: BTreeSet<usize> = before.collect();
            assert_eq!(starts.len(), 1, "{starts:?}\n{out}");
        }
        assert!(out.contains("\\u{202e}txt"), "{out}");
    }
    // Text is truncated by display width.
    let mut wide = report(first_rollout());
    wide.next.summary = "大".repeat(100);
    wide.set.update_strategy = "大e\u{301}".repeat(40);
    for width in [20, 41, 80] {
        for line in text(Format::Table, &vec![wide.clone(); 2], &terminal(width)).lines() {
            assert!(columns(line) <= 80, "{line}");
        }
    }
}

#[test]
fn the_last_line_counts_what_is_grave() {
    let narrow = text(Format::Table, &fleet(), &terminal(80));
    assert!(!narrow.contains("FINDINGS"));
    let last = narrow.replace("\n  ", " ");
    let tally = "10 sets: 2 stuck, 1 livelock, 1 loses data, 4 progressing, 1 waiting for you, 1 up to date\n";
    assert!(last.ends_with(tally), "{last}");
    let calm = text(
        Format::Table,
        &vec![report(first_rollout()); 2],
        &terminal(80),
    );
    assert!(calm.ends_with("\n2 sets: 2 progressing\n"), "{calm}");
}

#[test]
fn verbose_shows_every_write() {
    let style = Style {
        verbose: true,
        ..terminal(160)
    };
    let actual = text(Format::Table, &[report(snapshot("rollout"))], &style);
    golden::check(&golden::root().join("golden/rollout.verbose.txt"), &actual);
}

#[test]
fn a_long_rollout_is_cut_in_its_middle() {
    let mut items = fixtures::items("rollout");
    items.truncate(1);
    items[0]["spec"]["replicas"] = json!(9998);
    items[0]["spec"]["podManagementPolicy"] = json!("Parallel");
    of_kind(&mut items, "StatefulSet").remove("status");
    let report = report(snapshot_of(items));
    let actual = text(Format::Table, &[report], &terminal(80));
    assert!(
        actual.contains("web-0..web-9997  will be created"),
        "{actual}"
    );
    assert!(actual.contains("… 9 959 more operations"), "{actual}");
    assert!(actual.lines().count() < 65, "{actual}");
}

#[test]
fn machine_formats() {
    let small = || {
        let mut report = report(first_rollout());
        report.next.writes.clear();
        report.steps.truncate(3);
        report
    };
    for (format, name) in [(Format::Json, "plan.json"), (Format::Yaml, "plan.yaml")] {
        let actual = text(format, &[small()], &Style::default());
        golden::check(&golden::root().join("golden").join(name), &actual);
    }
    for (_, report) in scenarios() {
        let value = serde_json::to_value(&report).unwrap();
        let reports = [report];
        let json = text(Format::Json, &reports, &Style::default());
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
        let yaml = text(Format::Yaml, &reports, &Style::default());
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), value);
        assert!(yaml.ends_with('\n') && !yaml.ends_with("\n\n"));
    }
    let list = text(Format::Yaml, &fleet(), &Style::default());
    let list: Value = serde_yaml::from_str(&list).unwrap();
    assert_eq!(list["kind"], "PlanList");
    assert_eq!(list["items"].as_array().unwrap().len(), fleet().len());
}

#[test]
fn formats_are_known_by_name() {
    for &format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(OutputSpec::Plain(format)));
    }
    let refused = |text: &str| text.parse::<OutputSpec>().unwrap_err().to_string();
    assert_eq!(
        refused("toml"),
        format!(
            "unknown output format \"toml\" (one of: {})",
            OutputSpec::names().join(", ")
        )
    );
    for name in ["jsonpath=TEMPLATE", "custom-columns=SPEC"] {
        let asked: OutputSpec = name.parse().unwrap();
        assert_eq!(asked.to_string(), name);
        let (bare, _) = name.split_once('=').unwrap();
        for missing in [bare.to_owned(), format!("{bare}=")] {
            let message = refused(&missing);
            assert_eq!(message, format!("{bare} requires a template: use {name}"));
        }
    }
    assert_eq!(
        refused("json={.a}"),
        "json takes no template: use json alone"
    );
}

/// Text that tries to mislead a reader.
pub const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{1b}[2J\r\nweb-9\u{9b}31m\u{202e}txt\u{2066}\u{200b}\u{0}\u{feff}\u{2028}\u{85}";

/// A report with this text in every field that a cluster or a manifest controls.
pub fn hostile(text: &str) -> Report {
    let mut hostile = report(snapshot("crashloop"));
    let bad = || text.to_owned();
    hostile.metadata.name = bad();
    hostile.metadata.namespace = bad();
    hostile.summary = bad();
    hostile.next.summary = bad();
    hostile.set.update_strategy = bad();
    hostile.set.max_unavailable = Some(bad());
    hostile.set.current_revision = bad();
    hostile.set.claim_templates = vec![bad()];
    hostile.assumptions.push(bad());
    hostile.kubernetes.version = bad();
    for pod in &mut hostile.set.pods {
        pod.name = bad().into();
        pod.revision = bad().into();
        pod.waiting = Some(bad());
        pod.node = Some(bad());
    }
    for obstacle in &mut hostile.outcome.blocked_by {
        obstacle.message = bad();
        obstacle.pod = Some(bad());
        obstacle.remedy = vec![bad()];
    }
    hostile.change.push(sts_plan::report::Change {
        path: bad(),
        old: Some(json!(text)),
        new: Some(json!({text: text})),
        effect: Effect::Rollout,
        rejection: None,
    });
    for diff in &mut hostile.template_diff {
        diff.from = bad();
        for field in &mut diff.fields {
            field.path = bad();
            field.new = Some(json!([text]));
        }
    }
    hostile.findings.push(sts_plan::report::Finding {
        id: RuleId::Blocked,
        severity: Severity::Error,
        message: bad(),
        in_headline: false,
        object: bad(),
        docs: bad(),
        source: None,
        others: 0,
    });
    for verb in [Verb::Create, Verb::Delete, Verb::Update, Verb::Patch] {
        for resource in [Resource::Pods, Resource::Claims, Resource::Revisions] {
            hostile.steps.push(controller_step(0, verb, resource, text));
        }
    }
    hostile
}

#[test]
fn hostile_text_never_reaches_the_output() {
    let hostile = hostile(HOSTILE);
    let value = serde_json::to_value(&hostile).unwrap();
    for verbose in [false, true] {
        let style = Style {
            verbose,
            ..terminal(80)
        };
        for reports in [vec![hostile.clone()], vec![hostile.clone(); 2]] {
            for &format in Format::ALL {
                let out = text(format, &reports, &style);
                let raw = out.chars().find(|character| {
                    *character != '\n'
                        && (character.is_control()
                            || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}".contains(*character))
                });
                assert_eq!(raw, None, "{format}\n{out}");
            }
        }
    }
    let one = [hostile];
    let json = text(Format::Json, &one, &Style::default());
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
    let yaml = text(Format::Yaml, &one, &Style::default());
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), value);
}

fn controller_step(at: i64, verb: Verb, resource: Resource, name: &str) -> ReportStep {
    let write = ReportWrite {
        verb,
        resource,
        name: name.into(),
        revision: Some(name.into()),
        error: None,
        reason: None,
    };
    ReportStep {
        at,
        actor: Actor::Controller,
        event: None,
        name: None,
        concurrent: at % 2 == 1,
        writes: Some(vec![write.clone(), write]),
    }
}

fn event_step(at: i64, event: StepEvent, name: String) -> ReportStep {
    ReportStep {
        at,
        actor: Actor::Kubelet,
        event: Some(event),
        name: Some(name.into()),
        concurrent: false,
        writes: None,
    }
}

/// Names of realistic length.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]-[0-9]", "[a-z]{1,12}-[0-9]{1,4}", "data-[a-c]-[0-9]"]
}

/// Sentences of words that fit a line.
/// Words of characters with a width of one or two. The property counts characters, so that zero-width ones would break it.
fn sentence() -> impl Strategy<Value = String> {
    prop::collection::vec("[!-~À-ÿα-ωЖ-я大]{0,12}|[a-z大é]{1,20}", 0..30)
        .prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = ReportStep> {
    let verb = prop::sample::select(vec![Verb::Create, Verb::Update, Verb::Patch, Verb::Delete]);
    let resource = prop::sample::select(vec![
        Resource::Pods,
        Resource::Pods,
        Resource::Pods,
        Resource::Claims,
        Resource::Revisions,
        Resource::Status,
    ]);
    let event = prop::sample::select(vec![
        StepEvent::Pod(PodEvent::Removed),
        StepEvent::Pod(PodEvent::Ready),
        StepEvent::Pod(PodEvent::Failed),
        StepEvent::Pod(PodEvent::Available),
        StepEvent::ClaimRemoved,
    ]);
    prop_oneof![
        (0..9000i64, verb, resource, name())
            .prop_map(|(at, verb, resource, name)| controller_step(at, verb, resource, &name)),
        (0..9000i64, event, name()).prop_map(|(at, event, name)| event_step(at, event, name)),
    ]
}

fn pod() -> impl Strategy<Value = SetPod> {
    let fate = prop::sample::select(vec![
        PodFate::Kept,
        PodFate::Replaced,
        PodFate::Removed,
        PodFate::HeldByPartition,
        PodFate::OnDelete,
        PodFate::Outdated,
        PodFate::Surplus,
        PodFate::Foreign,
    ]);
    let phase = prop::sample::select(vec![
        Phase::Unset,
        Phase::Pending,
        Phase::Running,
        Phase::Failed,
    ]);
    let waiting = prop::option::of("[A-Z][a-zA-Z]{3,15}");
    (name(), name(), phase, any::<[bool; 3]>(), waiting, fate).prop_map(
        |(name, revision, phase, [ready, terminating, owned], waiting, fate)| SetPod {
            node: owned.then(|| name.clone()),
            name: name.into(),
            revision: revision.into(),
            phase,
            ready,
            available: ready,
            terminating,
            owned,
            waiting,
            overdue: false,
            fate,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_report_fits_any_terminal(
        width in 1..200usize,
        verbose: bool,
        steps in prop::collection::vec(step(), 0..70),
        pods in prop::collection::vec(pod(), 0..30),
        sentences in prop::collection::vec(sentence(), 6),
        replicas in -1..30i32,
        result in prop::sample::select(vec![
            PlanResult::Complete,
            PlanResult::Blocked,
            PlanResult::Livelock,
            PlanResult::Rejected,
        ]),
    ) {
        let mut report = report(snapshot("crashloop"));
        report.steps = steps;
        report.set.pods = pods;
        report.set.replicas = replicas;
        report.outcome.result = result;
        report.next.summary = sentences[0].clone();
        report.summary = sentences[1].clone();
        report.assumptions = sentences[2..4].to_vec();
        report.outcome.blocked_by[0].message = sentences[4].clone();
        report.outcome.blocked_by[0].remedy = vec![sentences[5].clone()];
        let style = Style { verbose, ..terminal(width) };
        for reports in [vec![report.clone()], vec![report.clone(), report]] {
            let wide = text(Format::Wide, &reports, &style);
            prop_assert!(wide.ends_with('\n'));
            let out = text(Format::Table, &reports, &style);
            prop_assert!(out.ends_with('\n'));
            for line in out.lines() {
                let long = line.chars().count();
                prop_assert!(width < 80 || long <= width, "{long} > {width}: {line}");
            }
        }
    }
}

#[test]
fn a_wide_tree_of_many_pods_counts_those_that_are_alike_on_a_terminal() {
    let reports = [report(crate::svg::many(300, false))];
    let pods = |style: &Style| {
        let text = text(Format::Wide, &reports, style);
        let rows = text.lines().filter(|line| line.contains("─ pod/web-"));
        let notes = text.lines().filter(|line| line.starts_with('…'));
        let hidden: usize = notes
            .take_while(|line| line.contains("pods like these (-v shows all)"))
            .map(|line| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap())
            .next()
            .unwrap_or(0);
        (rows.count(), hidden)
    };
    let (shown, hidden) = pods(&terminal(120));
    assert!(shown < 100, "{shown}");
    assert_eq!(shown + hidden, 300);
    // The searched formats have all of them.
    let verbose = Style {
        verbose: true,
        ..terminal(120)
    };
    assert_eq!(pods(&verbose), (300, 0));
    let (shown, _) = pods(&Style::default());
    assert_eq!(shown, 300);
}

/// Commands are highlighted; their labels are not.
#[test]
fn commands_stand_out_on_a_terminal_with_colour() {
    let (_, crashloop) = scenarios()
        .into_iter()
        .find(|(name, _)| *name == "crashloop")
        .unwrap();
    let style = Style {
        color: true,
        ..terminal(80)
    };
    let text = text(Format::Table, &[crashloop], &style);
    for typed in [
        "  Do:   \u{1b}[36mkubectl delete pod web-2 -n prod\u{1b}[0m\n",
        "  Look: \u{1b}[36mkubectl describe pod web-2 -n prod\u{1b}[0m\n",
    ] {
        assert!(text.contains(typed), "{text}");
    }
}
