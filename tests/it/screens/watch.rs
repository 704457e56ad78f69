//! The screen of `-w`.

use jiff::{SignedDuration, Timestamp};
use kubectl_sts_plan::internals::KeyScreen;
use kubectl_sts_plan::internals::{Key, WatchReply, WatchScreen};
use serde_json::{Value, json};
use sts_plan::plan::{Conditions, Plan};
use sts_plan::report::Report;
use sts_plan::verify::{Now, Prediction, compare};
use sts_plan::verify::{Verification, VerifiedStage};

use super::{SIZES, check, drawn, keys, small_sizes};
use crate::fixtures::{items, observed, snapshot_of};
use crate::render::{conditions, hostile};

/// A watch of a fixture without a cluster: objects change, and the screen gets updates as from a watch.
struct Watched {
    items: Vec<Value>,
    now: Timestamp,
    before: Option<Prediction>,
    report: Option<Report>,
    screen: WatchScreen,
}

impl Watched {
    fn new(fixture: &str) -> Self {
        let mut watched = Watched {
            items: items(fixture),
            now: conditions().now,
            before: None,
            report: None,
            screen: WatchScreen::new(false),
        };
        watched.look();
        watched
    }

    fn look(&mut self) {
        let conditions = Conditions {
            now: self.now,
            ..conditions()
        };
        let plan = Plan::new(snapshot_of(self.items.clone()), conditions);
        let since = self.before.as_ref().map(|before| {
            let there = Now::There(&plan.snapshot);
            let found = compare(before, &there, self.now);
            Verification::new(before, &found, &there, self.now).since()
        });
        let report = observed(&plan);
        let value = serde_json::to_value(&report).unwrap();
        self.before = Prediction::from_json(&value).ok();
        self.report = Some(report.clone());
        self.screen.update(report, since.as_ref(), self.now);
    }

    fn after(&mut self, seconds: i64, change: impl FnOnce(&mut Vec<Value>, &Report)) {
        self.now += SignedDuration::from_secs(seconds);
        change(&mut self.items, self.report.as_ref().unwrap());
        self.look();
    }

    fn text(&mut self, size: (u16, u16)) -> String {
        let now = self.now;
        drawn(size, |frame| self.screen.draw(frame, now))
    }
}

fn pod<'i>(items: &'i mut [Value], name: &str) -> &'i mut Value {
    let mut items = items.iter_mut();
    items
        .find(|item| item["kind"] == "Pod" && item["metadata"]["name"] == name)
        .unwrap()
}

/// Applies the next writes of the plan to pods and revisions.
fn control(items: &mut Vec<Value>, report: &Report, now: Timestamp) {
    for write in &report.next.writes {
        let write = serde_json::to_value(write).unwrap();
        let name = write["name"].as_str().unwrap();
        match (write["verb"].as_str(), write["resource"].as_str()) {
            (Some("create"), Some(resource @ ("pods" | "controllerrevisions"))) => {
                let mut object = write["object"].clone();
                object["kind"] = match resource {
                    "pods" => "Pod".into(),
                    _ => "ControllerRevision".into(),
                };
                object["metadata"]["name"] = name.into();
                object["metadata"]["namespace"] = "prod".into();
                object["metadata"]["uid"] = format!("{name} at {now}").into();
                object["metadata"]["creationTimestamp"] = now.to_string().into();
                if resource == "pods" {
                    object["spec"]["nodeName"] = "node".into();
                    object["status"] = json!({"phase": "Pending"});
                }
                items.push(object);
            }
            (Some("delete"), Some("pods")) => {
                pod(items, name)["metadata"]["deletionTimestamp"] = now.to_string().into();
            }
            _ => {}
        }
    }
}

fn ready(items: &mut [Value], name: &str, now: Timestamp) {
    pod(items, name)["status"] = json!({"phase": "Running", "conditions":
        [{"type": "Ready", "status": "True", "lastTransitionTime": now.to_string()}]});
}

