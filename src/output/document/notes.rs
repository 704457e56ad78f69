//! The assumptions, the ETA, and the findings that are not in the answer.

use super::{Block, Item, List, Role, say};
use crate::output::answers::ignored;
use crate::output::limits::Limits;
use crate::output::style::Tone;
use sts_plan::report::{Finding, Report, RuleId, Severity};

/// Returns a finding as an entry of a list.
pub(in crate::output) fn finding(finding: &Finding, limits: &Limits) -> Item {
    Item {
        tone: match finding.severity {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Busy,
            Severity::Info => Tone::Plain,
        },
        finding: Some((finding.severity, finding.id.to_string())),
        object: finding.object.clone(),
        text: finding.message.clone(),
        more: match limits.whole_lists {
            true => finding.docs.clone(),
            false => String::new(),
        },
    }
}

fn list<'r>(
    title: &'static str,
    label: &'static str,
    thing: &'static str,
    brief: &[String],
    items: impl ExactSizeIterator<Item = Item>,
    limits: &Limits,
) -> Option<Block<'r>> {
    if brief.is_empty() && items.len() == 0 {
        return None;
    }
    Some(Block::List(List {
        label,
        brief: brief.join(", "),
        left_out: items.len().saturating_sub(limits.items),
        ..List::new(title, thing, items.take(limits.items).collect())
    }))
}

pub(super) fn assumptions<'r>(report: &Report, limits: &Limits) -> Vec<Block<'r>> {
    let (brief, sentences) = match limits.whole_lists {
        true => (&[][..], &report.assumptions),
        false => (&report.assumed_briefly[..], &report.assumed_here),
    };
    let items = sentences.iter();
    let items = items.map(|text| Item::sentence(Tone::Faint, text.clone()));
    let assumed = list("Assumed", "Assumed", "assumption", brief, items, limits);
    let eta = report.analysis.eta.as_ref();
    let eta = eta.map(|eta| say(Role::Remark, Tone::Faint, "ETA", &eta.message));
    assumed.into_iter().chain(eta).collect()
}

/// Reports whether a finding is about a pod that might fail, as any pod might: `--what-if-fails` covers that.
fn is_hypothetical(finding: &Finding) -> bool {
    finding.id == RuleId::ForcedRollback && finding.severity == Severity::Info
}

/// The findings that are not in the answer, the ignored ones, and the names of the informational ones.
pub(super) fn findings<'r>(report: &Report, limits: &Limits) -> Vec<Block<'r>> {
    let whole = limits.whole_lists;
    let found = report.findings.iter();
    let found = found.filter(|it| it.severity != Severity::Error || it.in_headline);
    let found = found.filter(|it| whole || !(it.in_headline || is_hypothetical(it)));
    let (listed, named): (Vec<&Finding>, Vec<&Finding>) =
        found.partition(|it| whole || it.severity != Severity::Info);
    let items = listed.iter().map(|it| finding(it, limits));
    let listed = list("Findings", "", "finding", &[], items, limits);
    let ignored_items = report.ignored.iter().filter(|_| whole);
    let ignored_items: Vec<Item> = ignored_items
        .map(|ignored| Item {
            tone: Tone::Faint,
            more: ignored.why(),
            ..finding(&ignored.finding, limits)
        })
        .collect();
    let brief = match whole {
        true => Vec::new(),
        false => ignored(report),
    };
    let items = ignored_items.into_iter();
    let ignored = list(
        "Ignored",
        "Ignored",
        "ignored finding",
        &brief,
        items,
        limits,
    );
    let mut names: Vec<String> = named
        .iter()
        .map(|finding| format!("{} {}", finding.id, finding.id.rule().name))
        .collect();
    names.dedup();
    let info = (!names.is_empty()).then(|| {
        let text = format!("{} (-v for details)", names.join(", "));
        say(Role::Remark, Tone::Faint, "Info", text)
    });
    listed.into_iter().chain(ignored).chain(info).collect()
}
