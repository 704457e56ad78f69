//! Tests of the manifest reader: recordings of kubectl, hostile input, and random input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and one that compares says how much"
)]

mod reference;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use kubectl_manifest::{PathSegment, Reading, read};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reports whether values are equal except for null members, empty objects and the notation of numbers.
fn same(read: &Value, wanted: &Value) -> bool {
    match (read, wanted) {
        (Value::Object(read), Value::Object(wanted)) => {
            let keys: BTreeSet<_> = read.keys().chain(wanted.keys()).collect();
            let absent = |value: Option<&Value>| {
                value.is_none_or(|value| *value == Value::Null || *value == json!({}))
            };
            keys.into_iter()
                .all(|key| match (read.get(key), wanted.get(key)) {
                    (Some(read), Some(wanted)) => same(read, wanted),
                    (read, wanted) => absent(read) && absent(wanted),
                })
        }
        (Value::Array(read), Value::Array(wanted)) => {
            read.len() == wanted.len()
                && read
                    .iter()
                    .zip(wanted)
                    .all(|(read, wanted)| same(read, wanted))
        }
        (Value::Number(read), Value::Number(wanted)) => {
            read == wanted || read.as_i64().is_none() && read.as_f64() == wanted.as_f64()
        }
        _ => read == wanted,
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|byte| {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        alphabet.iter().position(|&digit| digit == byte)
    });
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_usize, 0);
    for digit in digits {
        bits = bits << 6 | digit;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    bytes
}

#[test]
fn manifests_are_read_as_kubectl_reads_them() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = here.join("../../../shared/vectors/yaml/kubectl.jsonl");
    let path = if all.exists() {
        all
    } else {
        here.join("tests/vectors/yaml/kubectl.jsonl")
    };
    let cases = fs::read_to_string(&path).unwrap();
    let mut wrong = Vec::new();
    for case in cases.lines() {
        let mut parsed: Vec<Value> = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_str(case);
        deserializer.disable_recursion_limit();
        parsed.push(serde::Deserialize::deserialize(&mut deserializer).unwrap());
        let case = &parsed[0];
        let result = read(
            "k.yaml",
            &decode_base64(case["input_base64"].as_str().unwrap()),
        );
        let matches = match (&result, case["kubectl"].get("data")) {
            (Ok(reading), Some(Value::Array(wanted))) => {
                let read: Vec<_> = reading
                    .manifests
                    .iter()
                    .map(|manifest| manifest.value["data"].clone())
                    .collect();
                same(&Value::Array(read), &Value::Array(wanted.clone()))
            }
            (Err(_), None) => true,
            _ => false,
        };
        if !matches {
            wrong.push(format!(
                "{}: kubectl {}, here {result:?}",
                case["name"], case["kubectl"]
            ));
        }
    }
    // The print macros are shown only for tests that fail.
    let line = format!(
        "{} of {} cases of {} match\n",
        cases.lines().count() - wrong.len(),
        cases.lines().count(),
        path.display()
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads valid input.
fn ok(text: &str) -> Reading {
    read("web.yaml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text:.200}"))
}

fn error(text: &str) -> String {
    match read("web.yaml", text.as_bytes()) {
        Ok(reading) => panic!("read as {reading:?}"),
        Err(error) => error.to_string(),
    }
}

/// Returns a ConfigMap with these lines in its data.
fn data(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n{lines}")
}

#[test]
fn edge_cases_match_go_yaml() {
    let cases = [
        ("a: {emptyDir:}", json!({"a": {"emptyDir:": null}})),
        ("a: [12:, x]", json!({"a": ["12:", "x"]})),
        ("a: {b: c:d}", json!({"a": {"b": "c:d"}})),
        ("a: [!!str, b]", json!({"a": ["b"]})),
        ("a: 1\n\u{FEFF}b: 2", json!({"a": 1, "\u{FEFF}b": 2})),
        ("a: [-, --, -a]", json!({"a": ["-", "--", "-a"]})),
        (
            "1e6: a\n123456789.0: b\n1e5: c\n0.00001: d",
            json!({"1e+06": "a", "1.2345679e+08": "b", "100000": "c", "1e-05": "d"}),
        ),
        (".inf: a\n.nan: b", json!({".inf": "a", ".nan": "b"})),
        ("a: !!binary \"aGVs\\nbG8=\"", json!({"a": "hello"})),
        ("a: !!binary /w==", json!({"a": "\u{FFFD}"})),
        ("a: !!timestamp 2001-1-2", json!({"a": "2001-1-2"})),
        (
            "a: 78459384404755479.03",
            json!({"a": 78459384404755470_i64}),
        ),
        ("a: !<tag:yaml.org,2002:int> 0o17", json!({"a": 15})),
        (
            "a: &x {b: 1}\nc: &x {d: 2}\ne: {<<: *x}",
            json!({"a": {"b": 1}, "c": {"d": 2}, "e": {"d": 2}}),
        ),
    ];
    for (lines, wanted) in cases {
        let reading = ok(&data(lines));
        assert_eq!(reading.manifests[0].value["data"], wanted, "{lines}");
    }
    for lines in [
        "a: [a? b]",
        "a: \"\\/\"",
        "a: !!binary aGk",
        "a: !!int 1.5",
        "a: !!timestamp 2001-02-30",
        "18446744073709551615: a",
        "? {a: b}\n: c",
        "a: *b",
        "a: &b [*b]",
        "<<: [{a: 1}, 2]",
        "a: \u{7}",
    ] {
        assert!(read("web.yaml", data(lines).as_bytes()).is_err(), "{lines}");
    }
}

