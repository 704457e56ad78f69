//! CI check that fails if applying a manifest would be rejected, get stuck, or cause a warning or an error.
//! `cargo run --example ci_check objects.json manifest.json`

use std::error::Error;
use std::fs::File;

use jiff::Timestamp;
use serde_json::Value;
use sts_controller::object::Snapshot;
use sts_plan::lint::Severity;
use sts_plan::plan::{Conditions, Plan, PlanResult};
use sts_plan::report::Report;

const USAGE: &str = "usage: ci_check OBJECTS MANIFEST";
type Checked = Result<(), Box<dyn Error>>;

pub(crate) fn check(objects: Value, manifest: &Value, now: Timestamp) -> Checked {
    let stored = Snapshot::from_objects([objects])?;
    let conditions = Conditions::new("1.36".parse()?, now).with_incomplete_input();
    let report = Report::new(&Plan::of_manifest(&stored, manifest, &conditions)?.plan);
    let mut problems = Vec::new();
    if report.outcome.result != PlanResult::Complete {
        problems.push(report.analysis.headline);
    }
    for finding in report.findings {
        if finding.severity >= Severity::Warning {
            problems.push(format!("{}: {}", finding.id, finding.message));
        }
    }
    let failed = (!problems.is_empty()).then(|| problems.join("\n"));
    failed.map_or(Ok(()), |problems| Err(problems.into()))
}

fn main() -> Checked {
    let path = |at| std::env::args().nth(at).ok_or(USAGE);
    let objects = serde_json::from_reader(File::open(path(1)?)?)?;
    let manifest = serde_json::from_reader(File::open(path(2)?)?)?;
    check(objects, &manifest, Timestamp::now())
}
