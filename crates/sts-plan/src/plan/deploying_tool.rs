//! The tool that deploys a set.

use super::Plan;
use super::operator::is_operator;

/// Labels and annotations that identify deployment tools.
const MARKS: [(&str, &str); 7] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    ("rollout-group", "rollout-operator"),
    ("app.kubernetes.io/managed-by", ""),
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
    let set = &plan.snapshot.set;
    let value = |key: &str| {
        let annotations = set.annotations.as_ref();
        let annotation = annotations.and_then(|annotations| annotations.get(key)?.as_str());
        annotation.or_else(|| set.meta.labels.get(key).map(|label| &**label))
    };
    MARKS.iter().find_map(|(key, tool)| {
        let value = value(key)?;
        // An operator is more than a tool.
        if tool.is_empty() && is_operator(value) {
            return None;
        }
        let tool = if tool.is_empty() { value } else { tool };
        Some((tool.to_owned(), format!("{key}: {value}")))
    })
}
