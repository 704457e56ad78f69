//! The problems of a plan, for formats that list them: its outcome, violated checks, and findings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::advice::{Kind, advice};
use super::limits::Limits;
use super::overview::livelock;
use super::style::escape;
use super::words::{elapsed, set_name};
use super::{Format, Style};
use sts_plan::answer::{Check, CheckResult, CheckRule};
use sts_plan::fleet::ReportList;
use sts_plan::report::{
    Finding, PlanResult, Report, ReportObstacle, ReportSource, RuleId, Severity, Unplanned,
};

/// An error, a warning, or information.
#[derive(Clone)]
pub(super) struct Problem {
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) title: String,
    pub(super) message: String,
    /// Instructions, line by line: conditions and risks before the commands.
    pub(super) instructions: Vec<String>,
    /// The object concerned, such as `pod/web-0`.
    pub(super) object: String,
    /// The source of that object, or of the set.
    pub(super) source: Option<ReportSource>,
    /// The reason for ignoring it.
    pub(super) ignored: Option<String>,
    /// State and age of the blocked plan: `BLOCKED 38m`.
    pub(super) state: Option<String>,
}

impl Problem {
    /// Returns an error of the set without a title and a message.
    pub(super) fn of_set(set: &str, rule: Rule) -> Self {
        Problem {
            rule,
            severity: Severity::Error,
            title: String::new(),
            message: String::new(),
            instructions: Vec::new(),
            object: format!("statefulset/{}", escape(set)),
            source: None,
            ignored: None,
            state: None,
        }
    }

