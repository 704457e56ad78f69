//! The claims in the controller's cache during a sync.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::recorder::Recorder;
use crate::object::Claim;

/// The claims of the snapshot, overlaid with the writes of the sync itself as far as the watch has delivered them.
///
/// A sync reads claims again after it has written them: a burst checks the invariants of a pod that it has just
/// created, and the claims of a Pending pod are created before its invariants are checked. A cache that did not change
/// would make the sync write twice. A real cache has the claim by then, or the second write meets a conflict and is
/// dropped on the retry 10 ms later. Either way the claim is written once (quirks Q18 and Q32).
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

    /// Calls `look` with a claim, or with `None` if it does not exist.
    pub(super) fn with<T>(&self, name: &str, look: impl FnOnce(Option<&Arc<Claim>>) -> T) -> T {
        // Released before the call of `look`, which may write.
        let written = self.written.borrow().get(name).map(Arc::clone);
        look(written.as_ref().or_else(|| self.listed.get(name)))
    }

    /// Records a claim that the server accepted.
    pub(super) fn record_write(&self, claim: &Arc<Claim>, out: &Recorder<'_>) {
        if out.shows_written_claims() {
            self.written
                .borrow_mut()
                .insert(Arc::clone(&claim.meta.name), Arc::clone(claim));
        }
    }
}
