//! `-o svg`: a timeline as a picture.

use std::collections::BTreeSet;

use kubectl_sts_plan::internals::{Format, Style};
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::json;
use sts_controller::object::Snapshot;
use sts_plan::plan::Plan;
use sts_plan::report::Report;

use crate::fixtures::{self, observed, of_kind, snapshot, snapshot_of};
use crate::golden;
use crate::render::{HOSTILE, conditions, first_rollout, fleet, hostile, scenarios, text};

const FIXTURES: [&str; 6] = [
    "rollout",
    "partition",
    "crashloop",
    "scale-down",
    "on-delete",
    "parallel",
];

pub fn with_looks(snapshot: Snapshot) -> Report {
    let plan = Plan::new(snapshot, conditions());
    observed(&plan)
}

fn svg(reports: &[Report]) -> String {
    text(Format::Svg, reports, &Style::default())
}

/// The picture with one element per line, without its style sheet, which is a separate file.
fn reviewable(svg: &str) -> String {
    let (before, rest) = svg.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    let short = format!("{before}{after}");
    short.replace("><", ">\n<")
}

/// An element's name and its attributes.
type Element = (String, Vec<(String, String)>);

/// Elements with their attributes, and all text; fails on malformed XML.
pub fn parse(xml: &str) -> (Vec<Element>, String) {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut elements, mut text, mut depth) = (Vec::new(), String::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                depth += 1;
                let attributes = start.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let name = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                    (
                        name,
                        attribute
                            .normalized_value(XmlVersion::Implicit1_0)
                            .unwrap()
                            .into_owned(),
                    )
                });
                let name = String::from_utf8(start.name().as_ref().to_vec()).unwrap();
                elements.push((name, attributes.collect()));
            }
            Event::End(_) => depth -= 1,
            Event::Text(part) => text.push_str(&part.decode().unwrap()),
            Event::GeneralRef(part) => {
                let name = part.decode().unwrap();
                assert!(
                    ["lt", "gt", "amp", "quot", "apos"].contains(&&*name),
                    "{name}"
                );
                text.push(' ');
            }
            Event::Decl(_) => {}
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(depth, 0);
    (elements, text)
}

#[test]
fn pictures() {
    for name in FIXTURES {
        let picture = svg(&[with_looks(snapshot(name))]);
        parse(&picture);
        let path = golden::root().join(format!("golden/{name}.svg.txt"));
        golden::check(&path, &reviewable(&picture));
    }
    for (_, report) in scenarios() {
        parse(&svg(&[report]));
    }
    let (elements, _) = parse(&svg(&fleet()));
    let of = |name: &str| elements.iter().filter(|(found, _)| found == name).count();
    assert_eq!(of("svg"), 1);
    assert_eq!(of("defs"), fleet().len());
    let (_, none) = parse(&svg(&[]));
    assert!(none.contains("No StatefulSets."), "{none}");
}

#[test]
fn every_number_of_a_picture_has_at_most_one_decimal() {
    let picture = svg(&fleet());
    let (_, drawing) = picture.split_once("</style>").unwrap();
    for (at, _) in drawing.match_indices('.') {
        let digits = drawing[at + 1..]
            .chars()
            .take_while(char::is_ascii_digit)
            .count();
        let in_number = drawing[..at].ends_with(|character: char| character.is_ascii_digit());
        let place = &drawing[at.saturating_sub(20)..at + 5];
        // Versions of images and of Kubernetes are not numbers.
        assert!(
            !in_number || digits <= 1 || place.contains("Kubernetes"),
            "{place}"
        );
    }
    for odd in ["NaN", "inf", "=\"-0\"", " -0 "] {
        assert!(!drawing.contains(odd), "{odd}");
    }
}

