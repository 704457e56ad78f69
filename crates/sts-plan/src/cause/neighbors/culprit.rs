//! An object of any kind that the pod depends on, and that reports its own trouble.

use serde_json::Value;

use super::chain::{deepest, path};
use super::component::{BrokenComponent, drivers};
use super::{address_pool, egress, pending_request, raised_requests};
use crate::catalogue::{
    Blames, BystanderEntry, CauseTrait, Concern, Made, Recognized, Symptom, Trouble,
    bystander_kind, field, kind_order, made_by, trouble_of,
};
use crate::foresight::needs;
use crate::plan::Plan;
use sts_controller::object::{Bystander, Pod};

/// Kinds that make Secrets with certificates.
const CERTIFICATES: [&str; 2] = ["Certificate", "VaultPKISecret"];
/// Words of reports on certificates, in lower case.
const OF_CERTIFICATES: [&str; 6] = ["certificate", "x509", "tls", "ssl", "pkix", "keystore"];
/// The kind of a claim that another claim is a copy of.
const SOURCE: &str = "PersistentVolumeClaim";

/// An object in trouble that explains the failure of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Culprit {
    /// Kind, namespace and name: `Volume longhorn-system/pvc-1`.
    pub object: String,
    /// Its own report, and the pod that it lacks: `is faulted: all its replicas have failed`.
    pub trouble: String,
    /// The cure; empty if unknown.
    pub cure: String,
    /// True if it is the storage as a whole: the advice for the cause says more of the part that is needed.
    pub is_broad: bool,
}

/// The parts of a case that tell which objects can explain it.
#[derive(Clone, Copy)]
pub(super) struct Case<'c> {
    pub(super) plan: &'c Plan,
    pub(super) pod: &'c Pod,
    pub(super) symptom: Symptom,
    pub(super) recognized: Option<&'c Recognized>,
    pub(super) report: &'c str,
    /// The node at fault; empty if unknown.
    pub(super) node: &'c str,
}

impl Culprit {
    /// Finds the first object that concerns a pod in the way that its failure asks for, in the order of the catalogue.
    pub(super) fn of(case: Case<'_>) -> Option<Self> {
        let concerns = case.concerns();
        let first = concerns.first()?;
        let mut found: Vec<(_, &Bystander, Trouble)> = Vec::new();
        for object in case.plan.related.all_bystanders() {
            let entry = bystander_kind(&object.kind, &object.group);
            let ways: &[Concern] = match entry {
                Some(entry) => entry.concerns.as_slice(),
                // An object of an unknown kind with the name of the volume or of the selected nodes stands for them.
                None => &[Concern::Volume, Concern::Placement],
            };
            let mut ways = ways.iter().copied().filter(|it| concerns.contains(it));
            let Some(concern) = ways.find(|it| case.is_concerned(object, entry, *it)) else {
                continue;
            };
            if let Some(trouble) = case.trouble(object, concern) {
                let place = concerns.iter().position(|it| *it == concern);
                found.push(((place, kind_order(object)), object, trouble));
            }
        }
        found.sort_by_key(|(place, ..)| *place);
        let Some(((place, _), object, trouble)) = found.into_iter().next() else {
            return case.source_claim();
        };
        let concern = place.and_then(|it| concerns.get(it));
        let made = case.made(object);
        let entry = bystander_kind(&object.kind, &object.group);
        let (object, trouble) = deepest(case.plan, object, trouble);
        let broken = match first {
            Concern::Volume => BrokenComponent::of_storage(case.plan, case.pod, case.report),
            Concern::Devices => BrokenComponent::failing(case.plan, "devices"),
            _ => entry.and_then(|it| BrokenComponent::down(case.plan, &it.served_by)),
        };
        Some(Culprit {
            object: path(case.plan, object),
            trouble: match broken {
                Some(it) => format!(
                    "{}; {} does not run ({})",
                    trouble.says,
                    it.path(),
                    it.trouble
                ),
                None => trouble.says,
            },
            cure: match (concern, made) {
                _ if !trouble.cure.is_empty() => trouble.cure,
                (Some(Concern::Making), Some(made)) => format!("Repair that first: {made}"),
                (Some(Concern::Placement), _) => {
                    format!(
                        "Repair that first: nodes for {} come from it",
                        case.pod.meta.name
                    )
                }
                _ => String::new(),
            },
            is_broad: entry.is_some_and(|it| it.is_wide) && concern == Some(&Concern::Storage),
        })
    }
}

