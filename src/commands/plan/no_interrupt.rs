//! Substitute for WebAssembly, which has no Ctrl-C: the page ends the whole run.

pub(super) fn begin_search() {}

pub(super) fn end_search() {}

pub(super) fn is_interrupted() -> bool {
    false
}
