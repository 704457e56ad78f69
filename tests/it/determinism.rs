//! The same input gives the same bytes in every format: repeated, with objects in any order, on any number of threads,
//! and in any environment.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;

use kubectl_sts_plan::run as run_here;
use serde_json::{Value, json};

use crate::cluster::server::objects_of;
use crate::golden;
use crate::program;

const FORMATS: [&str; 16] = [
    "table",
    "wide",
    "summary",
    "name",
    "json",
    "yaml",
    "junit",
    "sarif",
    "github",
    "gitlab",
    "prometheus",
    "markdown",
    "svg",
    "html",
    "jsonpath={..message}",
    "custom-columns=NAME:.metadata.name,AT:.outcome.at",
];

/// The output of a run: the exit code, standard output and standard error.
type Printed = (Option<i32>, Vec<u8>, Vec<u8>);

/// Every set of the fixtures, each with its objects in its own namespace, and enough unrelated pods that objects are
/// read on threads.
fn objects() -> Vec<Value> {
    let mut files: Vec<PathBuf> = fs::read_dir(golden::root().join("fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let objects = files.iter().flat_map(|file| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut objects = objects_of(&fs::read(file).unwrap());
        for object in &mut objects {
            let metadata = object["metadata"].as_object_mut().unwrap();
            metadata.insert("namespace".to_owned(), name.as_str().into());
        }
        objects
    });
    let pods = (0..400).map(|number| {
        let name = format!("batch-{}", number * 7_919 % 400);
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "batch"}})
    });
    objects.chain(pods).collect()
}

/// Writes all objects as a list in an order given by the seed, on one line because messages name lines.
fn write(folder: &Path, objects: &[Value], seed: u64) {
    let mut order: Vec<&Value> = objects.iter().collect();
    let mut lot = seed;
    for at in (1..order.len()).rev().filter(|_| seed != 0) {
        lot = lot
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(lot >> 33).unwrap() % (at + 1);
        order.swap(at, other);
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": order});
    fs::write(folder.join("input.json"), list.to_string()).unwrap();
}

/// The program, or another one that runs it, with the file in a folder.
fn run(
    before: &[&str],
    folder: &Path,
    format: &str,
    environment: &[(&str, &str)],
) -> Option<Printed> {
    let program = env!("CARGO_BIN_EXE_kubectl-sts_plan");
    let words = [before, &[program]].concat();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs(environment.iter().copied())
        .current_dir(folder)
        .args(["-f", "input.json", "--now", "2026-11-21T12:00:00Z"])
        .args(["--what-if-fails", "--image", "app=app:9", "-o", format]);
    match command.output() {
        Ok(output) => Some((output.status.code(), output.stdout, output.stderr)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{error}"),
    }
}

/// The program with `-o name` where it may start no thread, or the reason why this cannot be tried. Root has no thread
/// limit, so another user runs a copy.
fn alone(folder: &Path) -> Result<Printed, String> {
    let copy = std::env::temp_dir().join(format!("sts-plan-alone-{}", std::process::id()));
    fs::copy(env!("CARGO_BIN_EXE_kubectl-sts_plan"), &copy).map_err(|error| error.to_string())?;
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "prlimit", "--nproc=1"])
        .arg(&copy)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder)
        .args(["-f", "input.json", "--now", "2026-11-21T12:00:00Z"])
        .args(["--what-if-fails", "--image", "app=app:9", "-o", "name"])
        .output();
    let _ = fs::remove_file(&copy);
    let output = output.map_err(|error| format!("setpriv: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match said.starts_with("setpriv: ") || said.starts_with("prlimit: ") {
        true => Err(said.into_owned()),
        false => Ok((output.status.code(), output.stdout, output.stderr)),
    }
}

