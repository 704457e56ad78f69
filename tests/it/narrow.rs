//! Tables on narrow terminals: which columns are omitted and kept, and the note about them.

use kubectl_sts_plan::internals::{Format, Style, render_table};
use sts_plan::report::Report;

use crate::render::{fleet, scenarios, text};

fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        ..Style::default()
    }
}

fn scenario(name: &str) -> Vec<Report> {
    let mut scenarios = scenarios().into_iter();
    let (_, report) = scenarios.find(|(known, _)| *known == name).unwrap();
    vec![report]
}

/// The lines from these headers to the next empty line.
fn table<'t>(text: &'t str, header: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| !line.starts_with(header));
    let rows = lines.take_while(|line| !line.is_empty());
    // Text that follows without a gap is not part of the table.
    rows.take_while(|line| !line.starts_with("1 set up to date") && !line.starts_with("Revisions:"))
        .collect()
}

#[test]
fn wide_tables_are_the_same_on_every_terminal() {
    for (reports, headers) in [
        (fleet(), &["NAMESPACE/NAME"][..]),
        (scenario("scale-down"), &["OBJECT", "STEP"]),
        (scenario("rollout"), &["OBJECT", "STEP"]),
    ] {
        let whole = text(Format::Wide, &reports, &Style::default());
        for width in [20, 60, 80, 200] {
            let narrow = text(Format::Wide, &reports, &terminal(width));
            for header in headers {
                let expected = table(&whole, header);
                assert!(expected.len() > 2, "{whole}");
                assert_eq!(table(&narrow, header), expected, "{width}: {narrow}");
            }
            assert!(!narrow.contains("Columns omitted"), "{narrow}");
        }
    }
}

#[test]
fn lost_data_is_the_last_column_to_drop() {
    let reports = scenario("scale-down");
    for width in 36..120 {
        let shown = text(Format::Table, &reports, &terminal(width));
        let steps = table(&shown, "STEP");
        assert!(
            steps.iter().any(|row| row.contains("LOST")),
            "{width}: {shown}"
        );
    }
}

#[test]
fn a_dropped_column_is_named() {
    let reports = scenario("scale-down");
    let narrow = text(Format::Table, &reports, &terminal(50));
    let omitted = "Columns omitted: REVISION, WAIT FOR (-o wide shows all)";
    let said = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(omitted), "{narrow}");
    let broad = text(Format::Table, &reports, &terminal(160));
    assert!(!broad.contains("Columns omitted"), "{broad}");
}

/// Returns the headers of all tables of a text, as many as begin with one of these.
fn headers(text: &str, firsts: &[&str]) -> Vec<String> {
    let lines = text.lines();
    let heads = lines.filter(|line| firsts.iter().any(|first| line.starts_with(first)));
    let cells = heads.flat_map(|line| line.split("  ").map(str::trim));
    let cells = cells.filter(|cell| !cell.is_empty());
    cells.map(str::to_owned).collect()
}

/// At every width, a column is in its table, below its rows, or in the note about omitted columns.
#[test]
fn every_column_is_shown_or_named() {
    let firsts = ["OBJECT", "STEP", "NAMESPACE/NAME", "STAGE", "POD"];
    let mut omitted = 0;
    let mut all: Vec<Vec<Report>> = scenarios().into_iter().map(|(_, it)| vec![it]).collect();
    all.push(fleet());
    for reports in &all {
        let expected = headers(&text(Format::Table, reports, &Style::default()), &firsts);
        for width in [30, 36, 40, 44, 50, 56, 60, 70, 80, 90, 100, 120, 160] {
            let shown = text(Format::Table, reports, &terminal(width));
            let found = headers(&shown, &firsts);
            let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            let notes: Vec<&str> = said
                .match_indices("Columns omitted: ")
                .map(|(at, _)| said[at..].split(" (-o wide").next().unwrap_or_default())
                .collect();
            for column in &expected {
                let is_named = notes.iter().any(|note| note.contains(column.as_str()));
                let is_below = column == "CAUSE"
                    && shown.contains(
                        "
  web-2 crash-loops",
                    );
                let is_there = found.contains(column) || is_below || is_named;
                assert!(is_there, "{width}: {column}: {shown}");
                omitted += usize::from(is_named);
            }
        }
    }
    assert!(omitted > 20, "{omitted}");
}

