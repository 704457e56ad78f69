//! A stored list under a patch.

use serde_json::Value;

use super::elements::inner;
use super::{DELETE, DIRECTIVE, REPLACE};
use crate::apiserver::apply::ChangeError;

/// A list that is changed in place while the server still reads its old order. A removal moves later elements up, and
/// additions then fill the space at the end.
pub(super) struct StoredList {
    pub(super) elements: Vec<Value>,
    pub(super) order: Vec<Value>,
}

impl StoredList {
    pub(super) fn new(elements: Vec<Value>) -> Self {
        Self {
            order: elements.clone(),
            elements,
        }
    }

    pub(super) fn position(&self, key: &str, id: &Value) -> Option<usize> {
        let mut elements = self.elements.iter();
        elements.position(|element| element.get(key) == Some(id))
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.elements.remove(at);
        let end = self.elements.len();
        self.order[at..=end].rotate_left(1);
        if end > at {
            self.order[end] = self.order[end - 1].clone();
        }
    }

    pub(super) fn set(&mut self, at: usize, element: Value) {
        if let Some(place) = self.order.get_mut(at) {
            *place = element.clone();
        }
        self.elements[at] = element;
    }

    pub(super) fn push(&mut self, element: Value) {
        if let Some(place) = self.order.get_mut(self.elements.len()) {
            *place = element.clone();
        }
        self.elements.push(element);
    }

    /// `mergeSliceWithSpecialElements`: executes the directives in a patch, and returns its other elements.
    pub(super) fn special(
        &mut self,
        patch: Vec<Value>,
        key: &'static str,
        path: &str,
    ) -> Result<Vec<Value>, ChangeError> {
        let mut plain = Vec::new();
        let mut replaces = false;
        for (index, element) in patch.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            match element.get(DIRECTIVE) {
                None => plain.push(element),
                Some(directive) if directive == DELETE => {
                    let Some(id) = element.get(key) else {
                        return Err(ChangeError::NoMergeKey { path, key });
                    };
                    while let Some(at) = self.position(key, id) {
                        self.remove(at);
                    }
                }
                Some(directive) if directive == REPLACE => replaces = true,
                Some(_) => {
                    let path = inner(&path, DIRECTIVE);
                    return Err(ChangeError::Directive { path });
                }
            }
        }
        if replaces {
            *self = Self::new(plain);
            return Ok(Vec::new());
        }
        Ok(plain)
    }
}
