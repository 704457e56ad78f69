//! The path of concrete states behind a path of representative states.

use super::PackError;
use super::expand::{PackedMove, Worker, moves};
use super::scratch::{PackResult, Scratch};
use crate::simulate::explore::{Move, Wrong};

/// Returns the moves that lead along the given states from the original start to the problem, with the problem in terms
/// of the pods on that path. If several moves lead to equivalent states, takes the first.
pub(super) fn concrete(
    worker: &mut Worker<'_>,
    scratch: &Scratch<'_>,
    start: &[u8],
    wrong: Wrong,
    states: &[Vec<u8>],
    last: Option<PackedMove>,
) -> PackResult<(Wrong, Vec<Move>)> {
    let model = worker.model;
    let mut state = start.to_vec();
    let mut path = Vec::new();
    let mut due = Vec::new();
    for wanted in states.iter().skip(1) {
        let mut found = None;
        moves(model, scratch, &state, false, &mut due);
        for chosen in due.iter().copied() {
            let mut next = state.clone();
            if worker.apply_unmerged(&mut next, chosen)?.is_err() {
                continue;
            }
            let mut sorted = next.clone();
            worker.sort(&mut sorted);
            if sorted == *wanted {
                found = Some((chosen, next));
                break;
            }
        }
        let (chosen, next) = found.ok_or(PackError::NotInterchangeable)?;
        path.push(chosen.named(model));
        state = next;
    }
    if last.is_some() {
        moves(model, scratch, &state, false, &mut due);
        for chosen in due.iter().copied() {
            if let Err(wrong) = worker.apply_unmerged(&mut state.clone(), chosen)? {
                path.push(chosen.named(model));
                return Ok((wrong, path));
            }
        }
        return Err(PackError::NotInterchangeable);
    }
    if matches!(wrong, Wrong::Unfinished(_)) {
        let side = &state[..model.layout.len()];
        worker.scratch.restore(model, side)?;
        if let Some(why) = model.property.unfinished(&worker.scratch.world) {
            return Ok((Wrong::Unfinished(why), path));
        }
    }
    Ok((wrong, path))
}
