//! The page and the picture in a real browser: headless Chromium by chromedriver, as Debian packages them
//! (`apt-get install chromium chromium-driver`). Without them the tests report NOT RUN.

mod audit;
mod layout;
mod moving_picture;
mod playground;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::{Value, json};
use sts_plan::report::Report;

use crate::fixtures::snapshot;
use crate::needs::did_not_run;
use crate::render::{HOSTILE, failing_for_ever, hostile, long_named, text};
use crate::svg::{many, with_looks};
use crate::verified;

/// A controlled browser.
struct Browser {
    driver: Child,
    agent: ureq::Agent,
    session: String,
    profile: PathBuf,
}

/// Starts chromedriver; `None` if it ends at once. It chooses a port that is free for IPv4, and ends if another test has it
/// for IPv6.
fn driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines.map_while(Result::ok).find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse::<u16>().ok()
    });
    if port.is_none() {
        let _ = driver.wait();
    }
    Some((driver, port?))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser")
}

impl Browser {
    /// Starts a browser with an empty profile; `None` without chromedriver or Chromium.
    fn start(name: &str) -> Option<Browser> {
        let binary = Path::new("/usr/bin/chromium");
        if !binary.exists()
            || Command::new("chromedriver")
                .arg("--version")
                .output()
                .is_err()
        {
            let why = format!("{name} needs the packages chromium and chromium-driver");
            did_not_run("browser", &why);
            return None;
        }
        let mut attempts = (0..5).filter_map(|_| driver());
        let (driver, port) = attempts.next().expect("chromedriver tells its port");
        let profile = folder().join(format!("profile-{name}"));
        let _ = fs::remove_dir_all(&profile);
        fs::create_dir_all(&profile).unwrap();
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        let mut browser = Browser {
            driver,
            agent: agent.into(),
            session: format!("http://127.0.0.1:{port}/session"),
            profile: profile.clone(),
        };
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1100,1400",
        ];
        let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        args.push(format!("--user-data-dir={}", profile.display()));
        let made = browser.post(
            "",
            &json!({"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "unhandledPromptBehavior": "ignore",
                "goog:chromeOptions": {"binary": binary, "args": args},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        let id = made["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("{made}"));
        browser.session = format!("{}/{id}", browser.session);
        Some(browser)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.session);
        let mut answer = self.agent.post(url).send_json(body).unwrap();
        let mut value: Value = answer.body_mut().read_json().unwrap();
        value["value"].take()
    }

    fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.session);
        let mut answer = self.agent.get(url).call().unwrap();
        let mut value: Value = answer.body_mut().read_json().unwrap();
        value["value"].take()
    }

    fn devtools(&self, command: &str, parameters: Value) {
        let answer = self.post(
            "/goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        );
        assert!(answer.get("error").is_none(), "{answer}");
    }

    /// Writes a file and opens it.
    fn open(&self, name: &str, content: &str) {
        let path = folder().join(name);
        fs::write(&path, content).unwrap();
        let answer = self.post(
            "/url",
            &json!({"url": format!("file://{}", path.display())}),
        );
        assert!(answer.is_null(), "{answer}");
    }

    /// Returns the value of an expression.
    fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        let value = self.post("/execute/sync", &json!({"script": script, "args": []}));
        assert!(value.get("error").is_none(), "{expression}: {value}");
        value
    }

