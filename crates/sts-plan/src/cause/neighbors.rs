//! Other objects of the input that explain the failure of a pod: what makes a missing object, what lacks a key, what uses a
//! claim, what a process needs, and where an image runs.

mod address_pool;
mod answer;
mod applier;
mod chain;
mod claims;
mod component;
mod constraints;
mod culprit;
mod egress;
mod elsewhere;
mod file_line;
mod files;
mod free_storage;
mod full_claim;
mod groups;
mod health_check;
mod injected;
mod job;
mod kernel_setting;
mod key;
mod lacked;
mod missing_service;
mod namespace;
mod needed;
mod own_use;
mod pending_request;
mod placement;
mod platform;
mod pod_trouble;
mod port;
mod prospects;
mod quota_users;
mod raised_requests;
mod recent;
mod registry_token;
mod rewritten;
mod setting;
mod stuck_claim;
mod surroundings;
mod told;
mod twin;
mod witness;

use std::sync::Arc;

use self::culprit::Case;
use self::pod_trouble::trouble;
use self::told::Told;
use super::{Fact, Facts, Rank, Recognized, Symptom};
use crate::catalogue::{CauseTrait, Made, maker, node_claim_in};
use crate::command::{named, quoted};
use crate::foresight::Foreseen;
use crate::plan::Plan;
use crate::words::{list, names_in};
use sts_controller::object::Pod;

pub use answer::ProbeAnswer;
pub use applier::Applier;
pub(crate) use applier::{owner_report, pending_upgrade};
pub use claims::NewClaim;
pub use component::BrokenComponent;
pub use culprit::Culprit;
pub(super) use groups::other_nodes;
pub use key::LackingKey;
pub use needed::Unready;
pub use setting::Settings;
pub(crate) use surroundings::{apart, nodes_without_key};
pub use witness::Witness;

/// Maximum number of names in a sentence.
const MOST: usize = 3;

/// The other objects that explain a failure. Each is empty if the input has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbors {
    /// The namespace of the pod.
    pub namespace: Arc<str>,
    /// The object that makes what is missing.
    pub maker: Option<Witness>,
    /// The object that lacks a key.
    pub lacking: Option<LackingKey>,
    /// The Service and pods that the process needs, if they are not ready.
    pub needed: Option<Unready>,
    /// The component of the cluster that has to work again.
    pub component: Option<BrokenComponent>,
    /// The settings of the template that the message of a process is about.
    pub settings: Settings,
    /// The files that volumes give to the container, and that its message is about.
    pub files: files::Files,
    /// The claim that is much newer than those of the other pods, with their ages.
    pub new_claim: Option<NewClaim>,
    /// The facts that are only told.
    told: Told,
    /// The object that the pod depends on, and that reports its own trouble.
    pub culprit: Option<Culprit>,
    /// The object that owns or deploys the set, if it is paused or fails.
    pub applier: Option<Applier>,
    /// The Secret or ConfigMap that was written between the start of the ready pods and that of this one, and when.
    pub rewritten: Option<rewritten::Rewritten>,
    /// The policy, namespace or pull secret that was written before the failure.
    pub recent: Option<String>,
    /// The nodes that lack only one thing to take the pod.
    pub prospects: prospects::Prospects,
    /// The answer of the process to its probe.
    pub answer: Option<ProbeAnswer>,
    /// The component that writes the missing ConfigMap into every namespace.
    pub(crate) publisher: Option<&'static str>,
}

