//! The version matrix in words: no two versions differ in a respect of which it has no row.

use sts_controller::version::{
    Area, Behaviour, Gates, ROWS, Version, changed_gates, changed_rows, minors, turning_points,
};

fn behaviour(version: Version) -> Behaviour {
    Behaviour::new(version, &Gates::defaults(version))
}

/// Every version at which something may change, the oldest first.
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
        let told = rows.iter().any(|change| !by_minor(change.row.what));
        assert_eq!(differ, told, "{} to {}: {rows:?}", pair[0], pair[1]);
    }
}

#[test]
fn each_row_holds_in_some_version_and_not_in_another() {
    let versions = versions();
    for row in ROWS {
        let holding = versions
            .iter()
            .filter(|version| row.holds(&behaviour(**version)));
        let count = holding.count();
        assert!(!row.source.is_empty());
        // Nothing else than a gate switched by hand makes these differ.
        let constant = count == 0 || count == versions.len();
        assert!(!constant, "{}: {count}", row.what);
    }
}

#[test]
fn an_upgrade_and_a_downgrade_differ_in_the_same_rows() {
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
