//! What the API server refuses, and the way round it.

use crate::quantity::Quantity;
use crate::snapshot::Snapshot;
use crate::validate::{Refused, RefusedKind};

/// One refusal in words: where, and what the server says.
#[must_use]
pub fn refusal(refused: &Refused) -> String {
    if refused.kind == RefusedKind::Forbidden && refused.path != refused.field {
        // Which is all that the server's own words, in the headline, do not say.
        format!("{} may not be changed", refused.path)
    } else if refused.kind == RefusedKind::Denied {
        refused.message.clone()
    } else {
        format!("{}: {}", refused.field, refused.message)
    }
}

/// The safe way round a refusal, as commands in order; none where the value itself has to be another one.
#[must_use]
pub fn way_round(refused: &Refused, snapshot: &Snapshot) -> Vec<String> {
    if refused.kind != RefusedKind::Forbidden || refused.field != "spec" {
        return Vec::new();
    }
    let (set, namespace) = (&snapshot.set.meta.name, &snapshot.set.meta.namespace);
    let mut commands = Vec::new();
    if let Some(size) = grown_storage(refused) {
        // Claims that exist keep their size whatever the template says, so they are grown one by one.
        commands.extend(snapshot.claims.keys().map(|claim| {
            format!(
                "kubectl patch pvc {claim} -n {namespace} --type merge -p \
                 '{{\"spec\":{{\"resources\":{{\"requests\":{{\"storage\":\"{size}\"}}}}}}}}'"
            )
        }));
    }
    commands.push(format!(
        "kubectl delete sts {set} -n {namespace} --cascade=orphan"
    ));
    commands.push("kubectl apply -f FILE".to_owned());
    commands
}

/// The size that claims would have to grow to, where that is what is refused. Storage never shrinks.
fn grown_storage(refused: &Refused) -> Option<&str> {
    let is_storage = refused.path.starts_with("spec.volumeClaimTemplates")
        && refused.path.ends_with("resources.requests.storage");
    let size = |value: &'_ Option<serde_json::Value>| {
        value
            .as_ref()?
            .as_str()
            .and_then(|text| Quantity::parse(text).ok())
    };
    if !is_storage || size(&refused.new)? <= size(&refused.old)? {
        return None;
    }
    refused.new.as_ref()?.as_str()
}
