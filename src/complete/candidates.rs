//! What may stand in each place, looked up where the rest of the command line points.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::OnceLock;

use clap_complete::engine::CompletionCandidate;

use super::script::Shell;
use crate::args::Args;
use crate::controller::{Gates, Rules, Version};
use crate::load::{self, Inventory, Loaded, Reader};
use crate::render::Asked;
use crate::versions;

/// Words that stand for something else than a set, with what they do.
const WORDS: [(&str, &str); 3] = [
    ("completion", "Print a shell's completion script"),
    ("schema", "Print the JSON Schema of a plan"),
    (
        "versions",
        "Print the Kubernetes versions and feature gates",
    ),
];
/// What may be assumed of a pod.
const ASSUMED: [(&str, &str); 5] = [
    ("never-ready", "it never becomes ready"),
    ("never-gone", "once deleted it stays terminating"),
    ("fails", "it ends in phase Failed"),
    ("ready-after:", "it is ready after that long"),
    ("gone-after:", "it is gone after that long"),
];

/// Looks things up for one command line, when somebody asks.
pub(super) struct Candidates {
    args: Option<Args>,
    loaded: OnceLock<Loaded>,
}

impl Candidates {
    pub(super) fn new(args: Option<Args>) -> Self {
        Candidates {
            args,
            loaded: OnceLock::new(),
        }
    }

    /// The names of sets, and the words that may stand in the place of one.
    pub(super) fn names(&self, current: &str) -> Vec<CompletionCandidate> {
        let before = self.args.as_ref().map_or(&[][..], |args| &args.names);
        if before == ["completion"] {
            return matching(current, Shell::ALL.map(|shell| (shell.name(), "")));
        }
        let words = before.is_empty().then_some(WORDS).into_iter().flatten();
        let mut candidates = matching(current, words);
        // A set may be written with its kind.
        let prefix = current.find('/').map_or("", |slash| &current[..=slash]);
        let sets = self.sets();
        let names = sets
            .iter()
            .filter(|(_, name)| !before.contains(name))
            .map(|(namespace, name)| (format!("{prefix}{name}"), namespace.as_str()));
        candidates.extend(matching(current, names));
        candidates
    }

    /// The namespaces that have sets.
    pub(super) fn namespaces(&self, current: &str) -> Vec<CompletionCandidate> {
        let namespaces: BTreeSet<String> = self
            .all_sets()
            .map(|(namespace, _)| namespace.to_owned())
            .collect();
        matching(current, namespaces.iter().map(|name| (name, "")))
    }

    /// The numbers of the revisions of the named sets, the newest first.
    pub(super) fn revisions(&self, current: &str) -> Vec<CompletionCandidate> {
        let gates = Gates::defaults(Version::NEWEST);
        let rules = Rules::new(Version::NEWEST, &gates);
        let mut numbers = BTreeMap::new();
        for (namespace, name) in self.named_sets() {
            if let Some(snapshot) = self.inventory().snapshot(&namespace, &name) {
                for revision in crate::controller::list_revisions(&snapshot, &rules) {
                    numbers.insert(revision.number, revision.meta.name.to_string());
                }
            }
        }
        let previous = ("0".to_owned(), "the one before".to_owned());
        let newest_first = numbers
            .into_iter()
            .rev()
            .map(|(number, name)| (number.to_string(), name));
        matching(current, newest_first.chain([previous]))
    }

    /// The containers of the named sets, ready for their image.
    pub(super) fn containers(&self, current: &str) -> Vec<CompletionCandidate> {
        let mut containers = BTreeMap::new();
        for (namespace, name) in self.named_sets() {
            let Some(snapshot) = self.inventory().snapshot(&namespace, &name) else {
                continue;
            };
            let spec = &snapshot.set.object["spec"]["template"]["spec"];
            for container in spec["containers"].as_array().into_iter().flatten() {
                if let Some(name) = container["name"].as_str() {
                    let image = container["image"].as_str().unwrap_or_default();
                    containers.insert(format!("{name}="), image.to_owned());
                }
            }
        }
        matching(current, containers)
    }

    /// A pod of the named sets, then what is assumed of it.
    pub(super) fn assumptions(&self, current: &str) -> Vec<CompletionCandidate> {
        match current.split_once('=') {
            Some((pod, _)) => {
                let assumed = ASSUMED.map(|(what, help)| (format!("{pod}={what}"), help));
                matching(current, assumed)
            }
            None => matching(current, self.pod_names().map(|pod| (format!("{pod}="), ""))),
        }
    }