impl Case<'_> {
    /// Returns the trouble of an object that concerns the pod in a way.
    fn trouble(&self, object: &Bystander, concern: Concern) -> Option<Trouble> {
        let Case {
            plan,
            pod,
            report,
            node,
            ..
        } = *self;
        match concern {
            Concern::Egress => egress::trouble(plan, pod, object, report).filter(|_| {
                let is_open = self
                    .recognized
                    .is_some_and(|found| found.entry.blames == Blames::Unknown);
                !is_open || egress::is_recent(pod, object)
            }),
            Concern::Scaling => raised_requests::trouble(plan, pod, object),
            Concern::Registration => pending_request::trouble(plan, object, node),
            Concern::Addresses => {
                trouble_of(object).or_else(|| address_pool::trouble(plan, pod, object, report))
            }
            _ => trouble_of(object),
        }
    }

    /// Returns the ways in which an object can concern the pod, by its failure; the closest first.
    fn concerns(&self) -> &'static [Concern] {
        let has = |it: CauseTrait| self.recognized.is_some_and(|found| found.entry.has(it));
        let blames = |it: Blames| {
            self.recognized
                .is_some_and(|found| found.entry.blames == it)
        };
        match self.symptom {
            Symptom::VolumeNotAttached => {
                &[Concern::Volume, Concern::NodeStorage, Concern::Storage]
            }
            Symptom::ProvisioningFails | Symptom::ProvisionerSilent => {
                &[Concern::Source, Concern::Volume, Concern::Storage]
            }
            Symptom::Unschedulable if has(CauseTrait::WantsDevice) => &[Concern::Devices],
            Symptom::Unschedulable | Symptom::NoNode if has(CauseTrait::LacksRoom) => {
                &[Concern::Scaling, Concern::Placement]
            }
            Symptom::Unschedulable | Symptom::NoNode | Symptom::NoReadyNode => {
                let is_of_node = blames(Blames::Node) || blames(Blames::Cluster);
                match is_of_node {
                    true => &[Concern::Placement, Concern::Registration],
                    false => &[Concern::Placement],
                }
            }
            Symptom::NodeLost | Symptom::NodeNotReady => &[Concern::Registration],
            Symptom::CrashLoop | Symptom::CheckFails | Symptom::InitContainer
                if blames(Blames::Network) || blames(Blames::Dependency) =>
            {
                &[Concern::Egress]
            }
            Symptom::NotStarting if has(CauseTrait::LacksAddress) => {
                &[Concern::NodeAddresses, Concern::Addresses]
            }
            Symptom::CrashLoop
            | Symptom::CheckFails
            | Symptom::InitContainer
            | Symptom::NotReady
                if blames(Blames::Object) =>
            {
                &[Concern::Making]
            }
            // An init container that only waits says nothing of what it misses.
            Symptom::InitContainer if blames(Blames::Unknown) => &[Concern::Egress],
            Symptom::Refused if blames(Blames::Server) => &[Concern::Making],
            Symptom::ImagePull if blames(Blames::Registry) && self.is_of_certificate() => {
                &[Concern::Making]
            }
            _ => &[],
        }
    }

    /// Reports whether an object concerns the pod in a way.
    fn is_concerned(
        &self,
        object: &Bystander,
        entry: Option<&BystanderEntry>,
        concern: Concern,
    ) -> bool {
        let by = entry.map_or("", |entry| &*entry.by);
        let name = match by {
            "" => object.meta.name.to_string(),
            path => field(object, path).unwrap_or_default(),
        };
        match concern {
            Concern::Volume => self.has_volume(&name),
            Concern::NodeStorage => {
                self.is_on(entry) && self.pod.node().is_some_and(|node| *node == *name)
            }
            Concern::NodeAddresses => self.pod.node().is_some_and(|node| *node == *name),
            Concern::Making if matches!(self.symptom, Symptom::Refused | Symptom::ImagePull) => {
                self.serves_with(object)
            }
            Concern::Making => self.reads(object),
            Concern::Devices => self.lacks_device_of(entry),
            Concern::Storage => self.is_on(entry),
            Concern::Source => self.is_copy_of(object, &name),
            Concern::Placement => self.is_placed_by(&name),
            Concern::Addresses | Concern::Registration => true,
            Concern::Egress | Concern::Scaling => object.meta.namespace == self.pod.meta.namespace,
            Concern::Deployment => false,
        }
    }

    /// Reports whether a claim of the pod has a volume of this name, or one that the storage calls so.
    fn has_volume(&self, name: &str) -> bool {
        let claims = self.pod.claims();
        let mut claims = claims.filter_map(|it| self.plan.snapshot.claims.get(it));
        claims.any(|claim| {
            // A provisioner names a volume after its claim.
            let is_to_be = || {
                name.strip_prefix("pvc-")
                    .is_some_and(|uid| *uid == *claim.meta.uid)
            };
            claim.volume_name().map_or_else(is_to_be, |it| it == name)
                || self
                    .plan
                    .volume_of(claim)
                    .is_some_and(|it| *it.handle == *name)
        })
    }

    /// Reports whether the volumes of the pod are on the storage of a kind.
    fn is_on(&self, entry: Option<&BystanderEntry>) -> bool {
        let own = entry.map_or(&[][..], |entry| &entry.drivers);
        let drivers = drivers(self.plan, self.pod, self.report);
        let mut drivers = drivers.iter();
        drivers.any(|driver| own.iter().any(|end| driver.ends_with(&**end)))
    }

    /// Reports whether a claim of the pod is a copy of an object, or of the one of this name that it belongs to.
    fn is_copy_of(&self, object: &Bystander, name: &str) -> bool {
        let claims = self.pod.claims();
        let mut claims = claims.filter_map(|it| self.plan.snapshot.claims.get(it));
        claims.any(|claim| {
            let Some(given) = claim.given() else {
                return false;
            };
            let source = |member: &str| {
                let source = &given["spec"][member];
                source["kind"]
                    .as_str()
                    .is_some_and(|kind| object.kind.starts_with(kind))
                    && source["name"] == *name
            };
            source("dataSource") || source("dataSourceRef")
        })
    }

    /// Returns what an object makes, if that is why it concerns the pod: `Certificate web makes Secret tls, which web-1 reads`.
    fn made(&self, object: &Bystander) -> Option<String> {
        let pod = &self.pod.meta.name;
        let (made, name) = made_by(object)?;
        let path = path(self.plan, object);
        Some(match (self.symptom, made) {
            (Symptom::Refused, _) => format!("{path} makes the certificate of the webhook"),
            (Symptom::ImagePull, _) => format!("{path} makes the certificate of the registry"),
            (_, Made::ConfigMap) => format!("{path} makes ConfigMap {name}, which {pod} reads"),
            _ => format!("{path} makes Secret {name}, which {pod} reads"),
        })
    }

    /// Reports whether the pod reads what an object makes.
    fn reads(&self, object: &Bystander) -> bool {
        let Some((made, name)) = made_by(object) else {
            return false;
        };
        let kind = match made {
            Made::ConfigMap => "ConfigMap",
            _ => "Secret",
        };
        let is_here = object.meta.namespace == self.pod.meta.namespace;
        // A certificate explains no password, and the other way round.
        if self.is_of_certificate() != CERTIFICATES.contains(&&*object.kind) {
            return false;
        }
        let given = self.pod.given().filter(|_| is_here);
        given.is_some_and(|given| needs(&given["spec"], &format!("{kind} {name}")))
    }

    /// Reports whether the report is about a certificate.
    fn is_of_certificate(&self) -> bool {
        let report = self.report.to_ascii_lowercase();
        OF_CERTIFICATES.iter().any(|word| report.contains(word))
    }

    /// Reports whether an object is the certificate of the host that the report names.
    fn serves_with(&self, object: &Bystander) -> bool {
        let names = object.spec["dnsNames"].as_array();
        let mut names = names.into_iter().flatten().filter_map(Value::as_str);
        names.any(|name| self.says(name))
    }

    /// Reports whether the report has a name as a whole word.
    fn says(&self, name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        let mut words = self.report.split(|c| !is_part(c));
        words.any(|word| word == name)
    }

    /// Reports whether the nodes lack a device of a kind.
    fn lacks_device_of(&self, entry: Option<&BystanderEntry>) -> bool {
        let mut prefixes = entry.into_iter().flat_map(|entry| &entry.resources);
        prefixes.any(|it| self.report.contains(&format!("Insufficient {it}")))
    }

    /// Returns the claim that a claim of the pod is a copy of, if its own provisioning fails.
    fn source_claim(&self) -> Option<Culprit> {
        let claims = self.pod.claims();
        let mut claims = claims.filter_map(|it| self.plan.snapshot.claims.get(it));
        claims.find_map(|claim| {
            let given = claim.given()?;
            let source = &given["spec"]["dataSource"];
            let name = source["name"]
                .as_str()
                .filter(|_| source["kind"] == SOURCE)?;
            let events = self
                .plan
                .related
                .events(&claim.meta.namespace, SOURCE, name);
            let failed = events.iter().rfind(|event| event.is_warning)?;
            Some(Culprit {
                object: format!("{SOURCE} {name}"),
                trouble: format!("reports: {}", failed.message.trim_end_matches('.')),
                cure: "Repair it first: the new volume is a copy of it".to_owned(),
                is_broad: false,
            })
        })
    }

    /// Reports whether nodes for the pod come from an object of this name: the report or the pod's selector names it.
    fn is_placed_by(&self, name: &str) -> bool {
        let selects = self.pod.given().is_some_and(|given| {
            let selector = given["spec"]["nodeSelector"].as_object();
            let mut values = selector.into_iter().flat_map(|it| it.values());
            values.any(|value| *value == *name)
        });
        selects || self.says(name)
    }
}
