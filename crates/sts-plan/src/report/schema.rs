//! The JSON Schema of what a program reads.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{PlanDiff, PlanDiffList, Report, ReportList, Verification, VerificationList};

/// The JSON Schema of a plan, of a list of plans, of what becomes of them, and of how they differ. Additions to it are compatible.
#[must_use]
pub fn plan_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let plan = generator.subschema_for::<Report>();
    let list = generator.subschema_for::<ReportList<'static>>();
    let verification = generator.subschema_for::<Verification>();
    let verifications = generator.subschema_for::<VerificationList<'static>>();
    let diff = generator.subschema_for::<PlanDiff>();
    let diffs = generator.subschema_for::<PlanDiffList<'static>>();
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What kubectl sts-plan prints with -o json",
        "oneOf": [plan, list, verification, verifications, diff, diffs],
        "$defs": generator.take_definitions(true),
    })
}
