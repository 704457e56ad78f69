//! `-o html`: one page. `browser` tests how a browser shows it.

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::Value;
use sts_controller::simulate::{Action, Cascade};
use sts_plan::plan::Plan;
use sts_plan::report::{Report, Resource};

use crate::fixtures::{observed, snapshot};
use crate::golden;
use crate::render::{conditions, hostile, text};
use crate::svg::{many, with_looks};

fn html(reports: &[Report]) -> String {
    text(Format::Html, reports, &Style::default())
}

/// The text between the first occurrences of two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

/// The page with one element per line, without styles and script, which are separate files.
fn reviewable(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    body.replace("><", ">\n<")
}

/// Returns the data of the script for each set.
fn stories(page: &str) -> Vec<Value> {
    let parts = page.split("<script class=\"story\" type=\"application/json\">");
    let parts = parts
        .skip(1)
        .map(|part| part.split_once("</script>").unwrap().0);
    parts
        .map(|part| serde_json::from_str(part).unwrap())
        .collect()
}

#[test]
fn a_page() {
    let page = html(&[with_looks(snapshot("scale-down"))]);
    let held = html(&[with_looks(snapshot("partition"))]);
    assert_eq!(held.matches("held by partition 3</span>").count(), 3);
    let path = golden::root().join("golden/scale-down.html.txt");
    golden::check(&path, &reviewable(&page));
}

#[test]
fn a_page_is_self_contained() {
    let page = html(&[
        with_looks(snapshot("rollout")),
        with_looks(snapshot("crashloop")),
    ]);
    let policy = between(
        &page,
        "http-equiv=\"Content-Security-Policy\" content=\"",
        "\"",
    );
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    for reference in [
        "src=",
        "href=\"http",
        "url(http",
        "@import",
        "<link rel=\"stylesheet",
    ] {
        assert!(!page.contains(reference), "{reference}");
    }
    // No attribute has an inline style, which the policy would block.
    assert!(!page.contains(" style=\""));
}

#[test]
fn the_script_gets_the_events() {
    let report = with_looks(snapshot("rollout"));
    let page = html(std::slice::from_ref(&report));
    let [story] = &stories(&page)[..] else {
        panic!("not one story")
    };
    // Syncs that only write the status belong to the preceding step.
    let alone = report.steps.iter().filter(|step| {
        let mut writes = step.writes.iter().flatten().peekable();
        writes.peek().is_some() && writes.all(|write| write.resource == Resource::Status)
    });
    let stops = report.steps.len() - alone.count();
    assert_eq!(story["steps"].as_array().unwrap().len(), stops);
    assert!(stops < report.steps.len());
    let pods = story["rows"][0].as_array().unwrap();
    // The states of web-2, which changes first, each with its first step.
    let told: Vec<(u64, &str)> = pods[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| (cell[0].as_u64().unwrap(), cell[2].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            (0, "ready · 8495f84c76"),
            (1, "terminating · 8495f84c76"),
            (2, "absent"),
            (3, "not ready · 5bd58868ff"),
            (4, "ready · 5bd58868ff"),
        ]
    );
    let waits = story["waits"].as_array().unwrap();
    assert_eq!(
        waits[0].to_string(),
        r#"[1,["WaitingForPodTermination: waiting for web-2 to terminate"]]"#
    );
}

#[test]
fn objects_deleted_with_the_set_are_steps() {
    let actions = vec![Action::DeleteSet(Cascade::Background)];
    let plan = Plan::with_actions(actions, snapshot("scale-down"), conditions());
    let report = observed(&plan);
    let page = html(std::slice::from_ref(&report));
    let story = &stories(&page)[0];
    let words = |group: usize, row: usize| -> Vec<&str> {
        let cells = story["rows"][group][row].as_array().unwrap();
        cells.iter().map(|cell| cell[2].as_str().unwrap()).collect()
    };
    assert_eq!(words(1, 0), ["present"]);
    // Claims that do not change share one row.
    assert_eq!(words(1, 1), ["present", "absent"]);
    assert_eq!(words(2, 0), ["5", "gone"]);
    let pod = ["ready · 8495f84c76", "terminating · 8495f84c76", "absent"];
    assert_eq!(words(0, 0), pod);
}

