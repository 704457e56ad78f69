//! Ctrl-C during long work: the first one stops the work, a second one ends the program.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::cli::exit::Exit;

/// Number of searches and questions that are under way.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// True if the user has interrupted the work.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Counts work that begins, and starts listening for Ctrl-C.
pub(super) fn begin() {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| drop(thread::Builder::new().spawn(listen)));
}

/// Counts work that ends.
pub(super) fn end() {
    RUNNING.fetch_sub(1, Ordering::SeqCst);
}

/// Reports whether work should stop.
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
        let running = RUNNING.load(Ordering::SeqCst);
        if INTERRUPTED.swap(true, Ordering::SeqCst) || running == 0 {
            quit();
        }
    }
}

#[expect(clippy::exit, reason = "reproduces the default action of Ctrl-C")]
fn quit() {
    std::process::exit(Exit::Interrupted as i32);
}
