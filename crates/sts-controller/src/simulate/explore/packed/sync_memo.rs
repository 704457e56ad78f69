//! Memo of recent syncs of the controller.
//!
//! The controller sees the objects and not the pending events. One entry therefore serves all states that look the
//! same: a pod that is about to become ready looks like one that never will. Places that the sync did not change keep
//! their state. A place that it changed must have exactly the state of the original entry.

use super::arena;
use super::model::Layout;
use super::tables::Tables;

/// Maximum size in bytes, and maximum number of entries.
const MAX_BYTES: usize = 8 << 20;
const MAX_ENTRIES: usize = 1 << 16;

pub(super) struct SyncMemo {
    layout: Layout,
    /// The slots: the state as the controller sees it, the state before, the state after, and 1 if the slot is in use.
    slots: Vec<u8>,
    count: usize,
    /// Buffer for the current state as the controller sees it.
    visible: Vec<u8>,
}

impl SyncMemo {
    pub(super) fn new(layout: Layout) -> Self {
        let size = 3 * layout.len() + 1;
        let count = (MAX_BYTES / size).clamp(1, MAX_ENTRIES);
        SyncMemo {
            layout,
            slots: vec![0; count * size],
            count,
            visible: Vec::new(),
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        let size = 3 * self.layout.len() + 1;
        for slot in self.slots.chunks_exact_mut(size) {
            slot[size - 1] = 0;
        }
    }

    /// Replaces a state by the state after the controller's syncs, if that is known, and returns whether it is. Either
    /// way a following [`put`](SyncMemo::put) refers to this state.
    pub(super) fn get(&mut self, state: &mut [u8], tables: &Tables) -> bool {
        let layout = self.layout;
        let (len, places) = (layout.len(), layout.places);
        self.visible.clear();
        self.visible.extend_from_slice(state);
        for pod_state in &mut self.visible[..places] {
            *pod_state = tables.pod_states[usize::from(*pod_state)].looks_like;
        }
        let others = &tables.others[usize::from(layout.others(state))];
        layout.set_others(&mut self.visible, others.representative);
        let slot = self.slot();
        let slot = &self.slots[slot];
        let (visible, tail) = slot.split_at(len);
        let (before, tail) = tail.split_at(len);
        let (after, in_use) = tail.split_at(len);
        let pod_states = || before.iter().zip(after).take(places);
        let fits = in_use == [1]
            && *visible == *self.visible
            && (state.iter().zip(pod_states())).all(|(is, (was, then))| is == was || was == then);
        if fits {
            for (is, (was, then)) in state.iter_mut().zip(pod_states()) {
                *is = if was == then { *is } else { *then };
            }
            state[places..].copy_from_slice(&after[places..]);
        }
        fits
    }

    /// Stores the result of the syncs for the state of the last [`get`](SyncMemo::get).
    pub(super) fn put(&mut self, before: &[u8], after: &[u8]) {
        let slot = self.slot();
        let parts = [&self.visible, before, after, &[1]];
        let kept = parts.into_iter().flatten();
        for (byte, kept) in self.slots[slot].iter_mut().zip(kept) {
            *byte = *kept;
        }
    }

    /// Returns the slot for the current state.
    fn slot(&self) -> std::ops::Range<usize> {
        let size = 3 * self.layout.len() + 1;
        let start = arena::place(&self.visible) % self.count * size;
        start..start + size
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::tests::{new_others, pod_state};
    use super::*;

    /// Pod states of which 3 looks like 0 and 4 like 1, and two sets of other objects that the controller cannot
    /// distinguish.
    fn tables() -> Tables {
        let mut tables = Tables::new(3);
        for (key, visible) in (0..).zip([0, 1, 2, 0, 1]) {
            assert!(tables.add_pod_state(pod_state(key, visible)).is_ok());
        }
        assert!(tables.add_others(new_others(0, 7)).is_ok());
        assert!(tables.add_others(new_others(1, 7)).is_ok());
        tables
    }

    /// Three places without ranks, and the number of the other objects.
    const LAYOUT: Layout = Layout {
        places: 3,
        ranked: false,
    };

    #[test]
    fn an_entry_serves_all_states_that_look_alike() {
        let tables = tables();
        let mut memo = SyncMemo::new(LAYOUT);
        let lookup = |memo: &mut SyncMemo, state: [u8; 5]| {
            let mut state = state;
            memo.get(&mut state, &tables).then_some(state)
        };
        // The controller turns the 1 in the middle into a 2, and changes the other objects.
        let (before, after) = ([0, 1, 0, 0, 0], [0, 2, 0, 1, 0]);
        assert_eq!(lookup(&mut memo, before), None);
        memo.put(&before, &after);
        assert_eq!(lookup(&mut memo, before), Some(after));
        // A pod that the sync leaves unchanged may be in any state that looks the same, and keeps it.
        let other = [3, 1, 0, 1, 0];
        assert_eq!(lookup(&mut memo, other), Some([3, 2, 0, 1, 0]));
        // A pod that the sync changes may not.
        assert_eq!(lookup(&mut memo, [0, 4, 0, 0, 0]), None);
        // A state that looks different has no entry.
        assert_eq!(lookup(&mut memo, [2, 1, 0, 0, 0]), None);
    }

    #[test]
    fn clear_removes_all_entries() {
        let tables = tables();
        let mut memo = SyncMemo::new(LAYOUT);
        let states = || (0..27u8).map(|number| [number % 3, number / 3 % 3, number / 9, 0, 0]);
        for state in states() {
            memo.get(&mut state.clone(), &tables);
            memo.put(&state, &state);
        }
        let known = |memo: &mut SyncMemo| {
            let known = |state: &[u8; 5]| memo.get(&mut state.clone(), &tables);
            states().filter(known).count()
        };
        assert_eq!(known(&mut memo), 27);
        memo.clear();
        assert_eq!(known(&mut memo), 0);
    }
}
