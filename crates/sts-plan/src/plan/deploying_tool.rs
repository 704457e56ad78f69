//! The tool that deploys a set.

use super::Plan;
use super::operator::{MANAGED_BY, ROLLOUT_GROUP, is_operator, mark};

/// Labels and annotations that identify deployment tools.
const MARKS: [(&str, &str); 7] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    (ROLLOUT_GROUP, "rollout-operator"),
    (MANAGED_BY, ""),
];

/// The tools that revert a change of the set to what their source has.
const REVERTING: [&str; 2] = ["Argo CD", "Flux"];

/// Returns the tool that reverts a change of the set, unless its source is changed.
pub(crate) fn reverting_tool(plan: &Plan) -> Option<String> {
    let (tool, _) = deploying_tool(plan)?;
    REVERTING.contains(&&*tool).then_some(tool)
}

/// Returns the tool that the set's labels or annotations identify, with the label or annotation.
pub(crate) fn deploying_tool(plan: &Plan) -> Option<(String, String)> {
    MARKS.iter().find_map(|(key, tool)| {
        let value = mark(&plan.snapshot.set, key)?;
        // An operator is more than a tool.
        if tool.is_empty() && is_operator(value) {
            return None;
        }
        let tool = if tool.is_empty() { value } else { tool };
        Some((tool.to_owned(), format!("{key}: {value}")))
    })
}
