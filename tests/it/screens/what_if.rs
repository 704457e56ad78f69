//! The screen of `--interactive`.

use kubectl_sts_plan::output::keys::KeyScreen;
use kubectl_sts_plan::output::screens::{Fields, Key, WhatIfReply, WhatIfScreen};
use serde_json::{Value, json};
use sts_plan::plan::Plan;
use sts_plan::report::Report;

use super::{SIZES, check, drawn, keys, small_sizes};
use crate::fixtures::{items, observed, of_kind, snapshot_of};
use crate::render::{conditions, hostile};

/// The plan of a fixture with other fields, as flags would make it.
fn planned(fixture: &str, fields: &Fields) -> Report {
    let mut items = items(fixture);
    let spec = &mut of_kind(&mut items, "StatefulSet")["spec"];
    if let Some(replicas) = fields.replicas {
        spec["replicas"] = replicas.into();
    }
    let rolling = &mut spec["updateStrategy"]["rollingUpdate"];
    if rolling.is_null() {
        *rolling = json!({});
    }
    if let Some(partition) = fields.partition {
        rolling["partition"] = partition.into();
    }
    if let Some(bound) = &fields.max_unavailable {
        let number = bound.parse::<i64>().map(Value::from);
        rolling["maxUnavailable"] = number.unwrap_or(bound.as_str().into());
    }
    observed(&Plan::new(snapshot_of(items), conditions()))
}

/// A screen of a fixture.
fn screen(fixture: &str) -> WhatIfScreen {
    let stored = planned(fixture, &Fields::default());
    WhatIfScreen::new(stored, "kubectl sts-plan web -n prod", false)
}

/// Presses keys, and plans what they ask for.
fn press(screen: &mut WhatIfScreen, fixture: &str, line: &str) {
    for key in keys(line) {
        if screen.key(key) == WhatIfReply::Plan {
            let fields = screen.fields().clone();
            let plan = planned(fixture, &fields);
            screen.show(fields, Ok(plan));
        }
    }
}

#[test]
fn lanes_and_verdict_follow_the_keys() {
    for size in SIZES {
        let mut screen = screen("rollout");
        check(
            "what-if-start",
            size,
            &drawn(size, |frame| screen.draw(frame)),
        );
        press(&mut screen, "rollout", "p++>>>");
        check(
            "what-if-partition",
            size,
            &drawn(size, |frame| screen.draw(frame)),
        );
        press(&mut screen, "rollout", "p--r++u+>>>>");
        check(
            "what-if-scaled",
            size,
            &drawn(size, |frame| screen.draw(frame)),
        );
    }
}

#[test]
fn the_command_line_has_what_differs_from_the_set() {
    let mut screen = screen("partition");
    let line = |screen: &WhatIfScreen| screen.command_line();
    assert_eq!(line(&screen), "kubectl sts-plan web -n prod");
    press(&mut screen, "partition", "p-");
    assert_eq!(line(&screen), "kubectl sts-plan web -n prod --partition 2");
    press(&mut screen, "partition", "^+v+");
    let both = "kubectl sts-plan web -n prod --replicas 6";
    assert_eq!(line(&screen), both, "what is as stored needs no flag");
    press(&mut screen, "partition", "u++");
    assert_eq!(line(&screen), format!("{both} --max-unavailable 3"));
    assert_eq!(screen.key(Key::Backspace), WhatIfReply::Plan);
    assert_eq!(line(&screen), both);
}

#[test]
fn steps_go_from_the_beginning_to_the_end_and_no_further() {
    let size = (100, 30);
    let mut screen = screen("rollout");
    let step = |screen: &mut WhatIfScreen| -> String {
        let text = drawn(size, |frame| screen.draw(frame));
        let line = text.lines().find(|line| line.starts_with("Step "));
        line.unwrap().to_owned()
    };
    assert!(step(&mut screen).starts_with("Step 0 of "));
    press(&mut screen, "rollout", "<");
    assert!(step(&mut screen).starts_with("Step 0 of "));
    screen.key(Key::End);
    let last = step(&mut screen);
    let (at, of) = last["Step ".len()..].split_once(" of ").unwrap();
    assert_eq!(at, of.split(' ').next().unwrap());
    press(&mut screen, "rollout", ">");
    assert_eq!(step(&mut screen), last);
    // A shorter plan has fewer steps.
    press(&mut screen, "rollout", "p+++");
    assert!(
        step(&mut screen).starts_with("Step 1 of 1"),
        "{}",
        step(&mut screen)
    );
}

#[test]
fn a_blocked_set_says_on_its_first_screen_what_to_do() {
    for size in SIZES {
        let mut screen = screen("crashloop");
        let text = drawn(size, |frame| screen.draw(frame));
        check("what-if-blocked", size, &text);
        for says in [
            "BLOCKED 1h0m: web-2 crash-loops",
            "Do:   kubectl delete pod web-2",
        ] {
            assert!(text.contains(says), "{says}: {text}");
        }
    }
}

#[test]
fn a_question_mark_shows_the_keys_until_another_key() {
    let size = (80, 24);
    let mut screen = screen("rollout");
    let lanes = drawn(size, |frame| screen.draw(frame));
    screen.key(Key::Char('?'));
    let text = drawn(size, |frame| screen.draw(frame));
    for row in KeyScreen::Fields.keys() {
        assert!(text.contains(row.does), "{}: {text}", row.key);
    }
    // A key that closes the page does nothing else.
    assert_eq!(screen.key(Key::Char('+')), WhatIfReply::Draw);
    assert_eq!(drawn(size, |frame| screen.draw(frame)), lanes);
}

#[test]
fn what_cannot_be_planned_is_said_and_taken_back() {
    let mut screen = screen("rollout");
    assert_eq!(screen.key(Key::Char('+')), WhatIfReply::Plan);
    let fields = screen.fields().clone();
    screen.show(fields, Err("the set is \u{1b}[31mtoo large".to_owned()));
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(
        text.contains("error: the set is \\x1b[31mtoo large"),
        "{text}"
    );
    press(&mut screen, "rollout", "-");
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(text.contains("Completes after"), "{text}");
}

#[test]
fn no_size_and_no_name_is_too_much() {
    let name = "\u{1b}]0;x\u{7}\u{202e}web\n\u{9b}2J";
    for size in small_sizes().chain(SIZES) {
        let mut screen = WhatIfScreen::new(hostile(name), "kubectl sts-plan", true);
        for line in ["", ">>", "r+++++", "v-"] {
            for key in keys(line) {
                screen.key(key);
            }
            let text = drawn(size, |frame| screen.draw(frame));
            let steers = text.chars().find(|it| it.is_control() && *it != '\n');
            assert_eq!(steers, None, "{size:?}");
            assert!(!text.contains('\u{202e}'));
        }
    }
}

#[test]
fn a_set_of_many_pods_is_rows_that_can_be_read() {
    let fields = Fields {
        replicas: Some(500),
        ..Fields::default()
    };
    let report = planned("rollout", &fields);
    let mut screen = WhatIfScreen::new(report, "kubectl sts-plan web", false);
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(text.contains("more rows: PgUp, PgDn)"), "{text}");
    screen.key(Key::PageDown);
    let next = drawn((80, 24), |frame| screen.draw(frame));
    assert_ne!(text, next);
    assert!(next.contains("\nStep 0 of "), "{next}");
}
