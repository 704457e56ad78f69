//! The screen of an upgrade that rolls everything out: D-28.

use kubectl_sts_plan::internals::{Format, Style, render};
use sts_plan::fleet::ReportList;
use sts_plan::report::Report;

use crate::scenario::{Scenario, plan, pod, revision, web};

/// Three pods of a revision that Kubernetes 1.33 wrote.
fn written_by_1_33() -> Scenario {
    let world = web(3)
        .no_revisions()
        .revision(revision("v1", 1).by_an_old_controller())
        .status_revisions(WRITTEN_BY_1_33, WRITTEN_BY_1_33);
    (0..3).fold(world, |world, ordinal| {
        world.pod(pod(&format!("web-{ordinal}")).at(WRITTEN_BY_1_33))
    })
}

const WRITTEN_BY_1_33: &str = "v1-by-1.33";

#[test]
fn the_screen_says_why_pods_are_replaced() {
    let world = written_by_1_33();
    let report = Report::new(&plan(&world, "1.34.1"));
    let mut screen = Vec::new();
    let style = Style {
        verbose: true,
        ..Style::default()
    };
    render(
        Format::Table,
        &ReportList::new(&[report]),
        &style,
        &mut screen,
    )
    .unwrap();
    let screen = String::from_utf8(screen).unwrap();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("warning STS017 statefulset/web: revision web-"),
        "{screen}"
    );
    assert!(words.contains("kubernetes/pull/135017"), "{screen}");
}
