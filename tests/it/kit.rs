//! The reader of the test kit: its reports are those of the program, so that a test of the analysis needs no program.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::Bounds;
use sts_plan::what_if::Failures;
use test_kit::growing::Growing;
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;
use test_kit::nodes::{budget, cluster, local};

use crate::program;

/// The report of the program, without the parts that only files have: places of objects, and the age of the input.
fn printed(objects: &[Value], now: &str, args: &[&str]) -> Value {
    let usual = ["--now", now, "-o", "json"];
    let (code, out, err) = program::run_on(objects, &[&usual[..], args].concat());
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

fn assert_same(name: &str, mut expected: Value, mut actual: Value) {
    without_places(&mut expected);
    without_places(&mut actual);
    if expected != actual {
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&actual[key], value, "{name}: {key}");
        }
    }
    assert_eq!(actual, expected, "{name}");
}

#[test]
fn reports_of_the_kit_are_those_of_the_program() {
    let worlds = test_kit::cause_worlds::worlds().into_iter();
    let worlds = worlds.map(|(id, objects)| (id.to_owned(), objects, NOW));
    let files = ["rollout.yaml", "trial/pg-crash.yaml", "trial/pg-half.yaml"];
    let files = files.map(|name| (name.to_owned(), objects(&fixture(name)), NOW));
    for (name, objects, now) in worlds.chain(files) {
        let actual = Input::of(&objects, now).json();
        assert_same(&name, printed(&objects, now, &[]), actual);
    }
}

/// A question about an input: the flags of the program, and the words of the kit.
type Asked = (Vec<Value>, &'static str, fn(Input) -> Input);

#[test]
fn answers_of_the_kit_are_those_of_the_program() {
    let rollout = || objects(&fixture("rollout.yaml"));
    let guarded = || cluster(&[budget(json!({"minAvailable": "100%"}))]);
    let cases: [Asked; 12] = [
        (guarded(), "--drain node-7", |it| it.drain("node-7")),
        (guarded(), "--cordon node-8", |it| it.cordon("node-8")),
        (cluster(&[]), "--lose zone=a --drain node-8", |it| {
            it.lose("zone=a").drain("node-8")
        }),
        (
            local(),
            "--drain each --return-after 10m --order primary-last=role=primary",
            |it| {
                let asked = it.drain("each").return_after(10, 1);
                asked.order("primary-last=role=primary")
            },
        ),
        (rollout(), "--options", |it| {
            it.asking(|it| it.options = true)
        }),
        (rollout(), "--every-partition", |it| {
            it.asking(|it| it.partitions = true)
        }),
        (rollout(), "--what-if-fails=2", |it| {
            it.asking(|it| it.failures = Failures::Pairs)
        }),
        (rollout(), "--require updated<=3 --explore", |it| {
            let bounds = Bounds::new(0, usize::MAX);
            it.require("updated<=3")
                .asking(|it| it.explore = Some(bounds))
        }),
        (
            rollout(),
            "--kubernetes-version 1.33 --upgrade-to 1.34.1,1.36",
            |it| it.version("1.33").upgrade_to("1.34.1,1.36"),
        ),
        (rollout(), "--assume secret/db=exists", |it| {
            it.granting("secret/db", "exists")
        }),
        (
            rollout(),
            "--partition 2 --then --partition 0 --ready-after 30s",
            |it| {
                let edited = it.edited([Edit::partition(2)]);
                edited.then([Edit::partition(0)]).ready_after(30)
            },
        ),
        (
            Growing::of_10_gi().objects(),
            "--kubernetes-version 1.33 --grow data=20Gi",
            |it| it.version("1.33").grow("data=20Gi"),
        ),
    ];
    for (objects, flags, asked) in cases {
        let args: Vec<&str> = flags.split(' ').collect();
        let actual = asked(Input::of(&objects, NOW)).json();
        assert_same(flags, printed(&objects, NOW, &args), actual);
    }
}
