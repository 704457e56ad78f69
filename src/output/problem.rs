//! The problems of a plan, for formats that list them: its outcome, requirements that break, and findings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::advice::advice;
use super::document::asked::broken_requirement;
use super::limits::Limits;
use super::overview::circles;
use super::style::escape;
use super::words::{elapsed, set_name};
use super::{Format, Style};
use sts_plan::report::{
    ExplorationVerdict, Finding, PlanResult, Report, ReportList, ReportObstacle, ReportRequirement,
    ReportSource, RuleId, Severity, Unplanned,
};

/// Something that is wrong, or worth knowing.
#[derive(Clone)]
pub(super) struct Problem {
    /// The rule that it breaks.
    pub(super) rule: Rule,
    /// Its severity.
    pub(super) severity: Severity,
    /// Its title, in a few words.
    pub(super) title: String,
    /// One sentence.
    pub(super) message: String,
    /// Instructions, line by line: conditions and risks before the commands.
    pub(super) instructions: Vec<String>,
    /// The object that it is about, such as `pod/web-0`.
    pub(super) object: String,
    /// The source of that object, or else of the set.
    pub(super) source: Option<ReportSource>,
    /// The reason that it is ignored, if it is.
    pub(super) ignored: Option<String>,
    /// State and age of the plan that it blocks: `BLOCKED 38m`.
    pub(super) state: Option<String>,
}

impl Problem {
    /// The sentence behind the state and the age of the plan, for formats that have no other place for them.
    pub(super) fn with_state(&self) -> String {
        match &self.state {
            Some(state) => format!("{state}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A rule that a problem breaks: a rule of findings, or an expectation of every plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The set can be planned.
    Error,
    /// The plan completes.
    Blocked,
    /// The plan comes to rest.
    Livelock,
    /// The API server takes the change.
    Rejected,
    /// A requirement holds.
    Requirement,
    /// Nothing goes wrong in any order of events.
    Exploration,
    /// The rollout goes as planned.
    Verification,
    /// A rule of findings is silent.
    Finding(RuleId),
}

impl Rule {
    /// Its id in the formats that list problems.
    pub(super) fn id(self) -> &'static str {
        match self {
            Rule::Error => "error",
            Rule::Blocked => "blocked",
            Rule::Livelock => "livelock",
            Rule::Rejected => "rejected",
            Rule::Requirement => "requirement",
            Rule::Exploration => "exploration",
            Rule::Verification => "verification",
            Rule::Finding(id) => id.name(),
        }
    }

    /// Returns the title of a problem that breaks it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Rule::Error => "The set cannot be planned",
            Rule::Blocked => "The rollout stops and does not go on by itself",
            Rule::Livelock => "The rollout goes round in circles",
            Rule::Rejected => "The API server would refuse the change",
            Rule::Requirement => "A requirement does not hold all the way",
            Rule::Exploration => "Something goes wrong in some order of events",
            Rule::Verification => "Something else happened than what was planned",
            Rule::Finding(id) => id.rule().title,
        }
    }
}

/// That a set could not be planned.
pub(super) fn of_unplanned(error: &Unplanned) -> Problem {
    Problem {
        rule: Rule::Error,
        severity: Severity::Error,
        title: "not planned".to_owned(),
        message: escape(&error.outcome.message).into_owned(),
        instructions: Vec::new(),
        object: format!("statefulset/{}", escape(&error.metadata.name)),
        source: None,
        ignored: None,
        state: None,
    }
}

