//! `--stages FILE`: a change in several stages, with names, conditions, requirements and approvals.

use std::fmt;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_yaml::Value;

use super::change_of;
use crate::cli::change::Change;
use crate::cli::policy::file::{parse as parse_file, read as read_text};
use crate::cli::policy::value::{Duration, Listed, Parsed};
use crate::request::StageTerms;
use sts_plan::requirement::Requirement;
use sts_plan::stages::{Begins, MAX_STAGES};

/// Maximum number of changes of fields in a file.
const MAX_EDITS: usize = 10_000;

/// A change in several stages.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(title = "Stages"))]
pub(super) struct File {
    /// Stages, in order.
    #[cfg_attr(test, schemars(length(min = 1, max = MAX_STAGES)))]
    stages: Vec<Entry>,
}

/// A stage. It begins when the previous one is complete, unless after or soak is set.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Stage", extend("not" = {"required": ["after", "soak"]})))]
struct Entry {
    /// Name of the stage.
    #[serde(default)]
    name: String,
    /// Begins the stage this long after the previous one began, such as 10m.
    #[cfg_attr(test, schemars(with = "String"), schemars(default))]
    after: Option<Parsed<Duration>>,
    /// Begins the stage this long after the previous one is complete, such as 10m.
    #[cfg_attr(test, schemars(with = "String"), schemars(default))]
    soak: Option<Parsed<Duration>>,
    /// People who have to approve the stage before it begins.
    #[serde(default)]
    approval: String,
    /// Requirements at every step of the stage, such as quorum or unavailable<=1.
    #[cfg_attr(test, schemars(with = "super::schema::Words"), schemars(default))]
    require: Option<Listed<Requirement>>,
    /// Change of the stage; without one, it waits for the current rollout.
    #[serde(default)]
    change: ChangeEntry,
}

/// A change; its keys are the change flags.
#[derive(Debug, Default)]
pub(super) struct ChangeEntry(Option<Box<Change>>);

/// Reads a stages file.
///
/// # Errors
/// When the file cannot be read, or is invalid.
pub(super) fn read(path: &Path) -> Result<Vec<(StageTerms, Change)>> {
    parse(&path.display().to_string(), &read_text(path)?)
}

fn parse(path: &str, text: &str) -> Result<Vec<(StageTerms, Change)>> {
    let file: File = parse_file(path, text, check_counts)?;
    if file.stages.is_empty() {
        bail!("{path}: no stages in the file");
    }
    let stages = file.stages.into_iter().zip(1..);
    stages
        .map(|(entry, number)| stage(entry).map_err(|why| anyhow!("{path}: stage {number}: {why}")))
        .collect()
}

/// Checks the number of stages and of their edits.
fn check_counts(file: &serde_json::Value) -> Result<(), String> {
    let stages = file["stages"].as_array().map_or(&[][..], Vec::as_slice);
    if stages.len() > MAX_STAGES {
        return Err(format!("too many stages: at most {MAX_STAGES}"));
    }
    let changes = stages
        .iter()
        .filter_map(|stage| stage["change"].as_object());
    let values = changes.flat_map(serde_json::Map::values);
    let edits: usize = values
        .map(|value| value.as_array().map_or(1, Vec::len))
        .sum();
    if edits > MAX_EDITS {
        return Err(format!("too many changes: at most {MAX_EDITS}"));
    }
    Ok(())
}

fn stage(entry: Entry) -> Result<(StageTerms, Change), String> {
    let begins = match (entry.after, entry.soak) {
        (Some(_), Some(_)) => {
            return Err("after and soak are mutually exclusive: use only one of them".to_owned());
        }
        (Some(after), None) => Begins::After(after.0.0),
        (None, soak) => Begins::AtRest {
            soak: soak.map(|soak| soak.0.0).unwrap_or_default(),
        },
    };
    let change = match entry.change.0 {
        Some(change) => *change,
        None => change_of(&[]).map_err(|error| in_a_line(&error))?,
    };
    let terms = StageTerms {
        name: entry.name,
        begins,
        approval: entry.approval,
        requirements: entry.require.map_or_else(Vec::new, |require| require.0),
    };
    Ok((terms, change))
}

impl<'de> Deserialize<'de> for ChangeEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ChangeVisitor)
    }
}

struct ChangeVisitor;

impl<'de> Visitor<'de> for ChangeVisitor {
    type Value = ChangeEntry;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a mapping of change flags, such as partition: 2")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ChangeEntry, A::Error> {
        let mut words = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let known = flags();
            if !known.contains(&key) {
                return Err(A::Error::custom(format!(
                    "unknown change {key:?}: use one of {}",
                    known.join(", ")
                )));
            }
            let before = words.len();
            put(&key, &map.next_value()?, &mut words).map_err(A::Error::custom)?;
            // Check each key on its own, so that an error has its location.
            let own = &words[before..];
            if !["apply-mode", "field-manager", "force-conflicts"].contains(&&*key) {
                change_of(own).map_err(|error| A::Error::custom(in_a_line(&error)))?;
            }
        }
        let change = change_of(&words).map_err(|error| A::Error::custom(in_a_line(&error)))?;
        if let Some(refused) = change.contradiction() {
            return Err(A::Error::custom(refused));
        }
        Ok(ChangeEntry(Some(Box::new(change))))
    }
}