/// A rollout whose first pod is gone as predicted, ready 18 seconds late, and followed by the next one.
fn one_pod_on(watched: &mut Watched) {
    let begin = watched.now;
    let at = |seconds| begin + SignedDuration::from_secs(seconds);
    watched.after(0, |items, report| control(items, report, at(0)));
    watched.after(5, |items, _| {
        items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] != "web-2");
    });
    watched.after(0, |items, report| control(items, report, at(5)));
    watched.after(40, |items, _| ready(items, "web-2", at(45)));
    watched.after(0, |items, report| control(items, report, at(45)));
}

#[test]
fn what_was_seen_stands_left_of_the_present() {
    for size in SIZES {
        let mut watched = Watched::new("rollout");
        check("watch-start", size, &watched.text(size));
        one_pod_on(&mut watched);
        check("watch-late", size, &watched.text(size));
        for (key, name) in [('s', "watch-steps"), ('w', "watch-why"), ('l', "watch-log")] {
            watched.screen.key(Key::Char(key));
            check(name, size, &watched.text(size));
        }
    }
}

#[test]
fn the_present_moves_on_without_an_update() {
    let mut watched = Watched::new("rollout");
    let before = watched.text((100, 30));
    watched.now += SignedDuration::from_secs(30);
    let after = watched.text((100, 30));
    assert_ne!(before, after);
    assert!(
        before.contains("Completes in 1m21s, as first predicted"),
        "{before}"
    );
    // The controller has not written anything yet, so that all steps remain.
    assert!(
        after.contains("Completes in 1m21s, 30s later than first predicted"),
        "{after}"
    );
}

/// Returns the lane of a pod, before and after the current time.
fn lane<'t>(text: &'t str, pod: &str) -> (&'t str, &'t str) {
    let lane = text.lines().find(|line| line.starts_with(pod));
    lane.unwrap().split_once('│').unwrap()
}

#[test]
fn what_is_overdue_has_not_happened() {
    let mut watched = Watched::new("rollout");
    one_pod_on(&mut watched);
    watched.now += SignedDuration::from_secs(3);
    let text = watched.text((100, 30));
    assert!(text.contains("; expected in 2s"), "{text}");
    assert!(text.contains("Completes in 51s, 18s later"), "{text}");
    watched.now += SignedDuration::from_secs(37);
    let text = watched.text((100, 30));
    assert!(text.contains("to terminate; expected 35s ago"), "{text}");
    assert!(text.contains("Completes in 49s, 53s later"), "{text}");
    let (past, _) = lane(&text, "web-1");
    assert!(past.ends_with('╌') && !past.contains('─'), "{text}");
    let (past, future) = lane(&text, "web-0");
    assert!(past.ends_with('▒') && future.starts_with('▒'), "{text}");
}

#[test]
fn what_is_late_is_said_and_how_much_it_costs() {
    let mut watched = Watched::new("rollout");
    one_pod_on(&mut watched);
    let text = watched.text((100, 30));
    assert!(text.contains("web-2 becomes ready: 19s late"), "{text}");
    assert!(text.contains("18s later than first predicted"), "{text}");
    watched.after(200, |_, _| {});
    let text = watched.text((100, 30));
    assert!(
        text.contains("LATE web-1 is gone (3m15s overdue)"),
        "{text}"
    );
}

#[test]
fn a_pod_in_trouble_is_a_miss_and_blocked() {
    let mut watched = Watched::new("rollout");
    watched.after(3, |items, _| {
        pod(items, "web-1")["status"] = json!({"phase": "Running",
            "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-20T03:00:01Z"}],
            "containerStatuses": [{"name": "app", "ready": false, "restartCount": 7,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]});
    });
    let text = watched.text((100, 30));
    for says in ["BLOCKED", "not as predicted: pod web-1", "CrashLoopBackOff"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    watched.screen.key(Key::Char('w'));
    let text = watched.text((100, 30));
    assert!(text.contains("BLOCKED"), "{text}");
}

