//! Random manifests that follow the schema: any field may be present, with a value of its type, often an edge case.

use serde_json::{Map, Value, json};
use sts_controller::apiserver::schema::{Kind, Shape, stateful_set};

/// Returns the manifest for a seed. About `wrong` in a thousand values have the wrong type.
pub fn manifest(seed: u64, wrong: u64) -> Value {
    let mut dice = TestRng {
        state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        wrong,
        density: 0,
    };
    dice.density = 10 + dice.roll(40);
    let mut manifest = match dice.object(stateful_set()) {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    manifest.insert("apiVersion".to_owned(), "apps/v1".into());
    manifest.insert("kind".to_owned(), "StatefulSet".into());
    Value::Object(manifest)
}

struct TestRng {
    state: u64,
    wrong: u64,
    /// Percentage of fields that are present.
    density: u64,
}

impl TestRng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % sides
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.roll(100) < chance
    }

    fn pick(&mut self, values: &[&str]) -> Value {
        values[usize::try_from(self.roll(values.len() as u64)).unwrap()].into()
    }

    fn object(&mut self, shape: &'static Shape) -> Value {
        if self.percent(2) {
            return Value::Null;
        }
        let mut members = Map::new();
        for field in shape.fields {
            let chance = match field.name {
                "spec"
                | "template"
                | "containers"
                | "volumes"
                | "volumeClaimTemplates"
                | "resources" => 80,
                // Otherwise every volume would have a dozen sources at once.
                _ if shape.fields.iter().any(|field| field.name == "iscsi") => 4,
                _ => self.density,
            };
            if self.percent(chance) {
                members.insert(field.name.to_owned(), self.value(field.kind));
            }
        }
        if self.percent(2) {
            members.insert("noSuchField".to_owned(), json!({"a": [1]}));
        }
        Value::Object(members)
    }

    fn value(&mut self, kind: Kind) -> Value {
        if self.roll(1000) < self.wrong {
            return match self.roll(6) {
                0 => json!(5),
                1 => json!("x"),
                2 => json!(true),
                3 => json!([null]),
                4 => json!({}),
                _ => json!(1.5),
            };
        }
        if self.percent(5) {
            return Value::Null;
        }
        match kind {
            Kind::Text => self.pick(&[
                "",
                "a",
                "a/b:latest",
                "nginx@sha256:abc",
                "<é>\n",
                "RollingUpdate",
            ]),
            Kind::Bool => json!(self.percent(50)),
            Kind::Int32 | Kind::Int64 => {
                json!([0, 0, -1, 7, 80][usize::try_from(self.roll(5)).unwrap()])
            }
            Kind::Quantity => self.pick(&[
                "0", "1", "0.5", "1500u", "1024Mi", "5.", "1e3", "0.0001", "9Ei", "1e40",
            ]),
            Kind::IntOrString => match self.roll(4) {
                0 => json!(0),
                1 => json!(8080),
                _ => self.pick(&["", "http", "10%"]),
            },
            // No zero time: it is written as `null`, which reads as no time at all.
            Kind::Time => self.pick(&["2020-01-02T03:04:05Z", "2020-01-02T03:04:05.999+02:00"]),
            Kind::Raw => json!({"f:spec": {}}),
            Kind::Texts => self.list(Kind::Text),
            Kind::Int32s => self.list(Kind::Int32),
            Kind::Int64s => self.list(Kind::Int64),
            Kind::TextMap => self.map(Kind::Text),
            Kind::QuantityMap => self.map(Kind::Quantity),
            Kind::Object(shape) => self.object(shape),
            Kind::Objects(shape) => self.list(Kind::Object(shape)),
        }
    }

    fn list(&mut self, kind: Kind) -> Value {
        (0..self.roll(3)).map(|_| self.value(kind)).collect()
    }

    fn map(&mut self, kind: Kind) -> Value {
        let keys = ["cpu", "memory", "pod.beta.kubernetes.io/init-containers"];
        let length = usize::try_from(self.roll(4)).unwrap();
        Value::Object(
            keys[..length]
                .iter()
                .map(|key| ((*key).to_owned(), self.value(kind)))
                .collect(),
        )
    }
}
