//! The version matrix in words: any two versions that differ differ in a row.

use sts_controller::version::{
    Area, Behaviour, Gates, ROWS, Row, Version, changed_gates, changed_rows, minors, turning_points,
};

fn behaviour(version: Version) -> Behaviour {
    Behaviour::new(version, &Gates::defaults(version))
}

/// Returns every version with a change, oldest first.
fn versions() -> Vec<Version> {
    let mut versions = Vec::new();
    for minor in minors() {
        for patch in [0].into_iter().chain(turning_points(minor)) {
            let patch = Some(patch);
            versions.push(Version { minor, patch });
        }
    }
    versions.sort_by_key(|version| (version.minor, version.patch));
    versions
}

#[test]
fn versions_that_behave_differently_differ_in_a_row() {
    let versions = versions();
    for pair in versions.windows(2) {
        let (old, new) = (behaviour(pair[0]), behaviour(pair[1]));
        let mut same_minor = new.clone();
        same_minor.version = old.version;
        same_minor.defaulting.minor = old.defaulting.minor;
        same_minor.validation.minor = old.validation.minor;
        let differ = same_minor != old;
        let rows = changed_rows(pair[0], pair[1]);
        let by_minor = |what: &str| what.contains("warned of");
        let has_row = rows.iter().any(|change| !by_minor(change.row.what));
        assert_eq!(differ, has_row, "{} to {}: {rows:?}", pair[0], pair[1]);
    }
}

#[test]
fn each_row_holds_in_some_version_and_not_in_another() {
    let behaviours: Vec<Behaviour> = versions().into_iter().map(behaviour).collect();
    let is_constant = |row: &&Row| {
        let holding = behaviours.iter().filter(|behaviour| row.holds(behaviour));
        [0, behaviours.len()].contains(&holding.count())
    };
    let constant = ROWS.iter().filter(is_constant);
    // A change by a manually set gate alone is not a difference between versions.
    assert_eq!(constant.map(|row| row.what).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_change_has_its_version() {
    let at = |minor, patch| Version {
        minor,
        patch: Some(patch),
    };
    let whole = |minor| Version { minor, patch: None };
    // The gate was switched off in 1.35.4, and its default with it.
    let filled_in = |from, to| {
        let rows = changed_rows(from, to);
        let mut rows = rows.into_iter();
        let row = rows.find(|change| change.row.what == "maxUnavailable is defaulted to 1");
        row.map(|change| (change.begins, change.version))
    };
    assert_eq!(filled_in(whole(34), at(35, 0)), Some((true, at(35, 0))));
    assert_eq!(filled_in(at(35, 3), whole(35)), Some((false, at(35, 4))));
    assert_eq!(filled_in(whole(35), at(35, 3)), Some((true, at(35, 4))));
    assert_eq!(filled_in(whole(34), whole(35)), None);
}

#[test]
fn upgrade_and_downgrade_change_the_same_rows() {
    let at = |minor| Version { minor, patch: None };
    let there = changed_rows(at(33), at(36));
    let back = changed_rows(at(36), at(33));
    assert_eq!(there.len(), back.len());
    for (there, back) in there.iter().zip(&back) {
        assert_eq!(there.row.what, back.row.what);
        assert_eq!(there.begins, !back.begins);
    }
    let areas: Vec<Area> = there.iter().map(|change| change.row.area).collect();
    assert!(areas.is_sorted() && areas.contains(&Area::Refusals));
    assert_eq!(changed_rows(at(36), at(36)).len(), 0);
    assert_eq!(changed_gates(at(36), at(36)), []);
    assert!(!changed_gates(at(33), at(36)).is_empty());
}
