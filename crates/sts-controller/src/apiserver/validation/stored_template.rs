//! Ratcheting: a stored template may keep values that an old version accepted, though a new template must not have
//! them.

use serde_json::Value;

use super::ratcheting::Ratcheting;
use super::read::{entries, flag, is_given, list, text};
use super::refusals::Refusals;
use super::{pod, resources, selector, word};
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::CONTAINER_LISTS;
use crate::version::Validation;

/// Returns the rules that a stored template is exempt from: `GetValidationOptionsFromPodTemplate`.
pub(super) fn exemptions(template: &Value, rules: &Validation) -> Ratcheting {
    let spec = &template["spec"];
    let constraints = list(spec, "topologySpreadConstraints");
    let refused = |check: &dyn Fn(&mut Refusals<'_>)| {
        let mut quiet = Refusals::new(rules);
        check(&mut quiet);
        !quiet.is_empty()
    };
    let root = crate::apiserver::schema::Path::Root;
    let own_users = spec["hostUsers"] == Value::Bool(false);
    let containers = || {
        CONTAINER_LISTS
            .into_iter()
            .flat_map(|member| list(spec, member))
    };
    Ratcheting {
        selector_values: pod::has_invalid_selector_value(&spec["affinity"], rules),
        node_values: pod::has_invalid_node_value(&spec["affinity"], rules),
        spread_selectors: constraints.iter().any(|constraint| {
            refused(&|out| {
                selector::check_requirements(&constraint["labelSelector"], &root, true, out);
            })
        }),
        spread_keys: constraints.iter().any(|constraint| {
            refused(&|out| pod::spread::check_merged_keys(constraint, &root, out))
        }),
        token_paths: list(spec, "volumes")
            .iter()
            .flat_map(|volume| list(&volume["projected"], "sources"))
            .filter(|source| is_given(source, "serviceAccountToken"))
            .any(|source| !word::own_path(text(&source["serviceAccountToken"], "path")).is_empty()),
        host_sysctls: pod::has_host_sysctl(spec),
        selinux_policies: is_given(&spec["securityContext"], "seLinuxChangePolicy"),
        deletion_cost:
            template["metadata"]["annotations"]["controller.kubernetes.io/pod-deletion-cost"]
                .as_str()
                .is_some_and(|cost| !pod::is_deletion_cost(cost)),
        huge_pages: containers()
            .flat_map(|container| ["limits", "requests"].map(|m| (container, m)))
            .flat_map(|(container, member)| entries(&container["resources"], member))
            .chain(entries(spec, "overhead"))
            .any(|(resource, amount)| {
                resource.starts_with("hugepages-")
                    && amount
                        .as_str()
                        .and_then(|text| Quantity::parse(text).ok())
                        .is_some_and(|q| !resources::is_whole_pages(resource, &q))
            }),
        user_devices: own_users
            && containers().any(|container| !list(container, "volumeDevices").is_empty()),
        host_network_users: own_users && flag(spec, "hostNetwork"),
        init_resize_policies: list(spec, "initContainers").iter().any(|init| {
            text(init, "restartPolicy") != "Always"
                && list(init, "resizePolicy")
                    .iter()
                    .any(|policy| text(policy, "restartPolicy") == "RestartContainer")
        }),
    }
}