#[test]
fn json_matches_go() {
    let text = r#"{"apiVersion":"v1","kind":"A","a":"\ud800x\ud83d\ude00","b":1.0,"c":1e400}"#;
    assert!(error(text).contains("too large"));
    let reading = ok(&text.replace("1e400", "12345678901234567890"));
    let value = &reading.manifests[0].value;
    assert_eq!(value["a"], "\u{FFFD}x😀");
    assert_eq!(value["b"], 1);
    assert_eq!(value["c"].as_f64(), Some(12_345_678_901_234_567_890.0));
}

#[test]
fn surprising_values_have_warnings() {
    let told = |text: &str| {
        ok(text)
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    for (lines, wanted) in [
        (
            "defaultMode: 0644",
            "line 5, column 16: \"defaultMode: 0644\" is octal: read as 420",
        ),
        (
            "a: yes",
            "line 5, column 6: \"a: yes\" is a boolean: read as true",
        ),
        (
            "y: a",
            "line 5, column 3: the key \"y\" is a boolean: read as \"true\"",
        ),
        (
            "a: 1\nb: 2\na: 3",
            "line 7, column 3: duplicate key \"a\": this one is read",
        ),
        (
            "a: {x: 1, <<: {x: 2}}",
            "line 5, column 13: the merge '<<' overwrites \"x\" above it: put the merge first to keep it",
        ),
        (
            "1: a\n\"1\": b",
            "line 6, column 3: several keys read as \"1\": the last is read, but kubectl picks any of them",
        ),
    ] {
        assert_eq!(
            told(&data(lines)),
            [format!("web.yaml: document 1, {wanted}")],
            "{lines}"
        );
    }
    let ignored = told(&(data("a: b") + "...\n# more\n\nkind: B\n"));
    assert_eq!(ignored.len(), 1);
    assert!(
        ignored[0].starts_with("web.yaml: document 1, line 9, column 1: everything from here to the next '---' is ignored"),
        "{ignored:?}"
    );
    let json = told("{\"apiVersion\":\"v1\",\n\"kind\":\"A\",\n\"kind\":\"B\"}");
    assert_eq!(
        json,
        ["web.yaml: document 1, line 3, column 1: duplicate key \"kind\": this one is read"]
    );
    for quiet in [
        "a: true",
        "a: \"yes\"",
        "a: 0o644",
        "a: 07",
        "a: &b {x: 1}\nc: {<<: *b, x: 2}",
        "a: !!bool yes",
    ] {
        assert_eq!(told(&data(quiet)), [""; 0], "{quiet}");
    }
}

#[test]
fn errors_have_positions() {
    let first = data("a: b");
    for (text, place) in [
        (
            format!("{first}---\n{}", data("a: b: c")),
            "web.yaml: document 2, line 11, column 7: ",
        ),
        (
            format!("{first}--- x\n"),
            "web.yaml: document 1, line 6, column 1: unexpected \"x\" after '---'",
        ),
        (
            format!("{first}---\n\nkind: A\n"),
            "web.yaml: document 2, line 8, column 1: the object has no apiVersion",
        ),
        (
            "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  apiVersion: v1\n- 5\n".into(),
            "web.yaml: document 1, line 6, column 3: expected an object with a kind as item, found a number",
        ),
        (
            "a\u{1b}[31m: *b\n".into(),
            "web.yaml: document 1, line 1, column 2: invalid control character '\\u{1b}'",
        ),
    ] {
        assert!(error(&text).starts_with(place), "{}", error(&text));
    }
}

#[test]
fn lists_are_split_and_lines_are_found() {
    let text = "# a list\napiVersion: apps/v1\nkind: StatefulSetList\nitems:\n- metadata: {name: a}\n- metadata:\n    name: b\n    labels: &l\n      x: y\n  spec:\n    <<: {replicas: 3}\n    template: *l\n";
    let reading = ok(text);
    assert_eq!(reading.manifests.len(), 2);
    let second = &reading.manifests[1];
    assert_eq!(
        (&second.value["kind"], &second.value["apiVersion"]),
        (&json!("StatefulSet"), &json!("apps/v1"))
    );
    assert_eq!(second.location.line, 6);
    let key = PathSegment::Key;
    assert_eq!(second.location_of(&[key("metadata"), key("name")]).line, 7);
    assert_eq!(second.location_of(&[key("spec"), key("replicas")]).line, 11);
    assert_eq!(
        second
            .location_of(&[key("spec"), key("template"), key("x")])
            .line,
        9
    );
    assert_eq!(
        second
            .location_of(&[key("spec"), key("absent"), key("x")])
            .line,
        10
    );
    let nested = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: []}\n";
    let typeless = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {}\n";
    assert!(
        error(typeless).contains("line 5, column 3: kind must be a name, found an empty string"),
        "{}",
        error(typeless)
    );
    assert!(error(nested).contains("unsupported list within a list"));
    let json = ok(
        "\n{\"apiVersion\":\"v1\",\"kind\":\"List\",\n\"items\":[\n{\"kind\":\"A\",\"apiVersion\":\"v1\",\n\"spec\":[1,\n2]}]}",
    );
    assert_eq!(json.manifests[0].location.line, 4);
    assert_eq!(
        json.manifests[0]
            .location_of(&[key("spec"), PathSegment::Index(1)])
            .line,
        6
    );
}

