//! A line on standard error when a request or a plugin takes long, so that no wait is silent.

use std::io::Write as _;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest wait without a notice.
pub(super) const QUIET: Duration = Duration::from_secs(5);

/// Says what is waited for. Cheap to copy.
#[derive(Clone, Default)]
pub struct Notice {
    /// True if no user is present to read it.
    silent: bool,
    /// True once a long wait has been told: of many at the same time one is enough.
    told: Arc<AtomicBool>,
}

impl Notice {
    /// Makes a notice, which says nothing where it is `silent`.
    #[must_use]
    pub fn new(silent: bool) -> Self {
        Notice {
            silent,
            told: Arc::default(),
        }
    }

    /// Waits for `work`, and says for what once that takes long.
    pub async fn during<F: Future>(&self, what: impl FnOnce() -> String, work: F) -> F::Output {
        let mut work = pin!(work);
        if let Ok(output) = tokio::time::timeout(QUIET, &mut work).await {
            return output;
        }
        let first = !self.told.swap(true, Ordering::Relaxed);
        if first {
            self.say(&format!("waiting for {}", what()));
        }
        let output = work.await;
        if first {
            self.told.store(false, Ordering::Relaxed);
        }
        output
    }

    /// Writes a line.
    pub fn say(&self, line: &str) {
        if !self.silent {
            // A closed standard error wants no notices.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}