/// Returns the problem with the outcome, if there is one. It breaks the rule that found so, unless that is silent.
pub(super) fn of_outcome(report: &Report) -> Vec<Problem> {
    let outcome = &report.outcome;
    let rule = match outcome.result {
        PlanResult::Complete => return Vec::new(),
        PlanResult::Livelock => Rule::Livelock,
        PlanResult::Rejected => Rule::Rejected,
        PlanResult::Blocked => Rule::Blocked,
    };
    let finding = report.findings.iter().find(|found| says_how_it_ends(found));
    let problem = Problem {
        rule: finding.map_or(rule, |finding| Rule::Finding(finding.id)),
        ..error(report, rule)
    };
    if rule == Rule::Livelock {
        return vec![Problem {
            title: format!("never comes to rest after {}", elapsed(outcome.at)),
            message: circles(report),
            ..problem
        }];
    }
    let obstacles = outcome.blocked_by.iter().map(|obstacle| {
        let pod = obstacle.pod.as_deref().map(escape);
        // A refusal is told by its kind; a wait by its pod, since its message says the rest.
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

/// The best of what helps, what shows more, and what to know before.
fn instructions(obstacle: &ReportObstacle) -> Vec<String> {
    let limits = Limits::of(Format::Github, &Style::default());
    let advice = advice(obstacle, &limits, &mut BTreeSet::new());
    let mut lines = Vec::new();
    for told in &advice {
        lines.push(match told.condition {
            "" => format!("{}:", told.kind.word()),
            condition => format!("{}, {condition}:", told.kind.word()),
        });
        if !told.risk.is_empty() {
            lines.push(format!("  risk: {}", told.risk));
        }
        lines.extend(told.commands.iter().map(|command| format!("  {command}")));
    }
    // Of a refusal that is where the field stands, and what was probably meant.
    if obstacle.ends_by_itself.is_none() {
        lines.extend(obstacle.evidence.iter().cloned());
    }
    let cautions = obstacle.cautions.iter();
    lines.extend(cautions.map(|caution| format!("Note: {caution}")));
    lines.iter().map(|line| escape(line).into_owned()).collect()
}

/// Reports whether a finding only repeats the outcome of the plan.
fn says_how_it_ends(finding: &Finding) -> bool {
    matches!(finding.id, RuleId::Blocked | RuleId::Rejected)
}

/// A problem of the set, of which nothing is said yet.
fn error(report: &Report, rule: Rule) -> Problem {
    Problem {
        rule,
        severity: Severity::Error,
        title: String::new(),
        message: String::new(),
        instructions: Vec::new(),
        object: format!("statefulset/{}", escape(&report.metadata.name)),
        source: report.set.source.clone(),
        ignored: None,
        state: None,
    }
}

/// Returns the problem with a requirement; `None` if the requirement holds.
pub(super) fn of_requirement(report: &Report, requirement: &ReportRequirement) -> Option<Problem> {
    let message = broken_requirement(requirement)?;
    Some(Problem {
        title: format!("requirement {}", escape(&requirement.text)),
        message: escape(&message).into_owned(),
        ..error(report, Rule::Requirement)
    })
}

/// Returns the problem with a search of every order, if something is wrong in one.
pub(super) fn of_exploration(report: &Report) -> Option<Problem> {
    let exploration = report.exploration.as_ref()?;
    (exploration.verdict == ExplorationVerdict::Broken).then(|| Problem {
        title: "exploration".to_owned(),
        message: escape(&exploration.summary).into_owned(),
        ..error(report, Rule::Exploration)
    })
}

/// Returns the problems that are findings, without those that only repeat the outcome.
pub(super) fn of_findings(report: &Report) -> Vec<Problem> {
    let ends = !of_outcome(report).is_empty();
    let findings = report.findings.iter();
    let findings = findings.filter(|finding| !(ends && says_how_it_ends(finding)));
    let findings = findings.map(|finding| of_finding(report, finding));
    let mut problems: Vec<Problem> = findings.collect();
    problems.sort_by_key(|problem| Reverse(problem.severity));
    problems
}

/// Returns the findings that are ignored, with the reasons: only for information.
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

/// All of it, what is worst first, and what is ignored last.
pub(super) fn problems(report: &Report) -> Vec<Problem> {
    let mut problems = of_outcome(report);
    let requirements = report.requirements.iter();
    problems.extend(requirements.filter_map(|requirement| of_requirement(report, requirement)));
    problems.extend(of_exploration(report));
    problems.extend(of_findings(report));
    problems.sort_by_key(|problem| Reverse(problem.severity));
    problems.extend(of_ignored(report));
    problems
}

/// The problems of each set, the sets that could not be planned first.
pub(super) fn by_set(plans: &ReportList<'_>) -> Vec<(String, Vec<Problem>)> {
    let unplanned = plans.errors.iter().map(|error| {
        let set = escape(&error.set()).into_owned();
        (set, vec![of_unplanned(error)])
    });
    let planned = plans.items.iter();
    let planned = planned.map(|report| (set_name(&report.metadata), problems(report)));
    unplanned.chain(planned).collect()
}

/// The fingerprints of problems, which tell the same problem from others in one run and the next: all about it that does
/// not change with every line and second, and a number where that is the same for several.
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