/// Input that is made to take much time or memory, and whether it is valid.
fn hostile() -> Vec<(&'static str, Vec<u8>, bool)> {
    let head = "apiVersion: v1\nkind: A\na: ";
    let text = |name, text: String, read| (name, text.into_bytes(), read);
    let block: String = (0..9_000)
        .map(|level| format!("{}-\n", " ".repeat(level % 9)))
        .collect();
    let bomb: String = (1..9)
        .map(|level| {
            format!(
                "a{level}: &a{level} [{}*a{}]\n",
                format!("*a{},", level - 1).repeat(8),
                level - 1
            )
        })
        .collect();
    let anchors: String = (0..200_000)
        .map(|number| format!("- &a{number} 1\n"))
        .collect();
    vec![
        text("nested [", head.to_owned() + &"[".repeat(100_000), false),
        text("nested {", head.to_owned() + &"{".repeat(100_000), false),
        text("nested JSON", "{\"a\":".repeat(100_000), false),
        text("nested -", "- ".repeat(500_000), false),
        text("nested ?", "? ".repeat(500_000), false),
        text(
            "deep flow",
            format!("{head}{}{}", "[".repeat(9_999), "]".repeat(9_999)),
            true,
        ),
        text(
            "deep flow, broken",
            format!("{head}{}{}]\n", "[".repeat(9_990), "]".repeat(9_990)),
            false,
        ),
        text(
            "deep and wide flow",
            format!("{head}{}{}", "[".repeat(9_999), "1,".repeat(450_000)),
            false,
        ),
        text("deep block", format!("{}1", "- ".repeat(9_998)), false),
        text(
            "deep JSON",
            format!(
                "{{\"apiVersion\":\"v1\",\"kind\":\"A\",\"a\":{}{}}}",
                "[".repeat(9_999),
                "]".repeat(9_999)
            ),
            true,
        ),
        text(
            "deeper JSON",
            format!(
                "{{\"apiVersion\":\"v1\",\"kind\":\"A\",\"a\":{}{}}}",
                "[".repeat(10_001),
                "]".repeat(10_001)
            ),
            false,
        ),
        text("items of no list", block, false),
        text(
            "alias bomb",
            format!("{head}b\na0: &a0 [x,x,x,x,x,x,x,x,x]\n{bomb}"),
            false,
        ),
        text(
            "3,000 x 3,000",
            format!(
                "{head}&b [{}]\nc: [{}]\n",
                "x,".repeat(3_000),
                "*b,".repeat(3_000)
            ),
            false,
        ),
        text(
            "long alias",
            format!(
                "{head}&b {}\nc: [{}]\n",
                "x".repeat(100_000),
                "*b,".repeat(300_000)
            ),
            false,
        ),
        text(
            "maps and an alias",
            format!("{head}&b [{}]\nc: *b\n", "{a},".repeat(100_000)),
            true,
        ),
        text(
            "maps",
            format!("{head}[{}]\n", "{a},".repeat(250_000)),
            true,
        ),
        text("200,000 anchors", format!("{head}\n{anchors}"), true),
        text(
            "2,000 documents",
            "---\napiVersion: v1\nkind: A\n".repeat(2_000),
            true,
        ),
        text(
            "250,001 nodes",
            format!("{head}[{}1]\n", "1,".repeat(250_000)),
            true,
        ),
        text(
            "merges",
            format!("{head}&b {{x: 1}}\nc:\n{}", "  <<: *b\n".repeat(50)),
            true,
        ),
        text("yes", format!("{head}[{}]\n", "y,".repeat(300_000)), true),
        text(
            "repeated key",
            format!("{head}\n{}", "  a: 1\n".repeat(100_000)),
            true,
        ),
        text("long line", format!("{head}{}", "x".repeat(1 << 20)), true),
        text(
            "long quoted key",
            format!("{head}\n  \"{}\": 1\n", "x".repeat(1 << 20)),
            false,
        ),
        text(
            "breaks",
            format!("{head}\"{}\"", "\n".repeat(1 << 20)),
            true,
        ),
        text("truncated", format!("{head}\"x"), false),
        text(
            "colons",
            format!("{head}[{}]", ": ,".repeat(300_000)),
            false,
        ),
        text(
            "blank block",
            format!("{head}|\n{}", " \n".repeat(500_000)),
            true,
        ),
        text("separators", "---\n".repeat(250_000), true),
        text("JSON values", "{} ".repeat(300_000), false),
        text("NUL", "\0".repeat(1 << 20), false),
        (
            "UTF-16",
            [0xFF, 0xFE]
                .into_iter()
                .chain("[\0".bytes().cycle().take(1 << 20))
                .collect(),
            false,
        ),
        ("UTF-16, odd", vec![0xFE, 0xFF, 0], false),
        ("not UTF-8", vec![0xFF; 1 << 20], false),
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn hostile_input_is_fast_on_a_small_stack() {
    for (name, bytes, wanted) in hostile() {
        // On a busy machine, ordinary input is slow too.
        let start = Instant::now();
        ok(&data(&format!("a: [{}1]", "1,".repeat(25_000))));
        let ordinary = start.elapsed();
        let slowest = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });
        let slowest = slowest.max(ordinary * 100);
        let answer = move || {
            let start = Instant::now();
            let result = read("k.yaml", &bytes);
            if let Ok(reading) = &result {
                for manifest in &reading.manifests[..reading.manifests.len().min(1)] {
                    let _ = manifest.location_of(&[PathSegment::Key("a"), PathSegment::Index(3)]);
                }
            }
            let told = result
                .as_ref()
                .map(|reading| reading.warnings.len())
                .map_err(ToString::to_string);
            drop(result);
            (told, start.elapsed())
        };
        let (told, took) = thread::Builder::new()
            .stack_size(256 << 10)
            .spawn(answer)
            .unwrap()
            .join()
            .unwrap();
        println!("{name}: {took:?} {told:?}");
        assert_eq!(told.is_ok(), wanted, "{name}: {told:?}");
        assert!(took < slowest, "{name} took {took:?}");
    }
}

