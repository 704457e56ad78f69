//! Fields with their values: the user's changes, and the differences between the template and the pods' revision.

use std::borrow::Cow;

use serde_json::Value;

use super::{Block, Scope};
use crate::output::Format;
use crate::output::limits::Limits;
use crate::output::screen::values;
use crate::output::style::{Style, columns_of, escape};
use crate::output::words::{cut_pair, middle_cut};
use sts_plan::redact::redacted;
use sts_plan::report::{Effect, Rejection, Report, Resource, Verb};

/// Fields of one origin.
#[derive(Debug, Clone)]
pub(in crate::output) struct Fields {
    /// The label: `Change`, `Diff`.
    pub(in crate::output) title: &'static str,
    /// The singular noun for an entry.
    pub(in crate::output) thing: &'static str,
    /// The compared revisions; none for a change.
    pub(in crate::output) revisions: Option<[String; 2]>,
    pub(in crate::output) fields: Vec<Field>,
    pub(in crate::output) left_out: usize,
}

#[derive(Debug, Clone)]
pub(in crate::output) struct Field {
    pub(in crate::output) path: String,
    /// The effect of the change; empty for a difference.
    pub(in crate::output) effect: String,
    /// True if the effect is shown as a problem.
    pub(in crate::output) is_bad: bool,
    /// True if it is a deleted object, which has no values.
    pub(in crate::output) is_deleted: bool,
    pub(in crate::output) old: Option<String>,
    pub(in crate::output) new: Option<String>,
}

/// Formats two values, and truncates them around their difference; a string has no quotes.
fn values_of(
    path: &str,
    [old, new]: [Option<&Value>; 2],
    is_posted: bool,
    scope: &Scope<'_>,
) -> [Option<String>; 2] {
    let text = |value: &Value| {
        let posted = is_posted.then(|| scope.style.posted(path, value));
        match posted.as_deref().unwrap_or(value) {
            Value::String(text) => escape(text).into_owned(),
            value => escape(&value.to_string()).into_owned(),
        }
    };
    truncated([old.map(text), new.map(text)], scope.limits.value)
}

/// Truncates the two values of a field around their difference.
pub(in crate::output) fn truncated(
    values: [Option<String>; 2],
    width: usize,
) -> [Option<String>; 2] {
    match values {
        [Some(old), Some(new)] => {
            let (old, new) = cut_pair(&old, &new, width);
            [Some(old), Some(new)]
        }
        values => values.map(|value| Some(middle_cut(&value?, width))),
    }
}

/// Reports whether the next sync takes an existing revision for the template, and creates none.
fn reuses_revision(report: &Report) -> bool {
    let has = |verb| {
        let mut writes = report.next.writes.iter();
        writes.any(|write| write.resource == Resource::Revisions && write.verb == verb)
    };
    has(Verb::Update) && !has(Verb::Create)
}

/// The user's changes.
pub(super) fn changes<'r>(report: &Report, scope: &Scope<'_>) -> Option<Block<'r>> {
    let changes = &report.change;
    let most = scope.limits.changes;
    let fields = changes.iter().take(most).map(|change| {
        let is_deleted = change.effect == Effect::Delete;
        let effect = match change.effect {
            Effect::Rollout if reuses_revision(report) => "earlier revision",
            Effect::Rollout => "new revision",
            Effect::Scale => "scales",
            Effect::Rejected(Rejection::Immutable) => "REJECTED: immutable field",
            Effect::Rejected(Rejection::Conflict) => "REJECTED: owned by another manager",
            Effect::Rejected(Rejection::Invalid) => "REJECTED: invalid value",
            Effect::None => "no new revision",
            Effect::Delete => "will be deleted",
        };
        let policy = change.new.as_ref().filter(|_| is_deleted);
        let policy = policy.and_then(|new| new["propagationPolicy"].as_str());
        let policy = policy.map(|policy| format!(" ({})", policy.to_lowercase()));
        let values = [&change.old, &change.new];
        let values = values.map(|of| of.as_ref().filter(|_| !is_deleted));
        let [old, new] = values_of(&change.path, values, scope.limits.posted, scope);
        Field {
            path: change.path.clone(),
            effect: format!("{effect}{}", policy.unwrap_or_default()),
            is_bad: matches!(change.effect, Effect::Rejected(_)),
            is_deleted,
            old,
            new,
        }
    });
    let fields: Vec<Field> = fields.collect();
    (!fields.is_empty()).then(|| {
        Block::Fields(Fields {
            title: "Change",
            thing: "change",
            revisions: None,
            left_out: changes.len() - fields.len(),
            fields,
        })
    })
}

