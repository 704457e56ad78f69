//! Sets for which `spec.ordinals.start` has no effect: no output mentions pods that will never exist.

use kubectl_sts_plan::internals::{Format, Style, render};
use sts_controller::simulate::{Assumption, Start};
use sts_plan::fleet::ReportList;
use sts_plan::report::Report;

use crate::scenario::{plan_assuming, pod, web};

#[test]
fn an_ignored_start_ordinal_has_no_effect() {
    // 1.25 ignores ordinals.start: the pods are web-0 to web-2, and slots are ordinals.
    let never_ready = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    let world = web(3)
        .rolling_to_v2()
        .start(5)
        .partition(2)
        .pod(pod("web-1").not_ready());
    let plan = plan_assuming(&[("web-1", never_ready)], Vec::new(), &world, "1.25");
    let fates: Vec<String> = Report::new(&plan)
        .set
        .pods
        .iter()
        .map(|pod| format!("{} {:?}", pod.name, pod.fate))
        .collect();
    assert_eq!(
        fates,
        [
            "web-0 HeldByPartition",
            "web-1 HeldByPartition",
            "web-2 Outdated"
        ]
    );
    let all = [
        Format::Table,
        Format::Wide,
        Format::Json,
        Format::Markdown,
        Format::Html,
        Format::Svg,
    ];
    for format in all {
        let mut text = Vec::new();
        let style = Style {
            verbose: true,
            ..Style::default()
        };
        let report = [Report::new(&plan)];
        render(format, &ReportList::new(&report), &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for wrong in ["partition\":-", "partition -", "missing, never"] {
            assert!(!text.contains(wrong), "{format:?}: {wrong}\n{text}");
        }
        let mut words = text.split(|c: char| c != '-' && !c.is_alphanumeric());
        let ghost = words.find(|word| ["web-5", "web-6", "web-7"].contains(word));
        assert_eq!(ghost, None, "{format:?}\n{text}");
    }
}

#[test]
fn the_remedy_counts_slots() {
    // With the gate on, slots begin at 5: web-6 is slot 1, below partition 2.
    let never_ready = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    for (version, start, name) in [("1.25", 5, "web-1"), ("1.31", 5, "web-6")] {
        let first = if version == "1.25" { 0 } else { start };
        let world = (0..3).fold(web(0).replicas(3), |world, slot| {
            let pod = pod(&format!("web-{}", first + slot));
            world.pod(if slot == 1 { pod.not_ready() } else { pod })
        });
        let world = world.rolling_to_v2().start(start).partition(2);
        let plan = plan_assuming(&[(name, never_ready.clone())], Vec::new(), &world, version);
        let report = serde_json::to_string(&Report::new(&plan)).unwrap();
        assert!(
            !report.contains("\\\"partition\\\":-"),
            "{version}: {report}"
        );
    }
}
