//! The page that plans (`playground/`) in a real browser: its plans are the program's, byte for byte. The page is built by
//! `playground/build`; without it the tests say that they did not run.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use kubectl_sts_plan::internals::DEMOS;
use serde_json::json;

use super::Browser;
use crate::needs::did_not_run;
use crate::program;

/// The moment of plans whose input names none.
const NOW: &str = "--now 2026-11-20T03:00:00Z";
/// Maximum size of the page as it is sent, compressed, in bytes: nearly all of it is the program.
const LARGEST: usize = 2_000_000;
/// Maximum size of the file in bytes: base64 takes a third more.
const LARGEST_FILE: usize = 2_800_000;
/// Maximum time of a plan of 1 000 pods in milliseconds, on a machine that runs tests beside it.
const LONGEST: u64 = 500;

fn folder(name: &str) -> PathBuf {
    program::folder(&format!("playground-{name}"))
}

/// A browser that shows the page, and the text of the page.
fn open(name: &str) -> Option<(Browser, String)> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("playground");
    let Ok(page) = fs::read_to_string(built.join("index.html")) else {
        did_not_run("playground", "the page is made by playground/build");
        return None;
    };
    let browser = Browser::start(&format!("playground-{name}"))?;
    browser.open(&format!("playground-{name}.html"), &page);
    browser.wait("document.body.dataset.ready === 'true'");
    Some((browser, page))
}

impl Browser {
    /// Puts values into fields, as a user types them, and waits for the plans.
    fn fill(&self, fields: &[(&str, &str)]) {
        for (selector, value) in fields {
            let value = json!(value);
            self.eval(&format!(
                "(((field) => {{ field.value = {value}; \
                 field.dispatchEvent(new Event('input', {{bubbles: true}})); \
                 field.dispatchEvent(new Event('change', {{bubbles: true}})); }})\
                 (document.querySelector({})), 1)",
                json!(selector)
            ));
        }
        self.planned();
    }

    fn planned(&self) {
        self.wait(
            "[...document.querySelectorAll('.side')].every((one) => one.ariaBusy === 'false')",
        );
    }

    fn click(&self, selector: &str) {
        self.eval(&format!(
            "(document.querySelector('{selector}').click(), 1)"
        ));
    }
}

