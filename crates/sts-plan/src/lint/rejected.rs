//! STS004: the API server would refuse the change.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};
use crate::redact::{self, redacted};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Rejected,
    name: "rejected",
    title: "the API server would refuse the change",
    why: "Only replicas, template and updateStrategy of an existing StatefulSet can be changed, and in newer versions \
          minReadySeconds (from 1.22), the retention policy (1.23), ordinals (1.26) and revisionHistoryLimit (1.33). The \
          server's message does not name the offending fields. The plan lists each with its old and new value.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "If the field has to change, recreate the set and let the new one adopt the pods:\n  kubectl delete sts NAME \
             --cascade=orphan\n  kubectl apply -f FILE\n--delete=orphan --apply FILE plans that. Existing claims keep their \
             StorageClass and their size: grow each with kubectl patch pvc first, which requires a StorageClass with \
             allowVolumeExpansion.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/68737",
        "https://github.com/kubernetes/kubernetes/issues/69041",
        "https://github.com/helm/helm/issues/2149",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let Outcome::Rejected(refused) = &plan.outcome else {
        return Vec::new();
    };
    // Findings may be published, so values are redacted.
    let shown = |path: &str, value: &Option<serde_json::Value>| match value {
        None => "nothing".to_owned(),
        Some(value) => {
            let text = redacted(path, value).to_string();
            if text.chars().count() > 40 {
                let cut: String = text.chars().take(37).collect();
                format!("{cut}...")
            } else {
                text
            }
        }
    };
    let found = refused.iter().map(|refused| {
        let message = if refused.path == refused.field {
            format!(
                "{} is refused: {}",
                refused.path,
                redact::message(&refused.path, &refused.message)
            )
        } else {
            format!(
                "{} may not be changed from {} to {}",
                refused.path,
                shown(&refused.path, &refused.old),
                shown(&refused.path, &refused.new)
            )
        };
        Found::on_set(Severity::Error, plan, message)
    });
    found.collect()
}
