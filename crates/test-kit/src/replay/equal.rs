//! Equality of JSON values in a vector: docs/contract.md, "Vectors".

use serde_json::Value;

/// Reports whether the value is blank: null, or an object of blank values.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.values().all(is_blank),
        _ => false,
    }
}

/// Returns the first difference between two values, as a path and both sides. Null members and empty objects do not
/// count.
pub fn difference(ours: &Value, theirs: &Value, path: &mut String) -> Option<String> {
    let at = |path: &str| {
        if path.is_empty() {
            "value".to_owned()
        } else {
            path.to_owned()
        }
    };
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let length = path.len();
                path.push('.');
                path.push_str(key);
                let found = match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) if is_volumes(path) => same_set(a, b, path),
                    (Some(a), Some(b)) => difference(a, b, path),
                    (Some(a), None) if !is_blank(a) => {
                        Some(format!("{path}: ours {a}, theirs absent"))
                    }
                    (None, Some(b)) if !is_blank(b) => {
                        Some(format!("{path}: ours absent, theirs {b}"))
                    }
                    _ => None,
                };
                if found.is_some() {
                    return found;
                }
                path.truncate(length);
            }
            None
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                let length = path.len();
                path.push_str(&format!("[{index}]"));
                let found = difference(a, b, path);
                if found.is_some() {
                    return found;
                }
                path.truncate(length);
            }
            None
        }
        _ if ours == theirs || (is_blank(ours) && is_blank(theirs)) => None,
        _ => Some(format!("{}: ours {ours}, theirs {theirs}", at(path))),
    }
}

/// Reports whether the path is the volumes of a sent pod, which the controller builds from a map.
fn is_volumes(path: &str) -> bool {
    path == ".object.spec.volumes"
}

fn same_set(ours: &Value, theirs: &Value, path: &str) -> Option<String> {
    let (Value::Array(ours), Value::Array(theirs)) = (ours, theirs) else {
        return difference(ours, theirs, &mut path.to_owned());
    };
    unmatched(ours, theirs).map(|what| format!("{path}: {what}"))
}

/// Pairs the elements of two lists in any order. Returns the first unpaired element, or its difference from the one of
/// the same name.
pub fn unmatched(ours: &[Value], theirs: &[Value]) -> Option<String> {
    let mut left: Vec<&Value> = theirs.iter().collect();
    for value in ours {
        let same = |other: &&Value| difference(value, other, &mut String::new()).is_none();
        if let Some(at) = left.iter().position(same) {
            left.swap_remove(at);
            continue;
        }
        let named = |key: &str, other: &Value| other[key] == value[key];
        let is_namesake = |other: &&&Value| {
            ["name", "resource", "verb"]
                .iter()
                .all(|key| value[key].is_string() && named(key, other))
        };
        return Some(match left.iter().find(is_namesake) {
            Some(other) => difference(value, other, &mut String::new()).unwrap_or_default(),
            None => format!("ours {value} is not among theirs"),
        });
    }
    left.first()
        .map(|value| format!("theirs {value} is not among ours"))
}
