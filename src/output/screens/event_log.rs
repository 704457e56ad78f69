//! The log of a watch: events compared with the prediction, and the event that is late.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use ratatui_core::text::{Line, Span};

use super::theme::Theme;
use crate::output::style::{Tone, escape};
use crate::output::words::{elapsed, wrap};
use sts_plan::verify::{Late, Verification};

/// Maximum number of entries.
const KEPT: usize = 1_000;
/// Minimum deviation from the prediction that is reported, in seconds.
pub(super) const PUNCTUAL: i64 = 2;

/// The log, and the event that is late.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    /// The newest first.
    entries: VecDeque<(Timestamp, Tone, String)>,
    /// The late event, and its predicted time.
    late: Option<(Late, Timestamp)>,
}

impl EventLog {
    /// Adds the events of a verification.
    pub(super) fn add(&mut self, since: &Verification, now: Timestamp) {
        // Updates of the status are omitted.
        for step in since.steps.iter().filter(|step| !step.is_status_alone) {
            let by = since.elapsed_seconds - step.at;
            let (tone, when) = match by {
                PUNCTUAL.. => (Tone::Busy, format!("{} late", elapsed(by))),
                by if by <= -PUNCTUAL => (Tone::Plain, format!("{} early", elapsed(-by))),
                _ => (Tone::Plain, "as predicted".to_owned()),
            };
            self.push(now, tone, format!("{}: {when}", step.what));
        }
        if let Some(stale) = &since.stale {
            self.push(now, Tone::Strong, stale.message.clone());
        }
        for missed in &since.differences {
            let text = format!(
                "not as predicted: {} {}: predicted {}, found {} ({})",
                missed.resource.word(),
                missed.name,
                missed.predicted,
                missed.found,
                missed.cause
            );
            self.push(now, Tone::Bad, text);
        }
        self.late = since.late.as_ref().map(|late| {
            let due = now.checked_sub(SignedDuration::from_secs(late.by_seconds));
            (late.clone(), due.unwrap_or(now))
        });
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, now: Timestamp, tone: Tone, text: String) {
        self.entries.push_front((now, tone, text));
        self.entries.truncate(KEPT);
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Describes the late event and its delay.
    pub(super) fn late(&self, now: Timestamp) -> Option<String> {
        let (late, due) = self.late.as_ref()?;
        let by = now.duration_since(*due).as_secs().max(0);
        Some(format!("LATE {}", late.describe(by)))
    }

    /// Returns the entries, wrapped, in at most `most` lines.
    pub(super) fn lines(&self, width: usize, most: usize, theme: Theme) -> Vec<Line<'static>> {
        if self.entries.is_empty() {
            let text = "no predicted event yet";
            return vec![Line::styled(text, theme.tone(Tone::Faint))];
        }
        let entries = self.entries.iter().take(most);
        let lines = entries.flat_map(|(at, tone, text)| {
            let at = format!("{}  ", at.strftime("%H:%M:%S"));
            let margin = " ".repeat(at.len());
            let texts = wrap(&escape(text), Some(width.saturating_sub(at.len())), 0);
            let margins = std::iter::once(at).chain(std::iter::repeat(margin));
            let lines = margins.zip(texts).map(|(margin, text)| {
                Line::from(vec![
                    Span::styled(margin, theme.tone(Tone::Faint)),
                    Span::styled(text, theme.tone(*tone)),
                ])
            });
            lines.collect::<Vec<_>>()
        });
        lines.take(most).collect()
    }
}