#[test]
fn rows_on_many_sets_have_names_in_full() {
    let mut reports = fleet();
    for report in &mut reports {
        report.metadata.name = "cassandra".to_owned();
        report.next.summary = report.next.summary.replace("web-", "cassandra-");
        for step in &mut report.steps {
            step.name = step
                .name
                .take()
                .map(|name| name.replace("web-", "cassandra-").into());
            for write in step.writes.iter_mut().flatten() {
                write.name = write.name.replace("web-", "cassandra-").into();
            }
        }
    }
    for width in 20..200 {
        let shown = text(Format::Table, &reports, &terminal(width));
        assert!(!shown.contains("…-"), "{width}: {shown}");
    }
}

/// A set of ten pods in two states, none of which has a neighbor in the same state.
fn alternating() -> Vec<Report> {
    let mut reports = scenario("rollout");
    let pods = &mut reports[0].set.pods;
    let first = pods[0].clone();
    *pods = (0..10)
        .map(|at| {
            let mut pod = first.clone();
            pod.name = format!("web-{at}").into();
            pod.ready = at % 2 == 0;
            pod
        })
        .collect();
    reports
}

#[test]
fn names_of_pods_wrap_and_are_never_broken() {
    for width in 1..120 {
        let shown = text(Format::Table, &alternating(), &terminal(width));
        let pods = table(&shown, "REVISION");
        for at in 0..10 {
            let name = format!("web-{at}");
            let mut words = pods.iter().flat_map(|line| line.split(' '));
            assert!(words.any(|word| word == name), "{width}: {name}: {shown}");
        }
    }
    // Those that have no row of their own are counted.
    let mut reports = alternating();
    let first = reports[0].set.pods[0].clone();
    reports[0].set.pods.extend((10..99).step_by(2).map(|at| {
        let mut pod = first.clone();
        pod.name = format!("web-{at}").into();
        pod
    }));
    let shown = text(Format::Table, &reports, &terminal(80));
    assert!(shown.contains("web-76 … 38\n"), "{shown}");
    let verbose = Style {
        verbose: true,
        ..terminal(80)
    };
    let shown = text(Format::Table, &reports, &verbose);
    assert!(
        !shown.contains("… 38") && shown.contains("web-12"),
        "{shown}"
    );
}

#[test]
fn no_row_ends_in_a_blank() {
    let single = scenarios().into_iter().map(|(_, report)| vec![report]);
    let all: Vec<Vec<Report>> = single.chain([alternating(), fleet()]).collect();
    for width in 1..130 {
        for reports in &all {
            let shown = text(Format::Table, reports, &terminal(width));
            for header in ["REVISION", "STEP", "NAMESPACE/NAME"] {
                for line in table(&shown, header) {
                    assert_eq!(line, line.trim_end(), "{width}: {shown}");
                }
            }
        }
    }
}

#[test]
fn a_cause_without_room_is_below_its_row() {
    let shown = text(Format::Table, &fleet(), &terminal(80));
    assert!(
        shown.contains("\n  web-2 crash-loops (app, 14 restarts)\n"),
        "{shown}"
    );
    assert!(
        !shown.contains("CAUSE") && !shown.contains("omitted"),
        "{shown}"
    );
    let shown = text(Format::Table, &fleet(), &terminal(120));
    assert!(
        shown.contains("  web-2 crash-loops (app, 14 restarts)\n"),
        "{shown}"
    );
    assert!(shown.lines().next().unwrap().ends_with("CAUSE"), "{shown}");
}

#[test]
fn a_list_is_as_wide_as_the_terminal_and_breaks_no_word() {
    let rows = [
        ["STS001", "never at its goal"],
        ["STS002", "see pkg/controller/statefulset/stateful_set.go"],
    ];
    let listed = |width| {
        let mut out = Vec::new();
        let rows = rows.map(|row| row.map(str::to_owned));
        render_table(["ID", "TITLE"], rows, &terminal(width), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        listed(50),
        "ID      TITLE\n\
         STS001  never at its goal\n\
         STS002  see\n        pkg/controller/statefulset/stateful_set.go\n"
    );
    assert_eq!(
        listed(48),
        "ID      TITLE\n\
         STS001  never at its goal\n\
         STS002\n  see pkg/controller/statefulset/stateful_set.go\n"
    );
}
