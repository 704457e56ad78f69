//! Operator that asks whether its set may roll to an image now. The objects come from its client, here from
//! kubectl:
//! `kubectl get sts/web pods,pvc,controllerrevisions -o json | cargo run --example may_i_roll app:2`

#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;

use jiff::Timestamp;
use serde_json::Value;
use sts_controller::apiserver::apply::Edit;
use sts_controller::object::Snapshot;
use sts_plan::plan::{Conditions, Plan, PlanResult};
use sts_plan::report::Report;

pub(crate) fn ask(objects: Value, image: &str, now: Timestamp) -> Result<String, Box<dyn Error>> {
    let stored = Snapshot::from_objects([objects])?;
    let (container, image) = (None, image.to_owned());
    let edits = vec![Edit::Image { container, image }];
    let conditions = Conditions::new("1.36".parse()?, now);
    let report = Report::new(&Plan::of_edits(&stored, edits, &conditions)?.plan);
    Ok(match report.outcome.result {
        PlanResult::Complete => format!("yes. {}", report.summary),
        _ => format!("no. {}", report.analysis.headline),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let image = std::env::args().nth(1).ok_or("usage: may_i_roll IMAGE")?;
    let objects = serde_json::from_reader(std::io::stdin())?;
    println!("{}", ask(objects, &image, Timestamp::now())?);
    Ok(())
}