fn fragments() -> impl Strategy<Value = String> {
    let words = [
        "a",
        ": ",
        ":",
        "- ",
        "-",
        "? ",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\n  ",
        "\r\n",
        "\t",
        "'",
        "\"",
        "\\",
        "&a ",
        "*a",
        "<<: ",
        "!!int ",
        "!x",
        "!",
        "|\n",
        ">-\n",
        "#",
        " ",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "0644",
        "1.5",
        "yes",
        "null",
        "\u{FEFF}",
        "\u{85}",
        "\u{2028}",
        "é",
        "\\u00e9",
        "\\ud800",
        "!<",
        "items:\n",
        "kind: A\n",
        "apiVersion: v1\n",
        "{\"a\":1}",
        "\0",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40)
        .prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read("k", &bytes);
    }

    #[test]
    fn fragments_never_panic(text in fragments(), deep in 0..3_usize) {
        let text = ["", "apiVersion: v1\nkind: A\ndata:\n  a: ", "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"a\":"][deep].to_owned() + &text;
        if let Ok(reading) = read("k", text.as_bytes()) {
            for manifest in &reading.manifests {
                let line = manifest.location_of(&[PathSegment::Key("data"), PathSegment::Key("a")]).line;
                prop_assert!(line >= 1 && line <= text.len() + 1);
            }
        }
    }

    /// Output of serde_json is read back, as JSON and as YAML.
    #[test]
    fn json_is_read_back(texts in prop::collection::vec(any::<String>(), 0..5), number in any::<i64>()) {
        let value = json!({"apiVersion": "v1", "kind": "A", "texts": texts, "number": number});
        let text = value.to_string();
        prop_assert_eq!(&ok(&text).manifests[0].value, &value);
    }
}
