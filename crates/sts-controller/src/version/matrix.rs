//! The version matrix in words: one row for each respect in which versions differ, and where that is decided upstream.

pub(super) mod rows;

use super::{Behaviour, Gate, Gates, Stage, Version, minors, turning_points};
use crate::object::Set;
use rows::ROWS;

/// The part of Kubernetes that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Area {
    /// The controller: order of creates and deletes, status, revisions.
    Controller,
    /// Values that the API server fills in.
    Defaults,
    /// Values that the API server refuses.
    Refusals,
    /// The words in which the API server refuses or warns.
    Words,
}

impl Area {
    /// Its name in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Area::Controller => "controller",
            Area::Defaults => "defaults",
            Area::Refusals => "refusals",
            Area::Words => "words",
        }
    }
}

/// One respect in which versions differ.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The part of Kubernetes.
    pub area: Area,
    /// The statement that holds in the versions that have it.
    pub what: &'static str,
    /// The file of the Kubernetes sources, or of Go's, that decides it.
    pub source: &'static str,
    holds: fn(&Behaviour) -> bool,
    /// The sets that it concerns; `None` for all alike.
    concerns: Option<fn(&Set) -> bool>,
}

impl Row {
    /// The same row, which concerns these sets alone.
    const fn of(self, concerns: fn(&Set) -> bool) -> Row {
        Row {
            concerns: Some(concerns),
            ..self
        }
    }

    /// Reports whether it concerns this set more than any other: the set has the field that it is about.
    #[must_use]
    pub fn concerns(&self, set: &Set) -> bool {
        self.concerns.is_some_and(|concerns| concerns(set))
    }

    /// Reports whether it concerns all sets alike.
    #[must_use]
    pub fn is_general(&self) -> bool {
        self.concerns.is_none()
    }

    /// Reports whether it holds for a version and its gates.
    #[must_use]
    pub fn holds(&self, behaviour: &Behaviour) -> bool {
        (self.holds)(behaviour)
    }
}

/// A row that holds in one of two versions.
#[derive(Debug, Clone, Copy)]
pub struct RowChange {
    /// The row.
    pub row: &'static Row,
    /// Set where it begins to hold; otherwise it ceases.
    pub begins: bool,
    /// The version that brought the difference: the later one, whichever way the change goes.
    pub version: Version,
}

/// A gate that is not the same in two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateChange {
    /// The gate.
    pub gate: Gate,
    /// Its stage and default in the first version; none where there is no such gate.
    pub from: Option<(Stage, bool)>,
    /// Its stage and default in the second version.
    pub to: Option<(Stage, bool)>,
}

/// The rows that differ between two versions with the defaults of their gates.
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

/// The earlier of two versions, every one after it at which something changes, and the later one.
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

/// The gates whose stage or default differs between two versions, or that only one of them has.
#[must_use]
pub fn changed_gates(from: Version, to: Version) -> Vec<GateChange> {
    let gates = Gate::ALL.into_iter().map(|gate| GateChange {
        gate,
        from: gate.at(from.or_newest()),
        to: gate.at(to.or_newest()),
    });
    gates.filter(|change| change.from != change.to).collect()
}
