//! The strategy `Recreate`.

use serde_json::json;
use sts_controller::version::Recreate;

use super::*;

impl Sync<'_> {
    pub(super) fn recreates(&self) -> bool {
        self.behaviour.recreate == Recreate::Done
            && matches!(self.set.strategy, Strategy::Recreate(_))
    }

    /// Deletes outdated pods. Returns false while one of them exists.
    pub(super) fn delete_outdated(&mut self) -> Result<bool> {
        let pods: Vec<Seat> = self.slots.iter().chain(&self.condemned).cloned().collect();
        let mut any = false;
        self.in_batches(pods.len(), &mut |sync, item| {
            let pod = &pods[item];
            if pod.created() && pod.revision != sync.update {
                any = true;
                if !pod.terminating() {
                    sync.delete(pod)?;
                }
            }
            Ok(true)
        })?;
        if any {
            self.progress("True", "RecreateInProgress", "Deleting old revision pods");
        } else if self.current != self.update {
            let message = "Waiting for new-revision pods to be created";
            self.progress("True", "RecreateInProgress", message);
        }
        Ok(!any)
    }

    /// Sets the condition, with the time of its last change.
    pub(super) fn progress(&mut self, status: &str, reason: &str, message: &str) {
        let list = self.conditions.get_or_insert_with(|| json!([]));
        let list = list.as_array_mut().unwrap();
        let at = list.iter().position(|it| it["type"] == "Progressing");
        let since = at
            .map(|at| &list[at])
            .filter(|it| it["status"] == status)
            .map_or_else(
                || self.now.to_string().into(),
                |it| it["lastTransitionTime"].clone(),
            );
        let condition = json!({"type": "Progressing", "status": status, "reason": reason,
            "message": message, "lastTransitionTime": since});
        match at {
            Some(at) => list[at] = condition,
            None => list.push(condition),
        }
    }
}
