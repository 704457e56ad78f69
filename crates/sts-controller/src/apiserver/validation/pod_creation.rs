//! Creation of a pod at the server, from decoding to the response.

use serde_json::Value;

use super::refusals::Refusals;
use super::refused::{Refused, one_line_message};
use super::{gated_fields, pod};
use crate::apiserver::defaults::default_spec_template;
use crate::version::{Behaviour, Defaulting, Validation};

/// Returns the server's message if it refuses the creation of a pod; `None` if it accepts the pod.
///
/// The pod is decoded and defaulted, and loses disabled fields, before it is validated. A pod that cannot be decoded
/// counts as accepted, since its template has been decoded by a server.
#[must_use]
pub fn pod_refusal(pod: &Value, behaviour: &Behaviour) -> Option<String> {
    // In a pod, every version defaults the host ports of containers in the host network.
    let defaulting = Defaulting {
        host_ports_defaulted: true,
        ..behaviour.defaulting
    };
    let mut read = default_spec_template(pod, &defaulting);
    gated_fields::drop_fields(&mut read, None, defaulting.minor, &mut Vec::new());
    let refused = validate_pod(&read, &behaviour.validation);
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    one_line_message("Pod", name, &refused)
}

/// Returns the server's errors for a pod to be created, in its order; empty if it accepts the pod. The pod must be
/// complete, except for fields that the server sets.
#[must_use]
pub fn validate_pod(pod: &Value, rules: &Validation) -> Vec<Refused> {
    let mut out = Refusals::new(rules);
    out.of_pod = true;
    pod::check_pod(pod, &mut out);
    out.into_list()
}
