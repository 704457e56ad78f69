//! `-w` with stages: all stages are planned once at the start of the watch, and each update names the current stage.
//! The watch ends with the last one.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use tokio::time::Instant;

use super::{Ended, Observer, Watching};
use crate::commands::one_set::one_set;
use crate::commands::plan::stages_to_save;
use crate::input::Inventory;
use crate::input::read::read_parts;
use crate::output::json_tree;
use crate::request::PlanRequest;
use sts_controller::object::Snapshot;
use sts_plan::verify::{Now, SavedStages, StageComparison, Verdict, VerifiedStage};

/// Plans all stages of a change, and adds the warnings of the API server to `warnings`.
///
/// # Errors
/// When the input cannot be read, or a stage cannot be planned.
pub(super) fn plan_stages(
    request: &PlanRequest,
    now: Timestamp,
    stdin: &mut dyn Read,
    warnings: &mut Vec<String>,
) -> Result<SavedStages> {
    let parts = read_parts(request, now, stdin)?;
    let (target, input) = one_set("-w of stages", request, &parts)?;
    let report = stages_to_save(request, &target, input, warnings)?;
    let plan = json_tree(&report).context("cannot make JSON of the stages")?;
    let stages = SavedStages::from_json(&plan)
        .map_err(|wrong| anyhow::anyhow!("{}: {wrong}", wrong.path))?;
    match stages {
        Some(stages) => Ok(stages),
        None => bail!("no stage to watch"),
    }
}

/// Returns the end of a watch with stages: that of the last stage.
pub(super) fn ending(found: &StageComparison, of_set: Option<Ended>) -> Option<Ended> {
    let verdict = found.comparison.verdict;
    let is_last = found.stage.next.is_none();
    match of_set {
        Some(Ended::Complete) if !is_last || verdict == Verdict::Pending || found.is_behind => None,
        // It is at the end of the stage, or has not begun.
        Some(Ended::Blocked)
            if !is_last && matches!(verdict, Verdict::Finished | Verdict::Pending) =>
        {
            None
        }
        of_set => of_set,
    }
}

/// Returns the time when the next stage may begin, if it only waits for time.
pub(super) fn next_begins(stage: &VerifiedStage, now: Instant) -> Option<Instant> {
    let wait = stage.next.as_ref()?.wait_seconds?;
    now.checked_add(Duration::from_secs(wait.unsigned_abs()))
}

/// Returns the fingerprint of the current stage: everything that is shown, except times.
pub(super) fn fingerprint(found: Option<&StageComparison>) -> String {
    found.map_or_else(String::new, |found| {
        let next = found.stage.next.as_ref();
        format!(
            "stage {} {} {} {:?}",
            found.stage.number,
            found.comparison.verdict.name(),
            found.is_behind,
            next.map(|next| (next.may_begin, next.wait_seconds.is_some()))
        )
    })
}

impl Watching<'_> {
    /// Handles a deleted set: if a stage deletes it, the watch waits for the set that the next stage creates.
    pub(super) fn gone(
        &mut self,
        inventory: &Inventory,
        other: Option<&Snapshot>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Ended>> {
        let unforeseen = Some(Ended::Gone {
            foreseen: self.leaving,
        });
        let Some(stages) = &self.subject.stages else {
            return Ok(unforeseen);
        };
        let Some(stand_in) = stages.stand_in()? else {
            return Ok(unforeseen);
        };
        let left = inventory.around(Arc::new(stand_in), Arc::default());
        let now = other.map_or(Now::Gone(&left), Now::There);
        let found = stages.compare(&now, observer.now());
        let Some(found) = found.filter(|found| found.comparison.verdict != Verdict::Stale) else {
            return Ok(unforeseen);
        };
        if let Some(other) = other {
            self.replaced_by = Some(other.set.meta.uid.to_string());
            return Ok(unforeseen);
        }
        if found.stage.next.is_none() {
            return Ok(Some(Ended::Gone { foreseen: true }));
        }
        observer.note(&format!("the set is gone: {}", found.stage.message))?;
        Ok(None)
    }
}
