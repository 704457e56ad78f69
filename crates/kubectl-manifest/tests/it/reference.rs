//! Compares the item-by-item reader with the simple one that reads whole documents: values, positions, warnings and
//! errors, on randomly changed dumps.

use kubectl_manifest::{Part, PathSegment, ReadError, Reading, read, read_whole, scan};
use serde_json::Value;

/// Pseudorandom numbers with a fixed seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }
}

const YAML: &str = "apiVersion: v1
items:
- apiVersion: apps/v1
  kind: StatefulSet
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\"}
    labels: {app: web, \"quoted\": 'single ''quotes'' é'}
    name: web
  spec:
    replicas: 3
    template:
      spec:
        containers:
        - args: [\"--a\", --b, '--c']
          image: app:1
          name: app
        - name: other
          command:
          - sh
          - -c
          - |
            while true; do
              sleep 1
            done
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: \"2026-10-01T08:00:00Z\"
    name: web-0
    labels:
      mode: 0644
  spec:
    nodeName: a long plain value that
      goes on here
  status:
    phase: Running
    podIPs: []
    ready: true
    score: 1.50
- kind: Pod
  apiVersion: v1
  metadata: {name: web-1}
kind: List
metadata:
  resourceVersion: \"\"
";

/// In kubectl's format, so that the line parser applies.
const SIMPLE: &str = r#"apiVersion: v1
items:
- apiVersion: apps/v1
  kind: StatefulSet
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"apps/v1","kind":"StatefulSet"}
    labels:
      app: web
    managedFields:
    - fieldsV1:
        f:spec:
          f:template:
            k:{"name":"app"}:
              .: {}
    name: web
  spec:
    replicas: 3
    template:
      spec:
        containers:
        - args:
          - --a=b:c
          - -1
          name: app
          command:
          - sh
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2026-10-01T08:00:00Z"
    deletionTimestamp: null
    name: web-0
  status:
    conditions:
    - lastProbeTime: null
      message: '0/3 nodes are available: it''s
        late'
      reason: goes on
        over lines
    message: "a\n\"b\" \\ c"
    script: |-
      while true; do

        sleep 1
      done
    nested:
    - - a
      - b: {}
        c: []
kind: List
metadata:
  resourceVersion: ""
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1
spec:
  containers:
  - name: app
    script: |+
      one

  nodeName: a
"#;
const JSON: &str = r#"{
    "apiVersion": "v1",
    "items": [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web", "labels": {"b": "1", "a": "2"}},
         "spec": {"replicas": 3, "x": [1, -2.50, 1e3, null, true, [], {}]}},
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web-0é", "text": "a\"b\\c\u00e9\ud83d\ude00"},
            "status": {"phase": "Running", "a": {"b": {"c": 1.0}}},
            "keys": {"k:{\"name\":\"app\"}": {".": {}}, "a long one": 1, "a long other": 2, "a": "\t\u00e9\\", "\\": "é\n"}
        }, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web-1"}}
    ],
    "kind": "List",
    "metadata": {"resourceVersion": "", "annotations": {"x": "y"}}
}
"#;

const RAW: &str = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"a\"}},\n{\"metadata\":{\"name\":\"b\"},\"spec\":{\"n\":01}}]}\n";

const STREAM: &str = "# two documents
apiVersion: v1
kind: Service
metadata:
  name: a
---
apiVersion: v1
kind: Pod
metadata: &m
  name: b
spec: {<<: {x: 1}, y: 2}
...
---
{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}]}
";

const PIECES: [&str; 52] = [
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    "  ",
    " ",
    ":",
    ": ",
    "a: b\n",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&x ",
    "*x",
    "<<: *x\n",
    "!!str ",
    "!t ",
    "yes",
    "0644",
    ".nan",
    "1e400",
    "null",
    "---\n",
    "...\n",
    "#",
    "|",
    ">",
    "\t",
    "\\",
    "\\n",
    "\\u0061",
    "\\/",
    "n",
    "\"a\":1,",
    "\"\\u0061\":{},",
    "é",
    "\u{2028}",
    "\u{feff}",
    "\u{7}",
    "items:\n",
    "\"items\": [1],",
    "kind: Pod\n",
    "\"kind\":\"A\",",
    "? ",
    "%",
    "\r\n",
    "\u{85}",
    "name: web\n",
];

