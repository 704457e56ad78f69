//! The reader of the test kit: its reports are those of the program, so that a test of the analysis needs no program.

use serde_json::Value;
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;

use crate::program;

/// The report of the program, without the parts that only files have: places of objects, and the age of the input.
fn printed(objects: &[Value], now: &str) -> Value {
    let (code, out, err) = program::run_on(objects, &["--now", now, "-o", "json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

fn without_places(report: &mut Value) {
    match report {
        Value::Object(members) => {
            members.remove("source");
            members.values_mut().for_each(without_places);
        }
        Value::Array(items) => items.iter_mut().for_each(without_places),
        _ => {}
    }
}

#[test]
fn reports_of_the_kit_are_those_of_the_program() {
    let worlds = test_kit::cause_worlds::worlds().into_iter();
    let worlds = worlds.map(|(id, objects)| (id.to_owned(), objects, NOW));
    let files = ["rollout.yaml", "trial/pg-crash.yaml", "trial/pg-half.yaml"];
    let files = files.map(|name| (name.to_owned(), objects(&fixture(name)), NOW));
    for (name, objects, now) in worlds.chain(files) {
        let mut expected = printed(&objects, now);
        let mut actual = Input::of(&objects, now).json();
        without_places(&mut expected);
        without_places(&mut actual);
        if expected != actual {
            for (key, value) in expected.as_object().unwrap() {
                assert_eq!(&actual[key], value, "{name}: {key}");
            }
        }
        assert_eq!(actual, expected, "{name}");
    }
}
