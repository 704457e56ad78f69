//! Random worlds of up to six pods, and random changes: planned, executed, compared. `STS_PLAN_LIVE_RUNS` sets their
//! number; the seeds are fixed. A case with a difference is replayed once, because a controller on a busy machine may
//! read its cache at another moment. Only a case that differs twice fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::acts::Act::{self, *};
use super::control_plane::control_plane;
use super::reality::{claiming, web};
use super::scenario::{Scenario, Stage, play_all};

/// Default number of cases.
const RUNS: usize = 50;
/// Number of cases that run at the same time: they mostly wait.
const AT_ONCE: usize = 4;
/// Number of changes after the creation.
const CHANGES: u64 = 2;

/// Pseudorandom numbers: splitmix64, seeded with the number of the case.
struct Lot(u64);

impl Lot {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, many: u64) -> u64 {
        self.next() % many
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// The facts about a set that are needed to choose sensible changes.
struct Sketch {
    /// The first ordinal.
    start: u64,
    replicas: u64,
    tag: u64,
    /// The partition of a rolling update with the block; `None` for another strategy.
    partition: Option<u64>,
}

/// A string that lives as long as the tests.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn spec(member: &str, value: Value) -> Act {
    Merge("statefulsets/web", json!({"spec": {member: value}}))
}

fn image(tag: u64) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": format!("app:{tag}")}]},
    })
}

/// A set that does not exist yet.
fn set(lot: &mut Lot, minor: u32) -> (Value, Sketch) {
    let mut sketch = Sketch {
        start: 0,
        replicas: lot.below(7),
        tag: 1,
        partition: Some(0),
    };
    let mut set = web(i32::try_from(sketch.replicas).unwrap());
    if lot.one_in(3) {
        set["spec"]["podManagementPolicy"] = "Parallel".into();
    }
    match lot.below(5) {
        0 => {
            set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
            sketch.partition = None;
        }
        1 => {
            let partition = lot.below(sketch.replicas + 2);
            let block = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}});
            set["spec"]["updateStrategy"] = block;
            sketch.partition = Some(partition);
        }
        2 => {
            set["spec"]["updateStrategy"] = json!({"type": "RollingUpdate"});
            sketch.partition = None;
        }
        _ => {}
    }
    let names: &[&str] = &["data", "log"];
    if lot.one_in(3) {
        let many = usize::try_from(lot.below(2) + 1).unwrap();
        set = claiming(set, &names[..many]);
    }
    if lot.one_in(3) {
        set["spec"]["revisionHistoryLimit"] = lot.below(3).into();
    }
    if minor >= 27 && lot.one_in(4) {
        sketch.start = lot.below(3);
        set["spec"]["ordinals"] = json!({"start": sketch.start});
    }
    if minor >= 27 && lot.one_in(4) {
        let mut policy = || if lot.one_in(2) { "Delete" } else { "Retain" };
        let (deleted, scaled) = (policy(), policy());
        set["spec"]["persistentVolumeClaimRetentionPolicy"] =
            json!({"whenDeleted": deleted, "whenScaled": scaled});
    }
    (set, sketch)
}

/// A problem that a pod may have during the change.
fn trouble(lot: &mut Lot, sketch: &Sketch) -> Vec<Act> {
    if sketch.replicas == 0 || !lot.one_in(3) {
        return Vec::new();
    }
    let pod = sketch.start + lot.below(sketch.replicas);
    let what = [
        "never-ready",
        "never-gone",
        "ready-after:40s",
        "gone-after:1s",
    ];
    let what = what[usize::try_from(lot.below(4)).unwrap()];
    vec![Assume(kept(format!("web-{pod}={what}")))]
}

/// A change, and the corresponding real action.
fn change(lot: &mut Lot, sketch: &mut Sketch) -> Stage {
    let mut just_before = vec![AssumeNothing];
    just_before.extend(trouble(lot, sketch));
    let (flags, change) = match lot.below(8) {
        0 | 1 => {
            sketch.replicas = lot.below(7);
            let count = sketch.replicas;
            (
                vec!["--replicas".to_owned(), count.to_string()],
                spec("replicas", count.into()),
            )
        }
        2 => {
            (sketch.replicas, sketch.tag) = (lot.below(7), lot.below(3) + 1);
            let (count, tag) = (sketch.replicas, sketch.tag);
            let both = json!({"spec": {"replicas": count, "template": image(tag)}});
            let flags = [
                "--replicas",
                &count.to_string(),
                "--image",
                &format!("app:{tag}"),
            ];
            (
                flags.map(str::to_owned).to_vec(),
                Merge("statefulsets/web", both),
            )
        }
        3 if sketch.partition.is_some() => {
            let partition = lot.below(sketch.replicas + 2);
            sketch.partition = Some(partition);
            let block = json!({"rollingUpdate": {"partition": partition}});
            (
                vec!["--partition".to_owned(), partition.to_string()],
                spec("updateStrategy", block),
            )
        }
        4 if sketch.partition.is_some() => {
            sketch.partition = None;
            let block = json!({"type": "OnDelete", "rollingUpdate": null});
            (
                vec!["--update-strategy".to_owned(), "OnDelete".to_owned()],
                spec("updateStrategy", block),
            )
        }
        _ => {
            sketch.tag = sketch.tag % 3 + 1;
            let tag = sketch.tag;
            (
                vec!["--image".to_owned(), format!("app:{tag}")],
                spec("template", image(tag)),
            )
        }
    };
    Stage {
        just_before,
        flags: flags.into_iter().map(kept).collect(),
        change: vec![change],
        ..Stage::default()
    }
}

/// The scenario of a case on a server of that minor.
pub fn scenario(case: usize, minor: u32) -> Scenario {
    let mut lot = Lot(u64::try_from(case).unwrap());
    let (set, mut sketch) = set(&mut lot, minor);
    let mut stages = vec![Stage {
        apply: Some(set.clone()),
        change: vec![Apply(set)],
        ..Stage::default()
    }];
    stages.extend((0..CHANGES).map(|_| change(&mut lot, &mut sketch)));
    Scenario {
        before: Vec::new(),
        stages,
        minors: 0..=u32::MAX,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment says how many are wanted"
)]
fn runs() -> usize {
    let asked = std::env::var("STS_PLAN_LIVE_RUNS").ok();
    asked.map_or(RUNS, |runs| runs.parse().unwrap())
}

/// Runs a case. Returns the difference from the prediction, if any.
fn play(case: usize, turn: &str) -> Result<(), String> {
    let Some(plane) = control_plane() else {
        return Ok(());
    };
    let name = format!("random-{case}{turn}");
    let played = AssertUnwindSafe(|| play_all(plane, &name, &scenario(case, plane.minor())));
    catch_unwind(played).map_err(|what| {
        let text = what.downcast_ref::<String>().cloned();
        text.or_else(|| what.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default()
    })
}

#[test]
fn random_worlds_go_as_planned() {
    if control_plane().is_none() {
        return;
    }
    let runs = runs();
    let next = AtomicUsize::new(0);
    let again = AtomicUsize::new(0);
    let different = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= runs {
                        return;
                    }
                    if play(case, "").is_ok() {
                        continue;
                    }
                    again.fetch_add(1, Ordering::Relaxed);
                    if let Err(what) = play(case, "-again") {
                        different.lock().unwrap().push(what);
                    }
                }
            });
        }
    });
    let again = again.into_inner();
    println!("random: {runs} worlds went as planned, {again} of them replayed once");
    let different = different.into_inner().unwrap();
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
