//! Pods and claims that flags name but no set has.

use anyhow::{Result, bail};

use crate::request::{Assumptions, Change, Stages};
use sts_controller::controller::{is_member, ordinal_of, pod_name};
use sts_plan::plan::{Plan, is_revision, pods_of};

/// Number of pods in a message.
const SHOWN: usize = 8;

/// Pods and claims that flags name and no planned set has yet.
pub struct UnmatchedPods<'a> {
    /// Pods to delete.
    deleted: Vec<&'a str>,
    /// Pods with assumptions.
    assumed: Vec<&'a str>,
    /// Revisions that are assumed to work.
    working: Vec<&'a str>,
    known_revisions: Vec<String>,
    known: Vec<String>,
    /// Claims to delete.
    claims: Vec<&'a str>,
    known_claims: Vec<String>,
}

fn listed(known: &[String]) -> String {
    match known.len() {
        0 => "there are none".to_owned(),
        number => format!(
            "there are {}{}",
            known[..number.min(SHOWN)].join(", "),
            if number > SHOWN { ", ..." } else { "" }
        ),
    }
}

impl<'a> UnmatchedPods<'a> {
    /// Collects all pods and claims that flags name.
    pub fn new(
        change: &'a Change,
        stages: Option<&'a Stages>,
        assumptions: &'a Assumptions,
    ) -> Self {
        let later = stages.into_iter().flat_map(|stages| &stages.later);
        let changes = || std::iter::once(change).chain(later.clone().map(|stage| &stage.change));
        let deleted = changes().flat_map(|change| &change.delete_pod);
        let claims = changes().flat_map(|change| &change.delete_claim);
        UnmatchedPods {
            deleted: deleted.map(String::as_str).collect(),
            assumed: assumptions.named.iter().map(String::as_str).collect(),
            working: assumptions
                .named_revisions
                .iter()
                .map(String::as_str)
                .collect(),
            known_revisions: Vec::new(),
            known: Vec::new(),
            claims: claims.map(String::as_str).collect(),
            known_claims: Vec::new(),
        }
    }

    /// Removes those that the set of this plan has.
    pub fn find_in(&mut self, plan: &Plan) {
        if !self.claims.is_empty() {
            for claim in plan.snapshot.claims.keys() {
                self.claims.retain(|name| *name != &**claim);
                self.known_claims.push(claim.to_string());
            }
        }
        if !self.working.is_empty() {
            let next = &plan.next.status.update_revision;
            let stored = plan.snapshot.revisions.keys().chain([next]);
            for revision in stored {
                self.working.retain(|name| !is_revision(revision, name));
                if !self
                    .known_revisions
                    .iter()
                    .any(|known| **known == **revision)
                {
                    self.known_revisions.push(revision.to_string());
                }
            }
        }
        if self.deleted.is_empty() && self.assumed.is_empty() {
            return;
        }
        let before = self.known.len();
        for pod in pods_of(&plan.snapshot) {
            self.deleted.retain(|name| *name != &*pod.meta.name);
            self.known.push(pod.meta.name.to_string());
        }
        if self.assumed.is_empty() {
            return;
        }
        // An assumption may be about a pod that does not exist yet, even if the plan never creates it.
        let set = &plan.snapshot.set;
        let ordinals = plan.conditions.behaviour.ordinals(set);
        self.assumed.retain(|name| {
            let is_there = || self.known[before..].iter().any(|known| known == name);
            let is_wanted = is_member(set, name) && ordinals.contains(&ordinal_of(name));
            !(is_wanted || is_there())
        });
        let wanted = ordinals.take(SHOWN).map(|ordinal| pod_name(set, ordinal));
        for name in wanted {
            if !self.known[before..].contains(&name) {
                self.known.push(name);
            }
        }
    }

    /// Returns an error if any are left.
    pub fn check(&self) -> Result<()> {
        let deleted = self.deleted.first().map(|name| ("--delete-pod", name));
        let assumed = self.assumed.first().map(|name| ("--assume", name));
        if let Some((flag, name)) = deleted.or(assumed) {
            let there = listed(&self.known);
            bail!("{flag} {name}: no planned set has this pod; {there}");
        }
        if let Some(name) = self.working.first() {
            let there = listed(&self.known_revisions);
            bail!("--assume {name}: no planned set has this revision; {there}");
        }
        if let Some(name) = self.claims.first() {
            let there = listed(&self.known_claims);
            bail!("--delete-claim {name}: no planned set has this claim; {there}");
        }
        Ok(())
    }
}
