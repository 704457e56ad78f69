//! Candidates that are objects (pods, claims, nodes), and assumptions about them.

use std::collections::{BTreeMap, BTreeSet};

use clap_complete::engine::CompletionCandidate;

use super::candidates::{CandidateScope, Candidates};
use super::live;
use super::matching::matching;
use crate::input::access::access;
use crate::input::cluster::Resource;

/// Assumptions about a pod.
const ASSUMED: [(&str, &str); 8] = [
    ("recovers", "becomes healthy"),
    ("never-ready", "never becomes ready"),
    ("never-gone", "stays terminating when deleted"),
    ("fails", "fails now, and so do its replacements"),
    ("fails-once", "fails now, but its replacement does not"),
    ("start-fails", "a new pod ends in phase Failed"),
    ("ready-after:", "becomes ready after this time"),
    ("gone-after:", "terminates after this time"),
];

/// Assumptions about other objects.
const OTHERS_ASSUMED: [(&str, &str); 7] = [
    ("nodes+", "nodes+2=NODE: two more nodes like NODE"),
    ("quota/", "quota/NAME=+2Gi: a larger quota"),
    ("secret/", "secret/NAME=exists"),
    ("configmap/", "configmap/NAME=exists"),
    ("serviceaccount/", "serviceaccount/NAME=exists"),
    ("priorityclass/", "priorityclass/NAME=exists"),
    ("storageclass/", "storageclass/NAME=exists"),
];

impl Candidates {
    /// Returns pods of the named sets, then assumptions.
    pub(super) fn assumptions(&self, current: &str) -> Vec<CompletionCandidate> {
        match current.split_once('=') {
            Some((object, _)) if object.contains('/') => {
                let what = match object.starts_with("quota/") {
                    true => "+",
                    false => "exists",
                };
                matching(current, [(format!("{object}={what}"), "")])
            }
            Some((pod, _)) => {
                let assumed = ASSUMED.map(|(what, help)| (format!("{pod}={what}"), help));
                matching(current, assumed)
            }
            None => {
                let pods = self.pod_names().map(|pod| (format!("{pod}="), ""));
                let mut candidates = matching(current, pods);
                if !(current.is_empty() && candidates.is_empty()) {
                    candidates.extend(matching(current, OTHERS_ASSUMED));
                }
                candidates
            }
        }
    }

    /// Returns the pods of the named sets.
    pub(super) fn pods(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, self.pod_names().map(|pod| (pod, "")))
    }

    /// Returns the claims of the named sets.
    pub(super) fn claims(&self, current: &str) -> Vec<CompletionCandidate> {
        let mut claims = BTreeSet::new();
        let loaded = self.loaded(CandidateScope::Around(Resource::CLAIMS));
        for (namespace, name) in self.named_sets(&loaded) {
            if let Some(snapshot) = loaded.inventory.snapshot(&namespace, &name) {
                claims.extend(snapshot.claims.keys().map(ToString::to_string));
            }
        }
        matching(current, claims.into_iter().map(|claim| (claim, "")))
    }

    /// Returns the claim templates of the named sets as the start of `--grow`, with their current size.
    pub(super) fn claim_templates(&self, current: &str) -> Vec<CompletionCandidate> {
        let mut templates = BTreeMap::new();
        let loaded = self.loaded(CandidateScope::NamedSets);
        for (namespace, name) in self.named_sets(&loaded) {
            let Some(snapshot) = loaded.inventory.snapshot(&namespace, &name) else {
                continue;
            };
            for template in snapshot.set.claim_templates.iter() {
                let size = &template.object["spec"]["resources"]["requests"]["storage"];
                let size = size.as_str().unwrap_or_default().to_owned();
                templates.insert(format!("{}=", template.name), size);
            }
        }
        matching(current, templates)
    }

    /// Returns the nodes of the cluster or of the files.
    pub(super) fn nodes(&self, current: &str) -> Vec<CompletionCandidate> {
        matching(current, self.node_names())
    }

    /// Returns nodes and zones.
    pub(super) fn lost_nodes(&self, current: &str) -> Vec<CompletionCandidate> {
        if !current.starts_with("zone=") {
            let mut candidates = self.nodes(current);
            candidates.extend(matching(current, [("zone=", "all nodes of a zone")]));
            return candidates;
        }
        let zones: BTreeSet<String> = self.node_names().into_values().collect();
        let zones = zones.into_iter().filter(|zone| !zone.is_empty());
        matching(current, zones.map(|zone| (format!("zone={zone}"), "")))
    }

    /// Returns the nodes by name, with their zones.
    fn node_names(&self) -> BTreeMap<String, String> {
        if let Some(world) = self.cluster() {
            let asked = live::ask(access(world), |cluster| cluster.node_names());
            return asked.into_iter().flatten().collect();
        }
        let related = self.loaded(CandidateScope::Sets).inventory.related();
        let nodes = related.nodes().map(|node| {
            let zone = node.zone().map_or_else(String::new, ToString::to_string);
            (node.meta.name.to_string(), zone)
        });
        nodes.collect()
    }

    /// Returns the pods of the named sets.
    fn pod_names(&self) -> impl Iterator<Item = String> {
        let mut pods = BTreeSet::new();
        let loaded = self.loaded(CandidateScope::Around(Resource::PODS));
        for (namespace, name) in self.named_sets(&loaded) {
            if let Some(snapshot) = loaded.inventory.snapshot(&namespace, &name) {
                let names = sts_plan::plan::pods_of(&snapshot).map(|pod| pod.meta.name.to_string());
                pods.extend(names);
            }
        }
        pods.into_iter()
    }
}
