//! Cluster queries while the user waits for the Tab key.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::input::cluster::{Cluster, ClusterError};
use kubectl_config::Access;

/// Total timeout for credentials, name resolution and the response.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the response of a cluster; `None` if it cannot be reached, denies access, or is too slow.
///
/// A credential plugin or a name server may block, so the query runs on another thread, which ends with the program.
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
        // After the timeout, the receiver is gone.
        let _ = sender.send(answer.ok());
    };
    thread::Builder::new().spawn(asking).ok()?;
    receiver.recv_timeout(patience).ok().flatten()
}
