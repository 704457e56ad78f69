//! Conditions that a plan is made under, and their sources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::grant::Grant;
use crate::lessons::Lessons;
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::{Appointment, Assumption, Kubelet, UnderWay, World};
use sts_controller::version::{Behaviour, Gates, Version};

/// The conditions that a plan is made under.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// The moment at which it begins.
    pub now: Timestamp,
    /// The controller's behaviours.
    pub behaviour: Behaviour,
    /// The feature gates that they come of.
    pub gates: Gates,
    /// The source of the version.
    pub version_source: VersionSource,
    /// The time that a new pod takes to become ready; `None` to go by the set's own pods.
    pub ready_after: Option<SignedDuration>,
    /// The time that a deleted pod takes to terminate; `None` for the usual five seconds.
    pub gone_after: Option<SignedDuration>,
    /// The lessons of earlier rollouts, which count where neither a time is given nor this rollout shows it; `None` where
    /// nothing was to be learned.
    pub lessons: Option<Arc<Lessons>>,
    /// Assumptions about single pods, by name.
    pub assumptions: BTreeMap<String, Assumption>,
    /// Things that are taken to be there though they are not.
    pub grants: Arc<[Grant]>,
    /// The objects around the set, for evidence and findings: no sync reads them.
    pub related: Arc<RelatedObjects>,
    /// The file with the wanted manifest, which printed commands name; `None` where there is none, or standard input.
    pub manifest: Option<Arc<str>>,
    /// The source of the objects, which tells whether all of them can be counted on to be there.
    pub input: InputKind,
    /// True if the API server and the controller's cache are those that recordings of controllers were made with: so
    /// for stored objects of files without a change, which can be such a recording. [`World::as_recorded`] says how
    /// real ones differ.
    pub as_recorded: bool,
    /// The outage of nodes that the set meets.
    pub outage: Arc<Outage>,
    /// The events under way as the plan begins, where it goes on from the end of another one; see [`crate::stages`].
    pub under_way: Option<Arc<UnderWay>>,
    /// True if another change follows, which may replace a pod that this one keeps.
    pub has_sequel: bool,
}

/// An outage of nodes: a drain, or nodes that stop answering.
#[derive(Debug, Clone, Default)]
pub struct Outage {
    /// The nodes that pods leave.
    pub leaving: BTreeSet<Arc<str>>,
    /// Those of them that do not answer: a pod that is deleted there never goes.
    pub lost: BTreeSet<Arc<str>>,
    /// The nodes that are assumed besides.
    pub added: BTreeSet<Arc<str>>,
    /// The pods that were read on each node, where something is done to nodes: others have to find room beside them.
    pub running: BTreeMap<Arc<str>, Vec<Arc<Pod>>>,
    /// The actions on pods, each with its moment.
    pub agenda: Vec<Appointment>,
}

impl Outage {
    /// Reports whether a pod is on a node that pods leave.
    #[must_use]
    pub fn moves(&self, pod: &Pod) -> bool {
        pod.node
            .as_ref()
            .is_some_and(|node| self.leaving.contains(node))
    }
}

impl Conditions {
    /// The controller and the server of a version with their default feature gates, of objects among which none is
    /// left out, and with the usual assumptions.
    #[must_use]
    pub fn new(version: Version, now: Timestamp) -> Self {
        let gates = Gates::defaults(version);
        Conditions {
            now,
            behaviour: Behaviour::new(version, &gates),
            gates,
            version_source: VersionSource::Flag,
            ready_after: None,
            gone_after: None,
            lessons: None,
            assumptions: BTreeMap::new(),
            grants: Arc::default(),
            related: Arc::default(),
            manifest: None,
            input: InputKind::Complete,
            as_recorded: false,
            outage: Arc::default(),
            under_way: None,
            has_sequel: false,
        }
    }

    /// Allows for objects that the input lacks, as files written by hand do.
    #[must_use]
    pub fn with_incomplete_input(self) -> Self {
        Conditions {
            input: InputKind::Files,
            ..self
        }
    }

    /// The same at another moment.
    pub(crate) fn at(&self, now: Timestamp) -> Self {
        // The agenda of the outage is over by then.
        let outage = Outage {
            agenda: Vec::new(),
            ..Outage::clone(&self.outage)
        };
        Conditions {
            now,
            outage: Arc::new(outage),
            under_way: None,
            ..self.clone()
        }
    }

    /// The world of a snapshot under these conditions.
    pub(crate) fn world(&self, snapshot: Snapshot, kubelet: Kubelet) -> World {
        let agenda = self.outage.agenda.iter().cloned();
        let world = World::new(snapshot, self.now, kubelet).with_agenda(agenda);
        let world = match &self.under_way {
            Some(under_way) => world.resuming(under_way),
            None => world,
        };
        if self.as_recorded {
            world.as_recorded()
        } else {
            world
        }
    }
}

/// The source of the objects of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputKind {
    /// A cluster, or a dump that says that it is complete: what is not there does not exist.
    #[default]
    Complete,
    /// Files, in which anything may have been left out.
    Files,
}

/// The result of reading the objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The `resourceVersion` of each list that was read, by resource; empty for objects of files.
    pub versions: BTreeMap<String, String>,
    /// Notes on the reading, in sentences: what could not be seen, and what that makes uncertain.
    pub notes: Vec<String>,
}

/// The source of the Kubernetes version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum VersionSource {
    /// It was asked for.
    Flag,
    /// It is that of the cluster's API server.
    Server {
        /// True if the feature gates are its as well.
        tells_gates: bool,
    },
    /// It was not given, so it is the newest known.
    Default,
}

impl VersionSource {
    /// The source's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            VersionSource::Flag => "flag",
            VersionSource::Server { .. } => "server",
            VersionSource::Default => "default",
        }
    }
}
