//! `kubectl apply --server-side`: the apply, and the migration of a set that was applied on the client's side before.

use serde_json::{Value, json};

use super::engine::last_applied_path;
use super::managers::{self, Managers};
use super::{ApplyError, KUBECTL, Options, apply};
use crate::apiserver::apply::{LAST_APPLIED, Outcome};
use crate::version::Behaviour;

/// The manager of the last-applied annotation after a migration.
const LAST_APPLIED_MANAGER: &str = "kubectl-last-applied";

/// Persistence of requests: stored, or a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    /// Each request sees the result of the previous one.
    Stored,
    /// `--dry-run=server`: each request sees the originally stored object.
    DryRun,
}

/// Returns the set that kubectl prints at the end.
///
/// # Errors
/// When the apply itself is refused. If only the migration fails, kubectl warns.
pub fn kubectl_apply(
    stored: Option<&Value>,
    manifest: &Value,
    options: &Options<'_>,
    persistence: Persistence,
    behaviour: &Behaviour,
) -> Result<Outcome, ApplyError> {
    let first = apply(stored, manifest, options, behaviour)?;
    migrate(stored, first, manifest, options, persistence, behaviour)
}

/// Returns the set that kubectl prints at the end, from the result of the apply.
///
/// # Errors
/// When the set cannot be decoded.
pub(super) fn migrate(
    stored: Option<&Value>,
    first: Outcome,
    manifest: &Value,
    options: &Options<'_>,
    persistence: Persistence,
    behaviour: &Behaviour,
) -> Result<Outcome, ApplyError> {
    let Some(stored) = stored.filter(|_| first.refused.is_empty()) else {
        return Ok(first);
    };
    let mut shown = first.clone();
    let base = match persistence {
        Persistence::Stored => first.set.clone(),
        Persistence::DryRun => stored.clone(),
    };
    let owned = |managers: &Managers, applied: bool| {
        let path = last_applied_path();
        let mut owners = managers.values();
        owners.any(|manager| manager.applied == applied && manager.fields.has(&path))
    };
    let managers_of = |set: &Value| managers::parse(set).unwrap_or_default();
    let annotation = first.set["metadata"]["annotations"][LAST_APPLIED].as_str();
    if let Some(annotation) = annotation
        && options.manager == KUBECTL
        && !owned(&managers_of(&first.set), true)
    {
        let keep = json!({
            "apiVersion": manifest["apiVersion"],
            "kind": manifest["kind"],
            "metadata": {
                "name": first.set["metadata"]["name"],
                "namespace": first.set["metadata"]["namespace"],
                "annotations": { LAST_APPLIED: annotation },
            },
        });
        let keeper = Options {
            manager: LAST_APPLIED_MANAGER,
            force: false,
            ..*options
        };
        match apply(Some(&base), &keep, &keeper, behaviour) {
            Ok(kept) if kept.refused.is_empty() => shown.set = kept.set,
            Ok(_) => return Ok(first),
            Err(error) => {
                shown.warnings.push(format!(
                    "failed to migrate {LAST_APPLIED} for Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: {error}"
                ));
                return Ok(shown);
            }
        }
    }
    let before = managers_of(&shown.set);
    if !owned(&before, false) {
        return Ok(Outcome {
            set: shown.set,
            ..first
        });
    }
    let mut migrated = shown.set.clone();
    managers::write(&mut migrated, &upgraded(before, options.manager));
    let base = match persistence {
        Persistence::Stored => &migrated,
        Persistence::DryRun => stored,
    };
    match apply(Some(base), manifest, options, behaviour) {
        Ok(mut again) => {
            // A plan compares with the set before all requests.
            again.warnings.clone_from(&first.warnings);
            Ok(again)
        }
        Err(error) => {
            let mut out = Outcome {
                set: migrated,
                ..first
            };
            out.warnings.push(format!(
                "failed to re-apply configuration after performing Server-Side Apply migration. This is non-fatal and will be retried next time you apply. Error: {error}"
            ));
            Ok(out)
        }
    }
}

/// Returns the managers, with client-side apply merged into the server-side manager.
fn upgraded(managers: Managers, manager: &str) -> Managers {
    let path = last_applied_path();
    let names: Vec<String> = managers
        .values()
        .filter(|entry| !entry.applied && entry.fields.has(&path))
        .map(|entry| entry.name.clone())
        .collect();
    let mut out = managers;
    for name in names {
        let is_old = |entry: &managers::Manager| {
            !entry.applied && entry.name == name && entry.subresource.is_empty()
        };
        let Some(old) = out.values().find(|entry| is_old(entry)).cloned() else {
            continue;
        };
        let mut new = managers::Manager::new(manager, true, old.time.as_deref());
        if let Some(own) = out.get(&new.id()) {
            new = own.clone();
        }
        new.fields = new.fields.union(&old.fields);
        out.retain(|_, entry| !is_old(entry));
        out.insert(new.id(), new);
    }
    out
}
