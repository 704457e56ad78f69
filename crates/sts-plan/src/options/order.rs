//! The order in which pods are replaced where an operator chooses it.

use std::cmp::Reverse;
use std::str::FromStr;

use thiserror::Error;

use sts_controller::controller::ordinal_of;
use sts_controller::object::Pod;

/// An order of pods: those that do not serve first, then from the highest ordinal down, and those with a label last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// The label of the pods that are replaced last.
    pub last: Option<Label>,
}

/// A label with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// The text is not an order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no order: write primary-last=LABEL=VALUE, such as primary-last=role=primary")]
pub struct OrderError(String);

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        let label = text.strip_prefix("primary-last=");
        let label = label.and_then(|label| label.split_once('='));
        match label {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => Ok(Order {
                last: Some(Label {
                    key: key.to_owned(),
                    value: value.to_owned(),
                }),
            }),
            _ => Err(OrderError(text.to_owned())),
        }
    }
}

impl Order {
    /// Reports whether a pod is replaced last.
    #[must_use]
    pub fn is_last(&self, pod: &Pod) -> bool {
        self.last.as_ref().is_some_and(|label| {
            let value = pod.meta.labels.get(label.key.as_str());
            value.is_some_and(|value| **value == *label.value)
        })
    }

    /// The place of a pod: the lowest goes first.
    pub(super) fn place(&self, pod: &Pod) -> (bool, bool, Reverse<i64>) {
        let ordinal = ordinal_of(&pod.meta.name);
        (
            pod.is_running_and_ready(),
            self.is_last(pod),
            Reverse(ordinal),
        )
    }
}
