//! The layout of a report at many widths: its text is large enough, and what it shows is in sight.

use kubectl_sts_plan::internals::Format;
use serde_json::json;

use super::{Browser, html};
use crate::fixtures::snapshot;
use crate::program::run;
use crate::svg::with_looks;
use crate::verified;

/// Widths of telephones, tablets and screens.
const WIDTHS: [u64; 8] = [360, 650, 720, 800, 890, 1000, 1280, 1600];

impl Browser {
    /// Sets the width of the page.
    fn widen(&self, width: u64) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 800}),
        );
    }
}

/// The size of the smallest text of all charts in pixels of the screen.
const SMALLEST: &str = "Math.min(...[...document.querySelectorAll('svg.sts text')].map(\
    (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))";

#[test]
fn the_text_of_charts_is_readable_at_every_width() {
    let Some(browser) = Browser::start("chart-text") else {
        return;
    };
    let verification = verified::written(Format::Html, &[verified::diverged()]);
    let pages = [html(&[with_looks(snapshot("rollout"))]), verification];
    for (name, page) in ["report", "verification"].iter().zip(&pages) {
        browser.open("chart-text.html", page);
        for width in WIDTHS {
            browser.widen(width);
            let size = browser.eval(SMALLEST).as_f64().unwrap();
            assert!((11.0..18.0).contains(&size), "{name}: {size} px at {width}");
        }
    }
}

#[test]
fn every_column_of_operations_is_in_sight() {
    let Some(browser) = Browser::start("columns") else {
        return;
    };
    let beyond = "[...document.querySelectorAll('table.happens')].map((table) => table.closest('.scroll')).filter(\
        (box) => box.scrollWidth > box.clientWidth).length";
    let last = "[...document.querySelectorAll('.happens th')].at(-1).textContent";
    for name in ["rollout", "partition", "parallel", "scale-down"] {
        browser.open("columns.html", &html(&[with_looks(snapshot(name))]));
        assert_eq!(browser.eval(last), "Claims", "{name}");
        for width in WIDTHS {
            browser.widen(width);
            assert_eq!(browser.eval(beyond), 0, "{name} at {width}");
        }
    }
    browser.assert_quiet("columns");
}

/// A page of several stages, whose commands stand below words.
#[test]
fn copy_buttons_are_inside_the_box_of_their_commands() {
    let Some(browser) = Browser::start("copy") else {
        return;
    };
    let rollout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let stages = ["--partition", "2", "--then", "--partition", "0"];
    let (code, page, said) = run(&[&["-f", rollout, "-o", "html"], &stages[..]].concat());
    assert_eq!(code, 0, "{said}");
    browser.open("copy.html", &page);
    let outside = "[...document.querySelectorAll('.copy')].filter((button) => {\
        const [own, box] = [button, button.nextElementSibling].map((one) => one.getBoundingClientRect());\
        return own.top < box.top || own.bottom > box.bottom || own.left < box.left || own.right > box.right;\
        }).length";
    let all = "document.querySelectorAll('.runbook .copy').length > 3";
    assert_eq!(browser.eval(all), true);
    for width in WIDTHS {
        browser.widen(width);
        assert_eq!(browser.eval(outside), 0, "{width}");
    }
    browser.screenshot("copy-1600");
    browser.assert_quiet("copy");
}

#[test]
fn names_of_sets_are_not_broken() {
    let Some(browser) = Browser::start("names") else {
        return;
    };
    let (code, page, said) = run(&["demo", "many", "-o", "html"]);
    assert_eq!(code, 0, "{said}");
    browser.open("names.html", &page);
    let broken = "[...document.querySelectorAll('.overview tbody th')].filter((cell) => {\
        const range = document.createRange();\
        range.selectNodeContents(cell.firstElementChild);\
        return new Set([...range.getClientRects()].map((one) => one.top)).size > 1;\
        }).map((cell) => cell.textContent)";
    for width in WIDTHS {
        browser.widen(width);
        assert_eq!(browser.eval(broken), json!([]), "{width}");
    }
    browser.widen(800);
    browser.screenshot("names-800");
    browser.assert_quiet("names");
}

#[test]
fn the_chart_and_the_states_list_pods_in_one_order() {
    let Some(browser) = Browser::start("order") else {
        return;
    };
    let pods = |selector: &str| {
        browser.eval(&format!(
            "[...document.querySelectorAll('{selector}')].map((row) => row.dataset.pod)"
        ))
    };
    for (name, first) in [
        ("rollout", "pod/web-2"),
        ("scale-down", "pod/web-4"),
        ("crashloop", "pod/web-0"),
    ] {
        browser.open("order.html", &html(&[with_looks(snapshot(name))]));
        let drawn = pods("g.row[data-pod]");
        assert_eq!(drawn[0], first, "{name}");
        assert_eq!(drawn, pods(".states tr[data-pod]"), "{name}");
    }
}
