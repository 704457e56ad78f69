//! Deprecated volumes, and overlapping files.

use serde_json::Value;

use super::claim::of_claim;
use super::list::Warnings;
use crate::apiserver::schema::{Era, Path};
use crate::apiserver::validation::go::quoted;
use crate::apiserver::validation::read::{each, is_given, list, text};

/// Sources that no longer work: their names in messages, the warning, and its minors.
const DEPRECATED: [(&str, &str, &str, Era); 10] = [
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
        Era::since(23),
    ),
    (
        "gitRepo",
        "gitRepo",
        "deprecated in v1.11",
        Era::since(23).until(32),
    ),
    (
        "gitRepo",
        "gitRepo",
        "deprecated in v1.11, and disabled by default in v1.33+",
        Era::since(33),
    ),
    (
        "scaleIO",
        "scaleIO",
        "deprecated in v1.16, non-functional in v1.22+",
        Era::since(23),
    ),
    (
        "flocker",
        "flocker",
        "deprecated in v1.22, non-functional in v1.25+",
        Era::since(23),
    ),
    (
        "storageos",
        "storageOS",
        "deprecated in v1.22, non-functional in v1.25+",
        Era::since(23),
    ),
    (
        "quobyte",
        "quobyte",
        "deprecated in v1.22, non-functional in v1.25+",
        Era::since(23),
    ),
    (
        "glusterfs",
        "glusterfs",
        "deprecated in v1.25, non-functional in v1.26+",
        Era::since(25),
    ),
    (
        "cephfs",
        "cephfs",
        "deprecated in v1.28, non-functional in v1.31+",
        Era::since(28),
    ),
    (
        "rbd",
        "rbd",
        "deprecated in v1.28, non-functional in v1.31+",
        Era::since(28),
    ),
];

pub(super) fn of_pod(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    for (at, volume) in each(spec, "volumes", at) {
        for (member, shown, what, era) in DEPRECATED {
            if era.has(out.rules.minor) && is_given(volume, member) {
                out.warn(at.member(shown), what);
            }
        }
        let template = &volume["ephemeral"]["volumeClaimTemplate"];
        if out.since(25) && !template.is_null() {
            let at = at.member("ephemeral.volumeClaimTemplate.spec");
            of_claim(&template["spec"], &at, out);
        }
    }
    if out.since(31) {
        for volume in list(spec, "volumes") {
            overlaps(volume, out);
        }
    }
}

/// A file, and its source if a volume has several.
#[derive(Clone, PartialEq)]
struct File {
    path: String,
    source: String,
}

impl File {
    fn shown(&self) -> String {
        if self.source.is_empty() {
            quoted(&self.path)
        } else {
            format!("{} ({})", quoted(&self.path), self.source)
        }
    }
}

fn files(items: &Value, source: &str) -> Vec<File> {
    let items = list(items, "items").iter();
    items
        .map(|item| File {
            path: text(item, "path").to_owned(),
            source: source.to_owned(),
        })
        .collect()
}

/// `warningsForOverlappingVirtualPaths`.
fn overlaps(volume: &Value, out: &mut Warnings<'_>) {
    let name = quoted(text(volume, "name"));
    let mut warn = |what: &str, body: &str| {
        out.list
            .push(format!("volume {name} ({what}): overlapping paths: {body}"));
    };
    for (member, kind, named) in [
        ("configMap", "ConfigMap", "name"),
        ("secret", "Secret", "secretName"),
        ("downwardAPI", "DownwardAPI", ""),
    ] {
        let source = &volume[member];
        let what = if named.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind} {}", quoted(text(source, named)))
        };
        let mut before = Vec::new();
        for file in files(source, "") {
            collide(file, &mut before, |body| warn(&what, &body));
        }
    }
    let mut before = Vec::new();
    for source in list(&volume["projected"], "sources") {
        if source
            .as_object()
            .is_some_and(|members| members.values().all(Value::is_null))
        {
            out.list
                .push(format!("volume {name} (Projected) has no sources provided"));
            continue;
        }
        for file in projected(source) {
            collide(file, &mut before, |body| {
                out.list.push(format!(
                    "volume {name} (Projected): overlapping paths: {body}"
                ));
            });
        }
    }
}

/// Returns the files of a source, of its first kind.
fn projected(source: &Value) -> Vec<File> {
    let named = |member: &str, kind: &str| {
        files(
            &source[member],
            &format!("{kind} {}", quoted(text(&source[member], "name"))),
        )
    };
    let one = |path: &str, source: String| {
        vec![File {
            path: path.to_owned(),
            source,
        }]
    };
    if is_given(&source["configMap"], "items") {
        named("configMap", "ConfigMap")
    } else if is_given(&source["secret"], "items") {
        named("secret", "Secret")
    } else if is_given(&source["downwardAPI"], "items") {
        files(&source["downwardAPI"], "DownwardAPI")
    } else if is_given(source, "serviceAccountToken") {
        let token = &source["serviceAccountToken"];
        one(text(token, "path"), "ServiceAccountToken".to_owned())
    } else if is_given(source, "clusterTrustBundle") {
        let bundle = &source["clusterTrustBundle"];
        let name = bundle["name"].as_str();
        let name = name.unwrap_or_else(|| text(bundle, "signerName"));
        let source = format!("ClusterTrustBundle {}", quoted(name));
        one(text(bundle, "path"), source)
    } else {
        let certificate = &source["podCertificate"];
        [
            ("certificateChainPath", "PodCertificate chain"),
            ("keyPath", "PodCertificate key"),
            ("credentialBundlePath", "PodCertificate credential bundle"),
        ]
        .into_iter()
        .filter(|(member, _)| !text(certificate, member).is_empty())
        .map(|(member, what)| File {
            path: text(certificate, member).to_owned(),
            source: what.to_owned(),
        })
        .collect()
    }
}

/// Reports the files at the same path as this one, or above or below it.
fn collide(mut file: File, before: &mut Vec<File>, mut warn: impl FnMut(String)) {
    let trimmed = file.path.trim_end_matches('/').len();
    file.path.truncate(trimmed);
    if !file.path.is_empty() {
        let below = |inner: &str, outer: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for other in before.iter().filter(|other| !other.path.is_empty()) {
            if below(&other.path, &file.path) || below(&file.path, &other.path) {
                warn(format!("{} with {}", file.shown(), other.shown()));
            }
        }
    }
    before.push(file);
}
