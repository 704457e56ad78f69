//! Facts of a case: the names and numbers that its texts, remedies and evidence read.

use std::sync::Arc;

use jiff::SignedDuration;

use super::template::container_named;
use super::{
    Blame, Blames, Cause, CauseEntry, CauseTrait, ContainerFailure, Fact, Neighbors, VolumeHolder,
    amounts,
};
use crate::catalogue::{
    Situation, address_in, advised, demanded, if_known, insufficient, with_names,
};
use crate::command::named;
use crate::duration::age;
use crate::foresight::{self, ClaimTrouble, Foreseen};
use crate::words::{list, plural};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{PersistentVolume, Pod};

/// Maximum number of changed fields to name.
const MOST_CHANGED: usize = 2;

/// The names and numbers of a case. Each is empty where the symptom has no such fact.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The container that fails.
    pub failure: Option<ContainerFailure>,
    /// The containers that are not ready, or the one that the pod waits for.
    pub containers: Vec<String>,
    /// The node at fault.
    pub node: Option<Arc<str>>,
    /// The component's reason, such as `OutOfmemory`.
    pub reason: String,
    /// The component's message.
    pub message: String,
    /// Number of attempts to create the pod.
    pub count: i64,
    /// Time in which they were made.
    pub lasts: Option<SignedDuration>,
    /// Time between two changes of the template, if it changes again and again.
    pub every: Option<SignedDuration>,
    /// The fields that such a change writes.
    pub changed: Vec<String>,
    /// The one that writes the set, or may delete its pods.
    pub writer: String,
    /// The object whose changes a reloader answers by restarting the pods: `Secret db-tls`.
    pub trigger: String,
    /// True if the pod is being deleted.
    pub is_terminating: bool,
    /// The nodes that would take the pod once they are ready.
    pub unready_nodes: Vec<Arc<str>>,
    /// The cordoned nodes that could take the pod.
    pub cordoned: Vec<Arc<str>>,
    /// The zones of the pod's volumes; for a lost node, only if no other node there can run the pod.
    pub zones: Vec<String>,
    /// The claims that are missing, have no volume, or are being deleted.
    pub claims: Vec<Arc<str>>,
    /// The claims whose volumes no other node can attach.
    pub local_claims: Vec<Arc<str>>,
    /// The claims whose volumes may be attachable elsewhere: the input does not show it.
    pub unknown_claims: Vec<Arc<str>>,
    /// The volume of the claim that is being deleted, if the input has it.
    pub volume: Option<Arc<PersistentVolume>>,
    /// The CPU limit of the container, if it is low.
    pub cpu_limit: Option<String>,
    /// The memory limit of the container in the other revision, if it is higher.
    pub higher_limit: Option<String>,
    /// The later pod of the set that this one needs.
    pub later: Option<Arc<str>>,
    /// Another pod that uses a claim of this one.
    pub holder: Option<VolumeHolder>,
    /// The finalizers of the pod, or those of its claim without the one that protects it while a pod uses it.
    pub finalizers: Vec<String>,
    /// The name of the quota.
    pub quota: String,
    /// The requested, used and limited amounts of the quota, as the server prints them.
    pub amounts: String,
    /// The pod's scheduler.
    pub scheduler: String,
    /// The failure that nodes, classes, volumes or another pod of the input predict.
    pub foreseen: Option<Foreseen>,
    /// The other objects of the input that explain it.
    pub neighbors: Neighbors,
}

impl Facts {
    /// Returns the container at fault, if there is one.
    #[must_use]
    pub fn container(&self) -> Option<&String> {
        let failing = self.failure.as_ref().map(|failure| &failure.container);
        failing.or(self.containers.first())
    }
}

/// Finalizers of the garbage collector.
const COLLECTED: [&str; 2] = ["foregroundDeletion", "orphan"];

