//! Annotations of a dump. `dump` writes them to the metadata of its List; reading them back restores the conditions
//! of the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use thiserror::Error;

use kubectl_manifest::List;
use sts_controller::version::{Gates, Version};
use sts_plan::plan::{Source, VersionSource};

/// Annotations of the List.
const COMPLETE: &str = "sts-plan/complete";
const NOT_READ: &str = "sts-plan/not-read";
const NOW: &str = "sts-plan/now";
const SETS: &str = "sts-plan/sets";
const VERSION: &str = "sts-plan/kubernetes-version";
const VERSION_FROM: &str = "sts-plan/kubernetes-version-from";
const GATES: &str = "sts-plan/feature-gates";
const READ: &str = "sts-plan/read";

/// Sources of a dump's version, by annotation value.
const VERSION_SOURCES: [(&str, VersionSource); 6] = [
    ("flag", VersionSource::Flag),
    (
        "server",
        VersionSource::Server {
            reports_gates: true,
        },
    ),
    (
        "server-without-gates",
        VersionSource::Server {
            reports_gates: false,
        },
    ),
    ("kubelets", VersionSource::Kubelets),
    ("revisions", VersionSource::Revisions),
    ("default", VersionSource::Default),
];

/// Completeness of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completeness {
    /// True if an object that is not in the input does not exist, except for kinds that were not read. A cluster and
    /// a dump of it are complete; other files are not.
    pub complete: bool,
    /// Resources that were not read, such as `events`.
    pub not_read: BTreeSet<String>,
}

/// Facts that a dump records about itself in annotations.
#[derive(Debug, Clone, PartialEq)]
pub struct Dump {
    /// Completeness of the objects.
    pub completeness: Completeness,
    /// Time of the dump.
    pub now: Timestamp,
    /// Sets of the dump, by namespace and name. Other sets in it are only neighbors.
    pub sets: BTreeSet<(String, String)>,
    /// Version of the controller, and its source.
    pub version: (Version, VersionSource),
    /// Feature gates that differ from the defaults of the version.
    pub gates: BTreeMap<String, bool>,
    /// Result of reading.
    pub read: Read,
}

/// Result of reading, by namespace if it differs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    whole: Arc<Source>,
    by_namespace: BTreeMap<String, Arc<Source>>,
}

impl Read {
    /// Returns the same result for all namespaces.
    pub fn whole(source: Arc<Source>) -> Self {
        Read {
            whole: source,
            by_namespace: BTreeMap::new(),
        }
    }

    /// Records the result of reading these namespaces.
    pub fn insert<'n>(&mut self, namespaces: impl Iterator<Item = &'n str>, source: &Arc<Source>) {
        let added = namespaces.map(|namespace| (namespace.to_owned(), Arc::clone(source)));
        self.by_namespace.extend(added);
    }

    /// Returns the result of reading a namespace.
    pub fn of(&self, namespace: &str) -> &Arc<Source> {
        self.by_namespace.get(namespace).unwrap_or(&self.whole)
    }
}

/// Invalid annotation of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}: invalid annotation {annotation}: {value}; create the dump again")]
pub struct DumpError {
    pub file: String,
    /// Name of the annotation.
    pub annotation: &'static str,
    /// Value as JSON.
    pub value: String,
}

impl Dump {
    /// Reads the annotations of a List, if it is a dump.
    ///
    /// # Errors
    /// When an annotation is invalid.
    pub fn of(list: &List) -> Result<Option<Self>, DumpError> {
        let annotations = &list.metadata["annotations"];
        if annotations[COMPLETE].is_null() {
            return Ok(None);
        }
        let wrong = |annotation: &'static str| DumpError {
            file: kubectl_manifest::path_excerpt(&list.file),
            annotation,
            value: kubectl_manifest::excerpt(&annotations[annotation].to_string()),
        };
        let text = |annotation: &'static str| {
            annotations[annotation]
                .as_str()
                .ok_or_else(|| wrong(annotation))
        };
        let complete = match text(COMPLETE)? {
            "true" => true,
            "false" => false,
            _ => return Err(wrong(COMPLETE)),
        };
        let source = VERSION_SOURCES
            .iter()
            .find(|(name, _)| annotations[VERSION_FROM] == *name)
            .ok_or_else(|| wrong(VERSION_FROM))?;
        let sets = words(text(SETS)?).map(|set| {
            let (namespace, name) = set.split_once('/').ok_or_else(|| wrong(SETS))?;
            Ok((namespace.to_owned(), name.to_owned()))
        });
        Ok(Some(Dump {
            completeness: Completeness {
                complete,
                not_read: words(text(NOT_READ)?).map(str::to_owned).collect(),
            },
            now: text(NOW)?.parse().map_err(|_| wrong(NOW))?,
            sets: sets.collect::<Result<_, DumpError>>()?,
            version: (
                text(VERSION)?.parse().map_err(|_| wrong(VERSION))?,
                source.1,
            ),
            gates: Gates::parse(text(GATES)?).map_err(|_| wrong(GATES))?,
            read: text(READ)
                .ok()
                .and_then(|text| serde_json::from_str(text).ok())
                .and_then(|read| read_of(&read))
                .ok_or_else(|| wrong(READ))?,
        }))
    }

    /// Returns the annotations for the List.
    pub fn annotations(&self) -> BTreeMap<&'static str, String> {
        let (version, from) = &self.version;
        let source = VERSION_SOURCES.iter().find(|(_, source)| source == from);
        let gates: Vec<String> = self
            .gates
            .iter()
            .map(|(name, on)| format!("{name}={on}"))
            .collect();
        let sets: Vec<String> = self
            .sets
            .iter()
            .map(|(namespace, name)| format!("{namespace}/{name}"))
            .collect();
        let not_read: Vec<&str> = self
            .completeness
            .not_read
            .iter()
            .map(String::as_str)
            .collect();
        BTreeMap::from([
            (COMPLETE, self.completeness.complete.to_string()),
            (NOT_READ, not_read.join(",")),
            (NOW, self.now.to_string()),
            (SETS, sets.join(",")),
            (VERSION, version.to_string()),
            (
                VERSION_FROM,
                source.map_or("", |(name, _)| *name).to_owned(),
            ),
            (GATES, gates.join(",")),
            (READ, json_of(&self.read).to_string()),
        ])
    }
}

