//! Substitute for WebAssembly, which has no Ctrl-C: the page ends the whole run.

pub(super) fn begin() {}

pub(super) fn end() {}

pub(super) fn is_interrupted() -> bool {
    false
}
