//! Creation of a pod at the server, from reading the pod to the answer.

use serde_json::Value;

use super::{hidden, validate_pod};
use crate::apiserver::defaults::default_spec_template;
use crate::version::{Behaviour, Defaulting};

/// Returns the server's answer to the creation of a pod, as a client sees it; none if it accepts the pod.
///
/// The pod is decoded and defaulted, and loses what gates hide, before it is looked at. One that cannot be decoded is
/// taken: it is made of a template that a server has decoded.
#[must_use]
pub fn pod_refusal(pod: &Value, behaviour: &Behaviour) -> Option<String> {
    // Of a pod, ports in the network of the node are filled in by every version.
    let defaulting = Defaulting {
        host_ports_defaulted: true,
        ..behaviour.defaulting
    };
    let mut read = default_spec_template(pod, &defaulting);
    hidden::drop_fields(&mut read, None, defaulting.minor, &mut Vec::new());
    let refused = validate_pod(&read, &behaviour.validation);
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    super::in_one_line("Pod", name, &refused)
}
