//! The line below the title of a comment: what a reviewer looks at first.

use super::text::Markdown;
use crate::output::document::difference_in_short;
use crate::output::limits::Limits;
use crate::output::words::{count, cut};
use sts_plan::report::{AtAGlance, Quorum, Report};

/// Pods that are unavailable at worst, the quorum, data, and what differs; `None` where there is none of these.
pub(super) fn at_a_glance(report: &Report, limits: &Limits) -> Option<Markdown> {
    let outage = report.at_a_glance().map(|glance| outage(&glance));
    let line = match (outage, differs(report, limits)) {
        (None, None) => return None,
        (Some(outage), None) => outage,
        (None, Some(differs)) => Markdown::default().raw("Differs: ").with(&differs),
        (Some(outage), Some(differs)) => outage.raw(" · differs: ").with(&differs),
    };
    Some(Markdown::default().raw("\n").with(&line).raw("\n"))
}

fn outage(glance: &AtAGlance) -> Markdown {
    let line = Markdown::default()
        .number(glance.unavailable)
        .raw(" of ")
        .text(&count(glance.pods, "pod"))
        .raw(" unavailable at worst · ")
        .raw(match glance.quorum {
            Quorum::Kept => "quorum kept",
            Quorum::Lost => "**quorum lost**",
            Quorum::MissingNow => "**no quorum now**",
        });
    match (glance.claims_deleted, glance.claims_kept) {
        (0, 0) => line,
        (0, kept) => line.raw(" · ").text(&count(kept, "claim")).raw(" kept"),
        (lost, _) => {
            let line = line.raw(" · **").text(&count(lost, "claim"));
            line.raw(" deleted with the data**")
        }
    }
}

/// Returns what differs: the field with its values where they fit the line, else its name, else how many fields.
fn differs(report: &Report, limits: &Limits) -> Option<Markdown> {
    if let Some(difference) = difference_in_short(report) {
        return Some(Markdown::default().text(&difference));
    }
    match report.further_template_differences().as_slice() {
        [] => None,
        [field] => Some(Markdown::default().code(&cut(&field.field, limits.name))),
        fields => Some(Markdown::default().text(&count(fields.len(), "field"))),
    }
}