/// Splits a comma-separated string.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(|word| !word.is_empty())
}

/// Groups namespaces with the same result.
fn json_of(read: &Read) -> Value {
    let part = |namespaces: Value, source: &Source| json!({"namespaces": namespaces, "versions": source.versions, "notes": source.notes});
    let mut parts = vec![part(Value::Null, &read.whole)];
    let mut grouped: Vec<(&Arc<Source>, Vec<&str>)> = Vec::new();
    for (namespace, source) in &read.by_namespace {
        match grouped.iter_mut().find(|(known, _)| known == &source) {
            Some((_, namespaces)) => namespaces.push(namespace),
            None => grouped.push((source, vec![namespace])),
        }
    }
    parts.extend(
        grouped
            .iter()
            .map(|(source, names)| part(json!(names), source)),
    );
    Value::Array(parts)
}

fn read_of(value: &Value) -> Option<Read> {
    let mut read = Read::default();
    for part in value.as_array()? {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let versions = part["versions"].as_object()?.iter();
        let versions = versions.map(|(resource, version)| Some((resource.clone(), text(version)?)));
        let notes = part["notes"].as_array()?.iter().map(text);
        let source = Arc::new(Source {
            versions: versions.collect::<Option<_>>()?,
            notes: notes.collect::<Option<_>>()?,
        });
        match part["namespaces"].as_array() {
            None => read.whole = source,
            Some(namespaces) => {
                read.insert(namespaces.iter().filter_map(Value::as_str), &source);
            }
        }
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump() -> Dump {
        let source = |note: &str| {
            Arc::new(Source {
                versions: BTreeMap::from([("pods".to_owned(), "7".to_owned())]),
                notes: vec![note.to_owned()],
            })
        };
        let mut read = Read::whole(source("all, \"of\" it"));
        read.insert(["a", "b"].into_iter(), &source("some"));
        Dump {
            completeness: Completeness {
                complete: true,
                not_read: BTreeSet::from(["events".to_owned(), "nodes".to_owned()]),
            },
            now: "2026-11-21T12:00:00Z".parse().unwrap(),
            sets: BTreeSet::from([("a".to_owned(), "web".to_owned())]),
            version: (
                "1.33.2".parse().unwrap(),
                VersionSource::Server {
                    reports_gates: false,
                },
            ),
            gates: BTreeMap::from([("MaxUnavailableStatefulSet".to_owned(), true)]),
            read,
        }
    }

    fn list(annotations: &Value) -> List {
        List {
            file: "dump.yaml".into(),
            metadata: json!({"annotations": annotations}),
        }
    }

    #[test]
    fn a_dump_reads_back_its_annotations() {
        let written = dump().annotations();
        assert_eq!(Dump::of(&list(&json!(written))), Ok(Some(dump())));
        assert_eq!(Dump::of(&list(&json!({"other": "x"}))), Ok(None));
    }

    #[test]
    fn invalid_annotations_are_errors() {
        for name in dump().annotations().into_keys() {
            let mut written = dump().annotations();
            written.insert(name, "?, =".to_owned());
            if name == NOT_READ {
                continue;
            }
            let error = Dump::of(&list(&json!(written))).unwrap_err();
            assert_eq!((error.file.as_str(), error.annotation), ("dump.yaml", name));
        }
    }
}
