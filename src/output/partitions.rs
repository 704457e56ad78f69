//! The effect of every partition: its pods by revision, and the revision that they come back with.

use std::io;

use super::pods::compact;
use super::sink::Terminal;
use super::style::{Style, Tone, escape};
use super::table::{Column, Give, Row, Table};
use super::words::{short_revision, spaced};
use sts_plan::report::{PlanResult, Report, ReportPartition, ReportRestingPod};

const COLUMNS: [Column; 4] = [
    column("PARTITION"),
    column("AT REST"),
    column("REVISION"),
    column("RESTARTED THEN, COMES BACK ON"),
];
/// Maximum width and number of lines of the pods of one row.
const ROOM: usize = 48;
const LINES: usize = 4;

const fn column(header: &'static str) -> Column {
    Column {
        header,
        give: Give::Never,
    }
}

/// Writes the table, if it was asked for.
pub(super) fn write(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let Some(partitions) = &report.partitions else {
        return Ok(());
    };
    out.blank()?;
    if let Some(why) = partitions.skipped {
        return out.prose(&format!("No partitions: {why}."), Tone::Busy, 2);
    }
    let rows = partitions.items.iter();
    let mut rows: Vec<Row> = rows
        .flat_map(|partition| rows_of(report, partition, style))
        .collect();
    if partitions.left_out > 0 {
        let more = spaced(partitions.left_out);
        rows.push(Row::Note(format!(
            "… {more} more partitions in between were not tried"
        )));
    }
    let table = Table {
        columns: COLUMNS.to_vec(),
        rows,
    };
    let set = report.metadata.name.as_str();
    let table = table.within(style, std::iter::repeat(set), 1);
    table.write(out)
}

/// The cells of a partition for formats that wrap by themselves, in the order of the columns.
pub(super) fn plain(report: &Report, partition: &ReportPartition) -> Vec<Vec<String>> {
    let rows = rows_of(report, partition, &Style::default());
    let cells = rows.into_iter().filter_map(|row| match row {
        Row::Cells(_, cells) => Some(cells),
        _ => None,
    });
    cells.collect()
}

fn rows_of(report: &Report, partition: &ReportPartition, style: &Style) -> Vec<Row> {
    let set = &report.metadata.name;
    let hash = |revision: &str| escape(short_revision(revision, set)).into_owned();
    let planned = if partition.planned { " (planned)" } else { "" };
    let mut label = format!("{}{planned}", partition.partition);
    if partition.result != PlanResult::Complete {
        label.push_str(&format!(" {}", partition.result.name().to_uppercase()));
    }
    let tone = if partition.planned {
        Tone::Strong
    } else {
        Tone::Plain
    };
    let tone = if partition.result == PlanResult::Complete {
        tone
    } else {
        Tone::Bad
    };
    let alike = |a: &ReportRestingPod, b: &ReportRestingPod| a.revision == b.revision;
    let mut rows = Vec::new();
    for pods in partition.pods.chunk_by(alike) {
        let mut back: Vec<String> = pods
            .iter()
            .filter_map(|pod| pod.comes_back_on.as_deref())
            .map(hash)
            .collect();
        back.dedup();
        let back = match back.is_empty() {
            true => "does not come back".to_owned(),
            false => back.join(", then "),
        };
        let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
        let room = style.width.map_or(ROOM, |width| ROOM.min(width / 3));
        let mut rest = Some((hash(&pods[0].revision), back));
        for line in compact(&names, room, LINES) {
            let (revision, back) = rest.take().unwrap_or_default();
            rows.push(Row::Cells(
                tone,
                vec![std::mem::take(&mut label), line, revision, back],
            ));
        }
    }
    if rows.is_empty() {
        let nothing = ["no pods", "-", "-"].map(str::to_owned);
        rows.push(Row::Cells(
            tone,
            std::iter::once(label).chain(nothing).collect(),
        ));
    }
    rows
}