    /// Returns the message after the state and the age of the plan, for formats without a field for those.
    pub(super) fn with_state(&self) -> String {
        match &self.state {
            Some(state) => format!("{state}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A rule that a problem violates: a rule of findings, or an expectation of every plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The set can be planned.
    Error,
    /// The plan completes.
    Blocked,
    /// The plan settles.
    Livelock,
    /// The API server accepts the change.
    Rejected,
    /// A check of an answer holds.
    Check(&'static CheckRule),
    /// The rollout goes as planned.
    Verification,
    Finding(RuleId),
}

impl Rule {
    pub(super) fn id(self) -> &'static str {
        match self {
            Rule::Error => "error",
            Rule::Blocked => "blocked",
            Rule::Livelock => "livelock",
            Rule::Rejected => "rejected",
            Rule::Check(rule) => rule.id,
            Rule::Verification => "verification",
            Rule::Finding(id) => id.name(),
        }
    }

    /// Returns the title of a problem that violates it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Rule::Error => "The set cannot be planned",
            Rule::Blocked => "The rollout is blocked",
            Rule::Livelock => "The rollout never settles (livelock)",
            Rule::Rejected => "The API server would reject the change",
            Rule::Check(rule) => rule.title,
            Rule::Verification => "The rollout diverged from the plan",
            Rule::Finding(id) => id.rule().title,
        }
    }
}

/// Returns the problem of a set that could not be planned.
pub(super) fn of_unplanned(error: &Unplanned) -> Problem {
    Problem {
        title: "not planned".to_owned(),
        message: escape(&error.outcome.message).into_owned(),
        ..Problem::of_set(&error.metadata.name, Rule::Error)
    }
}

/// Returns the problems with the outcome. Their rule is that of a finding about the outcome, if there is one.
pub(super) fn of_outcome(report: &Report) -> Vec<Problem> {
    let outcome = &report.outcome;
    let rule = match outcome.result {
        PlanResult::Complete => return Vec::new(),
        PlanResult::Livelock => Rule::Livelock,
        PlanResult::Rejected => Rule::Rejected,
        PlanResult::Blocked => Rule::Blocked,
    };
    let finding = report.findings.iter().find(|found| is_about_outcome(found));
    let problem = Problem {
        rule: finding.map_or(rule, |finding| Rule::Finding(finding.id)),
        ..error(report, rule)
    };
    if rule == Rule::Livelock {
        return vec![Problem {
            title: format!("livelock after {}", elapsed(outcome.at)),
            message: livelock(report),
            ..problem
        }];
    }
    let obstacles = outcome.blocked_by.iter().map(|obstacle| {
        let pod = obstacle.pod.as_deref().map(escape);
        // A wait is identified by its pod, a rejection by its kind.
        let title = match &pod {
            Some(pod) => format!("{}: {pod}", rule.id()),
            None => format!("{}: {}", rule.id(), obstacle.reason),
        };
        let source = obstacle.source.as_ref();
        Problem {
            title,
            message: escape(&obstacle.message).into_owned(),
            instructions: instructions(obstacle),
            object: pod.map_or_else(|| problem.object.clone(), |pod| format!("pod/{pod}")),
            source: source.or(report.set.source.as_ref()).cloned(),
            state: report.analysis.state.clone(),
            ..problem.clone()
        }
    });
    obstacles.collect()
}

/// The best remedy, diagnostic commands, and cautions.
fn instructions(obstacle: &ReportObstacle) -> Vec<String> {
    let limits = Limits::of(Format::Github, &Style::default());
    let advice = advice(obstacle, &limits, &mut BTreeSet::new());
    let mut lines = Vec::new();
    for each in &advice {
        let label = each.kind.label();
        lines.push(match (&*each.condition, each.kind) {
            ("", _) => format!("{label}:"),
            (words, Kind::Words | Kind::Look) => format!("{label}: {words}"),
            (condition, _) => format!("{label}: {condition}:"),
        });
        if !each.risk.is_empty() {
            lines.push(format!("  risk: {}", each.risk));
        }
        lines.extend(each.commands.iter().map(|command| format!("  {command}")));
    }
    // For a rejection this is the position of the field, and a suggested spelling.
    if obstacle.ends_by_itself.is_none() {
        lines.extend(obstacle.evidence.iter().cloned());
    }
    let cautions = obstacle.cautions.iter();
    lines.extend(cautions.map(|caution| format!("Note: {caution}")));
    lines.iter().map(|line| escape(line).into_owned()).collect()
}

/// Reports whether a finding only repeats the outcome of the plan.
fn is_about_outcome(finding: &Finding) -> bool {
    matches!(finding.id, RuleId::Blocked | RuleId::Rejected)
}

/// Returns an error of the set at its source, without a title and a message.
fn error(report: &Report, rule: Rule) -> Problem {
    Problem {
        source: report.set.source.clone(),
        ..Problem::of_set(&report.metadata.name, rule)
    }
}

/// Returns the problem with a check of an answer; `None` unless it is violated.
pub(super) fn of_check(report: &Report, check: &Check) -> Option<Problem> {
    (check.result == CheckResult::Broken).then(|| Problem {
        title: escape(&check.title).into_owned(),
        message: escape(&check.message).into_owned(),
        ..error(report, Rule::Check(check.rule))
    })
}

/// Returns the findings as problems, without those that repeat the outcome.
pub(super) fn of_findings(report: &Report) -> Vec<Problem> {
    let ends = !of_outcome(report).is_empty();
    let findings = report.findings.iter();
    let findings = findings.filter(|finding| !(ends && is_about_outcome(finding)));
    let findings = findings.map(|finding| of_finding(report, finding));
    let mut problems: Vec<Problem> = findings.collect();
    problems.sort_by_key(|problem| Reverse(problem.severity));
    problems
}

/// Returns the ignored findings as information, with the reasons.
pub(super) fn of_ignored(report: &Report) -> Vec<Problem> {
    let ignored = report.ignored.iter().map(|ignored| {
        let problem = of_finding(report, &ignored.finding);
        let why = escape(&ignored.why()).into_owned();
        Problem {
            severity: Severity::Info,
            message: format!("ignored ({why}): {}", problem.message),
            ignored: Some(why),
            ..problem
        }
    });
    ignored.collect()
}

fn of_finding(report: &Report, finding: &Finding) -> Problem {
    Problem {
        severity: finding.severity,
        title: format!("{} {}", finding.id, escape(&finding.object))
            .trim_end()
            .to_owned(),
        message: escape(&finding.message).into_owned(),
        object: escape(&finding.object).into_owned(),
        source: finding
            .source
            .as_ref()
            .or(report.set.source.as_ref())
            .cloned(),
        ..error(report, Rule::Finding(finding.id))
    }
}

/// Returns all problems, the worst first, the ignored ones last.
pub(super) fn problems(report: &Report) -> Vec<Problem> {
    let mut problems = of_outcome(report);
    let checks = report.checks();
    problems.extend(checks.iter().filter_map(|check| of_check(report, check)));
    problems.extend(of_findings(report));
    problems.sort_by_key(|problem| Reverse(problem.severity));
    problems.extend(of_ignored(report));
    problems
}

/// Returns the problems of each set, the sets that could not be planned first.
pub(super) fn by_set(plans: &ReportList<'_>) -> Vec<(String, Vec<Problem>)> {
    let unplanned = plans.errors.iter().map(|error| {
        let set = escape(&error.set()).into_owned();
        (set, vec![of_unplanned(error)])
    });
    let planned = plans.items.iter();
    let planned = planned.map(|report| (set_name(&report.metadata), problems(report)));
    unplanned.chain(planned).collect()
}

/// The fingerprints of problems, which are stable across runs: rule, set and object, and a number if several problems
/// share those.
#[derive(Default)]
pub(super) struct Fingerprints {
    given: BTreeMap<String, usize>,
}

impl Fingerprints {
    /// Returns the fingerprint of a problem of a set.
    pub(super) fn of(&mut self, set: &str, problem: &Problem) -> String {
        let about = format!("{}/{set}/{}", problem.rule.id(), problem.object);
        match self.given.entry(about) {
            Entry::Vacant(entry) => {
                let first = entry.key().clone();
                entry.insert(1);
                first
            }
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += 1;
                format!("{}:{}", entry.key(), entry.get())
            }
        }
    }
}
