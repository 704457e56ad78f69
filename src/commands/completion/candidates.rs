//! Candidates for each place, looked up where the rest of the command line points.

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
use crate::request;
use crate::request::World;
use kubectl_config::{Entries, entries};
use kubectl_manifest::Reading;
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::requirement::{QUORUM, Quantity, Requirement};

/// A question to a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateScope {
    /// All sets of the namespace.
    Sets,
    /// The named sets.
    NamedSets,
    /// The named sets with the objects of a kind that are theirs.
    Around(Resource),
}

/// Looks things up for one command line, when they are asked for.
pub(super) struct Candidates {
    partial: Option<Partial>,
}

impl Candidates {
    pub(super) fn new(partial: Option<Partial>) -> Self {
        Candidates { partial }
    }

    /// The names of sets, and the words that may stand in the place of one.
    pub(super) fn names(&self, current: &str) -> Vec<CompletionCandidate> {
        let before = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let has_command = self.partial.as_ref().is_some_and(|said| said.has_command);
        let words = (before.is_empty() && !has_command).then(cli::commands);
        let mut candidates = matching(current, words.into_iter().flatten());
        // A set may be written with its kind.
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

    /// The ids of rules, each as a word.
    pub(super) fn ids(&self, current: &str) -> Vec<CompletionCandidate> {
        let before = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        rules(current, "", &before)
    }

    /// Lists the commands and topics that have help.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn topics(&self, current: &str) -> Vec<CompletionCandidate> {
        let topics = Topic::ALL.map(|topic| (topic.name().to_owned(), topic.title().to_owned()));
        matching(current, cli::commands().into_iter().chain(topics))
    }

    /// The namespaces of the cluster; those that have sets, where files are read.
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

    /// The contexts of the kubeconfigs.
    pub(super) fn contexts(&self, current: &str) -> Vec<CompletionCandidate> {
        self.entries(current, |entries| entries.contexts)
    }

    /// The clusters of the kubeconfigs.
    pub(super) fn clusters(&self, current: &str) -> Vec<CompletionCandidate> {
        self.entries(current, |entries| entries.clusters)
    }

    /// The users of the kubeconfigs.
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

    /// The numbers of the revisions of the named sets, the newest first.
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

    /// A format, then the file that it is written to.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn outs(&self, current: &str) -> Vec<CompletionCandidate> {
        let Some((format, path)) = current.split_once('=') else {
            return matching(
                current,
                formats().map(|(name, help)| (format!("{}=", name.trim_end_matches('=')), help)),
            );
        };
        // A template comes first, and may have signs of equality of its own.
        if OutputSpec::takes_template(format) {
            return Vec::new();
        }
        let paths = PathCompleter::any().complete(OsStr::new(path));
        let prefixed = paths
            .into_iter()
            .map(|path| path.add_prefix(format!("{format}=")));
        prefixed.collect()
    }

    /// Lists the words that a run may fail on.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn failures(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, request::fail_on_words())
    }

    /// The ids of rules, one after the other.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn ignored(&self, current: &str) -> Vec<CompletionCandidate> {
        let (given, _) = listed(current);
        rules(current, given, &given.split(',').collect::<Vec<_>>())
    }

    /// A quantity, and how it is compared; or a word that stands for that.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn requirements(&self, current: &str) -> Vec<CompletionCandidate> {
        let quantities = Quantity::ALL.into_iter().flat_map(|quantity| {
            Requirement::signs().map(move |sign| (format!("{}{sign}", quantity.name()), ""))
        });
        let quorum = (QUORUM.to_owned(), "a majority of the pods is ready");
        matching(current, quantities.chain([quorum]))
    }

    /// The output formats.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn formats(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, formats())
    }

    /// The minors that are known, the newest first.
    #[expect(clippy::unused_self, reason = "all lookups have one shape")]
    pub(super) fn versions(&self, current: &str) -> Vec<CompletionCandidate> {
        let minors = sts_controller::version::minors().map(|minor| format!("1.{minor}"));
        matching(current, minors.map(|minor| (minor, "")))
    }

    /// The gates of the chosen version, each with the value that it does not have by default.
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

    /// The names of sets that the rest of the command line has, without their kind.
    fn set_names(&self) -> Vec<String> {
        let names = self.partial.as_ref().map_or(&[][..], |said| &said.names);
        let name = |given: &String| given.rsplit('/').next().map(str::to_owned);
        names.iter().filter_map(name).collect()
    }

    /// The sets that the rest of the command line names; all of the namespace when it names none.
    pub(super) fn named_sets(&self, loaded: &Loaded) -> Vec<(String, String)> {
        let names = self.set_names();
        let mut sets = self.sets(loaded);
        sets.retain(|(_, name)| names.is_empty() || names.contains(name));
        sets
    }

    /// The sets of the chosen namespace, by namespace and name.
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

    /// The world, when it is a cluster.
    pub(super) fn cluster(&self) -> Option<&World> {
        let world = self.partial.as_ref().map(|said| &said.world);
        world.filter(|world| world.is_live())
    }

    /// The objects that the rest of the command line leads to: those of its files, else those of the cluster that
    /// are looked for. Standard input is the user's, and not read.
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
        // All of a cluster would be far too much for that.
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

/// All sets, by namespace and name.
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
