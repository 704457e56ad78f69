//! JSON Schema of a stages file, from its types and the change flags. Only this test generates it; the program prints
//! the file.

use std::borrow::Cow;

use clap::Arg;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Map, Value, json};

use super::file::{ChangeEntry, File};
use super::{SCHEMA, command};

/// A string, or a list of strings.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only used for its schema")]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

impl JsonSchema for ChangeEntry {
    fn schema_name() -> Cow<'static, str> {
        "Change".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut command = command();
        command.build();
        let flags = command.get_arguments();
        let properties: Map<String, Value> = flags
            .filter_map(|flag| Some((flag.get_long()?.to_owned(), of_flag(flag))))
            .filter(|(name, _)| name != "help")
            .collect();
        json_schema!({
            "description": "A change; its keys are the change flags.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false
        })
    }
}

/// Returns the schema of a flag's value.
fn of_flag(flag: &Arg) -> Value {
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    if !flag.get_action().takes_values() {
        return json!({"description": help, "type": "boolean"});
    }
    let words = flag.get_possible_values();
    let words: Vec<&str> = words
        .iter()
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    let value = match words.as_slice() {
        [] => json!({"type": ["string", "number"]}),
        words => json!({"enum": words}),
    };
    let mut forms = vec![value.clone()];
    if flag
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0)
    {
        forms.push(json!({"type": "boolean"}));
    }
    if matches!(flag.get_action(), clap::ArgAction::Append) {
        forms.push(json!({"type": "array", "items": value}));
    }
    match forms.as_slice() {
        [_] => {
            let mut only = value;
            only["description"] = help.into();
            only
        }
        forms => json!({"description": help, "anyOf": forms}),
    }
}

#[test]
fn the_schema_matches_the_types_and_flags() {
    let schema = format!("{:#}\n", schema_for!(File).to_value());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/stages.schema.json");
        std::fs::write(path, &schema).unwrap();
    } else {
        assert_eq!(schema, SCHEMA, "UPDATE_GOLDEN=1 cargo test --lib schema");
    }
}
