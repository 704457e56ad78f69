//! The JSON Schema of a policy is what its types say. Nothing but this test makes it of them: the program prints the file.

use schemars::{JsonSchema, schema_for};

use super::{Policy, SCHEMA};

/// The forms of [`Listed`], for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

/// The forms of [`Ignores`], for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) enum IgnoresSchema {
    One(String),
    Several(Vec<IgnoreSchema>),
}

/// One entry of a list of [`Ignores`].
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) enum IgnoreSchema {
    Word(String),
    Reasoned(ReasonedSchema),
}

/// An entry with its reason.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) struct ReasonedSchema {
    /// The id or name of a finding, or a severity.
    id: String,
    /// The reason for which it is ignored.
    reason: String,
    /// The last day, such as 2026-12-31.
    until: Option<String>,
}

#[test]
fn the_schema_is_that_of_the_types() {
    let schema = format!("{:#}\n", schema_for!(Policy).to_value());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/policy.schema.json");
        std::fs::write(path, &schema).unwrap();
    } else {
        assert_eq!(schema, SCHEMA, "UPDATE_GOLDEN=1 cargo test --lib schema");
    }
}
