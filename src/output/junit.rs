//! `-o junit`: a test suite for each set. A test checks that the plan completes, that a requirement holds, or that a finding
//! is absent. Times are those of the plan. Errors fail; information is a skipped test with its message. A set that could not
//! be planned has one test, which is an error.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesStart, BytesText, Event};

use super::problem::{
    Problem, of_exploration, of_findings, of_ignored, of_outcome, of_requirement, of_unplanned,
};
use super::style::escape;
use super::words::set_name;
use sts_plan::report::{Report, ReportList, Severity};

/// The name of the test that every set has.
const COMPLETES: &str = "the plan completes";

pub(super) struct Suite<'r> {
    pub(super) set: String,
    /// The start of the plan; `None` without a plan.
    pub(super) now: Option<&'r str>,
    pub(super) file: Option<String>,
    /// Seconds of the plan, not of the clock.
    pub(super) seconds: i64,
    pub(super) cases: Vec<Case>,
}

pub(super) struct Case {
    pub(super) name: String,
    /// True if the test could not run: its problems have the reason.
    pub(super) errs: bool,
    /// Seconds of the plan, not of the clock.
    pub(super) seconds: i64,
    pub(super) problems: Vec<Problem>,
    /// The output of the test.
    pub(super) output: String,
}

impl Case {
    pub(super) fn fails(&self) -> bool {
        let mut problems = self.problems.iter();
        !self.errs && problems.any(|problem| problem.severity == Severity::Error)
    }

    pub(super) fn is_skipped(&self) -> bool {
        !self.errs && !self.fails() && !self.problems.is_empty()
    }
}

/// The tests of all sets.
pub(super) fn suites<'r>(plans: &'r ReportList<'_>) -> Vec<Suite<'r>> {
    let unplanned = plans.errors.iter().map(|error| Suite {
        set: escape(&error.set()).into_owned(),
        now: None,
        file: None,
        seconds: 0,
        cases: vec![Case {
            name: COMPLETES.to_owned(),
            errs: true,
            seconds: 0,
            problems: vec![of_unplanned(error)],
            output: String::new(),
        }],
    });
    let planned = plans.items.iter().map(|report| Suite {
        set: set_name(&report.metadata),
        // The format has no time zone.
        now: Some(report.now.trim_end_matches('Z')),
        file: report
            .set
            .source
            .as_ref()
            .map(|source| escape(&source.file).into_owned()),
        seconds: report.outcome.at,
        cases: cases(report),
    });
    unplanned.chain(planned).collect()
}

/// Writes a suite for each set.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    write(&suites(plans), out)
}

/// Writes tests.
pub(super) fn write(suites: &[Suite<'_>], out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<&Case> = suites.iter().flat_map(|suite| &suite.cases).collect();
    let seconds = suites.iter().map(|suite| suite.seconds).sum();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", "kubectl sts-plan"));
    count(&mut root, &all, seconds);
    within(&mut writer, root, |writer| {
        suites
            .iter()
            .try_for_each(|suite| self::suite(writer, suite))
    })?;
    out.write_all(&writer.into_inner())?;
    writeln!(out)
}

type Xml = Writer<Vec<u8>>;

/// Writes an element around `content`.
fn within(
    writer: &mut Xml,
    start: BytesStart<'_>,
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    let end = start.to_end().into_owned();
    writer.write_event(Event::Start(start.borrow()))?;
    content(writer)?;
    writer.write_event(Event::End(end))
}

fn count(start: &mut BytesStart<'_>, cases: &[&Case], seconds: i64) {
    let of = |is: fn(&Case) -> bool| cases.iter().filter(|case| is(case)).count();
    for (name, number) in [
        ("tests", cases.len()),
        ("failures", of(Case::fails)),
        ("errors", of(|case| case.errs)),
        ("skipped", of(Case::is_skipped)),
    ] {
        start.push_attribute((name, number.to_string().as_str()));
    }
    start.push_attribute(("time", seconds.to_string().as_str()));
}

fn suite(writer: &mut Xml, suite: &Suite<'_>) -> io::Result<()> {
    let mut start = BytesStart::new("testsuite");
    start.push_attribute(("name", suite.set.as_str()));
    if let Some(now) = suite.now {
        start.push_attribute(("timestamp", now));
    }
    let cases: Vec<&Case> = suite.cases.iter().collect();
    count(&mut start, &cases, suite.seconds);
    within(writer, start, |writer| {
        let mut cases = suite.cases.iter();
        cases.try_for_each(|case| self::case(writer, suite, case))
    })
}

fn case(writer: &mut Xml, suite: &Suite<'_>, case: &Case) -> io::Result<()> {
    let mut start = BytesStart::new("testcase");
    start.push_attribute(("classname", suite.set.as_str()));
    start.push_attribute(("name", case.name.as_str()));
    start.push_attribute(("time", case.seconds.to_string().as_str()));
    if let Some(file) = suite.file.as_deref() {
        start.push_attribute(("file", file));
    }
    if case.problems.is_empty() && case.output.is_empty() {
        return writer.write_event(Event::Empty(start));
    }
    within(writer, start, |writer| {
        let text = case
            .problems
            .iter()
            .map(description)
            .collect::<Vec<_>>()
            .join("\n\n");
        if let Some(problem) = case.problems.first() {
            let name = match case.errs {
                true => "error",
                false if case.fails() => "failure",
                false => "skipped",
            };
            let mut start = BytesStart::new(name);
            start.push_attribute(("message", problem.message.as_str()));
            if name != "skipped" {
                start.push_attribute(("type", problem.rule.id()));
            }
            within(writer, start, |writer| {
                writer.write_event(Event::Text(BytesText::new(&text)))
            })?;
        }
        if !case.output.is_empty() {
            let start = BytesStart::new("system-out");
            within(writer, start, |writer| {
                writer.write_event(Event::Text(BytesText::new(&case.output)))
            })?;
        }
        Ok(())
    })
}

/// Describes a problem in full, since some readers show only the text of a failure, and only one failure of a test.
fn description(problem: &Problem) -> String {
    let mut lines = vec![format!("{}: {}", problem.title, problem.message)];
    lines.extend(problem.instructions.iter().cloned());
    lines.join("\n")
}

fn cases(report: &Report) -> Vec<Case> {
    let mut cases = vec![Case {
        name: COMPLETES.to_owned(),
        errs: false,
        seconds: report.outcome.at,
        problems: of_outcome(report),
        output: escape(&report.summary).into_owned(),
    }];
    let mut add = |name: String, problems: Vec<Problem>, output: String| {
        cases.push(Case {
            name,
            errs: false,
            seconds: 0,
            problems,
            output,
        });
    };
    for requirement in &report.requirements {
        let name = format!("requirement {}", escape(&requirement.text));
        let problem = of_requirement(report, requirement);
        add(name, problem.into_iter().collect(), String::new());
    }
    if let Some(exploration) = &report.exploration {
        let problem = of_exploration(report);
        let output = escape(&exploration.summary).into_owned();
        add(
            "every order of events".to_owned(),
            problem.into_iter().collect(),
            output,
        );
    }
    // A reader may merge tests with the same name.
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for problem in of_findings(report).into_iter().chain(of_ignored(report)) {
        let times = named.entry(problem.title.clone()).or_default();
        *times += 1;
        let name = match times {
            1 => problem.title.clone(),
            times => format!("{} ({times})", problem.title),
        };
        add(name, vec![problem], String::new());
    }
    cases
}
