//! The screen of `-w` with several sets.

use jiff::SignedDuration;
use kubectl_sts_plan::internals::KeyScreen;
use kubectl_sts_plan::internals::{AllSetsScreen, Key, WatchReply};
use sts_plan::plan::Plan;
use sts_plan::report::Report;

use super::{SIZES, check, drawn, keys, small_sizes};
use crate::fixtures::{items, observed, snapshot_of};
use crate::render::{conditions, hostile};

/// Returns the plan of a fixture under another name.
fn planned(fixture: &str, namespace: &str, name: &str) -> Report {
    let mut report = observed(&Plan::new(snapshot_of(items(fixture)), conditions()));
    namespace.clone_into(&mut report.metadata.namespace);
    name.clone_into(&mut report.metadata.name);
    report
}

/// A screen with a rollout, one that waits for the user, a stuck one, and a set with nothing to do.
fn screen() -> AllSetsScreen {
    let mut screen = AllSetsScreen::new(false);
    let now = conditions().now;
    for (fixture, namespace, name) in [
        ("rollout", "prod", "web"),
        ("on-delete", "mail", "web"),
        ("crashloop", "shop", "web"),
        ("partition", "stage", "web"),
    ] {
        screen.update(planned(fixture, namespace, name), None, now);
    }
    let mut idle = planned("rollout", "idle", "web");
    idle.analysis.verdict = sts_plan::analysis::Verdict::NothingToDo;
    idle.state = sts_plan::report::SetState::UpToDate;
    screen.update(idle, None, now);
    screen
}

fn text(screen: &mut AllSetsScreen, size: (u16, u16), seconds: i64) -> String {
    let now = conditions().now + SignedDuration::from_secs(seconds);
    drawn(size, |frame| screen.draw(frame, now))
}

#[test]
fn the_stuck_sets_stand_on_top_with_their_causes() {
    for size in SIZES {
        let mut screen = screen();
        let shown = text(&mut screen, size, 5);
        check("all-sets", size, &shown);
        let at = |name: &str| {
            shown
                .find(name)
                .unwrap_or_else(|| panic!("{name}: {shown}"))
        };
        assert!(at("shop/web") < at("prod/web"), "{shown}");
        assert!(at("web-2 crash-loops") < at("prod/web"), "{shown}");
        assert!(!shown.contains("idle/web"), "{shown}");
        screen.key(Key::Char('a'));
        let all = text(&mut screen, size, 5);
        assert!(all.contains("idle/web"), "{all}");
    }
}

#[test]
fn a_filter_shows_the_sets_with_its_text_until_escape() {
    let size = (80, 24);
    let mut screen = screen();
    for key in "/idl".chars() {
        assert_eq!(screen.key(Key::Char(key)), WatchReply::Draw);
    }
    let found = text(&mut screen, size, 5);
    assert!(
        found.starts_with("/idl  ") && found.contains("idle/web"),
        "{found}"
    );
    assert!(!found.contains("shop/web"), "{found}");
    screen.key(Key::Enter);
    assert_eq!(screen.key(Key::Escape), WatchReply::Draw);
    let all = text(&mut screen, size, 5);
    assert!(all.contains("shop/web") && !all.contains("/idl"), "{all}");
}

#[test]
fn enter_opens_a_set_and_escape_goes_back() {
    let size = (80, 24);
    let mut screen = screen();
    let list = text(&mut screen, size, 5);
    assert_eq!(screen.key(Key::Enter), WatchReply::Draw);
    let first = text(&mut screen, size, 5);
    assert!(first.starts_with("shop/web"), "{first}");
    assert!(first.contains("Do:   kubectl delete pod web-2"), "{first}");
    // The page of keys is closed first.
    screen.key(Key::Char('?'));
    screen.key(Key::Escape);
    assert_eq!(text(&mut screen, size, 5), first);
    assert_eq!(screen.key(Key::Escape), WatchReply::Draw);
    assert_eq!(text(&mut screen, size, 5), list);
    for key in keys("vvvvvvv^") {
        screen.key(key);
    }
    screen.key(Key::Enter);
    let other = text(&mut screen, size, 5);
    assert!(!other.starts_with("shop/web"), "{other}");
    assert_eq!(screen.key(Key::Char('q')), WatchReply::Quit);
}

#[test]
fn j_and_k_move_as_the_arrows_do() {
    let size = (80, 24);
    let drawn_after = |line: &str| {
        let mut screen = screen();
        for key in keys(line) {
            assert_eq!(screen.key(key), WatchReply::Draw);
        }
        text(&mut screen, size, 5)
    };
    let selected = drawn_after("jj");
    assert_eq!(selected, drawn_after("vv"));
    assert_ne!(selected, drawn_after("j"));
    assert_eq!(drawn_after("jjk"), drawn_after("v"));
    // In a filter they are letters.
    let typed = drawn_after("/jk");
    assert!(typed.starts_with("/jk  "), "{typed}");
}

#[test]
fn a_question_mark_shows_the_keys() {
    let mut screen = screen();
    screen.key(Key::Char('?'));
    let shown = text(&mut screen, (80, 24), 5);
    for row in KeyScreen::AllSets.keys() {
        assert!(shown.contains(row.does), "{}: {shown}", row.key);
    }
    screen.key(Key::Escape);
    assert_eq!(screen.key(Key::Escape), WatchReply::Quit);
}

#[test]
fn a_set_that_is_gone_leaves_the_screen() {
    let mut screen = screen();
    screen.key(Key::Enter);
    screen.remove(&("shop".to_owned(), "web".to_owned()));
    let shown = text(&mut screen, (80, 24), 5);
    assert!(
        shown.contains("StatefulSet shop/web was deleted"),
        "{shown}"
    );
    assert!(shown.starts_with("4 sets: "), "{shown}");
    let reports = screen.into_reports();
    assert_eq!(reports.len(), 4);
}

/// The selected set is always visible, and hidden sets are counted.
#[test]
fn many_sets_are_scrolled() {
    let mut screen = AllSetsScreen::new(false);
    for number in 0..40 {
        let report = planned("rollout", "prod", &format!("web{number:02}"));
        screen.update(report, None, conditions().now);
    }
    let shown = text(&mut screen, (80, 24), 0);
    assert!(shown.contains("> prod/web00"), "{shown}");
    assert!(shown.contains("more sets: ↑↓)"), "{shown}");
    screen.key(Key::End);
    let shown = text(&mut screen, (80, 24), 0);
    assert!(shown.contains("> prod/web39"), "{shown}");
    assert!(!shown.contains("prod/web00"), "{shown}");
}

#[test]
fn no_size_and_no_name_is_too_much() {
    let name = "\u{1b}]0;x\u{7}\u{202e}web\n\u{9b}2J";
    let now = conditions().now;
    for size in small_sizes().chain(SIZES) {
        let mut screen = AllSetsScreen::new(true);
        drawn(size, |frame| screen.draw(frame, now));
        screen.update(hostile(name), None, now);
        screen.note(name);
        for key in [
            Key::Char('a'),
            Key::Char('?'),
            Key::PageDown,
            Key::Escape,
            Key::Enter,
        ] {
            let text = drawn(size, |frame| screen.draw(frame, now));
            let steers = text.chars().find(|it| it.is_control() && *it != '\n');
            assert_eq!(steers, None, "{size:?}");
            assert!(!text.contains('\u{202e}'));
            screen.key(key);
        }
    }
}
