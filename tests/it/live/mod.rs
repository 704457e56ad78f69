//! Against a real control plane: what the program foretells, and what the controller then does.
//!
//! `KUBEBUILDER_ASSETS` names the folder with `etcd`, `kube-apiserver` and `kube-controller-manager`. Without it
//! these tests say in one line that they did not run, and why, and pass unless `STS_PLAN_TESTS_NEED` names `live`.

mod acts;
mod admission;
mod audit;
mod causes;
pub mod control_plane;
mod drains;
mod grow;
mod identity;
mod kubelet;
mod lost;
mod next;
mod program;
mod random;
mod read_only;
mod reality;
mod refusals;
pub mod rest;
mod scenario;
mod seen;
mod server_side;
mod staged;
mod watching;

use std::thread;
use std::time::Duration;

/// Time that a test sleeps before it looks again.
const LOOK: Duration = Duration::from_millis(20);

/// Looks again and again until there is something to see; fails after so many seconds.
pub fn wait_for<T>(what: &str, seconds: u64, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..seconds * 50 {
        if let Some(seen) = look() {
            return seen;
        }
        thread::sleep(LOOK);
    }
    panic!("waited {seconds} seconds for {what}");
}
