//! JSON Schema of the machine-readable output.

/// JSON Schema of plans, verifications, and differences between plans or versions, single or in lists. Additions
/// are compatible.
pub const PLAN_SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

    use super::PLAN_SCHEMA;
    use crate::fleet::ReportList;
    use crate::plan_diff::{PlanDiff, PlanDiffList};
    use crate::report::{Report, VersionDiff};
    use crate::verify::{Verification, VerificationList};

    /// The schema is generated only by this test; the program prints the file.
    #[test]
    fn the_schema_is_that_of_the_types() {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut generator = settings.into_generator();
        let plan = generator.subschema_for::<Report>();
        let list = generator.subschema_for::<ReportList<'static>>();
        let verification = generator.subschema_for::<Verification>();
        let verifications = generator.subschema_for::<VerificationList<'static>>();
        let diff = generator.subschema_for::<PlanDiff>();
        let diffs = generator.subschema_for::<PlanDiffList<'static>>();
        let versions = generator.subschema_for::<VersionDiff>();
        let schema = serde_json::json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Output of kubectl sts-plan -o json",
            "oneOf": [plan, list, verification, verifications, diff, diffs, versions],
            "$defs": generator.take_definitions(true),
        });
        let schema = format!("{schema:#}\n");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/schema.json");
            std::fs::write(path, &schema).unwrap();
        } else {
            assert_eq!(
                schema, PLAN_SCHEMA,
                "UPDATE_GOLDEN=1 cargo test -p sts-plan --lib"
            );
        }
    }
}