impl Neighbors {
    /// Finds the other objects that explain what a pod shows.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        symptom: Symptom,
        facts: &Facts,
        recognized: Option<&Recognized>,
    ) -> Self {
        let failure = facts.failure.as_ref();
        let reports = [
            recognized.map_or("", |found| &found.message),
            facts.message.as_str(),
            failure.map_or("", |failure| &failure.message),
            failure.map_or("", |failure| &failure.last_words),
        ];
        let is_unserved = recognized.is_none_or(|found| found.entry.served_by.is_empty());
        let applier = Applier::of(plan, symptom, facts);
        let report = reports.join("\n");
        let case = Case {
            plan,
            pod,
            symptom,
            recognized,
            report: &report,
            node: facts.node.as_deref().unwrap_or_default(),
        };
        let culprit = Culprit::of(case);
        let lacking = reports
            .iter()
            .find_map(|it| LackingKey::of(it, pod, &plan.related));
        Neighbors {
            namespace: Arc::clone(&pod.meta.namespace),
            maker: missing(facts)
                .and_then(|(made, name)| {
                    let namespace = &plan.snapshot.set.meta.namespace;
                    Some(Witness::of(
                        plan,
                        maker(&plan.related, namespace, made, name)?,
                    ))
                })
                .or_else(|| missing_in(applier.as_ref(), facts, plan))
                .or_else(|| key::writer(plan, pod, lacking.as_ref()?))
                .or_else(|| new_node(plan, &reports)),
            lacking,
            needed: needed::unready(plan, pod, symptom, recognized, &reports),
            component: BrokenComponent::of(plan, pod, recognized).or_else(|| match symptom {
                Symptom::Unschedulable if wants_device(recognized) && culprit.is_none() => {
                    BrokenComponent::failing(plan, "devices")
                }
                Symptom::Unschedulable | Symptom::NoReadyNode if is_unserved => {
                    BrokenComponent::of_node(plan, pod)
                }
                Symptom::SchedulerSilent => BrokenComponent::of_scheduler(plan, &facts.scheduler),
                Symptom::NotReady | Symptom::InitContainer => {
                    BrokenComponent::behind(plan, pod, &facts.containers)
                }
                Symptom::VolumeNotAttached if is_unserved => {
                    BrokenComponent::of_storage(plan, pod, &report)
                }
                _ => None,
            }),
            culprit,
            applier,
            rewritten: rewritten::rewritten(plan, pod, symptom, recognized),
            recent: recent::recent(plan, pod, symptom, recognized, &report),
            prospects: prospects::Prospects::of(plan, pod, symptom, recognized),
            answer: match symptom {
                Symptom::NotReady | Symptom::CheckFails => {
                    ProbeAnswer::of(pod, recognized, facts.container())
                }
                _ => None,
            },
            publisher: missing(facts).and_then(|(_, name)| publisher(name)),
            told: Told::of(case, facts, &reports),
            new_claim: match symptom {
                Symptom::CrashLoop | Symptom::CheckFails | Symptom::NotReady => NewClaim::of(plan),
                _ => None,
            },
            files: match (symptom, failure) {
                (Symptom::CrashLoop, Some(failure)) => {
                    files::Files::of(plan, pod, failure, recognized).unwrap_or_default()
                }
                _ => files::Files::default(),
            },
            settings: match (symptom, failure) {
                (Symptom::CrashLoop, Some(failure)) => {
                    let entry = recognized.map(|found| found.entry);
                    Settings::of(plan, pod, failure, entry).unwrap_or_default()
                }
                _ => Settings::default(),
            },
        }
    }

    /// Returns the pods that the failing pod needs and that are not ready, with their namespace.
    pub(crate) fn needed_pods(&self) -> Vec<String> {
        let needed = self.needed.iter();
        let pods = needed.flat_map(|it| it.pods.iter().map(|pod| (&it.namespace, pod)));
        let of_services = pods.map(|(namespace, pod)| format!("{namespace}/{pod}"));
        let of_component = self.component.iter().map(BrokenComponent::path);
        of_services.chain(of_component).collect()
    }

    /// Returns a fact of these objects, as a text; `None` if it is unknown.
    pub(super) fn fact(&self, fact: Fact) -> Option<String> {
        let maker = self.maker.as_ref();
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let trouble = |of: &Witness| known(&of.trouble);
        match fact {
            Fact::Object => self
                .lacking
                .as_ref()
                .map(|it| format!("{} {}", it.kind, it.name)),
            Fact::ObjectPath => {
                let LackingKey { kind, name, .. } = self.lacking.as_ref()?;
                let path = format!("{}/{}", kind.to_ascii_lowercase(), named(name));
                Some(match self.fact(Fact::Namespace) {
                    Some(namespace) => format!("{path} -n {namespace}"),
                    None => path,
                })
            }
            Fact::Keys => {
                let lacking = self.lacking.as_ref()?;
                (!lacking.keys.is_empty()).then(|| list(&lacking.keys, MOST))
            }
            Fact::MissingKey => self.lacking.as_ref().map(|it| it.key.clone()),
            Fact::SubPath => {
                let lacking = self.lacking.as_ref().filter(|it| it.is_sub_path)?;
                let LackingKey {
                    kind, name, key, ..
                } = lacking;
                Some(format!("{kind} {name} has no key {key}"))
            }
            Fact::Publisher => self.publisher.map(str::to_owned),
            Fact::Maker => maker.map(ToString::to_string),
            Fact::MakerKind => maker.map(|it| it.kind.to_ascii_lowercase()),
            Fact::MakerName => maker.map(|it| it.name.to_string()),
            Fact::MakerNamespace => known(maker.map_or("", |it| &it.namespace)),
            Fact::MakerTrouble => maker.and_then(trouble),
            Fact::Namespace => {
                Some(quoted(&self.namespace).into_owned()).filter(|_| !self.namespace.is_empty())
            }
            Fact::Service => {
                let needed = self.needed.as_ref().filter(|it| it.is_listed)?;
                needed.service.as_ref().map(ToString::to_string)
            }
            Fact::UnlistedService => {
                let needed = self.needed.as_ref().filter(|it| !it.is_listed)?;
                let service = needed.service.as_ref()?;
                Some(format!("{service}.{}", needed.namespace))
            }
            Fact::ServicePods => self.needed.as_ref().map(Unready::told),
            Fact::FirstStep => self.needed.as_ref().map(|it| it.first_step().to_owned()),
            Fact::ServiceTrouble => self.needed.as_ref()?.trouble.clone(),
            Fact::Component => self.component.as_ref().map(BrokenComponent::path),
            Fact::ComponentTrouble => self.component.as_ref().map(|it| it.trouble.clone()),
            Fact::OnlyCordoned => known(&self.prospects.cordoned),
            Fact::Culprit => self.culprit.as_ref().map(|it| it.object.clone()),
            Fact::CulpritTrouble => self.culprit.as_ref().map(|it| it.trouble.clone()),
            Fact::CulpritCure => self.culprit.as_ref().and_then(|it| known(&it.cure)),
            Fact::Applier => self.applier.as_ref().map(|it| it.object.to_string()),
            Fact::ApplierRepair => self.applier.as_ref().and_then(|it| known(&it.repair)),
            Fact::ApplierPaused => self.applier.as_ref().and_then(|it| known(&it.paused)),
            Fact::NewClaim => self.new_claim.as_ref().map(|it| it.told.clone()),
            Fact::LackingFile => known(&self.files.lacking),
            Fact::HiddenBy => known(&self.files.hidden_by),
            Fact::Misconfigured => known(&self.files.misconfigured),
            Fact::ConfigFile => known(&self.files.configured),
            Fact::Setting => known(&self.settings.named),
            Fact::HeapOption => known(&self.settings.heap).filter(|_| !self.settings.is_refused),
            Fact::ReservedOption => known(&self.settings.heap).filter(|_| self.settings.is_refused),
            Fact::LostVariable => self.settings.lost.as_ref().map(|(name, _)| name.clone()),
            Fact::LackedVariables => known(&self.settings.lacked),
            Fact::LostIn => self.settings.lost.as_ref().map(|(_, it)| it.to_string()),
            Fact::Port => self.settings.port.as_ref().map(|(port, _)| port.clone()),
            Fact::PortUser => self.settings.port.as_ref().map(|(_, user)| user.clone()),
            fact => self.told.get(fact),
        }
    }
}

