//! Questions to a cluster while the user waits for the Tab key: few, and answered quickly.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::input::cluster::{Cluster, ClusterError};
use kubectl_config::Access;

/// The timeout for candidates, in all: credentials, host names and the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the answer of a cluster; `None` if it cannot be reached, denies access, or is late.
///
/// A credential plugin and a name server may each take as long as they like, so the waiting is done elsewhere.
/// What is late ends with the program.
pub(super) fn ask<T: Send + 'static>(
    mut access: Access,
    question: impl FnOnce(&Cluster) -> Result<T, ClusterError> + Send + 'static,
) -> Option<T> {
    let given = access
        .flags
        .request_timeout
        .filter(|given| !given.is_zero());
    let patience = given.map_or(PATIENCE, |given| given.min(PATIENCE));
    access.flags.request_timeout = Some(patience);
    access.unattended = true;
    let (sender, receiver) = mpsc::channel();
    let asking = move || {
        let answer = Cluster::connect(&access).and_then(|cluster| question(&cluster));
        // Past the deadline, the receiver is gone.
        let _ = sender.send(answer.ok());
    };
    thread::Builder::new().spawn(asking).ok()?;
    receiver.recv_timeout(patience).ok().flatten()
}