/// The outcome of the program with these arguments, in a folder with these files.
fn program(name: &str, args: &str, files: &[(&str, &str)]) -> (String, String) {
    let folder = folder(name);
    for (file, content) in files {
        fs::write(folder.join(file), content).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
        .args(args.split_whitespace())
        .current_dir(&folder)
        .env("KUBECONFIG", nonexistent!())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

const STALE: &str = "was the page built from these sources? playground/build makes it anew";

#[test]
fn the_page_plans_as_the_program_does() {
    let Some((browser, _)) = open("same") else {
        return;
    };
    browser.eval("(document.querySelector('.json').open = true, 1)");
    let json_of = || browser.text_of(".json pre");
    for demo in &DEMOS {
        browser.fill(&[("#demo", demo.name)]);
        let (expected, _) = program("same", &format!("demo {} -o json", demo.name), &[]);
        assert!(json_of() == expected, "{}: {STALE}", demo.name);
        let command = browser.text_of(".command");
        assert_eq!(command, format!("kubectl sts-plan demo {}", demo.name));
    }
    let fixtures = fs::read_dir(crate::golden::root().join("fixtures")).unwrap();
    let mut fixtures: Vec<PathBuf> = fixtures.map(|entry| entry.unwrap().path()).collect();
    fixtures.retain(|path| path.extension().is_some_and(|it| it == "yaml"));
    fixtures.sort();
    assert!(fixtures.len() > 5);
    for path in &fixtures {
        let dump = fs::read_to_string(path).unwrap();
        let settings = [
            ("", ""),
            ("replicas", "5"),
            ("partition", "1"),
            ("max-unavailable", "2"),
            ("image", "registry.example.com/other:2"),
            ("ready-after", "90s"),
            ("kubernetes-version", "1.24"),
        ];
        browser.fill(&[("#input", &dump), ("[name=flags]", NOW)]);
        for (flag, value) in settings {
            let field = format!("[name={flag}]");
            let mut args = "-f dump.yaml".to_owned();
            if !flag.is_empty() {
                browser.fill(&[(&field, value)]);
                args.push_str(&format!(" --{flag} {value}"));
            }
            args.push_str(&format!(" {NOW}"));
            let (expected, _) =
                program("same", &format!("{args} -o json"), &[("dump.yaml", &dump)]);
            let name = path.display();
            assert!(json_of() == expected, "{name}, {flag}: {STALE}");
            assert_eq!(
                browser.text_of(".command"),
                format!("kubectl sts-plan {args}")
            );
            if !flag.is_empty() {
                browser.fill(&[(&field, "")]);
            }
        }
    }
    browser.assert_quiet("same");
}

#[test]
fn the_page_says_what_is_wrong_as_the_program_does() {
    let Some((browser, _)) = open("wrong") else {
        return;
    };
    let deep = format!("a: {}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for wrong in [
        "kind: [",
        "kind: Pod",
        "{\"kind\": 1}",
        "<script>alert(1)</script>",
        &deep,
    ] {
        browser.fill(&[("#input", wrong)]);
        let (stdout, stderr) = program("wrong", "-f dump.yaml", &[("dump.yaml", wrong)]);
        assert_eq!(stdout, "");
        assert_eq!(browser.text_of(".problem"), stderr, "{STALE}");
        assert_eq!(browser.text_of(".result"), "");
    }
    browser.fill(&[
        ("#demo", "healthy"),
        ("[name=flags]", "--set 'spec.replicas=\"a b\"'"),
    ]);
    let (_, stderr) = program("wrong", "demo healthy --set spec.replicas=\"a-b\"", &[]);
    let said = browser.text_of(".problem").replace("a b", "a-b");
    assert_eq!(said, stderr, "{STALE}");
    // The page chooses the format.
    for (flags, flag) in [
        ("--partition 1 -o markdown --explore", "-o"),
        ("-oyaml", "-o"),
        ("-vo json", "-o"),
        ("--output=svg", "--output"),
        ("--output svg", "--output"),
    ] {
        browser.fill(&[("[name=flags]", flags)]);
        assert_eq!(
            browser.text_of(".problem"),
            format!(
                "error: {flag} is not supported here: this page shows the report and JSON; \
                 for other formats, run the command in a shell\n"
            )
        );
        let command = format!("kubectl sts-plan demo healthy {flags}");
        assert_eq!(browser.text_of(".command"), command);
        assert_eq!(browser.text_of(".result"), "");
    }
    browser.fill(&[("[name=flags]", "--partition 1")]);
    assert_eq!(browser.text_of(".problem"), "");
    browser.assert_quiet("wrong");
}

/// A manifest that is applied, one of many sets, two settings side by side, and a link that holds all of it.
#[test]
fn settings_are_compared_and_shared() {
    let Some((browser, page)) = open("shared") else {
        return;
    };
    browser.fill(&[("#demo", "many")]);
    let sets = browser.eval("document.querySelectorAll('.overview tbody tr').length");
    assert_eq!(sets, 8);
    browser.eval("([...document.querySelectorAll('.overview a')].find((link) => link.textContent === 'db/users').click(), 1)");
    browser.planned();
    assert_eq!(
        browser.text_of(".command"),
        "kubectl sts-plan demo many users -n db"
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('section.plan').length"),
        1
    );

    browser.fill(&[("#demo", "canary")]);
    browser.click("#compare");
    browser.planned();
    assert_eq!(
        browser.eval("document.querySelectorAll('section.plan').length"),
        2
    );
    browser.fill(&[(".side:last-child [name=partition]", "0")]);
    let (first, _) = program("shared", "demo canary -o json", &[]);
    let (second, _) = program("shared", "demo canary --partition 0 -o json", &[]);
    let plans = [("first.json", &*first), ("second.json", &*second)];
    let (differences, _) = program("shared", "diff first.json second.json", &plans);
    assert_eq!(browser.text_of("#differences pre"), differences, "{STALE}");
    let ids = "((ids) => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map((one) => one.id))";
    assert_eq!(browser.eval(ids), 0, "ids that two things have");
    browser.screenshot("playground-compared");

    let applied = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web, namespace: prod}\nspec: {replicas: 2}\n";
    browser.fill(&[("#apply", applied)]);
    let command = "kubectl sts-plan demo canary --apply new.yaml --partition 0";
    let second = || browser.text_of(".side:last-child .command");
    assert_eq!(second(), command);
    browser.click("#share");
    browser.wait("location.hash.startsWith('#plan=')");
    let hash = browser.eval("location.hash");
    let shown = browser.text_of("#sides");
    browser.open("playground-shared.html", &page);
    browser.wait("document.body.dataset.ready === 'true'");
    browser.eval(&format!("(location.hash = {hash}, 1)"));
    browser.wait("document.querySelectorAll('.side').length === 2");
    browser.planned();
    assert_eq!(second(), command);
    let untimed = |text: &str| {
        let words = text
            .split(" ms,")
            .map(|part| part.trim_end_matches(|it: char| it.is_ascii_digit()));
        words.collect::<String>()
    };
    assert_eq!(untimed(&browser.text_of("#sides")), untimed(&shown));
    browser.assert_quiet("shared");
}

/// A question that takes long leaves the page free, and ends when the settings change, or after ten seconds.
#[test]
fn a_long_question_does_not_freeze_the_page() {
    let Some((browser, _)) = open("long") else {
        return;
    };
    let set = r#"{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"w","namespace":"p"},
        "spec":{"replicas":20000,"podManagementPolicy":"Parallel","serviceName":"w","selector":{"matchLabels":{"a":"w"}},
        "template":{"metadata":{"labels":{"a":"w"}},"spec":{"containers":[{"name":"c","image":"x:2"}]}}}}"#;
    let small = set.replace("20000", "2");
    let endless = "--what-if-fails --upgrade-to 1.37 --kubernetes-version 1.19 --budget 4000000000";
    browser.fill(&[("#input", &small), ("[name=flags]", endless)]);
    let begin = || {
        browser.eval(&format!(
            "((field) => {{ field.value = {}; \
             field.dispatchEvent(new Event('input', {{bubbles: true}})); return 1; }})\
             (document.querySelector('#input'))",
            json!(set)
        ));
        browser.wait("document.querySelector('.command').textContent.includes('--upgrade-to')");
    };
    begin();
    assert_eq!(
        browser.eval("document.querySelector('.side').ariaBusy"),
        "true"
    );
    browser.fill(&[("#input", &small)]);
    assert!(browser.text_of(".state").starts_with("Planned in "));
    begin();
    let is_over = "document.querySelector('.side').ariaBusy === 'false'";
    for _ in 0..3 {
        if browser.eval(is_over) != true {
            std::thread::sleep(std::time::Duration::from_secs(4));
        }
    }
    browser.wait(is_over);
    assert_eq!(
        browser.text_of(".problem"),
        "error: the program stopped: it took more than 10 s, run it in a shell\n"
    );
    assert!(browser.text_of(".state").starts_with("No plan in "));
    browser.assert_quiet("long");
}

