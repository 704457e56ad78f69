//! Notice on standard error when a request or a plugin takes long.

use std::io::Write as _;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Wait before a notice.
pub(super) const QUIET: Duration = Duration::from_secs(5);

/// Prints a notice about a long wait. Cheap to clone.
#[derive(Clone, Default)]
pub struct Notice {
    /// True if nobody can read it.
    silent: bool,
    /// True after the first notice: one is enough for concurrent waits.
    is_printed: Arc<AtomicBool>,
}

impl Notice {
    /// Creates a notice, which prints nothing if `silent`.
    #[must_use]
    pub fn new(silent: bool) -> Self {
        Notice {
            silent,
            is_printed: Arc::default(),
        }
    }

    /// Runs `work`, and prints a notice if it takes long.
    pub async fn during<F: Future>(&self, what: impl FnOnce() -> String, work: F) -> F::Output {
        let mut work = pin!(work);
        if let Ok(output) = tokio::time::timeout(QUIET, &mut work).await {
            return output;
        }
        let first = !self.is_printed.swap(true, Ordering::Relaxed);
        if first {
            self.say(&format!("waiting for {}", what()));
        }
        let output = work.await;
        if first {
            self.is_printed.store(false, Ordering::Relaxed);
        }
        output
    }

    /// Prints a line.
    pub fn say(&self, line: &str) {
        if !self.silent {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}
