//! Ctrl-C during searches: the first one stops the running searches, a second one ends the program.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::cli::exit::Exit;

/// Number of running searches.
static SEARCHES: AtomicUsize = AtomicUsize::new(0);
/// True if the user has interrupted the searches.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Counts a search, and starts listening for Ctrl-C.
pub(super) fn begin_search() {
    SEARCHES.fetch_add(1, Ordering::SeqCst);
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| drop(thread::Builder::new().spawn(listen)));
}

/// Counts the end of a search.
pub(super) fn end_search() {
    SEARCHES.fetch_sub(1, Ordering::SeqCst);
}

/// Reports whether running searches should stop.
pub(super) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

fn listen() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else {
        return;
    };
    while runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
        let searches = SEARCHES.load(Ordering::SeqCst);
        if INTERRUPTED.swap(true, Ordering::SeqCst) || searches == 0 {
            quit();
        }
    }
}

#[expect(clippy::exit, reason = "reproduces the default action of Ctrl-C")]
fn quit() {
    std::process::exit(Exit::Interrupted as i32);
}