/// The rules of `audit`, in light and dark, from a telephone to a large screen; nothing is asked of a network.
#[test]
fn the_page_is_for_everyone() {
    let Some((browser, page)) = open("everyone") else {
        return;
    };
    assert!(page.contains("connect-src 'none'") && !page.contains("unsafe-inline"));
    for demo in ["blocked", "many"] {
        browser.fill(&[("#demo", demo)]);
        browser.eval("(document.querySelector('#compare').ariaPressed === 'true' || document.querySelector('#compare').click(), 1)");
        browser.planned();
        browser.audit(&format!("playground-{demo}"));
        browser.audit_keys(demo);
    }
    // The keyboard reaches the fields, and arrows in a text stay there.
    browser.eval("(document.querySelector('#input').focus(), 1)");
    let told = browser.text_of(".told");
    browser.press(super::RIGHT);
    assert_eq!(browser.text_of(".told"), told);
    browser.press(super::TAB);
    assert_eq!(browser.eval("document.activeElement.tagName"), "SUMMARY");
    let fetched = "performance.getEntriesByType('resource').length";
    assert_eq!(browser.eval(fetched), 0);
    browser.assert_quiet("everyone");
}

#[test]
fn the_page_is_small_and_quick() {
    let Some((browser, page)) = open("size") else {
        return;
    };
    // Its program is packed already, so that the page is hardly smaller when it is sent.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(page.as_bytes()).unwrap();
    let packed = packed.finish().unwrap().len();
    assert!(packed < LARGEST, "{packed} bytes, compressed");
    assert!(page.len() < LARGEST_FILE, "{} bytes", page.len());
    let state = || browser.text_of(".state");
    browser.fill(&[("#demo", "healthy"), ("[name=replicas]", "1000")]);
    // Best of several: the browser compiles what is used most, and machines have other things to do.
    let mut best = u64::MAX;
    for after in 30..38 {
        browser.fill(&[("[name=ready-after]", &format!("{after}s"))]);
        let state = state();
        let took = state.split(' ').nth(2).and_then(|it| it.parse().ok());
        best = best.min(took.unwrap_or_else(|| panic!("{state}")));
    }
    println!("1 000 pods: {best} ms; {packed} bytes, compressed");
    assert!(best < LONGEST, "{best} ms");
}