/// Replaces each pod as predicted, without updates of the status.
#[test]
fn a_status_that_nobody_writes_is_a_controller_that_does_not_act() {
    let mut watched = Watched::new("rollout");
    for name in ["web-2", "web-1", "web-0"] {
        let now = watched.now;
        watched.after(0, |items, report| control(items, report, now));
        watched.after(5, |items, _| {
            items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] != name);
        });
        let now = watched.now;
        watched.after(0, |items, report| control(items, report, now));
        watched.after(22, |items, _| {
            ready(items, name, now + SignedDuration::from_secs(22));
        });
    }
    watched.after(24, |_, _| {});
    let text = watched.text((100, 30));
    let late = "LATE the controller has not acted for 24s: check kube-controller-manager";
    assert!(text.contains(late), "{text}");
    assert!(!text.contains("update status"), "{text}");
}

/// A stuck set on the first screen.
#[test]
fn a_blocked_set_says_on_its_first_screen_what_to_do() {
    for size in SIZES {
        let mut watched = Watched::new("crashloop");
        let text = watched.text(size);
        check("watch-blocked", size, &text);
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
    let mut watched = Watched::new("rollout");
    let lanes = watched.text((80, 24));
    assert!(lanes.contains("? help"), "{lanes}");
    watched.screen.key(Key::Char('?'));
    let text = watched.text((80, 24));
    check("watch-keys", (80, 24), &text);
    for row in KeyScreen::Watch.keys() {
        assert!(text.contains(row.does), "{}: {text}", row.key);
    }
    for closes_it in [Key::Char('?'), Key::Escape, Key::Char('s')] {
        assert_eq!(watched.screen.key(closes_it), WatchReply::Draw);
        assert_eq!(watched.text((80, 24)), lanes);
        watched.screen.key(Key::Char('?'));
    }
    assert_eq!(watched.screen.key(Key::Char('q')), WatchReply::Quit);
}

#[test]
fn keys_turn_pages_and_quit() {
    let mut watched = Watched::new("rollout");
    for line in ["p", "s", "w", "l", "\t", "^v", "x"] {
        for key in keys(line) {
            assert_eq!(watched.screen.key(key), WatchReply::Draw);
        }
    }
    for key in [Key::Char('q'), Key::Escape, Key::Interrupt] {
        assert_eq!(watched.screen.key(key), WatchReply::Quit);
    }
}

#[test]
fn no_size_and_no_name_is_too_much() {
    let name = "\u{1b}]0;x\u{7}\u{202e}web\n\u{9b}2J";
    let now = conditions().now;
    for size in small_sizes().chain(SIZES) {
        let mut screen = WatchScreen::new(true);
        drawn(size, |frame| screen.draw(frame, now));
        screen.update(hostile(name), None, now);
        screen.note(name, now);
        for view in ['p', 's', 'w', 'l'] {
            screen.key(Key::Char(view));
            for key in [Key::End, Key::PageUp, Key::PageDown] {
                screen.key(key);
                let text = drawn(size, |frame| screen.draw(frame, now));
                let steers = text.chars().find(|it| it.is_control() && *it != '\n');
                assert_eq!(steers, None, "{size:?} {view}");
                assert!(!text.contains('\u{202e}'));
            }
        }
    }
}

#[test]
fn the_stage_stands_above_the_lanes_and_its_commands_once_the_next_may_begin() {
    let stage = |may_begin: bool| -> VerifiedStage {
        let told = match may_begin {
            true => "stage 1 (canary) of 2 is finished; stage 2 may begin",
            false => "stage 1 (canary) of 2 is on track; stage 2 may not begin yet",
        };
        let next = json!({"mayBegin": may_begin, "commands": ["kubectl rollout resume", "two", "three", "four"]});
        let stage = json!({"number": 1, "of": 2, "name": "canary", "message": told, "next": next});
        serde_json::from_value(stage).unwrap()
    };
    let mut watched = Watched::new("rollout");
    watched.screen.enter_stage(Some(&stage(false)));
    let text = watched.text((100, 30));
    assert!(
        text.contains("Stage: stage 1 (canary) of 2 is on track"),
        "{text}"
    );
    assert!(!text.contains("kubectl rollout resume"), "{text}");
    watched.screen.enter_stage(Some(&stage(true)));
    let text = watched.text((100, 30));
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("stage 2 may begin") < at("kubectl rollout resume"));
    assert!(at("three") < at("and 1 more"));
    assert!(!text.contains("four"), "{text}");
}
