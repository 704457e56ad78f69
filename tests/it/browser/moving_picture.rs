//! The moving picture of the README: three frames of ten seconds, and one at rest for readers who prefer no motion.

use serde_json::json;

use super::Browser;

const PICTURE: &str = include_str!("../../../docs/lanes.svg");

/// The frames that are to be seen, as the browser has them.
const SHOWN: &str = "[...document.querySelectorAll('.frame')].map((frame) => Math.round(getComputedStyle(frame).opacity)).join('')";

#[test]
fn frames_take_turns_and_rest_without_motion() {
    let Some(browser) = Browser::start("moving_picture") else {
        return;
    };
    browser.open("lanes.svg", PICTURE);
    for (seconds, shown) in [
        (0, "100"),
        (2, "100"),
        (5, "010"),
        (8, "001"),
        (12, "100"),
        (18, "001"),
    ] {
        let turned = format!(
            "document.getAnimations().map((one) => {{ one.pause(); one.currentTime = {seconds} * 1000; }}).length"
        );
        assert_eq!(browser.eval(&turned), 3);
        assert_eq!(browser.eval(SHOWN), shown, "after {seconds} s");
    }
    for scheme in ["light", "dark"] {
        browser.devtools(
            "Emulation.setEmulatedMedia",
            json!({"features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]}),
        );
        browser.wait("document.getAnimations().length === 0");
        assert_eq!(browser.eval(SHOWN), "001", "{scheme}");
        browser.screenshot(&format!("lanes-at-rest-{scheme}"));
    }
    browser.assert_quiet("lanes");
}
