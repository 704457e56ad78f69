//! The one set of a question that is about one set alone.

use anyhow::{Result, bail};

use crate::input::read::Input;
use crate::input::resolve;
use crate::input::resolve::Target;
use crate::request::PlanRequest;

/// The one set that is asked for, and the part of the input that has it; `flag` asks for it.
///
/// # Errors
/// When there is another number of sets.
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
        _ => bail!("{flag} is for one set, and there are {count}: name one of them"),
    }
}