/// The fields in which the template and the pods' revision differ, without the changed fields.
pub(in crate::output) fn differences<'r>(report: &Report, scope: &Scope<'_>) -> Option<Block<'r>> {
    let differences = report.further_template_differences();
    let diff = report.template_diff.first()?;
    let fields = differences.iter().take(scope.limits.differences);
    let fields = fields.map(|field| {
        let values = [field.old.as_ref(), field.new.as_ref()];
        let [old, new] = without_common(values);
        let values = [old.as_deref(), new.as_deref()];
        let [old, new] = values_of(&field.path, values, true, scope);
        Field {
            path: field.field.clone(),
            effect: String::new(),
            is_bad: false,
            is_deleted: false,
            old,
            new,
        }
    });
    let fields: Vec<Field> = fields.collect();
    (!fields.is_empty()).then(|| {
        Block::Fields(Fields {
            title: "Differs",
            thing: "field",
            revisions: Some([diff.from.clone(), diff.to.clone()]),
            left_out: differences.len() - fields.len(),
            fields,
        })
    })
}

/// Returns two lists of scalars, such as arguments, without the elements that both have. Lists that differ in order alone
/// stay whole.
fn without_common([old, new]: [Option<&Value>; 2]) -> [Option<Cow<'_, Value>>; 2] {
    let whole = [old.map(Cow::Borrowed), new.map(Cow::Borrowed)];
    let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
        return whole;
    };
    let is_scalar = |it: &Value| !it.is_object() && !it.is_array();
    let only_in = |list: &[Value], other: &[Value]| -> Vec<Value> {
        let own = list.iter().filter(|it| !other.contains(it));
        own.cloned().collect()
    };
    let (gone, come) = (only_in(before, after), only_in(after, before));
    if !before.iter().chain(after).all(is_scalar) || (gone.is_empty() && come.is_empty()) {
        return whole;
    }
    let some = |list: Vec<Value>| (!list.is_empty()).then_some(Cow::Owned(Value::Array(list)));
    [some(gone), some(come)]
}

/// Maximum width of a difference in the row of a set.
const ROW: usize = 60;

/// Returns the only difference if it is short and not a secret.
pub(in crate::output) fn difference_in_short(report: &Report) -> Option<String> {
    let fields = report.further_template_differences();
    let [field] = fields.as_slice() else {
        return None;
    };
    let is_open = |value: &&Value| redacted(&field.path, value) == **value;
    if ![&field.old, &field.new]
        .into_iter()
        .flatten()
        .all(|it| is_open(&it))
    {
        return None;
    }
    let scope = Scope {
        limits: Limits::of(Format::Html, &Style::default()),
        style: &Style::default(),
    };
    let Some(Block::Fields(fields)) = differences(report, &scope) else {
        return None;
    };
    let text = values(fields.fields.first()?);
    (columns_of(&text) <= ROW).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_show_the_elements_that_differ() {
        let shown = |old: Value, new: Value| {
            let [old, new] = without_common([Some(&old), Some(&new)]);
            [old.map(Cow::into_owned), new.map(Cow::into_owned)]
        };
        assert_eq!(
            shown(
                json!(["server", "--a=1", "--b"]),
                json!(["server", "--a=2", "--b"])
            ),
            [Some(json!(["--a=1"])), Some(json!(["--a=2"]))]
        );
        assert_eq!(
            shown(json!(["server"]), json!(["server", "--a"])),
            [None, Some(json!(["--a"]))]
        );
        // The order alone, and objects.
        for (old, new) in [
            (json!(["a", "b"]), json!(["b", "a"])),
            (json!([{"name": "a"}]), json!([{"name": "b"}])),
        ] {
            assert_eq!(shown(old.clone(), new.clone()), [Some(old), Some(new)]);
        }
    }
}
