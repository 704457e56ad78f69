//! Differences between two objects as the server sees them: absent equals empty, and all spellings of a quantity are
//! equal.

use serde_json::Value;

use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::{Field, Kind, ListMerge, Shape, Zero, list_merge};

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Path: `spec.replicas`, `metadata.labels["a.b/c"]`, `spec.template.spec.containers[0].image`. An element at
    /// another position in the other list is named by its key: `containers[name=a]`.
    pub path: String,
    /// The old value; `None` if there was none.
    pub old: Option<Value>,
    /// The new value; `None` if there is none.
    pub new: Option<Value>,
}

/// Returns all differences between two objects of a type, in the order of the type's fields. An element that only one
/// of the two lists has is one difference.
#[must_use]
pub fn differences(old: &Value, new: &Value, shape: &'static Shape, minor: u32) -> Vec<Difference> {
    let mut walk = Walk {
        minor,
        out: Vec::new(),
    };
    walk.object(old, new, shape, "");
    walk.out
}

struct Walk {
    minor: u32,
    out: Vec<Difference>,
}

impl Walk {
    fn object(&mut self, old: &Value, new: &Value, shape: &'static Shape, path: &str) {
        for field in shape.fields {
            if !field.exists_in(self.minor) {
                continue;
            }
            let (old, new) = (&old[field.name], &new[field.name]);
            // A pointer distinguishes zero from absent, a plain value does not.
            let pointer = field.zero == Zero::Kept;
            if old != new && !(is_nothing(old, pointer) && is_nothing(new, pointer)) {
                let path = member(path, field.name);
                self.value(old, new, field, &path);
            }
        }
    }

    fn value(&mut self, old: &Value, new: &Value, field: &Field, path: &str) {
        match field.kind {
            Kind::Object(shape) => {
                let before = self.out.len();
                self.object(old, new, shape, path);
                // An empty object differs from a missing one, though no member differs.
                let pointer = field.zero == Zero::Kept;
                if self.out.len() == before && pointer && old.is_null() != new.is_null() {
                    self.differ(old, new, path);
                }
            }
            Kind::TextMap => self.map(old, new, path, |a, b| a == b),
            Kind::QuantityMap => self.map(old, new, path, same_quantity),
            Kind::Quantity if same_quantity(old, new) => {}
            Kind::Objects(shape) => self.list(old, new, shape, field.name, path),
            Kind::Texts | Kind::Int32s | Kind::Int64s if is_empty(old) && is_empty(new) => {}
            _ => self.differ(old, new, path),
        }
    }

    fn map(&mut self, old: &Value, new: &Value, path: &str, same: fn(&Value, &Value) -> bool) {
        let keys = |value: &Value| -> Vec<String> {
            let members = value.as_object().into_iter().flatten();
            members.map(|(key, _)| key.clone()).collect()
        };
        let mut all = keys(old);
        all.extend(keys(new));
        all.sort();
        all.dedup();
        for key in all {
            let (old, new) = (old.get(&key), new.get(&key));
            let equal = match (old, new) {
                (Some(old), Some(new)) => old == new || same(old, new),
                _ => false,
            };
            if !equal {
                self.out.push(Difference {
                    path: entry(path, &key),
                    old: old.cloned(),
                    new: new.cloned(),
                });
            }
        }
    }

