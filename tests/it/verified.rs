//! Verified plans as pictures and pages: for each pod, the prediction above reality.

use std::sync::Arc;

use kubectl_sts_plan::internals::{Format, Printer, Style, print_verifications};
use sts_controller::simulate::{Action, Fault};
use sts_controller::version::Behaviour;
use sts_plan::plan::Plan;
use sts_plan::report::PodPeriod;
use sts_plan::report::timeline::State;
use sts_plan::verify::Now;
use sts_plan::verify::Verdict;
use sts_plan::verify::Verification;

use crate::fixtures::snapshot;
use crate::follow::{Life, predicted};
use crate::golden;
use crate::render::{HOSTILE, conditions};
use crate::svg::parse;

/// Returns the verification of a fixture's plan after this many seconds. Meanwhile, a user may have changed the set.
pub fn after(fixture: &str, seconds: i64, meanwhile: Option<Action>) -> Verification {
    let plan = Plan::new(snapshot(fixture), conditions());
    let prediction = predicted(&plan);
    let (world, _) = plan.initial_world();
    let behaviour: Behaviour = plan.conditions.behaviour.clone();
    let mut life = Life {
        world,
        behaviour,
        steps: 0,
    };
    let begins = plan.conditions.now;
    let passed = |life: &Life| life.world.now().duration_since(begins).as_secs();
    while passed(&life) < seconds && life.go_on() {}
    // The controller's actions at that moment belong to it.
    while life.world.sync(&life.behaviour, false).changed {}
    if let Some(action) = meanwhile {
        life.world.perform(&action, &life.behaviour).unwrap();
        life.go_on();
    }
    let comparison = life.compare(&prediction);
    let now = Now::There(life.world.snapshot());
    Verification::new(&prediction, &comparison, &now, life.world.now())
}

/// A pod fails although the prediction has no failure.
pub fn diverged() -> Verification {
    let fault = Action::Fault(Fault::Vanishes, Arc::from("web-0"));
    after("rollout", 30, Some(fault))
}

pub fn written(format: Format, found: &[Verification]) -> String {
    let mut text = Vec::new();
    let printer = Printer::Plain(format);
    print_verifications(&printer, found, &Style::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// One element per line, without styles, which are separate files.
fn reviewable(text: &str) -> String {
    let mut rest = text;
    let mut short = String::new();
    while let Some((before, after)) = rest.split_once("<style>") {
        short += before;
        rest = after.split_once("</style>").unwrap().1;
    }
    let short = short + rest;
    let body = short.split_once("<body>").map_or(&*short, |(_, body)| body);
    body.replace("><", ">\n<")
}

#[test]
fn prediction_and_reality_are_shown_together() {
    let on_track = after("rollout", 30, None);
    assert_eq!(on_track.verdict, Verdict::OnTrack, "{}", on_track.summary);
    let diverged = diverged();
    assert_eq!(diverged.verdict, Verdict::Diverged, "{}", diverged.summary);
    for (name, found) in [("on-track", &on_track), ("diverged", &diverged)] {
        for format in [Format::Svg, Format::Html] {
            let text = written(format, std::slice::from_ref(found));
            let path = golden::root().join(format!("golden/verified/{name}.{format}.txt"));
            golden::check(&path, &reviewable(&text));
        }
    }
    let off = "differs from the prediction";
    assert!(!written(Format::Svg, &[on_track]).contains(off));
    assert!(written(Format::Svg, &[diverged]).contains(off));
}

/// In a world that goes as predicted, the observation of a pod equals its prediction.
#[test]
fn observations_equal_predictions_if_nothing_diverged() {
    for fixture in ["rollout", "parallel", "scale-down", "crashloop"] {
        for seconds in [1, 7, 20, 40, 90, 200] {
            let found = after(fixture, seconds, None);
            let now = found.elapsed_seconds;
            for pod in &found.pods {
                // Events within this second may be partly done.
                let turns = pod
                    .predicted
                    .iter()
                    .any(|it| it.from == now || it.to == Some(now));
                if turns && now > 0 {
                    continue;
                }
                let at_now =
                    |period: &&PodPeriod| period.from <= now && period.to.is_none_or(|to| to > now);
                let state = |periods: &[PodPeriod]| {
                    periods.iter().find(at_now).map(|period| {
                        let state = match period.state {
                            // A second turns one into the other.
                            State::Ready => State::Available,
                            state => state,
                        };
                        (state, period.revision.clone())
                    })
                };
                assert_eq!(
                    state(&pod.found),
                    state(&pod.predicted),
                    "{fixture} after {now}s: {pod:#?}"
                );
            }
        }
    }
}

#[test]
fn several_plans_begin_with_the_diverged_one() {
    let found = [after("rollout", 30, None), diverged()];
    let page = written(Format::Html, &found);
    let (first, second) = (
        page.find("id=\"set-0\"").unwrap(),
        page.find("id=\"set-1\"").unwrap(),
    );
    let wrong = page.rfind("verdict bad").unwrap();
    assert!(first < wrong && wrong < second);
    assert!(page.contains("<h1>2 verified plans</h1>"));
    let (elements, _) = parse(&written(Format::Svg, &found));
    let off = elements.iter().filter(|(name, attributes)| {
        name == "rect" && attributes.iter().any(|(_, value)| value == "off")
    });
    assert_eq!(off.count(), 1);
}

#[test]
fn foreign_text_in_a_verification_ends_no_element() {
    for foreign in ["</title></style></svg><script>alert(1)</script>", HOSTILE] {
        let mut found = diverged();
        found.metadata.name = foreign.to_owned();
        found.plan.summary = foreign.to_owned();
        found.plan.now = foreign.to_owned();
        found.plan.command_line = vec!["kubectl-sts_plan".to_owned(), foreign.to_owned()];
        found.summary = format!("Diverged: {foreign}");
        for step in &mut found.steps {
            step.what = foreign.to_owned();
        }
        for pod in &mut found.pods {
            pod.name = foreign.to_owned();
            for period in pod.predicted.iter_mut().chain(&mut pod.found) {
                period.revision = foreign.to_owned();
            }
        }
        for it in &mut found.differences {
            it.name = foreign.to_owned();
            it.found = foreign.to_owned();
            it.cause = foreign.to_owned();
        }
        parse(&written(Format::Svg, &[found.clone()]));
        let comment = written(Format::Markdown, &[found.clone()]);
        let is_live = |tag: &&str| comment.contains(*tag);
        let live = ["<script", "</title", "<img"].into_iter().find(is_live);
        assert_eq!(live, None, "{comment}");
        let page = written(Format::Html, &[found]);
        assert!(!page.contains("<script"), "{foreign}");
        assert!(page.contains("script-src 'none'"));
    }
}

#[test]
fn thousands_of_pods_are_drawn_compactly() {
    let mut found = diverged();
    let pod = found.pods[2].clone();
    for at in 0..20_000 {
        let name = format!("web-{}", at + 3);
        found.pods.push(sts_plan::verify::VerifiedPod {
            name,
            ..pod.clone()
        });
    }
    for format in [Format::Svg, Format::Html] {
        let text = written(format, std::slice::from_ref(&found));
        assert!(text.len() < 300_000, "{format}: {} bytes", text.len());
        assert!(text.contains("more pods"), "{format}");
        // Pods that differ from the prediction are among the drawn ones.
        assert!(text.contains("differs from the prediction"), "{format}");
    }
}