impl Cause {
    /// Returns a fact of the case, as a text; `None` if it is unknown or does not hold. Those that need the plan, or more
    /// words, are those of `explain`.
    #[must_use]
    pub(crate) fn fact(&self, fact: Fact) -> Option<String> {
        let facts = &self.facts;
        let failure = facts.failure.as_ref();
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let first = |names: &[Arc<str>]| names.first().map(ToString::to_string);
        let holds = |it: bool| it.then(String::new);
        let blames = self.blames();
        match fact {
            Fact::Pod => Some(self.pod.to_string()),
            Fact::Place => known(match self.blame {
                Blame::Template => "on the new revision",
                Blame::Pod | Blame::Unknown => "",
            }),
            Fact::Node => (facts.node.as_ref().or(self.node.as_ref())).map(ToString::to_string),
            Fact::Container => facts.container().cloned(),
            Fact::Containers => known(&facts.containers.join(", ")),
            Fact::Advised => advised(&failure?.last_words),
            Fact::Init => failure?.is_init.then(|| "init container".to_owned()),
            Fact::Image => failure.map(|it| it.image.clone()),
            Fact::Limit => failure?.memory_limit.clone(),
            Fact::HigherLimit => facts.higher_limit.clone(),
            Fact::CpuLimit => facts.cpu_limit.clone(),
            Fact::Exit => Some(format!("exit {}", failure?.exit_code?)),
            Fact::Restarts => failure
                .filter(|it| it.restarts >= 0)
                .map(ContainerFailure::restarts_text),
            Fact::Check => Some(self.entry()?.check?.name().to_owned()),
            Fact::Recovering => match self.entry()?.situation? {
                Situation::LivenessEndsRecovery | Situation::StartupEndsRecovery => {
                    Some("while it recovers".to_owned())
                }
                _ => None,
            },
            Fact::Reason => known(failure.map_or(&facts.reason, |it| &it.reason)),
            Fact::Waiting => match failure {
                Some(failure) if failure.message.is_empty() => known(&failure.reason),
                Some(failure) => known(&failure.message),
                None => known(&facts.reason),
            },
            Fact::Message => known(facts.message.trim_end()),
            Fact::Report => Some(match self.message() {
                "" => facts.message.clone(),
                message => message.to_owned(),
            }),
            Fact::Repaired => holds(self.repair.as_ref().is_some_and(|it| it.is_stored)),
            Fact::Demanded => demanded(&facts.message),
            Fact::Count => Some(facts.count.to_string()),
            Fact::Lasts => facts.lasts.map(age),
            Fact::Every => facts.every.map(age),
            Fact::Changed => known(&list(&facts.changed, MOST_CHANGED)),
            Fact::Writer => known(&facts.writer),
            Fact::Trigger => known(&facts.trigger),
            Fact::Terminating => facts.is_terminating.then(|| "terminating".to_owned()),
            Fact::Zones => known(&facts.zones.join(", ")),
            Fact::Claim => first(&facts.claims),
            Fact::LocalClaim => first(&facts.local_claims),
            Fact::UnknownClaim => first(&facts.unknown_claims),
            Fact::Volume => (facts.volume.as_ref()).map(|it| named(&it.meta.name).to_owned()),
            Fact::Finalizers => known(&facts.finalizers.join(", ")),
            // The finalizer does not name the garbage collector, which waits for what the object owns.
            Fact::Collected => {
                let mut all = facts.finalizers.iter();
                all.find(|it| COLLECTED.contains(&it.as_str())).cloned()
            }
            Fact::Later => facts.later.as_ref().map(ToString::to_string),
            Fact::Holder => facts.holder.as_ref().map(|it| it.pod.to_string()),
            Fact::User => facts.holder.as_ref().map(ToString::to_string),
            Fact::Claimant => match self.entry()?.has(CauseTrait::NamesHolder) {
                true => self.fact(Fact::User),
                false => None,
            },
            Fact::Quota => known(&facts.quota),
            Fact::Amounts => amounts::brief(&facts.amounts).or_else(|| known(&facts.amounts)),
            Fact::Scheduler => known(&facts.scheduler),
            Fact::Foreseen => {
                (facts.foreseen.as_ref()).map(|it| foresight::describe(&self.pod, it))
            }
            Fact::Trouble => match facts.foreseen.as_ref()? {
                Foreseen::Claim { trouble, .. } => Some(foresight::no_volume(trouble)),
                _ => None,
            },
            Fact::Class => match facts.foreseen.as_ref()? {
                Foreseen::Claim {
                    trouble: ClaimTrouble::ClassMissing { class },
                    ..
                } => Some(class.to_string()),
                _ => None,
            },
            Fact::Object => match &facts.foreseen {
                Some(Foreseen::MissingConfig { object, .. }) => Some(object.clone()),
                _ => facts.neighbors.fact(fact),
            },
            Fact::ObjectKind => {
                let object = self.fact(Fact::Object)?;
                Some(object.split_once(' ')?.0.to_ascii_lowercase())
            }
            Fact::ObjectName => {
                let object = self.fact(Fact::Object)?;
                Some(object.split_once(' ')?.1.to_owned())
            }
            Fact::UnreadyNode => first(&facts.unready_nodes),
            Fact::ForRoom => match facts.foreseen.as_ref()? {
                Foreseen::NoNode(nodes) => holds(nodes.is_for_room()),
                _ => None,
            },
            Fact::Leader => self.leader.as_ref().map(ToString::to_string),
            Fact::Sharing => self.shared.as_ref().map(|it| it.pod.to_string()),
            Fact::Unchanged => {
                let is_changed = !self.difference.is_known
                    || self.template_helps
                    || self.difference.only_restarted;
                let is_same = self.blame == Blame::Template && !is_changed;
                facts.container().filter(|_| is_same).cloned()
            }
            Fact::RiskyUndo => known(match self.comes_back_on {
                _ if !self.may_have_migrated => "",
                Some(_) => "delete it",
                None if self.blames_template() => "roll back",
                None => "",
            }),
            Fact::Specific => holds(self.is_specific()),
            Fact::SiblingsReady => holds(self.blame == Blame::Pod),
            Fact::TemplateHelps => holds(self.template_helps),
            // An unrecognized message is answered in the same words.
            Fact::OfTemplate => holds(self.is_specific() && blames == Blames::Template),
            Fact::OfPolicy => holds(matches!(blames, Blames::Policy | Blames::Template)),
            Fact::Outside => {
                let is_outside = matches!(blames, Blames::Node | Blames::Registry);
                holds(is_outside && !self.template_helps)
            }
            Fact::SameImage => {
                let differs = |it: &String| self.difference.images.contains(it);
                holds(!facts.container().is_some_and(differs))
            }
            Fact::SameScheduling => holds(!self.difference.scheduling),
            Fact::OfPlatform => holds(
                self.entry()
                    .is_some_and(|it| it.has(CauseTrait::OfPlatform)),
            ),
            Fact::SeveralZones => holds(facts.zones.len() > 1),
            Fact::VolumeLost => holds(facts.volume.as_ref()?.is_deleted_with_claim),
            fact => facts.neighbors.fact(fact),
        }
    }

