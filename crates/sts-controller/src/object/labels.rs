//! Labels.

use std::slice;
use std::sync::Arc;

use serde_json::Value;

use super::keep_last;

/// A key and its value.
type Label = (Arc<str>, Arc<str>);

/// Labels, sorted by key. Objects from one template share keys and values. A vector, not a tree: there are many objects
/// with few labels each.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Labels(Vec<Label>);

impl Labels {
    /// Returns empty labels.
    #[must_use]
    pub const fn new() -> Self {
        Labels(Vec::new())
    }

    /// Returns the value of a label.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Arc<str>> {
        let at = self.find(key).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Reports whether there is a label with that key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// Sets a label, and returns its previous value.
    pub fn insert(&mut self, key: Arc<str>, value: Arc<str>) -> Option<Arc<str>> {
        match self.find(&key) {
            Ok(at) => {
                let label = self.0.get_mut(at)?;
                Some(std::mem::replace(&mut label.1, value))
            }
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Returns the number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the labels, by key.
    pub fn iter(&self) -> Iter<'_> {
        self.into_iter()
    }

    /// Iterates over the labels, by key, with mutable values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Arc<str>, &mut Arc<str>)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    fn sorted(mut labels: Vec<Label>) -> Self {
        labels.sort_by(|(key, _), (other, _)| key.cmp(other));
        keep_last(&mut labels, |(key, _), (other, _)| key == other);
        labels.shrink_to_fit();
        Labels(labels)
    }

    /// Finds the index of the label with that key, or the index at which to insert it.
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(key))
    }
}

impl Extend<Label> for Labels {
    fn extend<T: IntoIterator<Item = Label>>(&mut self, labels: T) {
        let own = std::mem::take(&mut self.0);
        *self = own.into_iter().chain(labels).collect();
    }
}

impl FromIterator<Label> for Labels {
    /// If keys repeat, the last label wins.
    fn from_iter<T: IntoIterator<Item = Label>>(labels: T) -> Self {
        Labels::sorted(labels.into_iter().collect())
    }
}

impl<const N: usize> From<[Label; N]> for Labels {
    fn from(labels: [Label; N]) -> Self {
        labels.into_iter().collect()
    }
}

/// Iterator over labels, by key.
pub type Iter<'l> = std::iter::Map<slice::Iter<'l, Label>, fn(&Label) -> (&Arc<str>, &Arc<str>)>;

impl IntoIterator for Labels {
    type Item = Label;
    type IntoIter = std::vec::IntoIter<Label>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'l> IntoIterator for &'l Labels {
    type Item = (&'l Arc<str>, &'l Arc<str>);
    type IntoIter = Iter<'l>;

    fn into_iter(self) -> Iter<'l> {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

/// Returns the labels of an unvalidated object or pod template, without values that are not strings.
#[must_use]
pub fn labels_of(object: &Value) -> Labels {
    let labels = object["metadata"]["labels"].as_object();
    let labels = labels.into_iter().flatten();
    labels
        .filter_map(|(key, value)| Some((Arc::from(&**key), Arc::from(value.as_str()?))))
        .collect()
}

/// Returns the labels of a validated mapping. A null value becomes the empty string, as in Go.
pub(crate) fn decoded_labels(labels: &Value) -> Labels {
    let labels = labels.as_object().into_iter().flatten();
    labels
        .map(|(key, value)| {
            (
                Arc::from(&**key),
                Arc::from(value.as_str().unwrap_or_default()),
            )
        })
        .collect()
}

/// Returns labels in their JSON form.
pub(super) fn labels_json(labels: &Labels) -> Value {
    let pairs = labels
        .iter()
        .map(|(key, value)| (key.to_string(), Value::from(&**value)));
    Value::Object(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        let pairs = pairs.iter();
        pairs
            .map(|(key, value)| (Arc::from(*key), Arc::from(*value)))
            .collect()
    }

    #[test]
    fn the_last_label_with_a_key_wins() {
        let mut all = labels(&[("b", "1"), ("a", "2"), ("b", "3"), ("b", "4")]);
        assert_eq!(all, labels(&[("a", "2"), ("b", "4")]));
        all.extend(labels(&[("c", "6"), ("a", "5")]));
        assert_eq!(all, labels(&[("a", "5"), ("b", "4"), ("c", "6")]));
        assert_eq!(all.insert("b".into(), "7".into()).as_deref(), Some("4"));
        assert_eq!(all.insert("ab".into(), "8".into()), None);
        assert_eq!(
            all,
            labels(&[("a", "5"), ("ab", "8"), ("b", "7"), ("c", "6")])
        );
        assert_eq!(all.get("ab").map(|value| &**value), Some("8"));
        assert_eq!(all.get("aa"), None);
    }
}
