//! Conditions of a plan and their sources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::catalogue::Catalogue;
use crate::grant::Grant;
use crate::observed::Observed;
use crate::residents::Resident;
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::{
    Action, Allowance, Assumption, Kubelet, ScheduledAction, UnderWay, World,
};
use sts_controller::version::{Behaviour, Gates, Version};

/// Conditions of a plan.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// Start of the plan.
    pub now: Timestamp,
    /// Source of that time.
    pub now_source: NowSource,
    /// Behavior of the controller version.
    pub behaviour: Behaviour,
    /// Feature gates behind that behavior.
    pub gates: Gates,
    /// Source of the version.
    pub version_source: VersionSource,
    /// Startup time of new pods; `None` to derive it from the set's pods.
    pub ready_after: Option<SignedDuration>,
    /// Termination time of deleted pods; `None` for the default of five seconds.
    pub gone_after: Option<SignedDuration>,
    /// Assumptions about single pods, by name.
    pub assumptions: BTreeMap<String, Assumption>,
    /// Revisions whose pods are assumed to become ready, whatever their record.
    pub working: BTreeSet<Arc<str>>,
    /// Missing objects that are assumed to exist.
    pub grants: Arc<[Grant]>,
    /// Related objects for evidence and findings, which no sync reads.
    pub related: Arc<RelatedObjects>,
    /// Known causes.
    pub catalogue: Catalogue,
    /// Manifest file for printed commands; `None` without one, or for standard input.
    pub manifest: Option<Arc<str>>,
    /// Source of the objects, which determines whether they are complete.
    pub input: InputKind,
    /// True if the pods and budgets of all namespaces were read, so that a drain evicts no other.
    pub has_all_pods: bool,
    /// True if API server and controller cache behave as in recordings of controllers. This applies to
    /// unchanged stored objects from files, which may be such a recording. [`World::as_recorded`] describes the
    /// differences.
    pub as_recorded: bool,
    /// Node outage that affects the set.
    pub outage: Arc<Outage>,
    /// Pending events if the plan continues another one; see [`crate::stages`].
    pub under_way: Option<Arc<UnderWay>>,
    /// True if another change follows, which may replace a pod that this plan keeps.
    pub has_sequel: bool,
    /// Objects as they were read, if the plan goes on from the end of another one; `None` if the plan's own objects
    /// were read.
    pub observed: Option<Arc<Observed>>,
    /// Work that each question about the set may do.
    pub allowance: Allowance,
}

/// Node outage: a drain, or nodes that stop responding.
#[derive(Debug, Clone, Default)]
pub struct Outage {
    /// Nodes that pods leave.
    pub leaving: BTreeSet<Arc<str>>,
    /// Unresponsive nodes among them: deleted pods never terminate there.
    pub lost: BTreeSet<Arc<str>>,
    /// Assumed additional nodes.
    pub added: BTreeSet<Arc<str>>,
    /// Pods on each node as read, if nodes are changed. They take up room for others.
    pub running: BTreeMap<Arc<str>, Vec<Arc<Resident>>>,
    /// The same pods in the order of the input.
    pub residents: Arc<[Arc<Resident>]>,
    /// All pods as read, of any owner, if nodes are changed.
    pub pods: Arc<[Arc<Pod>]>,
    /// Position of pods in the order in which they leave their nodes, by namespace and name. Those that leave first
    /// find a place first.
    pub order: BTreeMap<(Arc<str>, Arc<str>), usize>,
    /// Actions on pods before the first sync of the controller.
    pub first: Vec<Action>,
    /// Scheduled actions on pods.
    pub agenda: Vec<ScheduledAction>,
}

impl Outage {
    /// Returns an outage of no node, among these pods.
    pub(crate) fn among<'p>(pods: impl Iterator<Item = &'p Arc<Pod>>) -> Self {
        Outage::among_residents(pods.map(|pod| Arc::new(Resident::of(pod))))
    }

    /// Returns an outage of no node, among pods whose fields were read before.
    pub(crate) fn among_residents(all: impl Iterator<Item = Arc<Resident>>) -> Self {
        let all: Vec<Arc<Resident>> = all.collect();
        let mut outage = Outage {
            pods: all.iter().map(|it| Arc::clone(&it.pod)).collect(),
            ..Outage::default()
        };
        let residents = all.into_iter().filter(|it| it.pod.node.is_some());
        outage.residents = residents.collect();
        for resident in outage.residents.iter() {
            if let Some(node) = &resident.pod.node {
                let running = outage.running.entry(Arc::clone(node)).or_default();
                running.push(Arc::clone(resident));
            }
        }
        outage
    }

    /// Reports whether a pod is on a node that pods leave.
    #[must_use]
    pub fn moves(&self, pod: &Pod) -> bool {
        pod.node
            .as_ref()
            .is_some_and(|node| self.leaving.contains(node))
    }

    /// Reports whether a pod is on a lost node: it stops serving at once, whatever its status says until the loss is
    /// noticed.
    pub(crate) fn is_lost(&self, pod: &Pod) -> bool {
        pod.node
            .as_ref()
            .is_some_and(|node| self.lost.contains(node))
    }
}

