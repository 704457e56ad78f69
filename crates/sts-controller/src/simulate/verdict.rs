//! Validation results of the API server for the pods of a world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::apiserver::validation::pod_refusal;
use crate::object::Pod;
use crate::version::Behaviour;

/// Memo of validation results. Pods of one revision differ only in their ordinals, so all pods whose names have the
/// same length get the same result.
#[derive(Debug, Clone, Default)]
pub(super) struct PodVerdicts(Arc<Verdicts>);

#[derive(Debug, Clone, Default)]
struct Verdicts {
    /// Lengths of names at which pods are valid, by revision.
    valid: BTreeMap<Arc<str>, BTreeSet<usize>>,
    /// The server's messages, by revision and name.
    refused: BTreeMap<(Arc<str>, Arc<str>), Arc<str>>,
}

impl PodVerdicts {
    /// Returns the server's message if it refuses a pod.
    pub(super) fn refusal(&mut self, pod: &Pod, behaviour: &Behaviour) -> Option<Arc<str>> {
        let (revision, name) = (&pod.revision, &pod.meta.name);
        let lengths = self.0.valid.get(revision);
        if lengths.is_some_and(|lengths| lengths.contains(&name.len())) {
            return None;
        }
        let key = (Arc::clone(revision), Arc::clone(name));
        if let Some(words) = self.0.refused.get(&key) {
            return Some(Arc::clone(words));
        }
        let known = Arc::make_mut(&mut self.0);
        match pod_refusal(&pod.to_json(), behaviour) {
            Some(words) => {
                let words: Arc<str> = words.into();
                known.refused.insert(key, Arc::clone(&words));
                Some(words)
            }
            None => {
                let lengths = known.valid.entry(Arc::clone(revision)).or_default();
                lengths.insert(name.len());
                None
            }
        }
    }
}