#[test]
fn a_page_on_many_pods_is_limited_and_names_what_it_omits() {
    let page = html(&[with_looks(many(10_000, true))]);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for told in [
        "… and 9 801 more operations.",
        "… and 9 800 more pods.",
        "… and 9 800 more claims.",
        " more events.",
        "The first 1 000 events have a stop each; the last stop is the end of the plan.",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let story = &stories(&page)[0];
    let steps = story["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 1_001);
    assert_eq!(steps[1_000][2], "end");

    let one = with_looks(snapshot("rollout"));
    let page = html(&vec![one; 300]);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("275 more sections load when you open their row."));
    let blocks = page.split("<script type=\"application/gzip\"").skip(1);
    let packed = blocks.map(|block| {
        between(block, "data-count=\"", "\"")
            .parse::<usize>()
            .unwrap()
    });
    assert_eq!(packed.sum::<usize>(), 275);
    assert_eq!(stories(&page).len(), 25);
}

#[test]
fn foreign_text_ends_no_element() {
    for foreign in [
        "</script></style></title>",
        "<!--<script>",
        "]]>\u{2028}\u{2029}&lt;",
        "\" onload=\"x",
    ] {
        let page = html(&[hostile(foreign)]);
        // Data of both kinds of script, and both styles.
        assert_eq!(page.matches("<script").count(), 2, "{foreign}");
        assert_eq!(page.matches("</script").count(), 2, "{foreign}");
        assert_eq!(page.matches("</style").count(), 2, "{foreign}");
        assert_eq!(
            page.matches("</title").count(),
            1 + page.matches("<title").count() - 1
        );
        assert!(
            !page.contains("<!--") && !page.contains(" onload=\"x"),
            "{foreign}"
        );
        assert_eq!(stories(&page).len(), 1);
    }
}

/// The relative luminance of a color such as `#1f6fc9`, by WCAG 2.
fn luminance(color: &str) -> f64 {
    let part = |at: usize| {
        let value = u8::from_str_radix(&color[at..at + 2], 16).unwrap();
        let share = f64::from(value) / 255.0;
        match share <= 0.03928 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Contrast of at least 4.5 to 1 for text and 3 to 1 for graphics, in light and dark mode.
#[test]
fn colors_have_enough_contrast() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    let page = include_str!("../../src/output/html/page.css");
    let texts = [
        (
            "ink",
            "paper card then busy-paper fresh bad-paper good-paper",
        ),
        (
            "faint",
            "paper card then busy-paper fresh bad-paper good-paper",
        ),
        ("accent", "paper card busy-paper"),
        ("bad", "paper card then busy-paper bad-paper"),
        ("good", "paper card then good-paper"),
    ];
    for block in page.split(":root {").skip(1) {
        let (block, _) = block.split_once('}').unwrap();
        let color = |name: &str| between(block, &format!("--{name}: "), ";");
        for (text, papers) in texts {
            for paper in papers.split(' ') {
                let found = contrast(color(text), color(paper));
                assert!(found >= 4.5, "{text} on {paper}: {found:.2}");
            }
        }
        for mark in ["accent", "old", "other", "third"] {
            let found = contrast(color(mark), color("card"));
            assert!(found >= 3.0, "{mark}: {found:.2}");
        }
    }
    let chart = include_str!("../../src/output/svg/chart.css");
    let (day, night) = chart.split_once("@media").unwrap();
    for (sheet, paper) in [(day, "#ffffff"), (night, "#12161c")] {
        assert!(sheet.contains(&format!(".paper {{ fill: {paper}; }}")));
        let rules = sheet.lines().filter_map(|line| line.split_once(" { "));
        let mut checked = 0;
        for (selectors, style) in rules {
            let names: Vec<&str> = selectors.split(", ").collect();
            let is = |wanted: &str| names.iter().any(|name| name.ends_with(wanted));
            let decoration = [".paper", ".tail", ".off", ".grid", ".lane", ".gap", ".dot"];
            if decoration.iter().any(|name| is(name)) || selectors.contains("root") {
                continue;
            }
            let Some((_, color)) = style.split_once('#') else {
                continue;
            };
            let is_text = ["text", ".faint", ".bad", ".good"]
                .iter()
                .any(|name| is(name));
            let least = if is_text { 4.5 } else { 3.0 };
            let found = contrast(&format!("#{}", &color[..6]), paper);
            assert!(found >= least, "{selectors} on {paper}: {found:.2}");
            checked += 1;
        }
        assert!(checked > 15, "{checked}");
    }
}

#[test]
fn the_parts_of_a_page_on_many_sets_have_names_of_their_own() {
    let reports: Vec<Report> = crate::render::fleet();
    let page = html(&reports);
    let mut names: Vec<&str> = page
        .split("role=\"region\" aria-label=\"")
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0)
        .collect();
    assert!(names.len() > 2 * reports.len(), "{names:?}");
    names.sort_unstable();
    let twice: Vec<&[&str]> = names.windows(2).filter(|two| two[0] == two[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
