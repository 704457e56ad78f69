//! The line below the title of a comment: the key figures for a reviewer.

use super::text::Markdown;
use crate::output::document::difference_in_short;
use crate::output::limits::Limits;
use crate::output::words::{count, cut};
use sts_plan::report::{AtAGlance, Quorum, Report};

/// The maximum of unavailable pods, the quorum, the data, and the diff; `None` without any of these.
pub(super) fn at_a_glance(report: &Report, limits: &Limits) -> Option<Markdown> {
    let outage = report.at_a_glance().map(|glance| outage(&glance));
    let line = match (outage, diff(report, limits)) {
        (None, None) => return None,
        (Some(outage), None) => outage,
        (None, Some(diff)) => Markdown::default().raw("Differs: ").with(&diff),
        (Some(outage), Some(diff)) => outage.raw(" · diff: ").with(&diff),
    };
    Some(Markdown::default().raw("\n").with(&line).raw("\n"))
}

fn outage(glance: &AtAGlance) -> Markdown {
    let line = Markdown::default()
        .raw("At most ")
        .number(glance.unavailable)
        .raw(" of ")
        .text(&count(glance.pods, "pod"))
        .raw(" unavailable · ")
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
            line.raw(match lost {
                1 => " deleted with its data**",
                _ => " deleted with their data**",
            })
        }
    }
}

/// Returns the diff: the field with its values if they fit the line, else its name, else the number of fields.
fn diff(report: &Report, limits: &Limits) -> Option<Markdown> {
    if let Some(difference) = difference_in_short(report) {
        return Some(Markdown::default().text(&difference));
    }
    match report.further_template_differences().as_slice() {
        [] => None,
        [field] => Some(Markdown::default().code(&cut(&field.field, limits.name))),
        fields => Some(Markdown::default().text(&count(fields.len(), "field"))),
    }
}
