//! The sentences of a report, in the order of the answer: headline, obstacles, advice, notes, evidence, findings, and the
//! plan in one line. A format chooses among them; here is each.

use sts_plan::report::{HeadlineTopic, Report, ReportObstacle, ReportRemedy};

/// Returns the sentences of a report with their labels: `Do:`, `Or:`, `Fix:`, `Look:`, `Note:`, `Evidence:`.
pub fn told(report: &Report) -> String {
    let mut lines = vec![headline(report)];
    for (at, obstacle) in report.outcome.blocked_by.iter().enumerate() {
        if at > 0 {
            lines.push(format!("  and {}", obstacle.message));
        } else if report.next.topic != HeadlineTopic::Stuck {
            lines.push(format!("BLOCKED: {}", obstacle.message));
        }
        lines.extend(advice(obstacle));
        lines.extend(obstacle.cautions.iter().map(|it| format!("  Note: {it}")));
        let is_known = !obstacle.fix.is_empty() || !obstacle.look.is_empty();
        let cause = is_known.then(|| format!("cause: {}", obstacle.cause));
        // The evidence has the part of the headline that its short form lacks.
        let brief = report.next.brief.iter().filter(|_| at == 0);
        let cut = brief.flat_map(|brief| &brief.cut);
        let cut = cut.map(|cut| cut.evidence.clone());
        let facts = cause
            .into_iter()
            .chain(cut)
            .chain(obstacle.evidence.iter().cloned());
        let facts: Vec<String> = facts.collect();
        if !facts.is_empty() {
            lines.push(format!("  Evidence: {}", facts.join("; ")));
        }
    }
    for found in &report.analysis.loops {
        if !found.in_headline {
            lines.push(format!("  and {}", found.message));
        }
        lines.push(format!("  Fix: {}", found.fix));
        lines.push(format!(
            "  Look: {}; {}",
            found.look,
            found.commands.join("; ")
        ));
        lines.extend(found.cautions.iter().map(|it| format!("  Note: {it}")));
        lines.push(format!("  Evidence: {}", found.evidence.join("; ")));
    }
    lines.extend(report.findings.iter().map(|it| {
        let severity = it.severity.name();
        format!("{severity} {} {}: {}", it.id, it.object, it.message)
    }));
    lines.push(report.closing.clone());
    lines.join("\n")
}

/// Returns the headline of a report, as a terminal shows it.
pub fn headline(report: &Report) -> String {
    let brief = report.next.brief.as_ref();
    brief
        .map_or(&report.next.summary, |brief| &brief.text)
        .clone()
}

/// The remedies that help, the change in words, and the places to look at. A caution covers what does not help.
fn advice(obstacle: &ReportObstacle) -> Vec<String> {
    let (looks, fixes): (Vec<_>, Vec<_>) = obstacle.remedies.iter().partition(|it| it.looks);
    let is_refused = obstacle.ends_by_itself.is_none();
    let mut lines = Vec::new();
    let helpful = fixes.into_iter().filter(|it| it.helps);
    for (at, remedy) in helpful.enumerate() {
        let label = match (is_refused, at) {
            (true, _) => "Try",
            (false, 0) => "Do",
            (false, _) => "Or",
        };
        lines.extend(labeled(label, &remedy.precondition, Some(remedy)));
    }
    if !obstacle.fix.is_empty() {
        lines.extend(labeled("Fix", &obstacle.fix, None));
    }
    for remedy in &looks {
        lines.extend(labeled("Look", &obstacle.look, Some(remedy)));
    }
    if looks.is_empty() && !obstacle.remedy.is_empty() {
        lines.extend(labeled("Look", &obstacle.look, None));
        lines.extend(obstacle.remedy.iter().map(|it| format!("        {it}")));
    }
    lines
}

/// A condition, a risk, commands and their effect, of which the first has the label.
fn labeled(label: &str, condition: &str, remedy: Option<&ReportRemedy>) -> Vec<String> {
    let mut parts = Vec::new();
    if !condition.is_empty() {
        parts.push(condition.to_owned());
    }
    if let Some(remedy) = remedy {
        if !remedy.risk.is_empty() {
            parts.push(format!("risk: {}", remedy.risk));
        }
        parts.extend(remedy.commands.iter().cloned());
        // The precondition of a look concerns its findings, not the command.
        let terms = [remedy.precondition.as_str(), &remedy.effect];
        let terms = terms.iter().skip(usize::from(!remedy.looks));
        let terms: Vec<&str> = terms.copied().filter(|it| !it.is_empty()).collect();
        parts.push(terms.join(": "));
    }
    let label = format!("{label}:");
    let first = std::iter::once(label.as_str());
    let labels = first.chain(std::iter::repeat(""));
    let lines = labels.zip(parts);
    lines
        .map(|(label, text)| format!("  {label:<5} {text}"))
        .collect()
}
