//! The SecurityContextConstraints of OpenShift that a ServiceAccount may use, and what they do not allow.

use serde_json::Value;

use crate::words::list;

/// Maximum number of violations to tell.
const MOST: usize = 3;
/// Fields that `nonroot-v2` leaves to the template, in lower case.
const OF_IDENTITY: [&str; 4] = ["runasuser", "fsgroup", "supplementalgroups", "runasgroup"];

/// The fields of a pod that go beyond the constraints of its ServiceAccount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Constraints {
    /// The constraints that the ServiceAccount may use, with what they do not allow: `restricted-v2 does not allow fsGroup 1001
    /// (1001 is not an allowed group)`.
    pub(super) unfit: String,
    /// The command that grants constraints that allow it; empty if none of the usual ones is known to.
    pub(super) grant: String,
}

/// Reads a refusal of OpenShift, which names each provider with a field that it does not allow, or says that the ServiceAccount
/// may not use it.
pub(super) fn constraints(template: &Value, namespace: &str, report: &str) -> Option<Constraints> {
    let (_, rest) = report.split_once("against any security context constraint: ")?;
    let parts = rest.trim_start_matches('[').split("provider ").skip(1);
    let mut violations: Vec<(&str, String)> = Vec::new();
    let mut unusable: Vec<&str> = Vec::new();
    for part in parts {
        let Some((name, says)) = part.split_once(": ") else {
            continue;
        };
        let name = name.trim_matches('"');
        let says = says.trim_end().trim_end_matches(',');
        match says.contains("not usable by user or serviceaccount") {
            true => unusable.push(name),
            false => violations.push((name, in_brief(says))),
        }
    }
    let (first, _) = violations.first()?;
    let of_first = violations.iter().filter(|(name, _)| name == first);
    let says: Vec<&str> = of_first.map(|(_, says)| says.as_str()).collect();
    let is_of_identity = says.iter().all(|it| {
        let it = it.to_ascii_lowercase();
        OF_IDENTITY.iter().any(|field| it.contains(field))
    });
    let wanted = match says.iter().any(|it| it.contains("runAsUser 0 ")) {
        true => "anyuid",
        false => "nonroot-v2",
    };
    let account = template["spec"]["serviceAccountName"].as_str();
    let command = |account: &str| {
        format!("oc adm policy add-scc-to-user {wanted} -z {account} -n {namespace}")
    };
    let grant = match account {
        _ if !is_of_identity || !unusable.contains(&wanted) => String::new(),
        // Everything else in the namespace runs with the account default.
        None | Some("default") => {
            format!("{} (a ServiceAccount of its own)", command("NAME"))
        }
        Some(account) => command(account),
    };
    Some(Constraints {
        unfit: format!("{first} does not allow {}", list(&says, MOST)),
        grant,
    })
}

/// Returns a violation without its path and its Go syntax: `fsGroup 1001 (1001 is not an allowed group)` from
/// `.spec.securityContext.fsGroup: Invalid value: []int64{1001}: 1001 is not an allowed group`.
fn in_brief(says: &str) -> String {
    let says = says.trim_start_matches('.');
    let Some((path, rest)) = says.split_once(": Invalid value: ") else {
        return says.trim_end_matches(']').to_owned();
    };
    let field = path.strip_prefix("spec.securityContext.").unwrap_or(path);
    let (value, why) = rest.split_once(": ").unwrap_or((rest, ""));
    let value = match value.split_once('{') {
        Some((_, inner)) => inner.trim_end_matches('}'),
        None => value,
    };
    // The last one ends in the bracket of the list.
    let why = match why.matches(']').count() > why.matches('[').count() {
        true => why.strip_suffix(']').unwrap_or(why),
        false => why,
    };
    match why {
        "" => format!("{field} {value}"),
        why => format!("{field} {value} ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::constraints;

    #[test]
    fn the_constraints_that_may_be_used_are_told_with_what_they_do_not_allow() {
        let template = json!({"spec": {"serviceAccountName": "mq"}});
        let report = "unable to validate against any security context constraint: [provider \"anyuid\": Forbidden: not \
            usable by user or serviceaccount, provider restricted-v2: .spec.securityContext.fsGroup: Invalid value: \
            []int64{1001}: 1001 is not an allowed group, provider restricted-v2: .containers[0].runAsUser: Invalid value: \
            1001: must be in the ranges: [1000760000, 1000769999], provider \"nonroot-v2\": Forbidden: not usable by user or \
            serviceaccount]";
        let found = constraints(&template, "mq", report).unwrap();
        assert_eq!(
            found.unfit,
            "restricted-v2 does not allow fsGroup 1001 (1001 is not an allowed group), containers[0].runAsUser 1001 (must be \
             in the ranges: [1000760000, 1000769999])"
        );
        assert_eq!(
            found.grant,
            "oc adm policy add-scc-to-user nonroot-v2 -z mq -n mq"
        );
        let host = "against any security context constraint: [provider restricted-v2: .spec.hostNetwork: Invalid value: true: \
            Host network is not allowed to be used, provider \"nonroot-v2\": Forbidden: not usable by user or serviceaccount]";
        let found = constraints(&template, "mq", host).unwrap();
        assert_eq!(
            found.unfit,
            "restricted-v2 does not allow spec.hostNetwork true (Host network is not allowed to be used)"
        );
        assert!(found.grant.is_empty());
        let none = "against any security context constraint: []";
        assert_eq!(constraints(&template, "mq", none), None);
    }
}
