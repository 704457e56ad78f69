//! Operations on values by the schema: validation, field sets, merging, comparison, pruning.

mod check;
mod compare;
mod fields;
mod merge;
mod remove;

use serde_json::{Map, Value};

use super::types::{Form, Type};
use crate::apiserver::schema::ListOwnership;

pub(super) use check::check;
pub(super) use compare::{compare, equal};
pub(super) use fields::{fields, reconcile};
pub(super) use merge::merge;
pub(super) use remove::remove;

/// Returns the elements of a list; empty if it is none.
fn elements(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(values)) => values,
        _ => &[],
    }
}

fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    match value {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// Reports whether a pair of values is compared as a whole: their type is atomic, or both are empty.
fn is_leaf(kind: Type, left: Option<&Value>, right: Option<&Value>) -> bool {
    match kind.form() {
        Form::Scalar(_) | Form::Untyped | Form::Map { atomic: true } => true,
        Form::List(ListOwnership::Atomic, _) => true,
        Form::List(..) => elements(left).is_empty() && elements(right).is_empty(),
        Form::Map { .. } => {
            let empty = |value| members(value).is_none_or(Map::is_empty);
            empty(left) && empty(right)
        }
    }
}
