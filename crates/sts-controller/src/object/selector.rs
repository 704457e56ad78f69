//! Label selectors, as matched by the API machinery.

use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use super::field::{FieldError, Fields};
use super::labels::Labels;

/// A label selector. `None` in its place matches nothing; an empty selector matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    /// Required labels and their values.
    pub match_labels: Labels,
    /// Further requirements, all of which must match.
    pub match_expressions: Vec<Requirement>,
}

/// One entry of `matchExpressions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    pub values: Vec<String>,
}

/// Error for an invalid selector.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SelectorError(String);

impl Requirement {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Requirement {
            key: fields.text("key")?.to_owned(),
            operator: fields.text("operator")?.to_owned(),
            values: fields.strings("values")?,
        })
    }

    fn lists(&self, value: &str) -> bool {
        self.values.iter().any(|listed| listed == value)
    }
}

impl Selector {
    /// Reads a selector from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn from_json(object: &Value) -> Result<Self, FieldError> {
        Selector::read(&Fields::root(object)?)
    }

    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Selector {
            match_labels: fields.labels("matchLabels")?,
            match_expressions: fields
                .list("matchExpressions", |item, _| Requirement::read(item))?,
        })
    }

    /// Checks the operators, the number of values, and the keys and values.
    ///
    /// # Errors
    /// Returns the first invalid requirement and its problem.
    pub fn check(&self) -> Result<(), SelectorError> {
        for (key, value) in &self.match_labels {
            check_key(key)?;
            check_value(key, value)?;
        }
        for Requirement {
            key,
            operator,
            values,
        } in &self.match_expressions
        {
            check_key(key)?;
            match operator.as_str() {
                "In" | "NotIn" if values.is_empty() => {
                    return Err(SelectorError(format!(
                        "{key:?}: for 'in', 'notin' operators, values set can't be empty"
                    )));
                }
                "Exists" | "DoesNotExist" if !values.is_empty() => {
                    return Err(SelectorError(format!(
                        "{key:?}: values set must be empty for exists and does not exist"
                    )));
                }
                "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
                other => {
                    return Err(SelectorError(format!(
                        "{other:?} is not a valid label selector operator"
                    )));
                }
            }
            for value in values {
                check_value(key, value)?;
            }
        }
        Ok(())
    }

    /// Reports whether the labels match every requirement.
    #[must_use]
    pub fn matches(&self, labels: &Labels) -> bool {
        self.match_labels
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|requirement| {
                let found = labels.get(&requirement.key);
                match requirement.operator.as_str() {
                    "In" => found.is_some_and(|value| requirement.lists(value)),
                    "NotIn" => found.is_none_or(|value| !requirement.lists(value)),
                    "Exists" => found.is_some(),
                    "DoesNotExist" => found.is_none(),
                    _ => false,
                }
            })
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    /// Parses a selector in the syntax of kubectl's `-l`: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let mut selector = Selector::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            // A comma within parentheses belongs to the values.
            let mut depth = 0;
            let end = rest.find(|c: char| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                c == ',' && depth == 0
            });
            let (part, after) = end.map_or((rest, ""), |end| (&rest[..end], &rest[end + 1..]));
            selector
                .match_expressions
                .push(parse_requirement(part.trim())?);
            rest = after.trim_start();
        }
        selector.check()?;
        Ok(selector)
    }
}

fn parse_requirement(part: &str) -> Result<Requirement, SelectorError> {
    let requirement = |key: &str, operator: &str, values: &[&str]| Requirement {
        key: key.trim().to_owned(),
        operator: operator.to_owned(),
        values: values.iter().map(|value| value.trim().to_owned()).collect(),
    };
    if let Some(key) = part.strip_prefix('!') {
        return Ok(requirement(key, "DoesNotExist", &[]));
    }
    if let Some(list) = part.strip_suffix(')') {
        let (head, values) = list
            .split_once('(')
            .ok_or_else(|| SelectorError(format!("{part:?}: expected '(' before the values")))?;
        let values: Vec<&str> = values.split(',').collect();
        return match head.trim().rsplit_once(char::is_whitespace) {
            Some((key, "in")) => Ok(requirement(key, "In", &values)),
            Some((key, "notin")) => Ok(requirement(key, "NotIn", &values)),
            _ => Err(SelectorError(format!(
                "{part:?}: write KEY in (A,B) or KEY notin (A,B)"
            ))),
        };
    }
    for (sign, operator) in [("!=", "NotIn"), ("==", "In"), ("=", "In")] {
        if let Some((key, value)) = part.split_once(sign) {
            return Ok(requirement(key, operator, &[value]));
        }
    }
    Ok(requirement(part, "Exists", &[]))
}

/// Reports whether the text is a name part: letters and digits at both ends, those and `-_.` between, at most 63 bytes.
fn is_name_part(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= 63
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// Reports whether the text is a DNS-1123 subdomain, as object names and label prefixes must be.
#[must_use]
pub fn is_dns_subdomain(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.split('.').all(|label| {
            let edge = |byte: Option<&u8>| {
                byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            let bytes = label.as_bytes();
            edge(bytes.first())
                && edge(bytes.last())
                && bytes
                    .iter()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
        })
}

fn check_key(key: &str) -> Result<(), SelectorError> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if prefix.is_none_or(is_dns_subdomain) && is_name_part(name) {
        Ok(())
    } else {
        Err(SelectorError(format!("{key:?} is not a valid label key")))
    }
}

fn check_value(key: &str, value: &str) -> Result<(), SelectorError> {
    if value.is_empty() || is_name_part(value) {
        Ok(())
    } else {
        Err(SelectorError(format!(
            "{key:?}: {value:?} is not a valid label value"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_parse_like_in_kubectl() {
        let labels: Labels = [("app", "web"), ("tier", "db")]
            .map(|(k, v)| (k.into(), v.into()))
            .into();
        for (text, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier=db", true),
            ("app!=web", false),
            ("other!=x", true),
            ("app in (web, api),tier", true),
            ("app notin (web,api)", false),
            ("!app", false),
            ("!other", true),
            ("app in (api)", false),
        ] {
            assert_eq!(
                text.parse::<Selector>().unwrap().matches(&labels),
                expected,
                "{text}"
            );
        }
        for text in [
            "app=we b",
            "=web",
            "app in web",
            "app in (a",
            "-x=y",
            "app)",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