/// A set of many pods, all outdated or all missing.
pub fn many(replicas: usize, parallel: bool) -> Snapshot {
    let mut items = fixtures::items("rollout");
    if parallel {
        items[0]["spec"]["podManagementPolicy"] = json!("Parallel");
        items.truncate(1);
        of_kind(&mut items, "StatefulSet").remove("status");
    } else {
        let at = |items: &[serde_json::Value], kind: &str| {
            items.iter().position(|item| item["kind"] == kind).unwrap()
        };
        for kind in ["Pod", "PersistentVolumeClaim"] {
            let one = items.remove(at(&items, kind)).to_string();
            items.retain(|item| item["kind"] != kind);
            for ordinal in 0..replicas {
                let item = one
                    .replace("web-0", &format!("web-{ordinal}"))
                    .replace("000000000", &format!("{ordinal:05}0000"));
                items.push(serde_json::from_str(&item).unwrap());
            }
        }
        items[0]["status"]["replicas"] = json!(replicas);
    }
    items[0]["spec"]["replicas"] = json!(replicas);
    snapshot_of(items)
}

#[test]
fn many_pods_are_drawn_compactly() {
    // Each pod has another history: groups.
    let report = with_looks(many(300, false));
    assert_eq!(report.set.pods.len(), 300);
    let picture = svg(&[report]);
    assert!(picture.len() < 200_000, "{} bytes", picture.len());
    let (_, text) = parse(&picture);
    assert!(text.contains("300 pods in 38 groups"), "{text}");
    assert!(
        text.contains("web-292..299") && text.contains("web-0..3"),
        "{text}"
    );
    assert!(text.contains("short waits not shown"), "{text}");
    // All have the same history: one row.
    let report = with_looks(many(10_000, true));
    let picture = svg(&[report]);
    assert!(picture.len() < 20_000, "{} bytes", picture.len());
    let (_, text) = parse(&picture);
    assert!(text.contains("web-0..9999"), "{text}");
    assert!(text.contains("10 000 pods in 1 row"), "{text}");
    // A hundred sets.
    let many = vec![with_looks(first_rollout()); 100];
    let (_, text) = parse(&svg(&many));
    assert!(text.contains("… and 60 more sets not shown"), "{text}");
}

#[test]
fn a_picture_contains_no_active_content() {
    for foreign in [
        "</text><script>alert(1)</script>",
        "\"><image href=\"https://example.com/x\" onload=\"alert(1)\"/>",
        "]]><!--</style><style>*{display:none}</style>",
        "&lt;&#60;script&#62;&nope;",
        HOSTILE,
        "\u{fffe}\u{ffff}\u{0}",
    ] {
        let mut report = hostile(foreign);
        let looks = with_looks(snapshot("crashloop")).sync_findings;
        report.sync_findings = looks;
        for look in &mut report.sync_findings {
            for hold in &mut look.holds {
                hold.pod = Some(foreign.to_owned());
                hold.message = foreign.to_owned();
            }
        }
        let picture = svg(&[report]);
        let raw = picture.chars().find(|character| {
            *character != '\n'
                && (character.is_control()
                    || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{fffe}\u{ffff}"
                        .contains(*character))
        });
        assert_eq!(raw, None);
        let (elements, _) = parse(&picture);
        let names: BTreeSet<&str> = elements.iter().map(|(name, _)| name.as_str()).collect();
        let drawn = [
            "svg", "title", "desc", "style", "rect", "g", "text", "tspan", "defs", "pattern",
            "path", "circle", "line",
        ];
        for name in &names {
            assert!(drawn.contains(name), "{name}");
        }
        assert_eq!(
            elements.iter().filter(|(name, _)| name == "style").count(),
            1
        );
        // The page's script looks up the name of a pod, as text only.
        let attributes = elements.iter().flat_map(|(_, attributes)| attributes);
        for (name, value) in attributes.filter(|(name, _)| *name != "data-pod") {
            assert!(!name.starts_with("on") && !name.contains("href"), "{name}");
            assert!(
                !value.contains("script") && !value.contains("example.com"),
                "{name}={value}"
            );
        }
    }
}