/// Reports whether a pod waits for a device, whose plugin offers it to the kubelet.
fn wants_device(recognized: Option<&Recognized>) -> bool {
    recognized.is_some_and(|found| found.entry.has(CauseTrait::WantsDevice))
}

/// Returns what owns or deploys the set, if its trouble names the object that is missing. An operator in trouble is also why
/// an object is missing whose name begins with that of the set: it makes both.
fn missing_in(applier: Option<&Applier>, facts: &Facts, plan: &Plan) -> Option<Witness> {
    let (_, name) = missing(facts)?;
    let of_operator = || {
        let rest = name.strip_prefix(&*plan.snapshot.set.meta.name);
        plan.operator().is_some() && rest.is_some_and(|it| it.is_empty() || it.starts_with('-'))
    };
    let is_why = |it: &&Applier| {
        let trouble = &it.trouble;
        names_in(trouble).any(|word| word == name) || (!trouble.is_empty() && of_operator())
    };
    let applier = applier.filter(is_why)?;
    let trouble = applier.trouble.strip_prefix("reports: ");
    Some(Witness {
        trouble: trouble.unwrap_or(&applier.trouble).to_owned(),
        ..applier.object.clone()
    })
}

/// Returns the kind and name of the object that is missing.
fn missing(facts: &Facts) -> Option<(Made, &str)> {
    let Some(Foreseen::MissingConfig { object, .. }) = &facts.foreseen else {
        return None;
    };
    let (kind, name) = object.split_once(' ')?;
    match kind {
        "Secret" => Some((Made::Secret, name)),
        _ => Some((Made::ConfigMap, name)),
    }
}

/// ConfigMaps that a component writes into every namespace, with the component.
const PUBLISHED: [(&str, &str); 3] = [
    (
        "kube-root-ca.crt",
        "kube-controller-manager (root-ca-certificate-publisher-controller)",
    ),
    (
        "openshift-service-ca.crt",
        "kube-controller-manager of OpenShift (service-ca-cert-publisher)",
    ),
    ("istio-ca-root-cert", "istiod"),
];

/// Returns the component that writes a ConfigMap of this name into every namespace.
fn publisher(name: &str) -> Option<&'static str> {
    let found = PUBLISHED.iter().find(|(published, _)| *published == name);
    found.map(|(_, component)| *component)
}

/// Returns the NodeClaim that Karpenter names for the pod, if it reports a failure.
fn new_node(plan: &Plan, reports: &[&str]) -> Option<Witness> {
    let name = reports.iter().find_map(|it| node_claim_in(it))?;
    // A NodeClaim has no namespace.
    let found = maker(&plan.related, "", Made::Node, name)?;
    Some(Witness::of(plan, found)).filter(|it| !it.trouble.is_empty())
}
