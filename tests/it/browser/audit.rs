//! The rules that tools for accessibility check, on the pages as the browser shows them: names, roles, headings, contrast,
//! sizes and the keyboard, in light and dark, from a telephone to a large screen.

use serde_json::{Value, json};

use super::{Browser, TAB, html};
use crate::fixtures::snapshot;
use crate::svg::with_looks;

const AUDIT: &str = include_str!("audit.js");

impl Browser {
    /// Looks at what is shown in light and dark, at three widths.
    pub(super) fn audit(&self, name: &str) {
        for scheme in ["light", "dark"] {
            self.devtools(
                "Emulation.setEmulatedMedia",
                json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
            );
            for width in [360, 800, 1600] {
                self.devtools(
                    "Emulation.setDeviceMetricsOverride",
                    json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 800}),
                );
                let wide = self.eval("document.documentElement.scrollWidth");
                let fits = wide.as_u64().is_some_and(|it| it <= width);
                assert!(fits, "{name}: {wide} of {width}");
                let faults = self.eval(AUDIT.trim());
                let faults = serde_json::to_string_pretty(&faults).unwrap();
                assert_eq!(faults, "[]", "{name}, {scheme}, {width} wide");
                self.screenshot(&format!("{name}-{scheme}-{width}"));
            }
        }
        self.devtools("Emulation.clearDeviceMetricsOverride", json!({}));
    }

    /// Goes through the page by keys: each control that is shown takes the focus, in the order of the page, and shows it.
    pub(super) fn audit_keys(&self, name: &str) {
        /// Number of controls that are looked at.
        const MOST: u64 = 60;
        let controls = self.eval(
            "[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(\
             (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true})).length",
        );
        let controls = controls.as_u64().unwrap().min(MOST);
        // From the beginning, wherever the focus was before.
        self.eval(
            "(document.body.tabIndex = -1, document.body.focus(), \
             document.body.removeAttribute('tabindex'), 1)",
        );
        let place = "((one) => { const style = getComputedStyle(one); return [\
            [...document.querySelectorAll('*')].indexOf(one), \
            style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1, \
            one.outerHTML.slice(0, 160)]; })(document.activeElement)";
        let mut before = -1;
        for _ in 0..controls {
            self.press(TAB);
            let Value::Array(found) = self.eval(place) else {
                panic!("{name}: no list");
            };
            let at = found[0].as_i64().unwrap();
            assert!(at > before, "{name}: out of order: {}", found[2]);
            assert_eq!(found[1], true, "{name}: no focus is seen: {}", found[2]);
            before = at;
        }
        assert!(controls >= 2, "{name}: {controls} controls");
    }
}

#[test]
fn the_report_is_for_everyone() {
    let Some(browser) = Browser::start("audit") else {
        return;
    };
    for name in ["rollout", "crashloop", "on-delete"] {
        browser.open("audit.html", &html(&[with_looks(snapshot(name))]));
        browser.audit(&format!("report-{name}"));
        browser.audit_keys(name);
    }
    let sets = ["rollout", "crashloop"].map(|name| with_looks(snapshot(name)));
    browser.open("audit.html", &html(&sets));
    browser.audit("report-many");
    browser.assert_quiet("audit");
}

/// Faults of every rule, on a page that has them all.
#[test]
fn the_audit_finds_faults() {
    let Some(browser) = Browser::start("faults") else {
        return;
    };
    let page = "<!DOCTYPE html><html lang=en><title>faults</title><main><h1>Faults</h1><h3>left out</h3>\
        <p style='color: #999; background: #fff'>faint</p><input><button style='padding: 0; font-size: 8px'>x</button>\
        <div role=knob tabindex=3>knob</div><p id=twice></p><p id=twice aria-labelledby=nobody></p>\
        <svg><rect width=5 height=5></rect></svg><table><tr><td>1</td></tr></table>\
        <pre style='overflow: auto; width: 20px'>a long line of text</pre></main></html>";
    browser.open("faults.html", page);
    let faults = browser.eval(AUDIT.trim());
    let faults: Vec<&str> = faults
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    for rule in [
        "no level between h1 and h3 is left out",
        "contrast of 2.85",
        "what takes the focus has a name: <input>",
        "large enough for a finger",
        "a role is known",
        "the order of the keyboard is that of the page",
        "an id is one of its kind",
        "aria-labelledby names what is there",
        "a picture has a name",
        "a table has headings",
        "a table has a name",
        "the keyboard reaches what scrolls",
    ] {
        assert!(
            faults.iter().any(|fault| fault.starts_with(rule)),
            "{rule}: {faults:#?}"
        );
    }
}
