//! Selection of a single set.

use anyhow::{Result, bail};

use crate::input::read::Input;
use crate::input::resolve;
use crate::input::resolve::Target;
use crate::request::PlanRequest;

/// Returns the requested set, and the part of the input that has it; `flag` requires it.
///
/// # Errors
/// When there is not exactly one set.
pub(super) fn one_set<'p>(
    flag: &str,
    request: &PlanRequest,
    parts: &'p [Input],
) -> Result<(Target<'p>, &'p Input)> {
    let mut found = Vec::new();
    for input in parts {
        let selected = resolve::select(
            &request.world,
            &request.selection,
            &input.loaded,
            &input.applied,
        )?;
        if let Some(missing) = selected.missing.into_iter().next() {
            return Err(missing.error);
        }
        let targets = selected.targets.into_iter();
        found.extend(targets.map(|target| (target, input)));
    }
    let count = found.len();
    match (found.pop(), count) {
        (Some(one), 1) => Ok(one),
        _ => bail!("{flag} requires exactly one set, found {count}: name one of them"),
    }
}