    fn list(&mut self, old: &Value, new: &Value, shape: &'static Shape, name: &str, path: &str) {
        let (old, new) = (elements(old), elements(new));
        let key = match list_merge(name) {
            ListMerge::ByKey { key, .. } => Some(vec![key]),
            _ if name == "volumeClaimTemplates" => Some(vec!["metadata", "name"]),
            _ => None,
        };
        if let Some(key) = key
            && let Some(pairs) = pair(old, new, &key)
        {
            for (a, b) in pairs {
                let path = match (a, b) {
                    (Some(a), Some(b)) if a == b => format!("{path}[{a}]"),
                    (None, Some(b)) if b >= old.len() => format!("{path}[{b}]"),
                    (Some(a), None) if a >= new.len() => format!("{path}[{a}]"),
                    (a, b) => {
                        let element = b.and_then(|b| new.get(b)).or(a.and_then(|a| old.get(a)));
                        let value = element.and_then(|element| key_of(element, &key));
                        format!("{path}[{}={}]", key.join("."), value.unwrap_or_default())
                    }
                };
                self.element(
                    a.and_then(|a| old.get(a)),
                    b.and_then(|b| new.get(b)),
                    shape,
                    &path,
                );
            }
            return;
        }
        for index in 0..old.len().max(new.len()) {
            let path = format!("{path}[{index}]");
            self.element(old.get(index), new.get(index), shape, &path);
        }
    }

    fn element(
        &mut self,
        old: Option<&Value>,
        new: Option<&Value>,
        shape: &'static Shape,
        path: &str,
    ) {
        match (old, new) {
            (Some(old), Some(new)) => {
                if old != new {
                    self.object(old, new, shape, path);
                }
            }
            (old, new) => self.out.push(Difference {
                path: path.to_owned(),
                old: old.cloned(),
                new: new.cloned(),
            }),
        }
    }

    fn differ(&mut self, old: &Value, new: &Value, path: &str) {
        let given = |value: &Value| (!value.is_null()).then(|| value.clone());
        self.out.push(Difference {
            path: path.to_owned(),
            old: given(old),
            new: given(new),
        });
    }
}

/// Returns the elements of both lists in pairs by key, as indices. Returns `None` unless keys are unique and common
/// elements are in the same order, since a different order is a difference.
fn pair(old: &[Value], new: &[Value], key: &[&str]) -> Option<Vec<(Option<usize>, Option<usize>)>> {
    let keys = |list: &[Value]| -> Option<Vec<String>> {
        let keys: Vec<String> = list
            .iter()
            .map(|element| key_of(element, key))
            .collect::<Option<_>>()?;
        let mut unique = keys.clone();
        unique.sort();
        unique.dedup();
        (unique.len() == keys.len()).then_some(keys)
    };
    let (old, new) = (keys(old)?, keys(new)?);
    let mut pairs = Vec::new();
    let mut seen = 0;
    for (b, key) in new.iter().enumerate() {
        match old.iter().position(|other| other == key) {
            Some(a) if a < seen => return None,
            Some(a) => {
                seen = a + 1;
                pairs.push((Some(a), Some(b)));
            }
            None => pairs.push((None, Some(b))),
        }
    }
    for (a, key) in old.iter().enumerate() {
        if !new.contains(key) {
            pairs.push((Some(a), None));
        }
    }
    Some(pairs)
}

fn key_of(element: &Value, key: &[&str]) -> Option<String> {
    let value = key
        .iter()
        .try_fold(element, |value, name| value.get(name))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_empty(value: &Value) -> bool {
    elements(value).is_empty()
}

/// Reports whether a value counts as absent. Lists and maps do if they are empty, even behind a pointer.
fn is_nothing(value: &Value, pointer: bool) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Bool(value) => !pointer && !value,
        Value::Number(number) => !pointer && number.as_i64() == Some(0),
        Value::String(text) => !pointer && text.is_empty(),
        Value::Object(members) => !pointer && members.is_empty(),
    }
}

fn same_quantity(a: &Value, b: &Value) -> bool {
    let read = |value: &Value| Quantity::parse(value.as_str()?).ok();
    matches!((read(a), read(b)), (Some(a), Some(b)) if a == b)
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Returns the path of a map entry: plain if the key looks like a member, otherwise in quotes and brackets.
fn entry(path: &str, key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !key.is_empty() && key.bytes().all(plain) {
        member(path, key)
    } else {
        format!("{path}[{}]", Value::from(key))
    }
}
