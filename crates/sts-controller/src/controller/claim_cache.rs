//! The claims as the controller's cache has them in the course of a sync.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::recorder::Recorder;
use crate::object::Claim;

/// The claims of the snapshot, and over them what the sync itself has written, as far as the watch has brought it.
///
/// A sync looks at claims again after it has written them: a burst goes on to the invariants of a pod that it has just
/// created, and a Pending pod has its claims seen to before its invariants are. A cache that stands still makes it
/// write twice. A real one has the claim by then, or the second write runs into a conflict and is dropped when it is
/// tried again 10 ms later: either way the claim is written once (quirks Q18 and Q32).
pub(super) struct ClaimCache<'a> {
    listed: &'a BTreeMap<Arc<str>, Arc<Claim>>,
    written: RefCell<BTreeMap<Arc<str>, Arc<Claim>>>,
}

impl<'a> ClaimCache<'a> {
    pub(super) fn new(listed: &'a BTreeMap<Arc<str>, Arc<Claim>>) -> Self {
        ClaimCache {
            listed,
            written: RefCell::new(BTreeMap::new()),
        }
    }

    /// Shows a claim to `look`, or that there is none.
    pub(super) fn with<T>(&self, name: &str, look: impl FnOnce(Option<&Arc<Claim>>) -> T) -> T {
        // Out of the cell before `look`, which may write.
        let written = self.written.borrow().get(name).map(Arc::clone);
        look(written.as_ref().or_else(|| self.listed.get(name)))
    }

    /// Takes note of a claim that the server took.
    pub(super) fn wrote(&self, claim: &Arc<Claim>, out: &Recorder<'_>) {
        if out.shows_written_claims() {
            self.written
                .borrow_mut()
                .insert(Arc::clone(&claim.meta.name), Arc::clone(claim));
        }
    }
}
