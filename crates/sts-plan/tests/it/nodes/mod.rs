//! The questions about nodes: `--drain`, `--cordon`, `--lose` and `--return-after`.

mod drains;
mod losses;
mod maintenance;
mod other_pods;
mod random;

use serde_json::Value;
use test_kit::input::Input;

/// The input of these objects in Kubernetes 1.33.
fn on(objects: &[Value]) -> Input {
    Input::of(objects, "2026-11-20T03:00:00Z").version("1.33")
}
