//! The screen of `--interactive`.

use std::process::Command;

use jiff::Timestamp;
use kubectl_sts_plan::internals as cli;
use kubectl_sts_plan::internals::KeyScreen;
use kubectl_sts_plan::internals::Planner;
use kubectl_sts_plan::internals::{Context, Terminal};
use kubectl_sts_plan::internals::{Input, read_parts};
use kubectl_sts_plan::internals::{InteractiveRequest, Request};
use kubectl_sts_plan::internals::{Key, Planned, SetFields, WhatIfReply, WhatIfScreen};
use serde_json::Value;
use sts_plan::plan::Plan;

use super::{SIZES, check, drawn, keys, small_sizes};
use crate::fixtures::{self, items, observed, of_kind, snapshot_of};
use crate::render::{conditions, hostile};

/// A session without a terminal.
struct Session {
    request: InteractiveRequest,
    parts: Vec<Input>,
}

impl Session {
    /// Starts a session with arguments.
    fn of(line: &str) -> Self {
        let words = ["kubectl-sts_plan", "--interactive"].into_iter();
        let words = words.chain(line.split(' ')).map(Into::into);
        let words: Vec<_> = words.collect();
        let request = match cli::read(&words) {
            Ok(Request::Interactive(request)) => *request,
            other => panic!("{line}: {other:?}"),
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let context = Context {
            stdin: &mut std::io::empty(),
            stdout: &mut out,
            stderr: &mut err,
            clock: || Timestamp::UNIX_EPOCH,
            terminal: Terminal {
                is_there: || false,
                is_drawable: || false,
                wants_color: || false,
                columns: || None,
                file: || None,
            },
        };
        let parts = read_parts(&request.plan, (context.clock)(), context.stdin).unwrap();
        Session { request, parts }
    }

    /// Starts a session with a fixture.
    fn with(fixture: &str) -> Self {
        Session::of(&line_of(fixture))
    }

    fn planner(&self) -> Planner<'_> {
        Planner::of(&self.request, &self.parts).unwrap()
    }

    fn screen(&self) -> WhatIfScreen {
        self.planner().screen(false).unwrap()
    }

    /// Presses keys, and makes the requested plans.
    fn press(&self, screen: &mut WhatIfScreen, line: &str) {
        for key in keys(line) {
            self.press_key(screen, key);
        }
    }

    fn press_key(&self, screen: &mut WhatIfScreen, key: Key) {
        if screen.key(key) == WhatIfReply::Plan {
            let plan = self.planner().plan(&screen.words());
            screen.show(plan.map_err(|error| format!("{error:#}")));
        }
    }

    /// Enters an image.
    fn type_image(&self, screen: &mut WhatIfScreen, image: &str) {
        self.press(screen, "i");
        self.press(screen, image);
        self.press_key(screen, Key::Enter);
    }
}

/// Returns the command line for a fixture.
fn line_of(fixture: &str) -> String {
    let now = fixtures::now();
    format!("-f tests/fixtures/{fixture}.yaml --now {now}")
}

/// The flags behind the command line of a fixture.
fn flags(screen: &WhatIfScreen, fixture: &str) -> String {
    let line = screen.command_line();
    let begin = format!("kubectl sts-plan {}", line_of(fixture));
    line.strip_prefix(&begin).unwrap().trim().to_owned()
}

fn text(screen: &mut WhatIfScreen, size: (u16, u16)) -> String {
    drawn(size, |frame| screen.draw(frame))
}

/// Runs the printed command line in a shell, and compares its plan with that of the screen.
#[track_caller]
fn assert_line_is_true(session: &Session, screen: &WhatIfScreen) {
    let line = screen.command_line();
    let program = env!("CARGO_BIN_EXE_kubectl-sts_plan");
    let run = line.replacen("kubectl sts-plan", program, 1) + " -o json";
    let mut shell = Command::new("/bin/sh");
    let output = shell.args(["-c", &run]).output().unwrap();
    let mut printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{line}: {}", String::from_utf8_lossy(&output.stderr));
    });
    let shown = session.planner().plan(&screen.words()).unwrap().report;
    let mut shown = serde_json::to_value(shown).unwrap();
    // The position in the file is not part of the plan of the screen.
    for set in [&mut printed["set"], &mut shown["set"]] {
        set.as_object_mut().unwrap().remove("source");
    }
    for part in ["steps", "outcome", "set", "stages", "assumptions"] {
        assert_eq!(printed[part], shown[part], "{line}: {part}");
    }
}

