//! `-o junit`: a test suite for each set. A test checks that the plan completes, that a requirement holds, or that a finding
//! is absent. Times are those of the plan. Errors fail; information is a skipped test with its message. A set that could not
//! be planned has one test, which is an error.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::{ElementWriter, Writer};

use super::problem::{Problem, of_check, of_findings, of_ignored, of_outcome, of_unplanned};
use super::style::escape;
use super::words::set_name;
use sts_plan::fleet::ReportList;
use sts_plan::report::{Report, Severity};

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
    let all = suites.iter().flat_map(|suite| &suite.cases);
    let seconds = suites.iter().map(|suite| suite.seconds).sum();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = writer.create_element("testsuites");
    let root = root.with_attribute(("name", "kubectl sts-plan"));
    counted(root, all, seconds).write_inner_content(|writer| {
        let mut suites = suites.iter();
        suites.try_for_each(|suite| self::suite(writer, suite))
    })?;
    out.write_all(&writer.into_inner())?;
    writeln!(out)
}

type Xml = Writer<Vec<u8>>;
type Element<'w> = ElementWriter<'w, Vec<u8>>;

/// Adds the numbers of tests, and the time.
fn counted<'w, 'c>(
    element: Element<'w>,
    cases: impl Iterator<Item = &'c Case> + Clone,
    seconds: i64,
) -> Element<'w> {
    let of = |is: fn(&Case) -> bool| cases.clone().filter(|case| is(case)).count();
    let counts = [
        ("tests", of(|_| true)),
        ("failures", of(Case::fails)),
        ("errors", of(|case| case.errs)),
        ("skipped", of(Case::is_skipped)),
    ];
    let counts = counts.map(|(name, number)| (name, number.to_string()));
    let counts = counts.iter().map(|(name, number)| (*name, number.as_str()));
    let element = element.with_attributes(counts);
    element.with_attribute(("time", seconds.to_string().as_str()))
}

fn suite(writer: &mut Xml, suite: &Suite<'_>) -> io::Result<()> {
    let element = writer.create_element("testsuite");
    let element = element.with_attribute(("name", suite.set.as_str()));
    let element = element.with_attributes(suite.now.map(|now| ("timestamp", now)));
    let element = counted(element, suite.cases.iter(), suite.seconds);
    let written = element.write_inner_content(|writer| {
        let mut cases = suite.cases.iter();
        cases.try_for_each(|case| self::case(writer, suite, case))
    });
    written.map(drop)
}

fn case(writer: &mut Xml, suite: &Suite<'_>, case: &Case) -> io::Result<()> {
    let seconds = case.seconds.to_string();
    let file = suite.file.as_deref().map(|file| ("file", file));
    let element = writer.create_element("testcase").with_attributes([
        ("classname", suite.set.as_str()),
        ("name", &case.name),
        ("time", &seconds),
    ]);
    let element = element.with_attributes(file);
    if case.problems.is_empty() && case.output.is_empty() {
        return element.write_empty().map(drop);
    }
    let written = element.write_inner_content(|writer| {
        if let Some(problem) = case.problems.first() {
            let name = match case.errs {
                true => "error",
                false if case.fails() => "failure",
                false => "skipped",
            };
            let rule = (name != "skipped").then(|| ("type", problem.rule.id()));
            let texts: Vec<String> = case.problems.iter().map(description).collect();
            let element = writer.create_element(name);
            let element = element.with_attribute(("message", problem.message.as_str()));
            let element = element.with_attributes(rule);
            element.write_text_content(BytesText::new(&texts.join("\n\n")))?;
        }
        if !case.output.is_empty() {
            let element = writer.create_element("system-out");
            element.write_text_content(BytesText::new(&case.output))?;
        }
        Ok(())
    });
    written.map(drop)
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
    for check in report.checks() {
        let name = escape(&check.test).into_owned();
        let problem = of_check(report, &check);
        let output = escape(&check.output).into_owned();
        add(name, problem.into_iter().collect(), output);
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