    /// Puts the names of the case into a text of the catalogue. They may stand in a command.
    #[must_use]
    pub(crate) fn named(&self, text: &str) -> String {
        let of_case = |name: Option<&str>| name.map(|name| named(name).to_owned());
        let names = |key: &str| match key {
            "pod" => of_case(Some(&self.pod)),
            "node" => of_case(self.node.as_deref()),
            "container" => of_case(self.facts.container().map(String::as_str)),
            "later" => of_case(self.facts.later.as_deref()),
            "claim" => {
                let mut claims = self.facts.claims.iter().chain(&self.facts.local_claims);
                let of_facts = claims.next().map(|it| &**it);
                of_case(of_facts.or_else(|| claim_in(&self.facts.message)))
            }
            "name" => self.object(),
            other => self.fact(other.parse().ok()?),
        };
        with_names(text, &names)
    }

    /// Returns the name of the object at fault: that of the component's message, or else that of the case.
    #[must_use]
    pub(crate) fn object(&self) -> Option<String> {
        let entry = self.entry()?;
        if let Some(name) = entry.name_in(self.message()) {
            return Some(name.to_owned());
        }
        if entry.has(CauseTrait::NamesAddress)
            && let Some(address) = self.address(entry)
        {
            return Some(address.to_owned());
        }
        if entry.has(CauseTrait::LacksRoom)
            && let Some(resources) = lacking_resources(self.message())
        {
            return Some(resources);
        }
        let of_case = self
            .fact(Fact::Class)
            .or_else(|| self.fact(Fact::UnreadyNode));
        // A message that names its object names no zone.
        let zones = || {
            self.fact(Fact::Zones)
                .filter(|_| entry.named_after.is_empty())
        };
        of_case.or_else(zones)
    }