#[test]
fn lanes_and_verdict_follow_the_keys() {
    for size in SIZES {
        let session = Session::with("rollout");
        let mut screen = session.screen();
        check("what-if-start", size, &text(&mut screen, size));
        session.press(&mut screen, "p++>>>");
        check("what-if-partition", size, &text(&mut screen, size));
        session.press(&mut screen, "p--r++u+>>>>");
        check("what-if-scaled", size, &text(&mut screen, size));
    }
}

#[test]
fn the_command_line_has_what_differs_from_the_set() {
    let session = Session::with("partition");
    let mut screen = session.screen();
    let line = |screen: &WhatIfScreen| flags(screen, "partition");
    assert_eq!(line(&screen), "");
    session.press(&mut screen, "p-");
    assert_eq!(line(&screen), "--partition 2");
    session.press(&mut screen, "^+v+");
    let both = "--replicas 6";
    assert_eq!(line(&screen), both, "what is as stored needs no flag");
    session.press(&mut screen, "u++");
    assert_eq!(line(&screen), format!("{both} --max-unavailable 3"));
    session.press_key(&mut screen, Key::Backspace);
    assert_eq!(line(&screen), both);
}

#[test]
fn images_strategy_failing_pods_and_stages_are_turned_and_give_their_command_line() {
    let session = Session::with("rollout");
    let mut screen = session.screen();
    session.type_image(&mut screen, "9.9");
    let image = flags(&screen, "rollout");
    assert!(
        image.starts_with("--image ") && image.ends_with(":9.9"),
        "{image}"
    );
    assert_line_is_true(&session, &screen);

    session.press(&mut screen, "p+s+");
    let first = flags(&screen, "rollout");
    assert!(
        first.contains("--partition 1 --update-strategy OnDelete"),
        "{first}"
    );
    for size in SIZES {
        let refused = text(&mut screen, size);
        check("what-if-refused", size, &refused);
        assert!(refused.contains("REJECTED"), "{refused}");
    }
    assert_line_is_true(&session, &screen);
    session.press(&mut screen, "n");
    assert!(
        text(&mut screen, (80, 24)).contains("the change is rejected: correct or reset it first")
    );
    session.press(&mut screen, "s+");

    session.press(&mut screen, "np-r+");
    let staged = flags(&screen, "rollout");
    assert!(staged.starts_with("--partition 1 --image "), "{staged}");
    let later = " --then --replicas 4 --partition 0";
    assert!(staged.ends_with(later), "{staged}");
    for size in SIZES {
        check("what-if-stages", size, &text(&mut screen, size));
    }
    assert_line_is_true(&session, &screen);

    // Down moves from the fields to the pods.
    session.press(&mut screen, "\tivvvf");
    session.press_key(&mut screen, Key::Escape);
    session.press(&mut screen, "vvfvf");
    let failing = flags(&screen, "rollout");
    assert_eq!(failing.matches("=fails").count(), 2, "{failing}");
    for size in SIZES {
        check("what-if-failing", size, &text(&mut screen, size));
    }
    assert_line_is_true(&session, &screen);
    session.press(&mut screen, "f");
    assert_eq!(flags(&screen, "rollout").matches("=fails").count(), 1);
    session.press_key(&mut screen, Key::Backspace);
    session.press(&mut screen, "b");
    session.press(&mut screen, "^f");
    session.press(&mut screen, "b");
    assert!(!flags(&screen, "rollout").contains("--then"));
    assert_line_is_true(&session, &screen);
}

#[test]
fn a_session_begins_with_the_command_line_that_it_printed() {
    let flags_before = "--assume web-0=recovers --assume web-1=fails --update-strategy OnDelete --then \
                        --update-strategy RollingUpdate --partition 1";
    let session = Session::of(&format!("{} {flags_before}", line_of("rollout")));
    let mut screen = session.screen();
    assert_eq!(
        flags(&screen, "rollout"),
        "--assume web-0=recovers --assume web-1=fails --update-strategy OnDelete --then --partition 1 \
         --update-strategy RollingUpdate"
    );
    assert_line_is_true(&session, &screen);
    session.press(&mut screen, "b");
    assert!(flags(&screen, "rollout").ends_with("--update-strategy OnDelete"));
}

#[test]
fn the_image_of_one_of_several_containers_is_typed() {
    let session = Session::of("demo healthy");
    let mut screen = session.screen();
    session.press(&mut screen, "i1");
    for size in SIZES {
        check("what-if-image", size, &text(&mut screen, size));
    }
    // Keys of the screen are letters of the image, and Esc closes only the input.
    session.press(&mut screen, "q");
    assert_eq!(screen.key(Key::Escape), WhatIfReply::Draw);
    assert_eq!(screen.words(), [""; 0]);
    session.press(&mut screen, "i");
    assert_eq!(screen.key(Key::Interrupt), WhatIfReply::Quit);
}

