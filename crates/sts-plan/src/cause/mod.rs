//! Causes of stuck pods, determined once from container states, events, nodes, volumes and template differences. Headline,
//! evidence and remedies read them.

mod also;
mod amounts;
mod blame;
mod container;
mod context;
mod determine;
mod entry;
mod facts;
mod instead;
mod loops;
mod neighbors;
mod of_event;
mod repair;
mod scheduling;
mod shown;
mod template;
mod volume;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::plan::Retry;

pub use crate::catalogue::{
    Announcement, Blames, BystanderEntry, Catalogue, CauseEntry, CauseTrait, ContainerCheck,
    Example, Made, NamedObject, Place, Rank, Recognized, Symptom, TemplatePart, bystander_kind,
    cause_by_id, cause_page, causes, check, keeps, page_text, with_names,
};
pub(crate) use crate::catalogue::{Cure, Fact, ReadPart, container_list};
pub use also::OtherFailure;
pub use blame::Blame;
pub use container::ContainerFailure;
pub use context::{CauseContext, context};
pub(crate) use context::{entry_of_set, silent};
pub(crate) use determine::subject;
pub use facts::Facts;
pub use loops::{PodLoop, loops};
pub use neighbors::{
    Applier, Culprit, LackingKey, Neighbors, NewClaim, ProbeAnswer, Settings, Unready, Witness,
};
pub(crate) use neighbors::{nodes_without_key, owner_report, pending_upgrade};
pub use of_event::cause_of_event;
pub(crate) use repair::Repair;
pub use template::TemplateDifference;
pub(crate) use template::{comes_back_on, schedules_differently};
pub use volume::VolumeHolder;
pub(crate) use volume::is_going;

/// The cause of a stuck pod.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Symptom, which says how the cause is told.
    pub symptom: Symptom,
    /// Names and numbers of the case.
    pub facts: Facts,
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Its node, if it has one.
    pub node: Option<Arc<str>>,
    /// Name of another pod that is assumed to fail in the same way, because it moves to the revision of this one.
    pub foretold: Option<Arc<str>>,
    /// Start of the failure, if known.
    pub since: Option<Timestamp>,
    /// Verdict on the pod's template, by the other pods.
    pub blame: Blame,
    /// Differences from the template of the rollback revision.
    pub difference: TemplateDifference,
    /// True if the pod is overdue without a reported failure.
    pub is_overdue: bool,
    /// True if the other template differs in what the cause reads. Only then can that template help.
    pub template_helps: bool,
    /// Catalogue entry, if recognized.
    pub recognized: Option<Recognized>,
    /// Other failing containers of the pod.
    pub also: Vec<OtherFailure>,
    /// The custom resource that owns the set, such as `Elasticsearch logs`.
    pub owner: Option<String>,
    /// The tool that deploys the set, such as `Argo CD`.
    pub managed_by: Option<String>,
    /// The revision of the pod's replacement, if it differs from its own.
    pub comes_back_on: Option<Arc<str>>,
    /// The repair that the update revision already has.
    pub(crate) repair: Option<Repair>,
    /// The controller's next retry of a refused request.
    pub retry: Option<Retry>,
    /// True if the pod has run a newer image on its volumes than that of the rollback template.
    pub may_have_migrated: bool,
    /// Age of a crash-looping pod whose runs lasted long on average: its template worked.
    pub worked_for: Option<SignedDuration>,
    /// Another failing pod of the set, which this one reports that it cannot reach.
    pub leader: Option<Arc<str>>,
    /// A cause that another pod reports, and that this one may share, because it only shows a symptom.
    pub shared: Option<SharedCause>,
    /// The majority of the members that the set has lost with nodes, if it matters for this pod.
    pub lost_majority: Option<LostMajority>,
}

/// A majority of the members of a set that is lost with nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostMajority {
    /// The nodes.
    pub nodes: Vec<Arc<str>>,
    /// Number of members.
    pub members: i64,
    /// Number of ready members.
    pub ready: i64,
    /// True if the pod may only show the lack of the majority; false if it has a cause of its own, whose cure waits for it.
    pub is_reason: bool,
}

/// A cause that another pod reports, of something that all pods use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCause {
    /// Name of the other pod.
    pub pod: Arc<str>,
    /// Entry in the catalogue.
    pub entry: &'static CauseEntry,
}

/// A key that causes with the same remedies share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CauseKey {
    name: &'static str,
    about: String,
    blame: Blame,
    comes_back_on: Option<Arc<str>>,
}

impl Cause {
    /// Returns its catalogue entry.
    #[must_use]
    pub fn entry(&self) -> Option<&'static CauseEntry> {
        self.recognized.as_ref().map(|found| found.entry)
    }

    /// Returns the id of its catalogue entry.
    #[must_use]
    pub fn id(&self) -> Option<&'static str> {
        self.entry().map(|entry| &*entry.id)
    }

    /// Reports whether an entry names the cause itself, not a symptom.
    pub(crate) fn is_specific(&self) -> bool {
        self.entry()
            .is_some_and(|entry| entry.rank != Rank::Generic)
    }

    /// Returns the machine-readable name: the catalogue id, or else the name of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.id().unwrap_or_else(|| &self.symptom.entry().kind)
    }

    /// Returns the key that causes with the same remedies share.
    #[must_use]
    pub fn key(&self) -> CauseKey {
        CauseKey {
            name: self.name(),
            about: self.about(),
            blame: self.blame,
            comes_back_on: self.comes_back_on.clone(),
        }
    }

    /// Returns the component's message; empty if a status alone identifies the cause.
    #[must_use]
    pub fn message(&self) -> &str {
        let found = self.recognized.as_ref();
        found.map_or("", |found| &found.message)
    }

    /// Returns its cure.
    pub(crate) fn cure(&self) -> Cure {
        self.symptom.entry().cure
    }

    /// Returns the component at fault, by the catalogue.
    #[must_use]
    pub fn blames(&self) -> Blames {
        self.entry().map_or(Blames::Unknown, |entry| entry.blames)
    }

    /// Reports whether the pod template is at fault, by the report or by ready pods on another template.
    pub(crate) fn blames_template(&self) -> bool {
        match (self.blame, self.blames()) {
            (Blame::Pod, _) => false,
            (Blame::Unknown, blames) => blames == Blames::Template && self.worked_for.is_none(),
            (Blame::Template, _) => self.template_helps,
        }
    }

    /// Returns its entry for the other pods of the set; `None` if it is of this pod alone.
    #[must_use]
    pub(crate) fn shareable(&self) -> Option<SharedCause> {
        let of_all = [
            Blames::Dependency,
            Blames::Network,
            Blames::Object,
            Blames::Registry,
            Blames::Server,
            Blames::Storage,
        ];
        let entry = self.entry().filter(|_| self.is_specific())?;
        of_all.contains(&entry.blames).then(|| SharedCause {
            pod: Arc::clone(&self.pod),
            entry,
        })
    }
}
