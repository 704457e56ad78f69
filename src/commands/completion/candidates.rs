//! Candidates for each argument, looked up as the rest of the command line specifies.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter as _};

use super::live;
use super::matching::{formats, listed, matching, rules};
use crate::cli;
use crate::cli::{Partial, Topic};
use crate::input;
use crate::input::access::access;
use crate::input::cluster::Resource;
use crate::input::{Loaded, Reader};
use crate::output::OutputSpec;
use crate::request::World;
use kubectl_config::{Entries, entries};
use kubectl_manifest::Reading;
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::fleet::fail_on_words;
use sts_plan::requirement::{QUORUM, Quantity, Requirement};

/// Objects to look up in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateScope {
    /// All sets of the namespace.
    Sets,
    NamedSets,
    /// The named sets, with their objects of a kind.
    Around(Resource),
}

/// Looks up candidates for one command line on demand.
pub(super) struct Candidates {
    partial: Option<Partial>,
}

impl Candidates {
    pub(super) fn new(partial: Option<Partial>) -> Self {
        Candidates { partial }
    }

    /// Returns the names of sets, and other words that can be in their place.
    pub(super) fn names(&self, current: &str) -> Vec<CompletionCandidate> {
        let before = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let has_command = self.partial.as_ref().is_some_and(|said| said.has_command);
        let words = (before.is_empty() && !has_command).then(cli::commands);
        let mut candidates = matching(current, words.into_iter().flatten());
        // A set may have its kind as prefix.
        let prefix = current.find('/').map_or("", |slash| &current[..=slash]);
        let loaded = self.loaded(CandidateScope::Sets);
        let sets = self.sets(&loaded);
        let names = sets
            .iter()
            .filter(|(_, name)| !before.contains(name))
            .map(|(namespace, name)| (format!("{prefix}{name}"), namespace.as_str()));
        candidates.extend(matching(current, names));
        candidates
    }

    /// Returns the ids of rules, as separate words.
    pub(super) fn ids(&self, current: &str) -> Vec<CompletionCandidate> {
        let before = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        rules(current, "", &before)
    }