    /// Waits until an expression holds.
    fn wait(&self, expression: &str) {
        for _ in 0..100 {
            if self.eval(expression) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never: {expression}");
    }

    fn text_of(&self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector('{selector}').textContent"));
        text.as_str().unwrap().to_owned()
    }

    /// Sends a key to the focused element.
    fn press(&self, key: char) {
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
        ]}]});
        let answer = self.post("/actions", &actions);
        assert!(answer.is_null(), "{answer}");
    }

    /// Fails if the browser logged an error, or if the page opened a dialog.
    fn assert_quiet(&self, name: &str) {
        let alert = self.get("/alert/text");
        assert_eq!(alert["error"], "no such alert", "{name}");
        let log = self.post("/se/log", &json!({"type": "browser"}));
        assert_eq!(log, json!([]), "{name}");
    }

    /// Saves a screenshot for manual review.
    fn screenshot(&self, name: &str) {
        let data = self.get("/screenshot");
        let png = base64(data.as_str().unwrap());
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{name}");
        fs::write(folder().join(format!("{name}.png")), png).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

fn base64(text: &str) -> Vec<u8> {
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::new());
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

fn html(reports: &[Report]) -> String {
    text(Format::Html, reports, &Style::default())
}

/// A set in each of several namespaces.
fn looked_at_fleet() -> Vec<Report> {
    let names = ["rollout", "crashloop", "on-delete", "parallel"];
    let report = |name: &&str| {
        let mut report = with_looks(snapshot(name));
        (*name).clone_into(&mut report.metadata.namespace);
        report
    };
    names.iter().map(report).collect()
}

const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';
const TAB: char = '\u{e004}';
const HOME: char = '\u{e011}';
const END: char = '\u{e010}';

#[test]
fn the_page_goes_through_the_steps() {
    let Some(browser) = Browser::start("steps") else {
        return;
    };
    let report = with_looks(snapshot("rollout"));
    let page = html(&[report]);
    browser.open("rollout.html", &page);
    let steps = browser.eval("document.querySelector('input[type=range]').max");
    let steps = steps.as_str().unwrap().to_owned();
    let then = |row: usize| {
        let cells = "document.querySelectorAll('td.then')";
        let text = browser.eval(&format!("{cells}[{row}].textContent"));
        text.as_str().unwrap().to_owned()
    };
    let told = || browser.text_of(".told");
    assert_eq!(told(), format!("Event 0 of {steps}, now"));
    assert_eq!(then(0), "ready · 8495f84c76");
    browser.screenshot("rollout-now");

    // The keys work unless the focused element uses them.
    browser.press(RIGHT);
    assert!(told().starts_with("Event 1 of"), "{}", told());
    assert_eq!(then(0), "terminating · 8495f84c76");
    assert_eq!(
        browser.text_of(".waits"),
        "WaitingForPodTermination: waiting for web-2 to terminate"
    );
    browser.press(RIGHT);
    assert_eq!(
        told(),
        format!("Event 2 of {steps}, at 5s: kubelet: web-2 is gone")
    );
    assert_eq!(then(0), "absent");
    browser.press(LEFT);
    assert_eq!(then(0), "terminating · 8495f84c76");
    browser.press(END);
    assert!(
        told().starts_with(&format!("Event {steps} of {steps}")),
        "{}",
        told()
    );
    assert_eq!(then(2), "ready · 5bd58868ff");
    let at_end = browser.eval(
        "[...document.querySelectorAll('td.then')].every(\
        (cell) => cell.textContent === cell.nextElementSibling.textContent)",
    );
    assert_eq!(at_end, true);
    browser.press(HOME);
    let at_start = browser.eval(
        "[...document.querySelectorAll('td.then')].every(\
        (cell) => cell.textContent === cell.previousElementSibling.textContent)",
    );
    assert_eq!(at_start, true);

    // The slider with its own keys, a button, a row.
    browser.eval("document.querySelector('input[type=range]').focus()");
    browser.press(RIGHT);
    browser.press(RIGHT);
    browser.press(RIGHT);
    assert!(told().starts_with("Event 3 of"), "{}", told());
    assert_eq!(then(0), "not ready · 5bd58868ff");
    browser.eval("document.querySelector('button[data-go=on]').click()");
    assert!(told().starts_with("Event 4 of"), "{}", told());
    browser.eval("document.querySelector('tr[data-step=\"7\"]').click()");
    assert!(told().starts_with("Event 7 of"), "{}", told());
    let moved =
        browser.eval("Number(document.querySelector('line.cursor').getAttribute('x1')) > 150");
    assert_eq!(moved, true);
    browser.screenshot("rollout-step");

    // With keys only, in the order of the page; each element has a name.
    browser.open("rollout.html", &page);
    let name = "((one) => one.getAttribute('aria-label') || one.textContent.slice(0, 20))(\
        document.activeElement)";
    let order: Vec<Value> = (0..9)
        .map(|_| {
            browser.press(TAB);
            browser.eval(name)
        })
        .collect();
    assert_eq!(
        order,
        [
            "Timeline: prod/web",
            "Start",
            "Back",
            "Next",
            "End",
            "Play",
            "Events a second",
            "Event",
            "Operations: prod/web"
        ]
    );
    let slider = "document.querySelector('input[type=range]')";
    let value_text = browser.eval(&format!("{slider}.getAttribute('aria-valuetext')"));
    assert_eq!(value_text, told());

    // In print there are no controls and no scroll areas.
    browser.devtools("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let shown = "[...document.querySelectorAll('.controls, .now, .then, .cursor')].filter(\
        (one) => one.checkVisibility()).length";
    assert_eq!(browser.eval(shown), 0);
    let scrolling = "[...document.querySelectorAll('.scroll')].filter(\
        (one) => getComputedStyle(one).overflow !== 'visible').length";
    assert_eq!(browser.eval(scrolling), 0);
    let swatch = "getComputedStyle(document.querySelector('.swatch')).printColorAdjust";
    assert_eq!(browser.eval(swatch), "exact");
    browser.screenshot("rollout-print");
    browser.assert_quiet("rollout");
}

/// The history of a pod by its name, its row and its lane; playing; a link to a step; a copy button.
#[test]
fn the_page_tells_of_one_pod_and_plays() {
    let Some(browser) = Browser::start("pod") else {
        return;
    };
    browser.open("pod.html", &html(&[with_looks(snapshot("crashloop"))]));
    let copy = "document.querySelector('button.copy')";
    assert_eq!(browser.eval(&format!("{copy}.textContent")), "Copy");
    browser.eval(&format!("({copy}.click(), 1)"));

    browser.open("pod.html", &html(&[with_looks(snapshot("rollout"))]));
    let panel = || browser.text_of(".pod-story");
    let is_open = || browser.eval("document.querySelector('.pod-story').checkVisibility()");
    assert_eq!(is_open(), false);
    browser.eval("([...document.querySelectorAll('.states button.name')].at(-1).click(), 1)");
    assert_eq!(is_open(), true);
    assert!(panel().starts_with("web-0Close"), "{}", panel());
    assert!(panel().contains("now: ready"), "{}", panel());
    browser.screenshot("pod-story");
    // Each state links to its event.
    browser.eval("([...document.querySelectorAll('.pod-story li button')].at(-1).click(), 1)");
    assert!(!browser.text_of(".told").starts_with("Event 0"));
    let hash = browser.eval("location.hash");
    assert!(hash.as_str().unwrap().starts_with("#event="), "{hash}");
    // A lane of the picture, in the order of the rollout.
    let lanes =
        browser.eval("[...document.querySelectorAll('g.row')].map((row) => row.dataset.pod)");
    assert_eq!(lanes, json!(["pod/web-2", "pod/web-1", "pod/web-0"]));
    browser.eval("(document.querySelector('g.row').dispatchEvent(new MouseEvent('click')), 1)");
    assert!(panel().starts_with("web-2Close"), "{}", panel());
    browser.eval("(document.querySelector('.pod-story > button').click(), 1)");
    assert_eq!(is_open(), false);

    // A link, also one of an older page, opens its event, and playing runs to the end.
    browser.eval("(location.hash = '#step=3', 1)");
    browser.wait("document.querySelector('.told').textContent.startsWith('Event 3 ')");
    browser.eval("(document.querySelector('select').value = '20', 1)");
    browser.press(' ');
    browser.wait("document.querySelector('input[type=range]').value === document.querySelector('input[type=range]').max");
    browser.wait("document.querySelector('[data-go=play]').textContent === 'Play'");
    // Operations have their own numbers, and link to their events.
    let numbers = browser.eval(
        "[...document.querySelectorAll('.happens tr[data-step]')].every((row) => \
         /^[0-9]+$/.test(row.firstElementChild.textContent) && \
         document.querySelector(`.steps tr[data-step=\"${row.dataset.step}\"]`))",
    );
    assert_eq!(numbers, true);
    browser.assert_quiet("pod");

    // In print it is one page.
    let pdf = browser.post("/print", &json!({}));
    let pdf = base64(pdf.as_str().unwrap());
    let text = String::from_utf8_lossy(&pdf);
    let pages = text.matches("/Type /Page\n").count() + text.matches("/Type /Page ").count();
    assert_eq!(pages, 1, "pages on paper");
}

/// Many sets: search, filter, and sections that are built on demand.
#[test]
fn a_page_of_many_sets_is_searched() {
    let Some(browser) = Browser::start("many") else {
        return;
    };
    let mut reports = Vec::new();
    for at in 0..60 {
        let name = ["rollout", "crashloop", "on-delete"][at % 3];
        let mut report = with_looks(snapshot(name));
        report.metadata.namespace = format!("team-{at:02}");
        reports.push(report);
    }
    browser.open("many.html", &html(&reports));
    let shown = || {
        browser.eval(
            "[...document.querySelectorAll('.overview tbody tr')].filter((row) => !row.hidden).length",
        )
    };
    assert_eq!(shown(), 60);
    browser.screenshot("many");
    let search = |text: &str| {
        browser.eval(&format!(
            "(((input) => {{ input.value = '{text}'; input.dispatchEvent(new Event('input')); }})\
             (document.querySelector('input[type=search]')), 1)"
        ));
    };
    search("crash-loops team-1");
    assert_eq!(shown(), 4);
    assert_eq!(browser.text_of(".matches"), "4 of 60 sets.");
    search("");
    browser.eval("(document.querySelector('.filter [data-state=stuck]').click(), 1)");
    assert_eq!(shown(), 20);
    browser.eval("(document.querySelector('.filter [data-state=progressing]').click(), 1)");
    assert_eq!(shown(), 40);
    assert_eq!(
        browser.eval("document.querySelectorAll('section.plan').length"),
        25
    );
    browser.eval("(location.hash = '#set-30&step=1', 1)");
    browser.wait("document.querySelector('#set-30.live') !== null");
    browser.wait("document.querySelector('#set-30 .told').textContent.startsWith('Event 1 ')");
    assert_eq!(
        browser.eval("document.querySelectorAll('section.plan').length"),
        26
    );
    // Another section of the same block.
    browser.eval("(location.hash = '#set-59', 1)");
    browser.wait("document.querySelector('#set-59') !== null");
    browser.screenshot("many-built");
    browser.assert_quiet("many");
}

#[test]
fn the_page_can_be_read_without_its_script() {
    let Some(browser) = Browser::start("static") else {
        return;
    };
    browser.devtools(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    );
    browser.open("static.html", &html(&[with_looks(snapshot("parallel"))]));
    let shown = |selector: &str| {
        browser.eval(&format!(
            "[...document.querySelectorAll('{selector}')].filter(\
             (one) => one.checkVisibility()).length"
        ))
    };
    assert_eq!(shown(".controls"), 0);
    assert_eq!(shown(".then"), 0);
    assert_eq!(shown(".live"), 0);
    assert_eq!(shown("svg.sts"), 1);
    let text = browser.eval("document.body.innerText");
    let text = text.as_str().unwrap();
    for part in [
        "Completes after 2m13s",
        "Operations",
        "At the end",
        "available · 5bd58868ff",
        "registry.example.com/shop/web:1.5.0",
        "deleted pods are gone after 5s",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    browser.screenshot("static");
    browser.assert_quiet("static");
}

/// Cells of stacked tables that reach beyond a narrow screen.
const BESIDE_THE_SCREEN: &str = "[...document.querySelectorAll('.stacked :is(th, td)')]\
    .filter((cell) => !cell.closest('thead') && cell.getBoundingClientRect().right > 360)\
    .map((cell) => cell.textContent)";

#[test]
fn pages_and_pictures_of_all_kinds_load() {
    let Some(browser) = Browser::start("kinds") else {
        return;
    };
    let media = |scheme: &str| {
        browser.devtools(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    };
    let mut reports: Vec<(&str, Vec<Report>)> = vec![
        ("crashloop", vec![with_looks(snapshot("crashloop"))]),
        ("parallel", vec![with_looks(snapshot("parallel"))]),
        ("scale-down", vec![with_looks(snapshot("scale-down"))]),
        ("livelock", vec![failing_for_ever()]),
        ("forty", vec![with_looks(many(40, false))]),
        ("crowd", vec![with_looks(many(300, false))]),
        ("long-names", vec![with_looks(long_named())]),
        ("ten-thousand", vec![with_looks(many(10_000, true))]),
        ("fleet", looked_at_fleet()),
        ("none", Vec::new()),
    ];
    for (name, reports) in &mut reports {
        let page = html(reports);
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        for scheme in ["light", "dark"] {
            media(scheme);
            browser.open(&format!("{name}.html"), &page);
            browser.screenshot(&format!("{name}-{scheme}"));
            let paper = browser.eval("getComputedStyle(document.body).backgroundColor");
            let expected = match scheme {
                "light" => "rgb(246, 247, 249)",
                _ => "rgb(12, 15, 19)",
            };
            assert_eq!(paper, expected, "{name}");
            browser.assert_quiet(name);
            browser.open(
                &format!("{name}.svg"),
                &text(Format::Svg, reports, &Style::default()),
            );
            browser.screenshot(&format!("{name}-svg-{scheme}"));
            let paper = browser.eval("getComputedStyle(document.querySelector('rect.paper')).fill");
            let expected = match scheme {
                "light" => "rgb(255, 255, 255)",
                _ => "rgb(18, 22, 28)",
            };
            assert_eq!(paper, expected, "{name}");
            browser.assert_quiet(name);
        }
        media("light");
        // A phone: the page is as wide as the screen, and wider parts scroll within it.
        browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": true}),
        );
        browser.open(&format!("{name}.html"), &page);
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert_eq!(wide, 360, "{name}");
        assert_eq!(browser.eval(BESIDE_THE_SCREEN), json!([]), "{name}");
        let loading = "performance.getEntriesByType('navigation')[0].duration";
        let loading = browser.eval(loading).as_f64().unwrap();
        assert!(loading < 10_000.0, "{name} takes {loading} ms to load");
        browser.screenshot(&format!("{name}-narrow"));
        browser.devtools("Emulation.clearDeviceMetricsOverride", json!({}));
    }
}

/// Pages of verified plans load in light and dark mode, on a phone and on a large screen, without ignored CSS rules.
#[test]
fn pages_of_verified_plans_load() {
    let Some(browser) = Browser::start("verified") else {
        return;
    };
    let several = [verified::diverged(), verified::after("rollout", 30, None)];
    for (name, found) in [("one", &several[..1]), ("several", &several[..])] {
        let page = verified::written(Format::Html, found);
        for scheme in ["light", "dark"] {
            browser.devtools(
                "Emulation.setEmulatedMedia",
                json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
            );
            for width in [360, 800, 1600] {
                browser.devtools(
                    "Emulation.setDeviceMetricsOverride",
                    json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 800}),
                );
                browser.open(&format!("verified-{name}.html"), &page);
                let fits = "document.documentElement.scrollWidth <= innerWidth";
                assert_eq!(browser.eval(fits), true, "{name}: {width}");
                if width == 360 {
                    assert_eq!(browser.eval(BESIDE_THE_SCREEN), json!([]), "{name}");
                }
                browser.screenshot(&format!("verified-{name}-{scheme}-{width}"));
            }
            browser.assert_quiet(name);
        }
        assert_eq!(browser.text_of(".verdict"), "Diverged");
        assert!(browser.text_of(".plan h1").starts_with("Diverged after "));
        assert_eq!(browser.eval("document.querySelectorAll('.off').length"), 1);
    }
    browser.open("verified.svg", &verified::written(Format::Svg, &several));
    browser.screenshot("verified-svg");
    browser.assert_quiet("verified svg");
}

#[test]
fn nothing_of_a_cluster_is_executed() {
    let Some(browser) = Browser::start("hostile") else {
        return;
    };
    for foreign in [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "</title></style></svg></script>]]><!--<svg onload=alert(1)>",
        "\" onmouseover=\"alert(1)\" autofocus onfocus=\"alert(1)\" x=\"",
        "javascript:alert(1)//${alert(1)}`'\\u003cscript>",
        "\u{2028}\u{2029}\u{202e}</script>\u{0}",
        HOSTILE,
    ] {
        let mut report = hostile(foreign);
        report.sync_findings = with_looks(snapshot("crashloop")).sync_findings;
        for look in &mut report.sync_findings {
            for hold in &mut look.holds {
                hold.pod = Some(foreign.to_owned());
                hold.message = foreign.to_owned();
            }
        }
        let reports = [report.clone(), report];
        let page = html(&reports);
        let raw = page.chars().find(|character| {
            *character != '\n'
                && (character.is_control()
                    || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{2029}".contains(*character))
        });
        assert_eq!(raw, None);
        browser.open("hostile.html", &page);
        for key in [END, HOME, RIGHT] {
            browser.press(key);
        }
        // Only the script and the data of the page, and nothing that loads or listens.
        assert_eq!(
            browser.eval("document.querySelectorAll('script').length"),
            3
        );
        assert_eq!(
            browser
                .eval("document.querySelectorAll('img, iframe, object, embed, form, base').length"),
            0
        );
        let listening = "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])\
            .filter((one) => one.name.startsWith('on') || /^\\s*javascript:/.test(one.value)).length";
        assert_eq!(browser.eval(listening), 0);
        let hidden = "[...document.querySelectorAll('.head .set strong')].filter(\
            (one) => one.textContent.length > 5).length";
        assert_eq!(browser.eval(hidden), 2);
        assert_eq!(
            browser.eval("document.querySelectorAll('section.live').length"),
            2
        );
        browser.assert_quiet(foreign);
        browser.open(
            "hostile.svg",
            &text(Format::Svg, &reports, &Style::default()),
        );
        assert_eq!(
            browser.eval("document.querySelectorAll('script').length"),
            0
        );
        browser.assert_quiet(foreign);
    }
}