fn mutated(text: &str, chance: &mut Chance) -> String {
    let mut text = text.to_owned();
    for _ in 0..=chance.below(3) {
        let mut at = chance.below(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match chance.below(4) {
            0 => text.insert_str(at, PIECES[chance.below(PIECES.len())]),
            1 => {
                let mut end = (at + 1 + chance.below(12)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(at..end, "");
            }
            2 => {
                let mut end = (at + 1 + chance.below(60)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let piece = text[at..end].to_owned();
                text.insert_str(at, &piece);
            }
            // A line moves.
            _ => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let (from, to) = (chance.below(lines.len()), chance.below(lines.len()));
                lines.swap(from, to);
                text = lines.concat();
            }
        }
        if text.is_empty() {
            return text;
        }
    }
    text
}

/// Returns everything observable of a reading.
fn seen(reading: Result<Reading, ReadError>) -> String {
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => return format!("error: {error}"),
    };
    let mut seen = String::new();
    for manifest in &reading.manifests {
        let key = PathSegment::Key;
        let places = [
            manifest.location_of(&[]),
            manifest.location_of(&[key("metadata"), key("name")]),
            manifest.location_of(&[
                key("spec"),
                key("template"),
                key("spec"),
                key("containers"),
                PathSegment::Index(1),
            ]),
            manifest.location_of(&[key("status"), key("absent")]),
        ];
        assert_eq!(manifest.value["kind"], *manifest.kind);
        assert_eq!(manifest.value["apiVersion"], *manifest.api_version);
        seen += &format!("{} at {} {places:?}\n", manifest.value, manifest.location);
    }
    format!("{seen}{:?} {:?}", reading.warnings, reading.lists)
}

#[test]
fn items_are_read_as_with_their_whole_document() {
    let runs = if cfg!(debug_assertions) {
        1_500
    } else {
        200_000
    };
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut read_at_all = 0;
    for run in 0..runs {
        let base = [YAML, JSON, RAW, STREAM, SIMPLE, JSON][run % 6];
        let text = match run {
            0..6 => base.to_owned(),
            _ => mutated(base, &mut chance),
        };
        let whole = seen(read_whole("k", text.as_bytes()));
        let by_item = seen(read("k", text.as_bytes()));
        let again = scan("k", text.clone().into_bytes()).map(|mut reading| {
            for manifest in &mut reading.manifests {
                let part = manifest.part(PART).into_owned();
                manifest.load();
                // Values that are not plain are parsed whole, and an item may have its type from its list.
                let mut bare = part.clone();
                if let Value::Object(members) = &mut bare {
                    members.retain(|name, _| name != "kind" && name != "apiVersion");
                }
                let is_part = bare == cut(&manifest.value, PART) || part == manifest.value;
                assert!(is_part, "{text}");
            }
            reading
        });
        assert_eq!(seen(again), whole, "{text}");
        read_at_all += usize::from(!whole.starts_with("error"));
        assert_eq!(by_item, whole, "{text}");
    }
    println!("{read_at_all} of {runs} are read");
    assert!(read_at_all > runs / 10);
}

/// Returns the requested part of a whole value.
fn cut(value: &Value, wanted: Part) -> Value {
    match (value, wanted) {
        (Value::Object(members), Part::Members(named)) => {
            let members = members.iter().filter_map(|(name, value)| {
                let (_, wanted) = named.iter().find(|(known, _)| known == name)?;
                Some((name.clone(), cut(value, *wanted)))
            });
            Value::Object(members.collect())
        }
        (Value::Array(items), Part::Items(wanted)) => {
            Value::Array(items.iter().map(|item| cut(item, *wanted)).collect())
        }
        _ => value.clone(),
    }
}

const PART: Part = Part::Members(&[
    (
        "metadata",
        Part::Members(&[("name", Part::Whole), ("labels", Part::Whole)]),
    ),
    (
        "spec",
        Part::Members(&[(
            "template",
            Part::Members(&[(
                "spec",
                Part::Members(&[(
                    "containers",
                    Part::Items(&Part::Members(&[("name", Part::Whole)])),
                )]),
            )]),
        )]),
    ),
]);

#[test]
fn a_part_is_what_the_whole_has_of_it() {
    for text in [YAML, JSON] {
        let whole = read("k", text.as_bytes()).unwrap();
        let parts = scan("k", text.as_bytes().to_vec()).unwrap();
        for (whole, part) in whole.manifests.iter().zip(&parts.manifests) {
            assert!(part.value.is_null());
            let read = part.part(PART).into_owned();
            // Values that are not plain are parsed whole.
            assert!(
                read == cut(&whole.value, PART) || read == whole.value,
                "{read}"
            );
        }
    }
}
