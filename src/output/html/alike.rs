//! Rows that say the same, as one.

use std::collections::BTreeMap;

use super::step_states::Row;
use crate::output::words::spaced;

/// Rows of which nothing changes and that say the same are one, where there are so many at least: a table of things that
/// are all the same tells nothing.
pub(super) fn alike(rows: Vec<Row>, many: usize) -> Vec<Row> {
    let key = |row: &Row| match row.cells.as_slice() {
        [(_, only)] => Some((only.text.clone(), row.note.clone())),
        _ => None,
    };
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for key in rows.iter().filter_map(key) {
        *counts.entry(key).or_default() += 1;
    }
    let mut out: Vec<Row> = Vec::new();
    let mut first: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in rows {
        let Some(key) = key(&row).filter(|key| counts.get(key) >= Some(&many)) else {
            out.push(row);
            continue;
        };
        match first.get(&key) {
            Some(at) => {
                let number = counts.get(&key).copied().unwrap_or(0);
                let kept = &mut out[*at];
                // The last name completes the first.
                let begin = kept.name.split(" … ").next().unwrap_or_default().to_owned();
                kept.name = format!("{begin} … {} ({})", row.name, spaced(number));
                kept.pod = None;
            }
            None => {
                first.insert(key, out.len());
                out.push(row);
            }
        }
    }
    out
}
