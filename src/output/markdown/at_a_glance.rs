//! The line below the title of a comment: what a reviewer looks at first.

use super::text::Markdown;
use crate::output::document::difference_in_short;
use crate::output::words::count;
use sts_plan::report::{Quorum, Report};

/// Pods that are unavailable at worst, the quorum, data, and a difference that fits a line; `None` where nothing happens.
pub(super) fn at_a_glance(report: &Report) -> Option<Markdown> {
    let glance = report.at_a_glance()?;
    let mut line = Markdown::default()
        .raw("\n")
        .number(glance.unavailable)
        .raw(" of ")
        .text(&count(glance.pods, "pod"))
        .raw(" unavailable at worst · ")
        .raw(match glance.quorum {
            Quorum::Kept => "quorum kept",
            Quorum::Lost => "**quorum lost**",
            Quorum::MissingNow => "**no quorum now**",
        });
    line = match (glance.claims_deleted, glance.claims_kept) {
        (0, 0) => line,
        (0, kept) => line.raw(" · ").text(&count(kept, "claim")).raw(" kept"),
        (lost, _) => {
            let line = line.raw(" · **").text(&count(lost, "claim"));
            line.raw(" deleted with the data**")
        }
    };
    if let Some(difference) = difference_in_short(report) {
        line = line.raw(" · differs: ").text(&difference);
    }
    Some(line.raw("\n"))
}