#[test]
fn steps_go_from_the_beginning_to_the_end_and_no_further() {
    let size = (100, 30);
    let session = Session::with("rollout");
    let mut screen = session.screen();
    let step = |screen: &mut WhatIfScreen| -> String {
        let text = drawn(size, |frame| screen.draw(frame));
        let line = text.lines().find(|line| line.starts_with("Event "));
        line.unwrap().to_owned()
    };
    assert!(step(&mut screen).starts_with("Event 0 of "));
    session.press(&mut screen, "<");
    assert!(step(&mut screen).starts_with("Event 0 of "));
    screen.key(Key::End);
    let last = step(&mut screen);
    let (at, of) = last["Event ".len()..].split_once(" of ").unwrap();
    assert_eq!(at, of.split(' ').next().unwrap());
    session.press(&mut screen, ">");
    assert_eq!(step(&mut screen), last);
    // A shorter plan has fewer steps.
    session.press(&mut screen, "p+++");
    assert!(
        step(&mut screen).starts_with("Event 1 of 1"),
        "{}",
        step(&mut screen)
    );
}

#[test]
fn a_blocked_set_says_on_its_first_screen_what_to_do() {
    for size in SIZES {
        let mut screen = Session::with("crashloop").screen();
        let text = text(&mut screen, size);
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
    let mut screen = Session::with("rollout").screen();
    let lanes = drawn(size, |frame| screen.draw(frame));
    screen.key(Key::Char('?'));
    let text = drawn(size, |frame| screen.draw(frame));
    for row in KeyScreen::Fields.keys() {
        assert!(text.contains(row.does), "{}: {text}", row.key);
    }
    // A key that closes the help does nothing else.
    assert_eq!(screen.key(Key::Char('+')), WhatIfReply::Draw);
    assert_eq!(drawn(size, |frame| screen.draw(frame)), lanes);
}

#[test]
fn what_cannot_be_planned_is_said_and_taken_back() {
    let session = Session::with("rollout");
    let mut screen = session.screen();
    assert_eq!(screen.key(Key::Char('+')), WhatIfReply::Plan);
    screen.show(Err("the set is \u{1b}[31mtoo large".to_owned()));
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(
        text.contains("error: the set is \\x1b[31mtoo large"),
        "{text}"
    );
    session.press(&mut screen, "-");
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(text.contains("Completes after"), "{text}");
}

/// The plan of a set whose names contain control characters.
fn hostile_plan(name: &str) -> Planned {
    let report = hostile(name);
    let containers = serde_json::json!([{"name": name, "image": name}, {"name": "b"}]);
    let template = serde_json::json!({"spec": {"containers": containers}});
    let fields = SetFields::new(&report.set, &template);
    Planned {
        report,
        stages: vec![fields],
    }
}

#[test]
fn no_size_and_no_name_is_too_much() {
    let name = "\u{1b}]0;x\u{7}\u{202e}web\n\u{9b}2J";
    for size in small_sizes().chain(SIZES) {
        let mut screen = WhatIfScreen::new(hostile_plan(name), "kubectl sts-plan", true);
        for line in ["", ">>", "r+++++", "v-", "nvvvvvvf", "ix"] {
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
    let mut items = items("rollout");
    of_kind(&mut items, "StatefulSet")["spec"]["replicas"] = 500.into();
    let plan = Plan::new(snapshot_of(items), conditions());
    let report = observed(&plan);
    let stages = vec![SetFields::new(&report.set, &plan.snapshot.set.template)];
    let mut screen = WhatIfScreen::new(Planned { report, stages }, "kubectl sts-plan web", false);
    let text = drawn((80, 24), |frame| screen.draw(frame));
    assert!(text.contains("more rows: PgUp, PgDn)"), "{text}");
    screen.key(Key::PageDown);
    let next = drawn((80, 24), |frame| screen.draw(frame));
    assert_ne!(text, next);
    assert!(next.contains("\nEvent 0 of "), "{next}");
    // The selected pod stays visible, in its own row.
    for _ in 0..100 {
        screen.key(Key::Down);
    }
    let chosen = drawn((80, 24), |frame| screen.draw(frame));
    assert!(chosen.contains("\nweb-403 "), "{chosen}");
}
