//! Tests with a real control plane: the program's prediction, and the controller's actions. `KUBEBUILDER_ASSETS` names
//! the folder with `etcd`, `kube-apiserver` and `kube-controller-manager`. Without it, these tests print one line with
//! the reason and pass, unless `STS_PLAN_TESTS_NEED` names `live`.

pub mod acts;
mod admission;
mod audit;
mod causes;
pub mod control_plane;
mod drains;
mod grow;
mod identity;
mod kubelet;
mod leases;
pub mod lost;
mod maintenance;
mod next;
mod program;
pub mod random;
mod read_only;
mod reality;
mod refusals;
pub mod rest;
pub mod scenario;
mod seen;
mod server_side;
mod staged;
mod watching;
mod zones;

use std::thread;
use std::time::Duration;

/// Polling interval.
const LOOK: Duration = Duration::from_millis(20);

/// Polls until `look` returns something; fails after this many seconds.
pub fn wait_for<T>(what: &str, seconds: u64, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..seconds * 50 {
        if let Some(seen) = look() {
            return seen;
        }
        thread::sleep(LOOK);
    }
    panic!("waited {seconds} seconds for {what}");
}
