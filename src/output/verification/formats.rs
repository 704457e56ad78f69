//! Verifications in other formats: each is one test, one problem or one row.

use std::io::{self, Write};

use serde_json::Value;

use crate::output::format::Printer;
use crate::output::layout::{Layout, OneOrList, document};
use crate::output::problem::{Problem, Rule};
use crate::output::sink::to_terminal;
use crate::output::style::{Style, escape};
use crate::output::words::{elapsed, set_name};
use crate::output::{Format, github, gitlab, html, json, junit, markdown, prometheus, sarif, svg};
use sts_plan::report::Severity;
use sts_plan::verify::{Verdict, Verification, VerificationList};

/// Writes verifications in any format.
///
/// # Errors
/// When the writer fails, or a template does not fit.
pub(in crate::output) fn print(
    printer: &Printer,
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let value = OneOrList::of(found, VerificationList::new);
    let format = match printer {
        Printer::JsonPath(template) => return template.write(&json::tree(&value)?, style, out),
        Printer::Columns(columns) => {
            let values = found.iter().map(json::tree);
            let values: Result<Vec<Value>, _> = values.collect();
            return columns.write(&values?, style, out);
        }
        Printer::Plain(format) => *format,
    };
    match format {
        Format::Json => document(&value, Layout::pretty(), out),
        Format::Yaml => document(&value, Layout::yaml(), out),
        Format::Name => found
            .iter()
            .try_for_each(|it| writeln!(out, "statefulset.apps/{}", escape(&it.metadata.name))),
        Format::Summary => found.iter().try_for_each(|it| {
            writeln!(out, "{}: {}", set_name(&it.metadata), escape(&it.summary))
        }),
        Format::Markdown => markdown::render_verifications(found, style, out),
        Format::Junit => junit::write(&found.iter().map(suite).collect::<Vec<_>>(), out),
        Format::Sarif => sarif::write(&by_set(found), None, out),
        Format::Gitlab => gitlab::write(&by_set(found), out),
        Format::Prometheus => prometheus::render_verifications(found, out),
        Format::Github => {
            for ((set, problems), verification) in by_set(found).into_iter().zip(found) {
                match problems.is_empty() {
                    true => {
                        let words = escape(&verification.summary);
                        github::annotate(None, "notice", &set, &words, out)?;
                    }
                    false => github::write(&set, problems, out)?,
                }
            }
            Ok(())
        }
        Format::Svg => svg::render_verifications(found, out),
        Format::Html => html::render_verifications(found, style, out),
        Format::Table | Format::Wide => {
            let style = Style {
                verbose: style.verbose || format == Format::Wide,
                ..*style
            };
            to_terminal(&style, out, |out| super::render(found, out))
        }
    }
}

/// Returns the problems of each set.
fn by_set(found: &[Verification]) -> Vec<(String, Vec<Problem>)> {
    let found = found.iter();
    let found = found.map(|it| (set_name(&it.metadata), problems(it)));
    found.collect()
}

/// Returns the only test of a plan: that its prediction holds.
fn suite(verification: &Verification) -> junit::Suite<'_> {
    junit::Suite {
        set: set_name(&verification.metadata),
        now: Some(verification.now.trim_end_matches('Z')),
        file: None,
        seconds: verification.elapsed_seconds,
        cases: vec![junit::Case {
            name: "the rollout follows the plan".to_owned(),
            errs: false,
            seconds: verification.elapsed_seconds,
            problems: problems(verification),
            output: escape(&verification.summary).into_owned(),
        }],
    }
}

/// Returns the differences as problems. A delay is information.
fn problems(verification: &Verification) -> Vec<Problem> {
    let of = |severity, title: &str, message: String| Problem {
        severity,
        title: title.to_owned(),
        message,
        ..Problem::of_set(&verification.metadata.name, Rule::Verification)
    };
    if matches!(verification.verdict, Verdict::Diverged | Verdict::Stale) {
        let title = format!("the plan is {}", verification.verdict);
        let whole = of(
            Severity::Error,
            &title,
            escape(&verification.summary).into_owned(),
        );
        let differences = verification.differences.iter().map(|it| {
            let (predicted, found) = (escape(&it.predicted), escape(&it.found));
            let message = format!(
                "predicted {predicted}, found {found}: {}",
                escape(&it.cause)
            );
            of(Severity::Error, &escape(&it.name), message)
        });
        return std::iter::once(whole).chain(differences).collect();
    }
    let late = verification.late.iter().map(|late| {
        let message = match late.is_controllers {
            true => escape(&late.message).into_owned(),
            false => format!(
                "{} is late by {}",
                escape(&late.what),
                elapsed(late.by_seconds)
            ),
        };
        of(Severity::Info, "late", message)
    });
    late.collect()
}
