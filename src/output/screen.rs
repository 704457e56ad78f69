//! The screen of one plan: what happens next and why in the first two lines, the whole in the last.

use std::io;

use super::answers::{broken, harms, ignored, is_told};
use super::operations::operations;
use super::sink::Terminal;
use super::style::{Style, Tone, escape};
use super::table::Table;
use super::words::{count, cut, elapsed, flow, spaced};
use super::{differs, outlook, pods, remedies, steps, tree};
use sts_plan::report::{
    Effect, Finding, HeadlineTopic, PlanResult, Rejection, Report, RuleId, Severity,
};

/// Maximum number of obstacles, and of changes, that are shown.
const SHOWN: usize = 5;

/// Writes the screen of a plan.
pub(super) fn render(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    write(report, pods::table(report, style), out)
}

/// Writes what happens next and why, what stands in the way and what helps: the screen without its tables.
pub(super) fn render_why(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    answer(report, out)?;
    notes(report, out)?;
    conclusion(report, out)
}

/// Writes the screen of a plan with a tree of its objects, names in full, and nothing of a table cut or left out.
pub(super) fn render_wide(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = &Style {
        full_names: true,
        whole_tables: true,
        ..*out.style
    };
    write(
        report,
        Some(tree::table(report, style)),
        &mut out.with(style),
    )
}

fn write(report: &Report, objects: Option<Table>, out: &mut Terminal<'_>) -> io::Result<()> {
    title(report, out)?;
    answer(report, out)?;
    if let Some(table) = objects {
        out.blank()?;
        table.write(out)?;
    }
    steps::write(report, out)?;
    outlook::write(report, out)?;
    notes(report, out)?;
    conclusion(report, out)
}

/// Writes what happens next, what stands in the way, and what is changed.
fn answer(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    headline(report, out)?;
    let differs = differs::line(report, style);
    if !differs.is_empty() {
        out.prose(&differs, Tone::Plain, 2)?;
    }
    // What breaks and what is lost stands where everybody looks.
    for line in broken(report) {
        out.prose(&line, Tone::Bad, 2)?;
    }
    for finding in harms(report) {
        tell(finding, out)?;
    }
    obstacles(report, out)?;
    changes(report, out)
}

/// The whole in one line.
fn conclusion(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let tone = match report.outcome.result {
        PlanResult::Complete if !report.loses_data() => Tone::Strong,
        _ => Tone::Bad,
    };
    out.blank()?;
    out.prose(&escape(&report.summary), tone, 2)
}

/// Writes the name of the set, and what about it decides the order of things.
fn title(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let metadata = &report.metadata;
    let mut name = escape(&metadata.name).into_owned();
    if !metadata.namespace.is_empty() {
        name = format!("{}/{name}", escape(&metadata.namespace));
    }
    let facts = facts(report);
    let kubernetes = &report.kubernetes;
    let version = format!("Kubernetes {}", escape(&kubernetes.version));
    let source = format!("{version} ({})", kubernetes.source);
    let gates = kubernetes.feature_gates_set.iter();
    let gates: Vec<String> = gates
        .map(|(gate, value)| format!("{gate}={value}"))
        .collect();
    let lines = |kind: &[&'static str], version: &str| {
        let first = std::iter::once(name.as_str()).chain(kind.iter().copied());
        let facts = first.chain(facts.iter().map(String::as_str));
        let facts = facts
            .chain([version])
            .chain(gates.iter().map(String::as_str));
        flow(facts, "  ", "", style.width, 2)
    };
    // What a reader misses least goes first: the answer should stand in the second line.
    let choices = [
        lines(&["StatefulSet"], &source),
        lines(&[], &source),
        lines(&[], &version),
    ];
    let [.., last] = &choices;
    let lines = choices
        .iter()
        .find(|lines| lines.len() == 1)
        .unwrap_or(last);
    for line in lines {
        match line.strip_prefix(&name) {
            Some(rest) => out.pieces(&[(Tone::Strong, &name), (Tone::Plain, rest)])?,
            None => out.line(Tone::Plain, line)?,
        }
    }
    Ok(())
}

/// Lists what decides the order of things: replicas, strategy, and the delay between pods.
pub(super) fn facts(report: &Report) -> Vec<String> {
    let set = &report.set;
    let mut strategy = escape(&set.update_strategy).into_owned();
    if let Some(partition) = set.partition.filter(|partition| *partition != 0) {
        strategy.push_str(&format!(" partition={partition}"));
    }
    // One is what the server fills in from 1.37 on, and what counts without it.
    if let Some(bound) = set.max_unavailable.as_ref().filter(|bound| *bound != "1") {
        strategy.push_str(&format!(" maxUnavailable={}", escape(bound)));
    }
    let replicas = count(usize::try_from(set.replicas).unwrap_or(0), "replica");
    let mut facts = vec![replicas, strategy, set.pod_management_policy.to_string()];
    if set.start_ordinal != 0 {
        facts.push(format!("start={}", set.start_ordinal));
    }
    if set.min_ready_seconds != 0 {
        facts.push(format!("minReady={}s", set.min_ready_seconds));
    }
    facts
}

/// Returns the tone of the headline.
pub(super) fn headline_tone(report: &Report) -> Tone {
    match report.outcome.result {
        PlanResult::Complete if report.steps.is_empty() => Tone::Good,
        PlanResult::Complete => Tone::Strong,
        _ if report.next.topic == HeadlineTopic::Next => Tone::Strong,
        _ => Tone::Bad,
    }
}