/// Returns the names of the change flags.
fn flags() -> Vec<String> {
    let command = super::command();
    let arguments = command.get_arguments();
    let names = arguments.filter_map(|argument| argument.get_long());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Appends a key and its value as command line arguments.
fn put(key: &str, value: &Value, words: &mut Vec<String>) -> Result<(), String> {
    match value {
        Value::Bool(true) => words.push(format!("--{key}")),
        Value::Bool(false) => {}
        Value::String(text) => words.push(format!("--{key}={text}")),
        Value::Number(number) => words.push(format!("--{key}={number}")),
        Value::Sequence(values) => {
            for value in values {
                put(key, value, words)?;
            }
        }
        Value::Null | Value::Mapping(_) | Value::Tagged(_) => {
            return Err(format!(
                "{key} takes a string, a number, true, or a list of these"
            ));
        }
    }
    Ok(())
}

/// Returns the first line of a usage error.
fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sts_controller::apiserver::apply::Edit;

    #[test]
    fn a_file_sets_the_same_change_as_flags() {
        let text = "\
stages:
- name: one pod
  change: {image: app:2, partition: 4}
- name: half
  approval: the database team
  require: [quorum, 'unavailable<=1']
  soak: 10m
  change: {partition: 50%}
- after: 1h
  change:
    restart: true
    set: [spec.minReadySeconds=5, spec.revisionHistoryLimit=3]
";
        let stages = parse("x.yaml", text).unwrap();
        let names: Vec<&str> = stages.iter().map(|(terms, _)| &*terms.name).collect();
        assert_eq!(names, ["one pod", "half", ""]);
        let image = Edit::Image {
            container: None,
            image: "app:2".to_owned(),
        };
        assert_eq!(stages[0].1.image, [image]);
        assert_eq!(stages[1].0.approval, "the database team");
        assert_eq!(stages[1].0.requirements.len(), 2);
        let soak = jiff::SignedDuration::from_mins(10);
        assert_eq!(stages[1].0.begins, Begins::AtRest { soak });
        assert!(stages[2].1.restart);
        assert_eq!(stages[2].1.set.len(), 2);
    }

    #[test]
    fn counts_and_nesting_are_checked_before_types() {
        let stages = |count| format!("stages: [{}]", "{nonsense: 1},".repeat(count));
        let images = |count| {
            format!(
                "stages: [{{change: {{image: [{}]}}}}]",
                "'app=x:1',".repeat(count)
            )
        };
        for (text, wanted) in [
            (
                stages(MAX_STAGES + 1),
                "x.yaml: too many stages: at most 100",
            ),
            (
                images(MAX_EDITS + 1),
                "x.yaml: too many changes: at most 10000",
            ),
            (
                "stages: ".to_owned() + &"{a: ".repeat(50_000),
                "line 1, column 40009: brackets nest deeper",
            ),
            (
                "stages: ".to_owned() + &"[".repeat(500_000),
                "line 1, column 10009: brackets nest deeper",
            ),
            (
                "- ".repeat(50_000),
                "line 1, column 20001: lines are indented deeper",
            ),
            (
                "stages: ".to_owned() + &"[".repeat(200) + &"]".repeat(200),
                "values nest deeper than 100 levels",
            ),
        ] {
            let error = parse("x.yaml", &text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
            assert!(error.len() < 2_000, "{} bytes", error.len());
        }
        assert_eq!(parse("x.yaml", &images(MAX_EDITS)).unwrap().len(), 1);
    }

    #[test]
    fn errors_have_a_location() {
        for (text, place, wanted) in [
            ("stages: []", "x.yaml: ", "no stages in the file"),
            ("", "x.yaml: line 1, column 1: ", ""),
            (
                "steps: []",
                "x.yaml: line 1, column 1: ",
                "unknown field `steps`",
            ),
            (
                "stages:\n- name: a\n  change:\n    partiton: 2\n",
                "x.yaml: line 4, column 5: ",
                "unknown change \"partiton\": use one of apply, ",
            ),
            (
                "stages:\n- change: {partition: half}\n",
                "x.yaml: line 2, column ",
                "invalid value 'half' for '--partition <N|P%>'",
            ),
            (
                "stages:\n- require: nonsense\n",
                "x.yaml: line 2, column ",
                "nonsense",
            ),
            (
                "stages:\n- {after: 1m, soak: 1m}\n",
                "x.yaml: ",
                "stage 1: after and soak are mutually exclusive",
            ),
            (
                "stages:\n- change: {delete: orphan, replicas: 2}\n",
                "x.yaml: line 2, column ",
                "--delete leaves no set for --replicas to change",
            ),
        ] {
            let error = parse("x.yaml", text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{text}: {error}");
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
