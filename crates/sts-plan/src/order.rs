//! The order in which the user replaces pods.

use std::cmp::Reverse;
use std::str::FromStr;

use thiserror::Error;

use sts_controller::controller::ordinal_of;
use sts_controller::object::Pod;

/// An order of pods: unready pods first, then from the highest ordinal down, and pods with a label last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// Label of the pods to replace last.
    pub last: Option<Label>,
}

/// A label with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Label key.
    pub key: String,
    /// Label value.
    pub value: String,
}

/// An invalid order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid order {0:?}: use primary-last=LABEL=VALUE, such as primary-last=role=primary")]
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

    /// Returns the sort key of a pod.
    pub(crate) fn sort_key(&self, pod: &Pod) -> (bool, bool, Reverse<i64>) {
        let ordinal = ordinal_of(&pod.meta.name);
        (
            pod.is_running_and_ready(),
            self.is_last(pod),
            Reverse(ordinal),
        )
    }
}