    /// The output formats.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn formats(&self, current: &str) -> Vec<CompletionCandidate> {
        // What comes after the sign of equality is not for anybody to guess.
        let names = Asked::names()
            .into_iter()
            .map(|name| match name.split_once('=') {
                Some((name, takes)) => (format!("{name}="), takes.to_owned()),
                None => (name, String::new()),
            });
        matching(current, names)
    }

    /// The minors that are known, the newest first.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn versions(&self, current: &str) -> Vec<CompletionCandidate> {
        let minors = versions::minors().map(|minor| format!("1.{minor}"));
        matching(current, minors.map(|minor| (minor, "")))
    }

    /// The gates of the chosen version, each with the value that it does not have by default.
    pub(super) fn gates(&self, current: &str) -> Vec<CompletionCandidate> {
        let version = self
            .args
            .as_ref()
            .and_then(|args| args.controller.kubernetes_version)
            .unwrap_or(Version::NEWEST);
        let gates = Gates::defaults(version.or_newest());
        let (before, _) = current
            .rsplit_once(',')
            .map_or(("", current), |(given, rest)| {
                (&current[..=given.len()], rest)
            });
        let others = gates.values().iter().map(|(name, on)| {
            let help = if *on {
                "on by default"
            } else {
                "off by default"
            };
            (format!("{before}{name}={}", !on), help)
        });
        matching(current, others)
    }

    /// The fields of a set that people change most and that have no flag of their own.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn paths(&self, current: &str) -> Vec<CompletionCandidate> {
        let paths = [
            "spec.podManagementPolicy=",
            "spec.revisionHistoryLimit=",
            "spec.ordinals.start=",
            "spec.persistentVolumeClaimRetentionPolicy.whenScaled=",
            "spec.persistentVolumeClaimRetentionPolicy.whenDeleted=",
            "spec.template.spec.terminationGracePeriodSeconds=",
        ];
        matching(current, paths.map(|path| (path, "")))
    }

    /// The pods of the named sets.
    fn pod_names(&self) -> impl Iterator<Item = String> {
        let mut pods = BTreeSet::new();
        for (namespace, name) in self.named_sets() {
            if let Some(snapshot) = self.inventory().snapshot(&namespace, &name) {
                let names = crate::plan::pods_of(&snapshot).map(|pod| pod.meta.name.to_string());
                pods.extend(names);
            }
        }
        pods.into_iter()
    }

    /// The sets that the rest of the command line names; all of the namespace when it names none.
    fn named_sets(&self) -> Vec<(String, String)> {
        let names = self.args.as_ref().map_or(&[][..], |args| &args.names);
        let named = |name: &str| {
            names
                .iter()
                .any(|given| given.rsplit('/').next() == Some(name))
        };
        let mut sets = self.sets();
        sets.retain(|(_, name)| names.is_empty() || named(name));
        sets
    }

    /// The sets of the chosen namespace, by namespace and name.
    fn sets(&self) -> Vec<(String, String)> {
        let namespace = self
            .args
            .as_ref()
            .and_then(|args| args.selection.namespace.as_deref());
        self.all_sets()
            .filter(|(of_set, _)| namespace.is_none_or(|namespace| namespace == *of_set))
            .map(|(namespace, name)| (namespace.to_owned(), name.to_owned()))
            .collect()
    }

    fn all_sets(&self) -> impl Iterator<Item = (&str, &str)> {
        let loaded = self.loaded();
        let stored = loaded
            .inventory
            .sets()
            .map(|set| (&*set.meta.namespace, &*set.meta.name));
        let manifests = loaded
            .manifests
            .iter()
            .map(|manifest| (manifest.namespace.as_str(), manifest.name.as_str()));
        stored.chain(manifests)
    }

    fn inventory(&self) -> &Inventory {
        &self.loaded().inventory
    }

    /// The objects that the rest of the command line names. Standard input is the user's, and not read.
    fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let input = self.args.as_ref().map(|args| &args.input);
            let Some(input) = input.filter(|input| !input.filename.is_empty()) else {
                return Loaded::default();
            };
            let gates = Gates::defaults(Version::NEWEST);
            let reader = Reader {
                namespace: "default",
                api: &Rules::new(Version::NEWEST, &gates).api,
                all_new: false,
            };
            load::read_paths(&input.filename, input.recursive, &mut io::empty())
                .ok()
                .and_then(|reading| load::load(reading, &reader).ok())
                .unwrap_or_default()
        })
    }
}

/// The candidates that go on from what is there, with what they mean.
fn matching<V: Into<String>, H: Into<String>>(
    current: &str,
    candidates: impl IntoIterator<Item = (V, H)>,
) -> Vec<CompletionCandidate> {
    candidates
        .into_iter()
        .map(|(value, help)| (value.into(), help.into()))
        .filter(|(value, _)| value.starts_with(current))
        .map(|(value, help)| {
            let help = (!help.is_empty()).then(|| help.into());
            CompletionCandidate::new(value).help(help)
        })
        .collect()
}
