//! The program, and what it is made of: sets that are applied, changed, planned, saved and verified.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use sts_controller::apiserver::apply::{ChangeError, apply_manifest};
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::verify::Prediction;

use kubectl_sts_plan::run;

use crate::drive::fuzz;
use crate::input::{seed, seeds, texts, values};
use test_kit::manifests::manifest;

pub const NOW: &str = "2026-11-21T12:00:00Z";

/// The program in this process: its exit code, and what it printed.
pub fn program(args: &[&str], input: &[u8]) -> (u8, String, String) {
    let words = ["kubectl-sts_plan"].iter().chain(args);
    let words: Vec<OsString> = words.map(OsString::from).collect();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let exit = run(words, &mut &*input, &mut out, &mut errors);
    let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
    let (out, errors) = (text(out), text(errors));
    assert!(
        !errors.contains('\u{1b}') && !errors.contains('\u{202e}'),
        "{errors:?}"
    );
    (exit as u8, out, errors)
}

/// A sound set, as a server stores it.
fn web() -> Vec<u8> {
    seed("set", "web.json")
}

fn behaviour(version: &str) -> Behaviour {
    let version: Version = version.parse().unwrap();
    let gates = Gates::new(version, &Default::default()).unwrap();
    Behaviour::new(version, &gates)
}

#[test]
fn jsonpath() {
    let web = web();
    fuzz("jsonpath", 4, &texts(seeds("jsonpath")), |input| {
        let Some(text) = input.text() else { return };
        program(
            &["-f", "-", "--now", NOW, "-o", &format!("jsonpath={text}")],
            &web,
        );
        program(
            &[
                "-f",
                "-",
                "--now",
                NOW,
                "-o",
                &format!("custom-columns=A:{text}"),
            ],
            &web,
        );
    });
}

/// A server takes again, unchanged, whatever it took once.
#[test]
fn applied() {
    let stored: Value = serde_json::from_slice(&web()).unwrap();
    let versions = ["1.20", "1.30", "1.37"].map(behaviour);
    let inputs = prop_oneof![
        values(seeds("set"), false).prop_map(|input| input.value()),
        // Along the schema, where a few values are of a wrong type.
        (any::<u64>(), 0..3_u64).prop_map(|(seed, wrong)| Some(manifest(seed, wrong))),
    ];
    fuzz("apply", 4, &inputs, |wanted| {
        // A null makes a zero of what is not there yet, and removes it the next time.
        let Some(wanted) = wanted.filter(|wanted| !has_null(wanted)) else {
            return;
        };
        for behaviour in &versions {
            for stored in [None, Some(&stored)] {
                let Ok(outcome) = apply_manifest(stored, &wanted, behaviour) else {
                    continue;
                };
                if outcome.refused.is_empty() && outcome.not_checked.is_empty() {
                    let again = match apply_manifest(Some(&outcome.set), &wanted, behaviour) {
                        // Servers that do not look into templates store volumes without names, and cannot merge them.
                        Err(ChangeError::NoMergeKey { .. }) => continue,
                        again => again.expect("what was taken is taken again"),
                    };
                    assert!(again.refused.is_empty(), "{:?}", again.refused);
                    assert_eq!(again.set["spec"], outcome.set["spec"], "applied twice");
                }
            }
        }
    });
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

#[test]
fn change_flags() {
    let web = web();
    fuzz("change flags", 4, &texts(seeds("edit")), |input| {
        let Some((flag, value)) = input.text().and_then(|text| text.split_once('=')) else {
            return;
        };
        // Not one that names a file or a cluster.
        let known = seeds("edit")
            .iter()
            .any(|seed| seed.starts_with(format!("{flag}=").as_bytes()));
        if known {
            let flag = format!("{flag}={value}");
            program(&["-f", "-", &flag, "-o", "summary"], &web);
        }
    });
}

/// Whatever is planned is planned alike twice, and judged alike by every format.
#[test]
fn plans() {
    const FORMATS: [&str; 9] = [
        "table", "markdown", "html", "svg", "sarif", "junit", "github", "yaml", "wide",
    ];
    let inputs = (
        values(seeds("plan"), true),
        prop::sample::select(&FORMATS[..]),
        19..=37_u32,
    );
    fuzz("plans", 4, &inputs, |(input, format, minor)| {
        let version = format!("1.{minor}");
        let plan = |format| {
            let args = [
                "-f",
                "-",
                "--now",
                NOW,
                "--kubernetes-version",
                &version,
                "--detailed-exitcode",
                "-o",
                format,
            ];
            program(&args, &input.0)
        };
        let json = plan("json");
        assert_eq!(json, plan("json"));
        let other = plan(format);
        assert_eq!(other.0, json.0, "{format}: {}, json: {}", other.2, json.2);
    });
}

/// A saved plan is read as it is, and as one that was edited by hand.
#[test]
fn saved_plans() {
    let web = web();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzed-plan.json");
    let path = file.to_str().unwrap();
    let (_, plan, errors) = program(&["-f", "-", "--now", NOW, "-o", "json"], &web);
    assert!(errors.is_empty() && plan.contains("\"steps\""), "{errors}");
    fuzz(
        "verify",
        4,
        &values(vec![plan.into_bytes()], false),
        |input| {
            if let Some(value) = input.value() {
                let _ = Prediction::from_json(&value);
            }
            fs::write(path, &input.0).unwrap();
            for format in ["table", "json"] {
                program(
                    &["verify", path, "-f", "-", "--now", NOW, "-o", format],
                    &web,
                );
            }
        },
    );
}