    /// Returns the commands and topics that have help.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn topics(&self, current: &str) -> Vec<CompletionCandidate> {
        let topics = Topic::ALL.map(|topic| (topic.name().to_owned(), topic.title().to_owned()));
        matching(current, cli::commands().into_iter().chain(topics))
    }

    /// Returns the namespaces of the cluster or, for files, of their sets.
    pub(super) fn namespaces(&self, current: &str) -> Vec<CompletionCandidate> {
        let namespaces: BTreeSet<String> = match self.cluster() {
            Some(world) => live::ask(access(world), |cluster| cluster.namespace_names())
                .into_iter()
                .flatten()
                .collect(),
            None => all_sets(&self.loaded(CandidateScope::Sets))
                .map(|(namespace, _)| namespace.to_owned())
                .collect(),
        };
        matching(current, namespaces.iter().map(|name| (name, "")))
    }

    /// Returns the contexts of the kubeconfigs.
    pub(super) fn contexts(&self, current: &str) -> Vec<CompletionCandidate> {
        self.entries(current, |entries| entries.contexts)
    }

    /// Returns the clusters of the kubeconfigs.
    pub(super) fn clusters(&self, current: &str) -> Vec<CompletionCandidate> {
        self.entries(current, |entries| entries.clusters)
    }

    /// Returns the users of the kubeconfigs.
    pub(super) fn users(&self, current: &str) -> Vec<CompletionCandidate> {
        self.entries(current, |entries| entries.users)
    }

    fn entries(
        &self,
        current: &str,
        which: impl Fn(Entries) -> Vec<String>,
    ) -> Vec<CompletionCandidate> {
        let found = self.cluster().map(|world| entries(&access(world)));
        let names = found.and_then(Result::ok).map(which).unwrap_or_default();
        matching(current, names.into_iter().map(|name| (name, "")))
    }

    /// Returns the revisions of the named sets, newest first.
    pub(super) fn revisions(&self, current: &str) -> Vec<CompletionCandidate> {
        let gates = Gates::defaults(Version::NEWEST);
        let rules = Behaviour::new(Version::NEWEST, &gates);
        let mut numbers = BTreeMap::new();
        let loaded = self.loaded(CandidateScope::Around(Resource::REVISIONS));
        for (namespace, name) in self.named_sets(&loaded) {
            if let Some(snapshot) = loaded.inventory.snapshot(&namespace, &name) {
                for revision in sts_controller::controller::list_revisions(&snapshot, &rules) {
                    numbers.insert(revision.number, revision.meta.name.to_string());
                }
            }
        }
        let previous = ("0".to_owned(), "the previous one".to_owned());
        let newest_first = numbers
            .into_iter()
            .rev()
            .map(|(number, name)| (number.to_string(), name));
        matching(current, newest_first.chain([previous]))
    }

    /// Returns the containers of the named sets, as the start of `--image`.
    pub(super) fn containers(&self, current: &str) -> Vec<CompletionCandidate> {
        let mut containers = BTreeMap::new();
        let loaded = self.loaded(CandidateScope::NamedSets);
        for (namespace, name) in self.named_sets(&loaded) {
            let Some(snapshot) = loaded.inventory.snapshot(&namespace, &name) else {
                continue;
            };
            let spec = &snapshot.set.template["spec"];
            for container in spec["containers"].as_array().into_iter().flatten() {
                if let Some(name) = container["name"].as_str() {
                    let image = container["image"].as_str().unwrap_or_default();
                    containers.insert(format!("{name}="), image.to_owned());
                }
            }
        }
        matching(current, containers)
    }

    /// Returns formats, then files.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn outs(&self, current: &str) -> Vec<CompletionCandidate> {
        let Some((format, path)) = current.split_once('=') else {
            return matching(
                current,
                formats().map(|(name, help)| (format!("{}=", name.trim_end_matches('=')), help)),
            );
        };
        // A template comes first, and may contain `=`.
        if OutputSpec::takes_template(format) {
            return Vec::new();
        }
        let paths = PathCompleter::any().complete(OsStr::new(path));
        let prefixed = paths
            .into_iter()
            .map(|path| path.add_prefix(format!("{format}=")));
        prefixed.collect()
    }

    /// Returns the words of `--fail-on`.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn failures(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, fail_on_words())
    }

    /// Returns the ids of rules, separated by commas.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn ignored(&self, current: &str) -> Vec<CompletionCandidate> {
        let (given, _) = listed(current);
        rules(current, given, &given.split(',').collect::<Vec<_>>())
    }

    /// Returns quantities with their comparisons, and `quorum`.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn requirements(&self, current: &str) -> Vec<CompletionCandidate> {
        let quantities = Quantity::ALL.into_iter().flat_map(|quantity| {
            Requirement::signs().map(move |sign| (format!("{}{sign}", quantity.name()), ""))
        });
        let quorum = (QUORUM.to_owned(), "a majority of the pods is ready");
        matching(current, quantities.chain([quorum]))
    }

    /// Returns the output formats.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn formats(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, formats())
    }

    /// Returns the supported minor versions, newest first.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn versions(&self, current: &str) -> Vec<CompletionCandidate> {
        let minors = sts_controller::version::minors().map(|minor| format!("1.{minor}"));
        matching(current, minors.map(|minor| (minor, "")))
    }

    /// Returns the feature gates of the chosen version, each with the opposite of its default.
    pub(super) fn gates(&self, current: &str) -> Vec<CompletionCandidate> {
        let version = self
            .partial
            .as_ref()
            .and_then(|said| said.version)
            .unwrap_or(Version::NEWEST);
        let gates = Gates::defaults(version.or_newest());
        let (before, _) = listed(current);
        let others = gates.values().map(|(gate, on)| {
            let help = if on {
                "on by default"
            } else {
                "off by default"
            };
            (format!("{before}{}={}", gate.name(), !on), help)
        });
        matching(current, others)
    }

    /// Returns fields of a set that are often changed and have no flag.
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

    /// Returns the names of sets on the command line, without their kind.
    fn set_names(&self) -> Vec<String> {
        let names = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let name = |given: &String| given.rsplit('/').next().map(str::to_owned);
        names.iter().filter_map(name).collect()
    }

    /// Returns the sets on the command line; all of the namespace if it names none.
    pub(super) fn named_sets(&self, loaded: &Loaded) -> Vec<(String, String)> {
        let names = self.set_names();
        let mut sets = self.sets(loaded);
        sets.retain(|(_, name)| names.is_empty() || names.contains(name));
        sets
    }

    /// Returns the sets of the chosen namespace, by namespace and name.
    fn sets(&self, loaded: &Loaded) -> Vec<(String, String)> {
        let namespace = self
            .partial
            .as_ref()
            .and_then(|said| said.world.namespace.as_deref());
        all_sets(loaded)
            .filter(|(of_set, _)| namespace.is_none_or(|namespace| namespace == *of_set))
            .map(|(namespace, name)| (namespace.to_owned(), name.to_owned()))
            .collect()
    }

    /// Returns the source of objects if it is a cluster.
    pub(super) fn cluster(&self) -> Option<&World> {
        let world = self.partial.as_ref().map(|said| &said.world);
        world.filter(|world| world.is_live())
    }

    /// Returns the objects of the files on the command line, else those of the cluster in this scope. Standard input
    /// belongs to the user and is not read.
    pub(super) fn loaded(&self, sought: CandidateScope) -> Loaded {
        let gates = Gates::defaults(Version::NEWEST);
        let reader = Reader {
            namespace: "default",
            defaulting: &Behaviour::new(Version::NEWEST, &gates).defaulting,
            all_new: false,
        };
        self.read(sought)
            .and_then(|reading| input::load(reading, &reader).ok())
            .unwrap_or_default()
    }

    fn read(&self, sought: CandidateScope) -> Option<Reading> {
        let said = self.partial.as_ref()?;
        let world = &said.world;
        if !world.is_live() {
            return input::files::read_world(world, &mut io::empty()).ok();
        }
        // All sets of a cluster would take too long.
        if said.all_namespaces {
            return None;
        }
        let (names, around) = match sought {
            CandidateScope::Sets => (Vec::new(), None),
            CandidateScope::NamedSets => (self.set_names(), None),
            CandidateScope::Around(resource) => (self.set_names(), Some(resource)),
        };
        live::ask(access(world), move |cluster| cluster.glance(&names, around))
    }
}

/// Returns all sets, by namespace and name.
fn all_sets(loaded: &Loaded) -> impl Iterator<Item = (&str, &str)> {
    let stored = loaded
        .inventory
        .sets()
        .map(|set| (&*set.namespace, &*set.name));
    let manifests = loaded
        .manifests
        .iter()
        .map(|manifest| (manifest.namespace.as_str(), manifest.name.as_str()));
    stored.chain(manifests)
}
