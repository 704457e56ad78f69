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
mod twin;
mod witness;

use std::sync::Arc;

use self::claims::{names_holder, other_claim_users, pinned_claim};
use self::culprit::Case;
use self::job::unfinished_job;
use self::pod_trouble::trouble;
use super::{Fact, Facts, Rank, Recognized, Symptom};
use crate::catalogue::{CauseTrait, Made, OtherNodes, maker, node_claim_in};
use crate::command::{named, quoted};
use crate::foresight::Foreseen;
use crate::observed::claim_users;
use crate::plan::Plan;
use crate::words::{list, names_in};
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::object::Pod;

pub use answer::ProbeAnswer;
pub use applier::Applier;
pub(crate) use applier::{owner_report, pending_upgrade};
pub use claims::NewClaim;
pub use component::BrokenComponent;
pub use culprit::Culprit;
pub use full_claim::FullClaim;
pub(super) use groups::other_nodes;
pub use key::LackingKey;
pub use missing_service::MissingService;
pub use needed::Unready;
pub use platform::RunningNode;
pub use setting::Settings;
pub use stuck_claim::StuckClaim;
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
    /// The Job of a new set that has not completed.
    pub job: Option<Witness>,
    /// The claim that is pinned to a node that does not exist, and that node.
    pub pinned: Option<(Arc<str>, Arc<str>)>,
    /// The pods on nodes that use the claim that is being deleted, or a claim whose data is locked.
    pub claim_users: Vec<Arc<str>>,
    /// The report on the objects and finalizers that keep the namespace, which is being deleted; empty if none.
    pub remaining: String,
    /// The Service and pods that the process needs, if they are not ready.
    pub needed: Option<Unready>,
    /// The Service that has an address in the message.
    service_at: Option<String>,
    /// The Service that the process calls, and that its namespace does not have.
    pub missing: Option<MissingService>,
    /// The claim of a full volume.
    pub full: Option<FullClaim>,
    /// The claim of a full volume whose resize fails.
    pub stuck: Option<StuckClaim>,
    /// The component of the cluster that has to work again.
    pub component: Option<BrokenComponent>,
    /// The node of another architecture that runs the image.
    pub running: Option<RunningNode>,
    /// The settings of the template that the message of a process is about.
    pub settings: Settings,
    /// The files that volumes give to the container, and that its message is about.
    pub files: files::Files,
    /// The claim that is much newer than those of the other pods, with their ages.
    pub new_claim: Option<NewClaim>,
    /// The nodes that are out for another reason than the cause, by the scheduler's message.
    pub other_nodes: OtherNodes,
    /// The constraints of the pod that no node can satisfy.
    unmet: placement::Unmet,
    /// The next pod, which is created only once this one is ready, if this one waits for it.
    uncreated: Option<String>,
    /// The Kueue Workload of the pod.
    queued: Option<Witness>,
    /// The nodes, pods and volumes around the pod.
    around: surroundings::Surroundings,
    /// The other nodes for a pod that its node rejects.
    elsewhere: String,
    /// The object that the pod depends on, and that reports its own trouble.
    pub culprit: Option<Culprit>,
    /// The object that owns or deploys the set, if it is paused or fails.
    pub applier: Option<Applier>,
    /// The Secret or ConfigMap that was written between the start of the ready pods and that of this one, and when.
    pub rewritten: Option<rewritten::Rewritten>,
    /// The policy, namespace or pull secret that was written before the failure.
    pub recent: Option<String>,
    /// The Service whose port leads to no container of the pod.
    pub unheard_service: Option<String>,
    /// The volume of an earlier claim of the name of one without a volume.
    earlier_volume: String,
    /// The nodes that lack only one thing to take the pod.
    pub prospects: prospects::Prospects,
    /// The answer of the process to its probe.
    pub answer: Option<ProbeAnswer>,
    /// The port of a probe that no container of the pod declares.
    pub unheard_probe: Option<String>,
    /// The path that the load balancer asks, if the readiness probe asks another one.
    health_check: Option<String>,
    /// The program of a probe's command that the image does not have.
    probe_program: Option<String>,
    /// The pods of others that use most of the quota.
    quota_users: Vec<String>,
    /// The container that a webhook adds and a refusal names, and what sets its resources.
    injected: Option<(String, &'static str)>,
    /// The container that sets a kernel parameter and is refused.
    kernel_setting: Option<String>,
    /// The fields of the pod that the constraints of OpenShift do not allow.
    constraints: constraints::Constraints,
    /// The pull secret whose token has expired.
    stale_token: Option<String>,
    /// The object of the name of the missing one in another namespace.
    twin: Option<String>,
    /// The pull secret whose credentials the registry refuses.
    refused_secret: Option<String>,
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
        let is_open = recognized.is_none_or(|found| found.entry.rank == Rank::Generic);
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
            job: match symptom {
                Symptom::NotReady | Symptom::CheckFails if is_open => unfinished_job(plan),
                _ => None,
            },
            pinned: match symptom {
                Symptom::ProvisioningFails
                | Symptom::ProvisionerSilent
                | Symptom::Unschedulable => pinned_claim(plan, pod),
                _ => None,
            },
            claim_users: match (symptom, facts.claims.first()) {
                (Symptom::ClaimDeleted, Some(claim)) => {
                    claim_users(plan.observed().objects(), &plan.related, claim)
                }
                (Symptom::CrashLoop, _) if recognized.is_some_and(names_holder) => {
                    other_claim_users(plan, pod)
                }
                _ => Vec::new(),
            },
            remaining: match recognized {
                Some(found) if found.entry.has(CauseTrait::NamespaceGoes) => {
                    namespace::remaining(&plan.related, &pod.meta.namespace)
                }
                _ => String::new(),
            },
            needed: needed::unready(plan, pod, symptom, recognized, &reports),
            service_at: needed::service_at(&plan.related, &reports),
            full: FullClaim::of(plan, pod, failure, recognized),
            missing: match (symptom, facts.containers.first()) {
                (Symptom::InitContainer, Some(waiting)) => {
                    MissingService::waited_for(plan, pod, waiting)
                }
                _ => recognized.and_then(|found| MissingService::of(plan, pod, found)),
            },
            stuck: StuckClaim::of(plan, pod, recognized),
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
            unheard_service: port::of_service(plan, pod, symptom),
            health_check: health_check::of_load_balancer(plan, pod, symptom, recognized),
            earlier_volume: match symptom {
                Symptom::VolumeMissing => claims::earlier_volume(plan, pod).unwrap_or_default(),
                _ => String::new(),
            },
            prospects: prospects::Prospects::of(plan, pod, symptom, recognized),
            answer: match symptom {
                Symptom::NotReady | Symptom::CheckFails => {
                    ProbeAnswer::of(pod, recognized, facts.container())
                }
                _ => None,
            },
            quota_users: match symptom {
                Symptom::Quota => quota_users::quota_users(plan, &facts.quota, &facts.amounts),
                _ => Vec::new(),
            },
            kernel_setting: match symptom {
                Symptom::Refused => {
                    kernel_setting::of_refused(&plan.snapshot.set.template, &facts.message)
                }
                _ => None,
            },
            injected: match symptom {
                Symptom::Refused => injected::injected(&plan.snapshot.set.template, &facts.message),
                _ => None,
            },
            constraints: match symptom {
                Symptom::Refused => {
                    let set = &plan.snapshot.set;
                    let namespace = &set.meta.namespace;
                    constraints::constraints(&set.template, namespace, &facts.message)
                        .unwrap_or_default()
                }
                _ => constraints::Constraints::default(),
            },
            twin: twin::twin(plan, facts, recognized),
            publisher: missing(facts).and_then(|(_, name)| publisher(name)),
            refused_secret: registry_token::refused_secret(plan, pod, symptom, recognized),
            stale_token: registry_token::stale_token(plan, pod, symptom, recognized),
            probe_program: match symptom {
                Symptom::CheckFails => reports.iter().find_map(|it| answer::missing_program(it)),
                _ => None,
            },
            unheard_probe: port::of_probe(pod, symptom, recognized, facts.container()),
            other_nodes: match recognized {
                Some(found) if symptom == Symptom::Unschedulable => {
                    other_nodes(plan, pod, &facts.message, found.entry)
                }
                _ => OtherNodes::default(),
            },
            unmet: match symptom {
                Symptom::Unschedulable => placement::Unmet::of(plan, pod, &facts.message),
                _ => placement::Unmet::default(),
            },
            queued: match symptom {
                Symptom::Unschedulable => placement::queued(plan, pod),
                _ => None,
            },
            uncreated: uncreated(plan, pod, recognized),
            running: failure.and_then(|it| RunningNode::of(plan, pod, recognized, &it.image)),
            around: surroundings::Surroundings::of(plan, pod, symptom, facts, recognized),
            elsewhere: match recognized {
                Some(found) if found.entry.has(CauseTrait::RejectedThere) => {
                    elsewhere::elsewhere(plan, pod).unwrap_or_default()
                }
                _ => String::new(),
            },
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
        let (maker, job) = (self.maker.as_ref(), self.job.as_ref());
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
            Fact::ProbeProgram => self.probe_program.clone(),
            Fact::QuotaUsers => known(&list(&self.quota_users, MOST)),
            Fact::KernelSetting => self.kernel_setting.clone(),
            Fact::Injected => self.injected.as_ref().map(|(name, _)| name.clone()),
            Fact::InjectedBy => self.injected.as_ref().map(|(_, by)| (*by).to_owned()),
            Fact::Unfit => known(&self.constraints.unfit),
            Fact::Grant => known(&self.constraints.grant),
            Fact::StaleToken => self.stale_token.clone(),
            Fact::Twin => self.twin.clone(),
            Fact::RefusedSecret => self.refused_secret.clone(),
            Fact::Publisher => self.publisher.map(str::to_owned),
            Fact::Maker => maker.map(ToString::to_string),
            Fact::MakerKind => maker.map(|it| it.kind.to_ascii_lowercase()),
            Fact::MakerName => maker.map(|it| it.name.to_string()),
            Fact::MakerNamespace => known(maker.map_or("", |it| &it.namespace)),
            Fact::MakerTrouble => maker.and_then(trouble),
            Fact::Job => job.map(ToString::to_string),
            Fact::JobName => job.map(|it| it.name.to_string()),
            Fact::JobTrouble => job.and_then(trouble),
            Fact::PinnedClaim => self.pinned.as_ref().map(|(claim, _)| claim.to_string()),
            Fact::PinnedTo => self.pinned.as_ref().map(|(_, node)| node.to_string()),
            Fact::ClaimUsers => {
                (!self.claim_users.is_empty()).then(|| list(&self.claim_users, MOST))
            }
            Fact::ClaimPods => {
                let names = self.claim_users.iter().map(|name| named(name));
                let names: Vec<&str> = names.collect();
                (!names.is_empty()).then(|| names.join(" "))
            }
            Fact::Namespace => {
                Some(quoted(&self.namespace).into_owned()).filter(|_| !self.namespace.is_empty())
            }
            Fact::Remaining => known(&self.remaining),
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
            Fact::MissingService => self.missing.as_ref().map(ToString::to_string),
            Fact::GoverningService => {
                let missing = self.missing.as_ref().filter(|it| it.is_governing)?;
                Some(missing.name.clone())
            }
            Fact::OtherServices => self.missing.as_ref().map(|it| list(&it.others, MOST)),
            Fact::FullClaim => self.full.as_ref().map(|it| it.claim.clone()),
            Fact::Growth => self.full.as_ref().map(|it| it.growth.clone()),
            Fact::StuckClaim => self.stuck.as_ref().map(|it| it.claim.to_string()),
            Fact::ResizeTrouble => self.stuck.as_ref().and_then(|it| known(&it.trouble)),
            Fact::Component => self.component.as_ref().map(BrokenComponent::path),
            Fact::ComponentTrouble => self.component.as_ref().map(|it| it.trouble.clone()),
            Fact::Constraints => known(&self.other_nodes.constraints),
            Fact::Away => known(&list(&self.other_nodes.away, MOST)),
            Fact::Cure => known(&self.other_nodes.cure),
            Fact::Left => known(&self.other_nodes.left),
            Fact::EarlierVolume => known(&self.earlier_volume),
            Fact::OnlyCordoned => known(&self.prospects.cordoned),
            Fact::Drained => known(&self.other_nodes.drained),
            Fact::Unlabeled => known(&self.unmet.labels),
            Fact::NearToleration => known(&self.unmet.toleration),
            Fact::Domains => known(&self.unmet.domains),
            Fact::Culprit => self.culprit.as_ref().map(|it| it.object.clone()),
            Fact::CulpritTrouble => self.culprit.as_ref().map(|it| it.trouble.clone()),
            Fact::CulpritCure => self.culprit.as_ref().and_then(|it| known(&it.cure)),
            Fact::Applier => self.applier.as_ref().map(|it| it.object.to_string()),
            Fact::ApplierRepair => self.applier.as_ref().and_then(|it| known(&it.repair)),
            Fact::ApplierPaused => self.applier.as_ref().and_then(|it| known(&it.paused)),
            Fact::NewClaim => self.new_claim.as_ref().map(|it| it.told.clone()),
            Fact::ServiceAt => self.service_at.clone(),
            Fact::LackingFile => known(&self.files.lacking),
            Fact::HiddenBy => known(&self.files.hidden_by),
            Fact::Misconfigured => known(&self.files.misconfigured),
            Fact::ConfigFile => known(&self.files.configured),
            Fact::UnheardService => self.unheard_service.clone(),
            Fact::HealthCheck => self.health_check.clone(),
            Fact::UnheardProbe => self.unheard_probe.clone(),
            Fact::Queued => self.queued.as_ref().and_then(trouble),
            Fact::Uncreated => self.uncreated.clone(),
            Fact::RunningNode => (self.running.as_ref()?.node.as_ref()).map(ToString::to_string),
            Fact::Setting => known(&self.settings.named),
            Fact::HeapOption => known(&self.settings.heap).filter(|_| !self.settings.is_refused),
            Fact::ReservedOption => known(&self.settings.heap).filter(|_| self.settings.is_refused),
            Fact::LostVariable => self.settings.lost.as_ref().map(|(name, _)| name.clone()),
            Fact::LackedVariables => known(&self.settings.lacked),
            Fact::LostIn => self.settings.lost.as_ref().map(|(_, it)| it.to_string()),
            Fact::Port => self.settings.port.as_ref().map(|(port, _)| port.clone()),
            Fact::PortUser => self.settings.port.as_ref().map(|(_, user)| user.clone()),
            Fact::Architecture => self.running.as_ref().map(|it| it.architecture.to_string()),
            Fact::Elsewhere => known(&self.elsewhere),
            Fact::TooLarge => known(&self.other_nodes.too_large),
            Fact::Unspread => known(&self.unmet.unspread),
            Fact::Near => known(&self.unmet.near),
            fact => self.around.fact(fact),
        }
    }
}

/// Returns the next pod of a set that does not exist, if the only pod of the set waits for other members: the controller
/// creates it only once this one is ready.
fn uncreated(plan: &Plan, pod: &Pod, recognized: Option<&Recognized>) -> Option<String> {
    recognized.filter(|found| found.entry.has(CauseTrait::NeedsMembers))?;
    let set = &plan.snapshot.set;
    let is_alone = plan
        .observed()
        .owned()
        .all(|it| it.meta.name == pod.meta.name);
    let ordinals = plan.conditions.behaviour.ordinals(set);
    let next = ordinal_of(&pod.meta.name) + 1;
    (set.is_monotonic() && is_alone && ordinals.contains(&next)).then(|| pod_name(set, next))
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
