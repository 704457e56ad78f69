//! What a cluster is asked while the user waits for the Tab key: little, and not for long.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::input::cluster::{Access, Cluster, ClusterError};

/// How long candidates may take, in all: credentials, names of hosts and the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a cluster answers in time; `None` when it cannot be reached, does not let anyone see, or is late.
///
/// A credential plugin and a name server may each take as long as they like, so the waiting is done elsewhere.
/// What is late ends with the program.
pub(super) fn ask<T: Send + 'static>(
    mut access: Access,
    question: impl FnOnce(&Cluster) -> Result<T, ClusterError> + Send + 'static,
) -> Option<T> {
    let given = access.request_timeout.filter(|given| !given.is_zero());
    let patience = given.map_or(PATIENCE, |given| given.min(PATIENCE));
    access.request_timeout = Some(patience);
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
