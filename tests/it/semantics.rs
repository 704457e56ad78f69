//! The switch matrix of docs/semantics.md: each value is that of the table in `sts-controller/src/version`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sts_controller::version::{
    Behaviour, ClaimOwners, Completion, FinishedPods, Gate, Gates, MaxUnavailable, PassStyle,
    Recreate, Requeue, RevisionEquality, StatusOnError, UpdateDelete, UpdateWaitsFor, Version,
    turning_points,
};

use crate::golden;

/// A switch: the code of its value, and the gate that can turn it off.
struct Switch {
    number: usize,
    gate: Option<Gate>,
    code: fn(&Behaviour) -> &'static str,
}

fn word(is_set: bool, yes: &'static str, no: &'static str) -> &'static str {
    if is_set { yes } else { no }
}

const fn switch(number: usize, code: fn(&Behaviour) -> &'static str) -> Switch {
    let gate = None;
    Switch { number, gate, code }
}

const fn gated(number: usize, gate: Gate, code: fn(&Behaviour) -> &'static str) -> Switch {
    let gate = Some(gate);
    Switch { number, gate, code }
}

/// The switches of the matrix. S12 and S20 cannot show, so nothing in the program has their values.
const SWITCHES: [Switch; 20] = [
    switch(1, |it| word(it.pass == PassStyle::Batched, "BATCH", "SEQ")),
    switch(2, |it| match it.status_on_error {
        StatusOnError::NotWritten => "W0",
        StatusOnError::WrittenInside => "W1",
        StatusOnError::WrittenAfter => "W2",
    }),
    switch(3, |it| match it.finished_pods {
        FinishedPods::FailedRecreated => "F1",
        FinishedPods::BothRecreated => "F2",
        FinishedPods::BothDeleted => "F3",
    }),
    switch(4, |it| match it.completion {
        Completion::AgainstStatus => "C1",
        Completion::AgainstSpec => "C2",
        Completion::WhateverStrategy => "C3",
    }),
    switch(5, |it| word(it.terminating_claim_blocks, "yes", "no")),
    gated(6, Gate::StatefulSetMinReadySeconds, |it| {
        word(it.min_ready_seconds, "yes", "-")
    }),
    gated(7, Gate::StatefulSetAutoDeletePVC, |it| {
        match it.claim_owners {
            None => "-",
            Some(ClaimOwners::Plain) => "O1",
            Some(ClaimOwners::Controlling) => "O2",
        }
    }),
    switch(8, |it| word(it.claims_for_pending_pods, "yes", "no")),
    gated(9, Gate::StatefulSetStartOrdinal, |it| {
        word(it.start_ordinal, "yes", "-")
    }),
    switch(10, |it| word(it.pod_index_label, "yes", "no")),
    switch(11, |it| {
        word(
            it.update_waits_for == UpdateWaitsFor::Availability,
            "U2",
            "U1",
        )
    }),
    gated(13, Gate::MaxUnavailableStatefulSet, |it| {
        match it.max_unavailable {
            None => "-",
            Some(MaxUnavailable::MayBeZero) => "M1",
            Some(MaxUnavailable::AtLeastOne) => "M2",
            Some(MaxUnavailable::UnavailableFirst) => "M3",
        }
    }),
    switch(14, |it| {
        match (it.update_delete, it.delete_tolerates_not_found) {
            (UpdateDelete::CountedAnyway, _) => "D1",
            (UpdateDelete::GoneIsFine, false) => "D2",
            (UpdateDelete::GoneIsFine, true) => "D3",
        }
    }),
    switch(15, |it| word(it.capital_verbs, "Title", "lower")),
    switch(16, |it| word(it.null_creation_timestamp, "J1", "J2")),
    switch(17, |it| match it.revision_equality {
        RevisionEquality::BytesAndNumericLabels => "E1",
        RevisionEquality::Bytes => "E2",
        RevisionEquality::BytesOrDefaulted => "E3",
    }),
    switch(18, |it| {
        word(it.negative_history_limit_keeps_all, "keep all", "panic")
    }),
    gated(19, Gate::StatefulSetMinReadySeconds, |it| {
        match it.requeue {
            Requeue::Never => "R0",
            Requeue::AfterMinReadySeconds => "R1",
            Requeue::WhenNextAvailable => "R2",
        }
    }),
    switch(21, |it| word(it.keeps_conditions, "kept", "dropped")),
    gated(22, Gate::StatefulSetRecreateStrategy, |it| {
        match it.recreate {
            Recreate::Unknown => "unknown type",
            Recreate::Refused => "event and error",
            Recreate::Done => "8.2",
        }
    }),
];

impl Switch {
    /// The value in a version. With a gate that is off by default, that of the gate turned on, and a note.
    fn value(&self, version: Version) -> String {
        let off = self
            .gate
            .filter(|gate| gate.at(version).is_some_and(|(_, on)| !on));
        let set = off.map(|gate| (gate.name().to_owned(), true));
        let gates = Gates::new(version, &BTreeMap::from_iter(set)).unwrap();
        let code = (self.code)(&Behaviour::new(version, &gates));
        match off {
            Some(_) => format!("{code} (gate off)"),
            None => code.to_owned(),
        }
    }

    /// The values in a minor, with their patches if there are several.
    fn cell(&self, minor: u32) -> String {
        let mut values: Vec<(u32, String)> = Vec::new();
        for patch in [0].into_iter().chain(turning_points(minor)) {
            let value = self.value(Version {
                minor,
                patch: Some(patch),
            });
            if values.last().is_none_or(|(_, last)| *last != value) {
                values.push((patch, value));
            }
        }
        if let [(_, value)] = &values[..] {
            return value.clone();
        }
        let ends = values[1..]
            .iter()
            .map(|(next, _)| Some(next - 1))
            .chain([None]);
        let ranges = values
            .iter()
            .zip(ends)
            .map(|((first, value), last)| match last {
                None => format!("{value} .{first}+"),
                Some(last) if last == *first => format!("{value} .{first}"),
                Some(last) => format!("{value} .{first}-.{last}"),
            });
        ranges.collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn the_switch_matrix_has_the_values_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/semantics.md");
    let page = fs::read_to_string(&path).unwrap();
    let (mut minors, mut rows) = (Vec::new(), 0);
    let lines = page.lines().map(|line| {
        let mut cells: Vec<String> = line.split(" | ").map(str::to_owned).collect();
        if line.starts_with("| # | switch |") {
            let named = cells[2..].iter().map(|cell| cell.trim_end_matches(" |"));
            minors = named
                .map(|cell| cell.strip_prefix("1.").unwrap().parse().unwrap())
                .collect();
        }
        let number = cells[0]
            .strip_prefix("| S")
            .and_then(|number| number.parse().ok());
        let of_row = SWITCHES.iter().find(|switch| Some(switch.number) == number);
        let Some(switch) = of_row.filter(|_| cells.len() == minors.len() + 2) else {
            return line.to_owned();
        };
        rows += 1;
        cells.truncate(2);
        cells.extend(minors.iter().map(|minor| switch.cell(*minor)));
        format!("{} |", cells.join(" | "))
    });
    let written = lines.collect::<Vec<_>>().join("\n") + "\n";
    // S21 and S22 differ only in the second half.
    assert_eq!(rows, 2 * SWITCHES.len() - 2);
    golden::check(&path, &written);
}
