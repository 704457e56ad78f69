//! `-o markdown`: a comment on a pull request.

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::json;
use sts_plan::report::{Finding, Report, RuleId, Severity};

use crate::fixtures::{self, of_kind, snapshot_of};
use crate::golden;
use crate::render::{fleet, hostile, report, scenarios, text};

/// The longest comment that GitHub accepts.
const MOST: usize = 65_536;

fn markdown(reports: &[Report]) -> String {
    text(Format::Markdown, reports, &Style::default())
}

#[test]
fn comments() {
    for (name, report) in scenarios() {
        let path = golden::root().join(format!("golden/{name}.md"));
        golden::check(&path, &markdown(&[report]));
    }
    let fleet: Vec<Report> = fleet().into_iter().take(3).collect();
    golden::check(
        &golden::root().join("golden/overview.md"),
        &markdown(&fleet),
    );
    assert_eq!(markdown(&[]), "### 0 sets\n");
}

/// One lane of equal width per pod while they are readable, and no lanes if nothing happens.
#[test]
fn lanes_are_drawn_while_readable() {
    let lanes = |replicas: i64| -> Vec<String> {
        let mut items = fixtures::items("rollout");
        items.truncate(1);
        items[0]["spec"]["replicas"] = json!(replicas);
        of_kind(&mut items, "StatefulSet").remove("status");
        let comment = markdown(&[report(snapshot_of(items))]);
        let drawn = comment.split_once("```text\n");
        let drawn = drawn.and_then(|(_, rest)| rest.split_once("\n```"));
        let lines = drawn.map_or("", |(lanes, _)| lanes).lines();
        lines.map(str::to_owned).collect()
    };
    for replicas in [1, 24] {
        let lines = lanes(replicas);
        let [pods @ .., axis, legend] = &lines[..] else {
            panic!("{lines:?}");
        };
        assert_eq!(pods.len() as i64, replicas);
        // Each becomes ready in turn, and stays ready.
        let widths = pods.iter().map(|lane| lane.chars().count());
        assert!(
            widths.clone().all(|it| it == axis.chars().count()),
            "{lines:#?}"
        );
        assert!(
            pods.iter()
                .all(|lane| lane.ends_with("█ ████") || lane.ends_with("─ ████")),
            "{lines:#?}"
        );
        assert!(
            legend.starts_with("█ ") && legend.ends_with("─ not ready"),
            "{legend}"
        );
    }
    assert_eq!(lanes(25), [""; 0]);
    assert_eq!(lanes(0), [""; 0]);
}

/// Ten thousand pods, all to be created.
fn large() -> Report {
    let mut items = fixtures::items("rollout");
    items.truncate(1);
    items[0]["spec"]["replicas"] = json!(10_000);
    items[0]["spec"]["podManagementPolicy"] = json!("Parallel");
    of_kind(&mut items, "StatefulSet").remove("status");
    report(snapshot_of(items))
}

#[test]
fn a_comment_is_never_too_long_and_names_what_it_omits() {
    let mut large = large();
    let comment = markdown(std::slice::from_ref(&large));
    assert!(
        comment.contains("… and 9 901 more operations."),
        "{comment}"
    );
    assert!(comment.contains("Some details are omitted"), "{comment}");

    // The longest possible values, of characters that need the most room when escaped.
    let long = "|@`\u{202e}".repeat(500);
    large.findings = (0..100)
        .map(|_| Finding {
            id: RuleId::Blocked,
            severity: Severity::Error,
            message: long.clone(),
            in_headline: false,
            object: long.clone(),
            docs: long.clone(),
            source: None,
            others: 0,
        })
        .collect();
    large.assumptions = vec![long.clone(); 100];
    large.next.summary = long.clone();
    large.metadata.name = long.clone();
    for obstacles in [0, 30] {
        let mut report = large.clone();
        let obstacle = scenarios()[4].1.outcome.blocked_by[0].clone();
        report.outcome.blocked_by = vec![obstacle; obstacles];
        for obstacle in &mut report.outcome.blocked_by {
            obstacle.message = long.clone();
            obstacle.remedy = vec![long.clone()];
        }
        for reports in [vec![report.clone()], vec![report; 3]] {
            let comment = markdown(&reports);
            assert!(comment.len() <= MOST, "{} bytes", comment.len());
            let of = |tag: &str| comment.matches(tag).count();
            assert_eq!(of("<details>"), of("</details>"));
        }
    }
    let many = vec![scenarios()[1].1.clone(); 450];
    let comment = markdown(&many);
    assert!(comment.len() <= MOST, "{} bytes", comment.len());
    assert!(comment.contains("more sets."), "{comment}");
}

#[test]
fn a_comment_contains_no_active_content() {
    for foreign in [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "</details></summary></code>",
        "```\n# x\n| a | b |\n",
        "@octocat #1 https://example.com www.example.com ![a](b) [a](b)",
        "$x$ **b** ~~s~~ :boom: <!-- c -->",
    ] {
        let comment = markdown(&[hostile(foreign)]);
        let mut fence = "";
        let mut prose = String::new();
        for line in comment.lines() {
            let trimmed = line.trim_start();
            let ticks = &trimmed[..trimmed.len() - trimmed.trim_start_matches('`').len()];
            if ticks.len() >= 3 {
                fence = if fence.is_empty() { ticks } else { "" };
                continue;
            }
            if !fence.is_empty() {
                // Text in a block is literal, and no line of it ends the block.
                assert!(!trimmed.starts_with(fence), "{line}");
                continue;
            }
            // Plain names in code spans are literal.
            let read: String = line.split('`').step_by(2).collect();
            prose.push_str(&read);
            let left = ["details", "summary", "code"]
                .iter()
                .fold(read, |read, element| {
                    read.replace(&format!("<{element}>"), "")
                        .replace(&format!("</{element}>"), "")
                });
            assert!(!left.contains('<'), "{line}");
            for live in [
                "@octocat", " #1", "https:", "www.", "](", "$x", "~~", ":boom",
            ] {
                assert!(!left.contains(live), "{live} in {line}");
            }
        }
        let of = |tag: &str| prose.matches(tag).count();
        assert_eq!(of("<details>"), of("</details>"), "{comment}");
        assert_eq!(of("<code>"), of("</code>"), "{comment}");
        // All rows of a table have the same number of cells.
        for table in comment
            .split("\n\n")
            .filter(|part| part.starts_with("| Step"))
        {
            for row in table.lines() {
                assert_eq!(row.matches('|').count(), 9, "{row}");
            }
        }
    }
}
