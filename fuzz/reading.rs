//! Readers of text: manifests, kubeconfigs, quantities and selectors.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kubectl_config::{Access, entries, namespace_of};
use kubectl_manifest::{
    ReadError, Reading, go_base64, read, read_document, read_value, read_whole, scan,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Labels, Selector};

use crate::drive::fuzz;
use crate::input::{Input, seeds, texts, values};
use crate::yaml;

/// Returns the objects of a reading, or its refusal.
fn objects(reading: Result<Reading, ReadError>) -> Result<Vec<Value>, String> {
    let mut reading = reading.map_err(|error| error.to_string())?;
    let objects = reading.manifests.iter_mut().map(|manifest| {
        manifest.load();
        manifest.value.take()
    });
    Ok(objects.collect())
}

/// The fast readers say what the plain one says.
fn read_three_ways(bytes: &[u8]) {
    let plain = objects(read_whole("f", bytes));
    assert_eq!(objects(read("f", bytes)), plain, "item by item");
    assert_eq!(objects(scan("f", bytes.to_vec())), plain, "by places");
}

#[test]
fn yaml_texts() {
    fuzz("YAML texts", 1, &texts(seeds("manifest")), |input| {
        read_three_ways(&input.0);
        let _ = read_document(&input.0);
        if let Some(text) = input.text() {
            let _ = (read_value(text), go_base64::decode(text));
        }
    });
}

/// A value is read back, however it was written.
#[test]
fn yaml_values() {
    fuzz(
        "YAML values",
        1,
        &(yaml::any_value(), yaml::styles()),
        |(value, styles)| {
            let text = yaml::write(
                &json!({"apiVersion": "v1", "kind": "Any", "data": value}),
                &styles,
            );
            let read = objects(read("f", text.as_bytes()));
            let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read[0]["data"], value, "{text}");
            read_three_ways(text.as_bytes());
        },
    );
}

/// JSON is read as by `serde_json`, where that takes it: kubectl takes more, and has ways of its own with numbers.
#[test]
fn json_texts() {
    fuzz("JSON", 1, &values(seeds("set"), false), |input| {
        read_three_ways(&input.0);
        if let Some(mut value @ Value::Object(_)) = input.value() {
            value["apiVersion"] = "v1".into();
            value["kind"] = "Any".into();
            let text = value.to_string();
            let read = objects(read("f", text.as_bytes()));
            // A fraction that is none, and numbers beyond 64 bits.
            if let Ok(read) = read {
                assert!(alike(&read[0], &value), "{read:?} of {text}");
            } else {
                assert!(
                    text.contains("e300") || text.contains("\"items\""),
                    "{read:?} of {text}"
                );
            }
        }
    });
}

/// The same, but for how numbers are written, and members that are null or empty.
fn alike(read: &Value, wanted: &Value) -> bool {
    match (read, wanted) {
        (Value::Object(read), Value::Object(wanted)) => {
            let none = |value: Option<&Value>| {
                value.is_none_or(|value| value.is_null() || *value == json!({}))
            };
            let mut keys = read.keys().chain(wanted.keys());
            keys.all(|key| match (read.get(key), wanted.get(key)) {
                (Some(read), Some(wanted)) => alike(read, wanted),
                (read, wanted) => none(read) && none(wanted),
            })
        }
        (Value::Array(read), Value::Array(wanted)) => {
            read.len() == wanted.len()
                && read
                    .iter()
                    .zip(wanted)
                    .all(|(read, wanted)| alike(read, wanted))
        }
        (Value::Number(read), Value::Number(wanted)) => read.as_f64() == wanted.as_f64(),
        _ => read == wanted,
    }
}