    /// Returns the address in the lines that identify the cause.
    fn address(&self, entry: &CauseEntry) -> Option<&str> {
        let lines = self.message().lines();
        let mut telling = lines.filter(|line| entry.end_of_words(line).is_some());
        telling.find_map(address_in)
    }

    /// Returns the condition under which a pod with this cause is ready, if the symptom declares it.
    #[must_use]
    pub(crate) fn ready(&self, pod: &str) -> Option<String> {
        let text = Some(&self.symptom.entry().ready).filter(|text| !text.is_empty())?;
        if_known(text, &|key| match key.parse().ok()? {
            Fact::Pod => Some(pod.to_owned()),
            fact => self.fact(fact),
        })
    }

    /// Returns the commands that show the problem, if the symptom declares them.
    #[must_use]
    pub(crate) fn look(&self) -> Vec<String> {
        let names = |key: &str| match key.parse().ok()? {
            // It is quoted already.
            Fact::Namespace => self.fact(Fact::Namespace),
            fact => self.fact(fact).map(|name| named(&name).to_owned()),
        };
        let is_known = |fact: &Fact| self.fact(*fact).is_some();
        let lines = self.symptom.entry().look.iter();
        let told = lines.filter(|line| line.is_said(&is_known));
        told.filter_map(|line| if_known(&line.say, &names))
            .collect()
    }

    /// Returns the node, quota, image or container that the cause is about; empty without one.
    #[must_use]
    pub fn about(&self) -> String {
        let names = |key: &str| match key.parse().ok()? {
            Fact::Finalizers => Some(self.facts.finalizers.join(",")),
            Fact::Zones => Some(self.facts.zones.join(",")),
            fact => self.fact(fact),
        };
        with_names(&self.symptom.entry().about, &names)
    }
}

/// Returns the resources that nodes have too little of, as a scheduler names them: `memory or cpu`.
fn lacking_resources(message: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in insufficient(message) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| names.join(" or "))
}

/// CPU limit below which the runtime throttles most processes.
const LOW_CPU: &str = "1";

/// Returns the CPU limit of a container of a pod, if it is low.
pub(super) fn low_cpu_limit(pod: &Pod, container: &str) -> Option<String> {
    let given = pod.given()?;
    let found = container_named(&given["spec"], container)?;
    let limit = found["resources"]["limits"]["cpu"].as_str()?;
    let is_low = Quantity::parse(limit).ok()? < Quantity::parse(LOW_CPU).ok()?;
    is_low.then(|| limit.to_owned())
}

/// Returns the claim that a scheduler's message names: `persistentvolumeclaim "data-web-1" not found`.
fn claim_in(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("persistentvolumeclaim \"")?;
    rest.split('"').next()
}

impl ContainerFailure {
    /// `17 restarts`.
    pub(crate) fn restarts_text(&self) -> String {
        let number = usize::try_from(self.restarts).unwrap_or(0);
        plural(number, "restart", "restarts")
    }
}