/// The first line in which two texts differ, from both.
fn first_difference(ours: &[u8], theirs: &[u8]) -> Option<(String, String)> {
    if ours == theirs {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (ours, theirs) = (text(ours), text(theirs));
    let mut lines = ours.lines().zip(theirs.lines());
    let found = lines.find(|(ours, theirs)| ours != theirs);
    let (ours, theirs) = found.unwrap_or((&ours, &theirs));
    Some((ours.to_owned(), theirs.to_owned()))
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let objects = objects();
    let sets = objects
        .iter()
        .filter(|object| object["kind"] == "StatefulSet");
    assert!(sets.count() > 3 && objects.len() > 20);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("determinism");
    let elsewhere = folder.join("home");
    fs::create_dir_all(&elsewhere).unwrap();
    let home = elsewhere.to_str().unwrap();
    let (mut runs, mut threads_varied) = (0, true);
    write(&folder, &objects, 0);
    let expected: Vec<Printed> = FORMATS
        .iter()
        .map(|format| run(&[], &folder, format, &[]).unwrap())
        .collect();
    let mut compare = |before: &[&str], environment: &[(&str, &str)], what: &str| {
        for (format, expected) in FORMATS.iter().zip(&expected) {
            let Some(printed) = run(before, &folder, format, environment) else {
                threads_varied = false;
                return;
            };
            let place = format!("{what}, {format}");
            assert_eq!(first_difference(&printed.1, &expected.1), None, "{place}");
            assert_eq!(first_difference(&printed.2, &expected.2), None, "{place}");
            assert_eq!(printed.0, expected.0, "{place}");
            runs += 1;
        }
    };
    compare(&[], &[], "once more");
    compare(&["taskset", "-c", "0"], &[], "one thread");
    compare(
        &[],
        &[
            ("LC_ALL", "tr_TR.UTF-8"),
            ("LANG", "ja_JP"),
            ("LANGUAGE", "de"),
        ],
        "another locale",
    );
    compare(&[], &[("TZ", "Asia/Kathmandu")], "another zone");
    compare(
        &[],
        &[("HOME", home), ("XDG_CONFIG_HOME", home)],
        "another home",
    );
    let terminal = [("COLUMNS", "37"), ("LINES", "5"), ("TERM", "dumb")];
    compare(&[], &terminal, "another terminal");
    for seed in [1, 2, 3] {
        write(&folder, &objects, seed);
        compare(&[], &[], "shuffled");
    }
    write(&folder, &objects, 0);
    match alone(&folder) {
        Ok(printed) => {
            let name = FORMATS.iter().position(|format| *format == "name");
            assert_eq!(printed, expected[name.unwrap()], "no thread is to be had");
        }
        Err(why) => println!("determinism: a process without threads not tested: {why}"),
    }
    println!(
        "determinism: {runs} runs in {} formats printed the same bytes",
        FORMATS.len()
    );
    if !threads_varied {
        println!("determinism: one thread not tested: no taskset");
    }
}

/// Flags may also come in any order.
#[test]
fn the_order_of_flags_and_files_does_not_matter() {
    let folder = program::folder("determinism-flags");
    let (sets, others): (Vec<Value>, Vec<Value>) = objects()
        .into_iter()
        .partition(|object| object["kind"] == "StatefulSet");
    for (name, items) in [("a.json", &sets), ("b.json", &others)] {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
        fs::write(folder.join(name), list.to_string()).unwrap();
    }
    let print = |args: &[&str]| {
        let now = ["--now", "2026-11-21T12:00:00Z"];
        program::run_in(&folder, &[args, &now].concat())
    };
    let assumed = ["--assume", "web-0=fails", "--assume", "web-1=never-gone"];
    let first = print(
        &[
            &["-f", "a.json", "-f", "b.json", "-o", "json"][..],
            &assumed,
        ]
        .concat(),
    );
    let turned = ["--assume", "web-1=never-gone", "--assume", "web-0=fails"];
    let second = print(&[&turned[..], &["-o", "json", "-f", "b.json", "-f", "a.json"]].concat());
    assert!(!first.1.is_empty());
    assert_eq!(
        first_difference(first.1.as_bytes(), second.1.as_bytes()),
        None
    );
    assert_eq!(first, second);
}

/// A hundred repeats of every format in one process: nothing cached from one plan shows in the next.
#[test]
fn a_hundred_repeats_are_identical() {
    const REPEATS: usize = 100;
    let file = golden::root().join("fixtures/rollout.yaml");
    let args = [
        "-f",
        file.to_str().unwrap(),
        "--now",
        "2026-11-21T12:00:00Z",
    ];
    for format in FORMATS {
        let mut first = None;
        for _ in 0..REPEATS {
            let words = [&["kubectl-sts_plan"], &args[..], &["-o", format]].concat();
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            let words = words.into_iter().map(OsString::from);
            let exit = run_here(words, &mut io::empty(), &mut out, &mut errors);
            let printed = (Some(exit as i32), out, errors);
            let expected = first.get_or_insert_with(|| printed.clone());
            assert_eq!(first_difference(&printed.1, &expected.1), None, "{format}");
            assert!(printed == *expected && !printed.1.is_empty(), "{format}");
        }
    }
    println!(
        "determinism: {REPEATS} repeats in {} formats printed the same bytes",
        FORMATS.len()
    );
}
