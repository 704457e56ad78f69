//! The page of a rule: `kubectl sts-plan explain STS001`.

use super::Rule;
use crate::wrap::paragraphs;
use sts_controller::version::turning_points;
use sts_controller::version::{Behaviour, Gates, NEWEST_MINOR, OLDEST_MINOR, Version};

/// Returns the page of a rule.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut text = format!("{} {}: {}\n\n", rule.id, rule.name, rule.title);
    text.push_str(&format!("Why\n{}\n\n", paragraphs(rule.why)));
    text.push_str(&format!("Severity\n  {}\n\n", severities(rule)));
    text.push_str(&format!("Kubernetes versions\n  {}\n\n", versions(rule)));
    text.push_str(&format!("What to do\n{}\n\n", paragraphs(rule.remedy)));
    text.push_str("See also\n");
    for link in rule.links {
        text.push_str(&format!("  {link}\n"));
    }
    text.push_str(&format!(
        "\nTo ignore it: --ignore {0}, or annotation sts-plan/ignore: {0} on a set\n",
        rule.id
    ));
    text
}

/// Lists the possible severities of a rule: `info, warning`.
#[must_use]
pub fn severities(rule: &Rule) -> String {
    let names: Vec<&str> = rule.severities.iter().map(|it| it.name()).collect();
    names.join(", ")
}

/// Lists the affected versions, with the defaults of their gates.
#[must_use]
pub fn versions(rule: &Rule) -> String {
    let Some(happens) = rule.happens else {
        return format!("all supported: 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR}");
    };
    let mut points = Vec::new();
    for minor in OLDEST_MINOR..=NEWEST_MINOR {
        let patches = std::iter::once(0).chain(turning_points(minor));
        points.extend(patches.map(|patch| Version {
            minor,
            patch: Some(patch),
        }));
    }
    let holds = |version: Version| happens(&Behaviour::new(version, &Gates::defaults(version)));
    let mut ranges: Vec<(Version, Option<Version>)> = Vec::new();
    let mut before = false;
    for point in points {
        let now = holds(point);
        match (before, now) {
            (false, true) => ranges.push((point, None)),
            (true, false) => {
                if let Some(range) = ranges.last_mut() {
                    range.1 = Some(point);
                }
            }
            _ => {}
        }
        before = now;
    }
    let ranges: Vec<String> = ranges
        .iter()
        .map(|(from, until)| {
            let from = short(*from);
            match until {
                Some(until) if from == format!("1.{OLDEST_MINOR}") => {
                    format!("before {}", short(*until))
                }
                Some(until) => format!("from {from}, before {}", short(*until)),
                None => format!("from {from}"),
            }
        })
        .collect();
    match ranges.as_slice() {
        [] => format!(
            "none from 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR} with the defaults of their feature gates"
        ),
        ranges => format!("{} (with the defaults of feature gates)", ranges.join("; ")),
    }
}

/// Formats a version, without patch 0.
fn short(version: Version) -> String {
    let minor = version.minor;
    match version.patch {
        None | Some(0) => format!("1.{minor}"),
        Some(patch) => format!("1.{minor}.{patch}"),
    }
}
