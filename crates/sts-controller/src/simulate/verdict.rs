//! The API server's verdicts on the pods of a world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::apiserver::validation::pod_refusal;
use crate::object::Pod;
use crate::version::Behaviour;

/// The server's answers to pods so far, since it gives the same again: pods of one revision differ in nothing but their
/// ordinals, so all with names of one length are as good as one another.
#[derive(Debug, Clone, Default)]
pub(super) struct PodVerdicts(Arc<Known>);

#[derive(Debug, Clone, Default)]
struct Known {
    /// The lengths of names under which pods of a revision are valid, by revision.
    valid: BTreeMap<Arc<str>, BTreeSet<usize>>,
    /// The server's words, by revision and name.
    refused: BTreeMap<(Arc<str>, Arc<str>), Arc<str>>,
}

impl PodVerdicts {
    /// Returns the server's reason for refusing a pod, if it does.
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