/// Returns the data of a ConfigMap as kubectl reads it, or that it refuses it.
fn read_by_kubectl(manifest: &str) -> Option<Value> {
    let mut kubectl = Command::new("kubectl")
        .args(["label", "--local", "-f", "-", "-o", "json", "read=yes"])
        .env("KUBECONFIG", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("kubectl starts");
    // One that refuses what it has read so far does not read on.
    let _ = kubectl.stdin.take().unwrap().write_all(manifest.as_bytes());
    let done = kubectl.wait_with_output().unwrap();
    if !done.status.success() {
        return None;
    }
    let mut printed: Value = serde_json::from_slice(&done.stdout).expect("one object of JSON");
    Some(printed["data"].take())
}

/// We read what kubectl reads, and refuse what it refuses, where it is installed.
#[test]
fn yaml_as_kubectl_reads_it() {
    if !Command::new("kubectl")
        .args(["version", "--client"])
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        println!("NOT RUN: kubectl is not installed");
        return;
    }
    let lines = prop_oneof![
        1 => texts(seeds("scalars")),
        1 => (yaml::any_value(), yaml::styles())
            .prop_map(|(value, styles)| Input(yaml::write(&value, &styles).into_bytes())),
    ];
    fuzz("YAML, kubectl's", 10, &lines, |input| {
        // Within a ConfigMap that is sound otherwise, so that kubectl has nothing but the reading to refuse.
        let Some(lines) = input.text() else { return };
        let lines = lines.replace('\n', "\n  ");
        let manifest =
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  {lines}\n");
        let ours = objects(read("f", manifest.as_bytes()));
        match (&ours, read_by_kubectl(&manifest)) {
            (Ok(objects), Some(wanted)) => {
                assert!(
                    objects.len() == 1 && alike(&objects[0]["data"], &wanted),
                    "{ours:?}, kubectl {wanted} of {manifest}"
                );
            }
            (Err(_), None) => {}
            (_, wanted) => panic!("{ours:?}, kubectl {wanted:?} of {manifest:?}"),
        }
    });
}

#[test]
fn quantities() {
    let made = "[-+]?[0-9]{0,20}(\\.[0-9]{0,12})?([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,3})?";
    let inputs = prop_oneof![
        texts(seeds("quantity")),
        made.prop_map(|text| Input(text.into_bytes()))
    ];
    fuzz("quantities", 1, &inputs, |input| {
        let Some(Ok(quantity)) = input.text().map(Quantity::parse) else {
            return;
        };
        let canonical = quantity.canonical();
        let again = Quantity::parse(&canonical).expect("the canonical form is one");
        assert_eq!(again.canonical(), canonical);
        assert_eq!(
            (again.is_zero(), again.is_negative()),
            (quantity.is_zero(), quantity.is_negative())
        );
        let _ = (
            quantity.rounded(),
            quantity.plus(&again),
            quantity.is_integer(),
        );
        let mut milli = quantity;
        milli.round_up_to_milli();
    });
}

#[test]
fn selectors() {
    let labels = Labels::from([(Arc::from("app"), Arc::from("web"))]);
    let inputs = prop_oneof![
        values(seeds("selector"), false),
        texts(seeds("requirements"))
    ];
    fuzz("selectors", 1, &inputs, |input| {
        if let Some(Ok(selector)) = input.value().map(|value| Selector::from_json(&value)) {
            let _ = (selector.check(), selector.matches(&labels));
        }
        if let Some(Ok(selector)) = input.text().map(str::parse::<Selector>) {
            assert!(selector.check().is_ok(), "{selector:?}");
            let _ = selector.matches(&labels);
        }
    });
}

#[test]
fn kubeconfigs() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzed-kubeconfig");
    let access = Access {
        kubeconfigs: vec![PathBuf::from(&file)],
        ..Access::default()
    };
    fuzz("kubeconfigs", 2, &texts(seeds("kubeconfig")), |input| {
        fs::write(&file, &input.0).unwrap();
        // Read, and not used: one may name a program to run.
        let _ = entries(&access);
        let _ = namespace_of(&access);
    });
}
