//! The version matrix in words: one row for each difference between versions, with its source.

use std::sync::LazyLock;

use super::{
    Area, Behaviour, Defaulting, Gate, Gates, PodRules, Row, Stage, Validation, Version, minors,
    turning_points,
};

const WARNINGS: &str = "pkg/api/pod/warnings.go";

/// All differences between the known versions, by area.
pub static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let by_minor = Row {
        area: Area::Words,
        what: "duplicate port names and addresses with leading zeros cause a warning",
        source: WARNINGS,
        holds: |behaviour| behaviour.validation.minor >= 33,
        concerns: None,
    };
    let parts = [
        Behaviour::ROWS,
        Defaulting::ROWS,
        Validation::ROWS,
        PodRules::ROWS,
    ];
    let mut rows = [&parts.concat()[..], &[by_minor]].concat();
    rows.sort_by_key(|row| row.area);
    rows
});

/// A row that holds in only one of two versions.
#[derive(Debug, Clone, Copy)]
pub struct RowChange {
    /// The row.
    pub row: &'static Row,
    /// True if the row starts to hold; false if it stops.
    pub begins: bool,
    /// The version of the difference: the later one, in either direction.
    pub version: Version,
}

/// A gate that differs between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateChange {
    /// The gate.
    pub gate: Gate,
    /// Stage and default in the first version, if it exists there.
    pub from: Option<(Stage, bool)>,
    /// Stage and default in the second version, if it exists there.
    pub to: Option<(Stage, bool)>,
}

/// Returns the rows that differ between two versions with default gates.
#[must_use]
pub fn changed_rows(from: Version, to: Version) -> Vec<RowChange> {
    let (old, new) = (behaviour(from), behaviour(to));
    let between: Vec<(Version, Behaviour)> = versions_between(from, to)
        .into_iter()
        .map(|version| (version, behaviour(version)))
        .collect();
    let rows = ROWS.iter().filter(|row| row.holds(&old) != row.holds(&new));
    rows.map(|row| {
        let turns = between.windows(2).rev();
        let mut turns = turns.filter(|pair| row.holds(&pair[0].1) != row.holds(&pair[1].1));
        RowChange {
            row,
            begins: row.holds(&new),
            version: turns.next().map_or(to, |pair| pair[1].0),
        }
    })
    .collect()
}

fn behaviour(version: Version) -> Behaviour {
    Behaviour::new(version, &Gates::defaults(version))
}

/// Returns both versions in ascending order, with every version between them that changes something.
fn versions_between(one: Version, two: Version) -> Vec<Version> {
    let key = |version: &Version| (version.minor, version.patch.unwrap_or(u32::MAX));
    let mut ends = [one, two];
    ends.sort_by_key(key);
    let [first, last] = ends;
    let inner = minors().flat_map(|minor| {
        let patches = [0].into_iter().chain(turning_points(minor));
        patches.map(move |patch| Version {
            minor,
            patch: Some(patch),
        })
    });
    let mut versions: Vec<Version> = inner
        .filter(|version| (key(&first)..key(&last)).contains(&key(version)))
        .chain(ends)
        .collect();
    versions.sort_by_key(key);
    versions
}

/// Returns the gates whose stage or default differs between two versions, or that only one of them has.
#[must_use]
pub fn changed_gates(from: Version, to: Version) -> Vec<GateChange> {
    let gates = Gate::ALL.into_iter().map(|gate| GateChange {
        gate,
        from: gate.at(from.or_newest()),
        to: gate.at(to.or_newest()),
    });
    gates.filter(|change| change.from != change.to).collect()
}
