//! JSON Schema of a policy, from its types. Only this test generates it; the program prints the file.

use schemars::{JsonSchema, schema_for};

use super::{Policy, SCHEMA};

/// Forms of [`Listed`], for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only used for its schema")]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

/// Forms of [`Ignores`], for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only used for its schema")]
pub(super) enum IgnoresSchema {
    One(String),
    Several(Vec<IgnoreSchema>),
}

/// One entry of [`Ignores`].
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only used for its schema")]
pub(super) enum IgnoreSchema {
    Word(String),
    Reasoned(ReasonedSchema),
}

/// Entry with a reason.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only used for its schema")]
pub(super) struct ReasonedSchema {
    /// Id or name of a finding, or a severity.
    id: String,
    /// Reason why it is ignored.
    reason: String,
    /// Last day on which it is ignored, such as 2026-12-31.
    until: Option<String>,
}

#[test]
fn the_schema_matches_the_types() {
    let schema = format!("{:#}\n", schema_for!(Policy).to_value());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/policy.schema.json");
        std::fs::write(path, &schema).unwrap();
    } else {
        assert_eq!(schema, SCHEMA, "UPDATE_GOLDEN=1 cargo test --lib schema");
    }
}