/// Writes what happens next, or why nothing does.
fn headline(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    if remedies::tells_more_than_the_server(report) {
        return Ok(());
    }
    let tone = headline_tone(report);
    out.prose(&escape(&report.next.summary), tone, 2)?;
    // Of what the plan never gets past, the obstacles tell.
    let told = |message: &str| report.next.summary.to_lowercase().contains(message);
    let mut waits = report.next.holds.iter();
    match waits.find(|hold| told(&hold.message.to_lowercase())) {
        Some(wait) if wait.ends_by_itself == Some(true) => remedies::facts(&wait.evidence, out),
        _ => Ok(()),
    }
}

/// Writes the obstacles that keep the set from its goal, and their remedies.
fn obstacles(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let outcome = &report.outcome;
    let after = match outcome.at {
        0 => String::new(),
        at => format!(" after {}", elapsed(at)),
    };
    let word = if outcome.result == PlanResult::Rejected {
        "REJECTED"
    } else {
        "BLOCKED"
    };
    remedies::write(report, word, &after, out)
}

/// Describes what is repeated without end.
pub(super) fn circles(report: &Report) -> String {
    // The last thing to happen is part of the circle; all before it may be the way there.
    match operations(report, false)
        .last()
        .filter(|last| !last.pod.is_empty())
    {
        Some(last) => format!("{} is deleted and recreated without end", escape(last.pod)),
        None => "the same writes repeat without end".to_owned(),
    }
}

/// Writes the changes that the user makes.
fn changes(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let shown = if style.verbose {
        report.change.len()
    } else {
        SHOWN
    };
    for change in report.change.iter().take(shown) {
        let value = |value: &Option<serde_json::Value>| match value {
            Some(serde_json::Value::String(text)) => escape(text).into_owned(),
            Some(value) => escape(&value.to_string()).into_owned(),
            None => "(none)".to_owned(),
        };
        if change.effect == Effect::Delete {
            let policy = change
                .new
                .as_ref()
                .and_then(|new| new["propagationPolicy"].as_str());
            let policy = policy.map(|policy| format!(" ({})", escape(&policy.to_lowercase())));
            let path = escape(&change.path);
            let text = format!("Change: {path} is deleted{}", policy.unwrap_or_default());
            out.prose(&text, Tone::Busy, 2)?;
            continue;
        }
        let effect = match change.effect {
            Effect::Rollout => "makes a new revision",
            Effect::Scale => "scales",
            Effect::Rejected(Rejection::Immutable) => "REJECTED: it may not be changed",
            Effect::Rejected(Rejection::Conflict) => "REJECTED: another manager owns it",
            Effect::Rejected(Rejection::Invalid) => "REJECTED: invalid value",
            Effect::None | Effect::Delete => "makes no new revision",
        };
        let value = |of| cut(&value(of), if style.verbose { usize::MAX } else { 40 });
        let text = format!(
            "Change: {} {} -> {} ({effect})",
            escape(&change.path),
            value(&change.old),
            value(&change.new)
        );
        let tone = match change.effect {
            Effect::Rejected(_) => Tone::Bad,
            _ => Tone::Plain,
        };
        out.prose(&text, tone, 2)?;
    }
    match report.change.len().checked_sub(shown) {
        Some(more @ 1..) => out.line(Tone::Plain, &format!("Change: {} more (-v)", spaced(more))),
        _ => Ok(()),
    }
}

fn tell(finding: &Finding, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let tone = match finding.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Busy,
        Severity::Info => Tone::Plain,
    };
    let mut text = format!("{} {}", finding.severity, finding.id);
    if !finding.object.is_empty() {
        text.push_str(&format!(" {}", escape(&finding.object)));
    }
    text.push_str(&format!(": {}", escape(&finding.message)));
    if style.verbose && !finding.docs.is_empty() {
        text.push_str(&format!(" ({})", escape(&finding.docs)));
    }
    out.prose(&text, tone, 2)
}

/// Reports whether it is about a pod that might fail, which is true of every rollout: `--what-if-fails` asks for it.
fn is_hypothetical(finding: &Finding) -> bool {
    finding.id == RuleId::ForcedRollback && finding.severity == Severity::Info
}

/// Writes the assumptions, and what else is worth knowing.
fn notes(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    if !report.assumptions.is_empty() {
        out.blank()?;
        let (brief, sentences) = match style.verbose {
            true => (Vec::new(), &report.assumptions),
            false => (report.assumed.clone(), &report.assumed_here),
        };
        let title = format!("Assumed: {}", escape(&brief.join(", ")));
        out.prose(title.trim_end(), Tone::Faint, 2)?;
        for assumption in sentences {
            out.prose(&format!("  {}", escape(assumption)), Tone::Faint, 4)?;
        }
    }
    if let Some(eta) = &report.analysis.eta {
        out.prose(&format!("ETA: {}", eta.message), Tone::Faint, 2)?;
    }
    let (shown, rest): (Vec<&Finding>, Vec<&Finding>) = report
        .findings
        .iter()
        .filter(|it| it.severity != Severity::Error || is_told(report, it))
        .filter(|it| style.verbose || !(is_told(report, it) || is_hypothetical(it)))
        .partition(|finding| style.verbose || finding.severity != Severity::Info);
    if !shown.is_empty() || !rest.is_empty() || !report.ignored.is_empty() {
        out.blank()?;
    }
    for finding in shown {
        tell(finding, out)?;
    }
    if !report.ignored.is_empty() {
        let text = format!("Ignored: {}", escape(&ignored(report).join(", ")));
        out.prose(&text, Tone::Faint, 2)?;
    }
    let mut told: Vec<String> = rest
        .iter()
        .map(|finding| format!("{} {}", finding.id, finding.id.rule().name))
        .collect();
    told.dedup();
    if !told.is_empty() {
        let text = format!("Good to know: {} (-v says more)", told.join(", "));
        out.prose(&text, Tone::Faint, 2)?;
    }
    Ok(())
}
