//! The change, field by field.

use maud::{Markup, html};
use serde_json::Value;

use super::section::{ROWS, VALUE};
use crate::output::Style;
use crate::output::svg::shown;
use crate::output::words::{count, cut, short_revision};
use sts_plan::report::{Effect, Rejection, Report};

/// Renders what the user changes, and how the template differs from what pods have.
pub(super) fn changes(report: &Report, style: &Style) -> Markup {
    html! {
        @if !report.change.is_empty() {
            h2 { "The change" }
            div .diff {
                @for change in report.change.iter().take(ROWS) {
                    @let effect = match change.effect {
                        Effect::Rollout => "makes a new revision",
                        Effect::Scale => "scales",
                        Effect::Rejected(Rejection::Immutable) => "rejected: it may not be changed",
                        Effect::Rejected(Rejection::Conflict) => "rejected: another manager owns it",
                        Effect::Rejected(Rejection::Invalid) => "rejected: invalid value",
                        Effect::Delete => "is deleted",
                        Effect::None => "makes no new revision",
                    };
                    (field(&change.path, effect, &change.old, &change.new, style))
                }
            }
            @if report.change.len() > ROWS {
                p .note { "… and " (count(report.change.len() - ROWS, "more change")) "." }
            }
        }
        @for diff in &report.template_diff {
            h2 {
                "Template: "
                code { (shown(short_revision(&diff.from, &report.metadata.name))) } " → "
                code { (shown(short_revision(&diff.to, &report.metadata.name))) }
            }
            div .diff {
                @for one in diff.fields.iter().take(ROWS) { (field(&one.path, "", &one.old, &one.new, style)) }
            }
            @if diff.fields.len() > ROWS {
                p .note { "… and " (count(diff.fields.len() - ROWS, "more field")) "." }
            }
        }
    }
}

fn field(
    path: &str,
    effect: &str,
    old: &Option<Value>,
    new: &Option<Value>,
    style: &Style,
) -> Markup {
    let value = |value: &Value| match &*style.posted(path, value) {
        Value::String(text) => shown(&cut(text, VALUE)),
        value => shown(&cut(&value.to_string(), VALUE)),
    };
    html! {
        p .path { code { (shown(&cut(path, VALUE))) } @if !effect.is_empty() { " " span .facts { (effect) } } }
        @if effect != "is deleted" {
            @if let Some(old) = old { p .old { span .sign { "−" } " " code { (value(old)) } } }
            @if let Some(new) = new { p .new { span .sign { "+" } " " code { (value(new)) } } }
        }
    }
}