impl Conditions {
    /// Returns the conditions of a version with default feature gates, complete input and standard assumptions.
    #[must_use]
    pub fn new(version: Version, now: Timestamp) -> Self {
        let gates = Gates::defaults(version);
        Conditions {
            now,
            now_source: NowSource::Flag,
            behaviour: Behaviour::new(version, &gates),
            gates,
            version_source: VersionSource::Flag,
            ready_after: None,
            gone_after: None,
            assumptions: BTreeMap::new(),
            working: BTreeSet::new(),
            grants: Arc::default(),
            related: Arc::default(),
            catalogue: Catalogue::default(),
            manifest: None,
            input: InputKind::Complete,
            has_all_pods: false,
            as_recorded: false,
            outage: Arc::default(),
            under_way: None,
            has_sequel: false,
            observed: None,
            allowance: Allowance::default(),
        }
    }

    /// Marks the input as possibly incomplete, like hand-written files.
    #[must_use]
    pub fn with_incomplete_input(self) -> Self {
        Conditions {
            input: InputKind::Files,
            ..self
        }
    }

    /// Returns the conditions with the objects that were read: those of an earlier plan, or else these.
    pub(crate) fn with_observed(mut self, snapshot: &Snapshot) -> (Self, Arc<Observed>) {
        let read = || Arc::new(Observed::new(snapshot.clone(), self.now));
        let observed = self.observed.take().unwrap_or_else(read);
        self.observed = Some(Arc::clone(&observed));
        (self, observed)
    }

    pub(crate) fn at(&self, now: Timestamp) -> Self {
        // The outage's scheduled actions are over by then.
        let outage = Outage {
            first: Vec::new(),
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

    /// Returns the world of these objects, with the events of its nodes that are down besides those of the outage.
    pub(crate) fn world(
        &self,
        snapshot: Snapshot,
        kubelet: Kubelet,
        of_down_nodes: Vec<ScheduledAction>,
    ) -> World {
        let outage = self.outage.agenda.iter().cloned();
        let agenda = outage.chain(of_down_nodes);
        let world = World::new(snapshot, self.now, kubelet)
            .within(&self.allowance)
            .with_agenda(agenda);
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

/// Source of the objects of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputKind {
    /// Cluster, or a dump marked as complete: absent objects do not exist.
    #[default]
    Complete,
    /// Files, which may omit objects.
    Files,
}

/// Provenance of the objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// `resourceVersion` of each list, by resource; empty for objects from files.
    pub versions: BTreeMap<String, String>,
    /// Notes on incomplete reads and their consequences, in sentences.
    pub notes: Vec<String>,
}

/// Source of the Kubernetes version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum VersionSource {
    /// Requested with a flag.
    Flag,
    /// Reported by the cluster's API server.
    Server {
        /// True if the server also reported its feature gates.
        reports_gates: bool,
    },
    /// Minor of the newest kubelet among the nodes: the control plane is as new, or newer.
    Kubelets,
    /// First minor whose controller writes the revisions of the set: newer than the kubelets.
    Revisions,
    /// Newest supported version, by default.
    Default,
}

serialized!(by_name: VersionSource);

impl VersionSource {
    /// Reports whether the version was told, and is not derived from other objects or assumed.
    #[must_use]
    pub fn is_certain(self) -> bool {
        matches!(self, VersionSource::Flag | VersionSource::Server { .. })
    }
}

/// Source of the start of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum NowSource {
    /// Requested with a flag, for files.
    Flag,
    /// Time at which a cluster was read, directly or by a dump.
    Cluster,
    /// Newest time in files with objects that are refreshed.
    Input,
    /// The clock.
    #[default]
    Clock,
}

serialized!(by_name: NowSource);
