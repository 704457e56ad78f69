//! Claims of pods that get no volume, and the reasons.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::{Foreseen, Foresight, Input, MOST_PODS, PodTemplateView};
use crate::conditions::{Conditions, InputKind};
use crate::grant::{self, Grant};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::pod_name;
use sts_controller::object::{Claim, Event, PersistentVolume, Pod, RelatedObjects, Snapshot};

/// Number of failures after which a provisioner counts as failing again and again.
const AGAIN_AND_AGAIN: i64 = 3;
/// For how long a claim may be without a volume after its provisioner failed once.
const PATIENCE: SignedDuration = SignedDuration::from_mins(2);
/// Annotation that names the class of a claim, in addition to `spec.storageClassName`.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// The reason that a claim gets no volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimTrouble {
    /// Its StorageClass does not exist.
    ClassMissing {
        /// The class.
        class: String,
    },
    /// It names no StorageClass, and none is the default.
    NoDefaultClass,
    /// Nothing makes a volume for it, and none that is there is free and large enough.
    NoVolume {
        /// The class; empty where it wants none.
        class: String,
    },
    /// The provisioner fails.
    Provisioner {
        /// Its last message.
        message: String,
        /// Number of times that it said so.
        count: i64,
    },
    /// The volume that it was bound to does not exist any more.
    Lost {
        /// The volume.
        volume: String,
    },
}

/// Notes the pods whose claims get no volume.
pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    let namespace = &view.snapshot.set.meta.namespace;
    for template in view.snapshot.set.claim_templates.iter() {
        let grants = &view.conditions.grants;
        let (spec, metadata) = (&template.object["spec"], &template.object["metadata"]);
        let problem = of_class(view, spec, metadata, grants);
        // Volumes that are free go to the first that ask for them.
        let mut free = match &problem {
            Some(_) => free_volumes(view.related, &template.object["spec"], namespace, None),
            None => 0,
        };
        for name in view.in_order() {
            let claim: Arc<str> = Arc::from(format!("{}-{name}", template.name));
            let trouble = match view.snapshot.claims.get(&claim) {
                Some(there) if !there.meta.is_terminating() => {
                    of_claim(view.snapshot, view.conditions, there, grants)
                }
                _ if free > 0 => {
                    free -= 1;
                    None
                }
                _ => problem.clone(),
            };
            if let Some(trouble) = trouble {
                let claim = Arc::clone(&claim);
                foresight.note(name, pods.revision, || Foreseen::Claim { claim, trouble });
            }
        }
    }
}

/// Returns the reason that an existing pod waits for a volume; `None` if nothing tells.
pub(crate) fn claim_trouble(
    snapshot: &Snapshot,
    conditions: &Conditions,
    pod: &Pod,
) -> Option<Foreseen> {
    let unbound = snapshot.unbound_claims(pod).into_iter();
    let mut troubles = unbound.filter_map(|claim| {
        let trouble = of_claim(snapshot, conditions, claim, &conditions.grants)?;
        let claim = Arc::clone(&claim.meta.name);
        Some(Foreseen::Claim { claim, trouble })
    });
    troubles.next()
}

/// Returns the missing class that a pod waits for, where it is taken to exist and nothing else keeps the claim from a
/// volume: `StorageClass fast`.
pub(crate) fn granted_class(
    snapshot: &Snapshot,
    conditions: &Conditions,
    pod: &Pod,
) -> Option<String> {
    let unbound = snapshot.unbound_claims(pod).into_iter();
    let mut waiting = unbound.filter(|claim| of_claim(snapshot, conditions, claim, &[]).is_some());
    let claim = waiting.next()?;
    if claim_trouble(snapshot, conditions, pod).is_some() {
        return None;
    }
    let given = claim.given()?;
    let class = class_of(&given["spec"], &given["metadata"])?;
    Some(class_object(class))
}

/// Returns the templates of claims still to be made that get volumes because their class is taken to exist, each with the
/// class.
pub(crate) fn granted_templates(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Vec<(Arc<str>, String)> {
    let view = Input {
        snapshot,
        related: &conditions.related,
        conditions,
        wanted: Vec::new(),
    };
    let set = &snapshot.set;
    let is_missing = |template: &str| {
        let ordinals = conditions.behaviour.ordinals(set).take(MOST_PODS);
        let mut claims = ordinals.map(|ordinal| format!("{template}-{}", pod_name(set, ordinal)));
        claims.any(|claim| !snapshot.claims.contains_key(claim.as_str()))
    };
    let granted = set.claim_templates.iter().filter_map(|template| {
        let (spec, metadata) = (&template.object["spec"], &template.object["metadata"]);
        let of = |grants: &[Grant]| of_class(&view, spec, metadata, grants);
        let waits = of(&[]).is_some() && of(&conditions.grants).is_none();
        let class = class_of(spec, metadata).filter(|_| waits && is_missing(&template.name))?;
        Some((Arc::clone(&template.name), class_object(class)))
    });
    granted.collect()
}

/// The name of a class as grants have it.
fn class_object(class: &str) -> String {
    format!("StorageClass {class}")
}

/// Returns the class that a claim names.
fn class_of<'c>(spec: &'c Value, metadata: &'c Value) -> Option<&'c str> {
    let annotated = metadata["annotations"][CLASS_ANNOTATION].as_str();
    annotated.or(spec["storageClassName"].as_str())
}

/// Returns the reason that an existing claim gets no volume, with these grants; `None` if it has one, or nothing tells.
fn of_claim(
    snapshot: &Snapshot,
    conditions: &Conditions,
    claim: &Claim,
    grants: &[Grant],
) -> Option<ClaimTrouble> {
    let given = claim.given()?;
    let volume = given["spec"]["volumeName"].as_str().unwrap_or_default();
    match claim.phase().as_str() {
        "Pending" => {}
        "Lost" => {
            return Some(ClaimTrouble::Lost {
                volume: volume.to_owned(),
            });
        }
        _ => return None,
    }
    let related = &conditions.related;
    let view = Input {
        snapshot,
        related,
        conditions,
        wanted: Vec::new(),
    };
    if let Some(event) = provisioner_failure(conditions, claim, grants) {
        return Some(ClaimTrouble::Provisioner {
            message: event.message.to_string(),
            count: event.count,
        });
    }
    // One that names its volume waits for that.
    if !volume.is_empty() {
        return None;
    }
    let problem = of_class(&view, &given["spec"], &given["metadata"], grants)?;
    let namespace = &claim.meta.namespace;
    let free = free_volumes(related, &given["spec"], namespace, Some(&claim.meta.name));
    (free == 0).then_some(problem)
}

/// The last failure of the provisioner of a claim, where it failed again and again, or some time ago. That a class is
/// missing which is taken to exist is none.
fn provisioner_failure<'c>(
    conditions: &'c Conditions,
    claim: &Claim,
    grants: &[Grant],
) -> Option<&'c Arc<Event>> {
    let meta = &claim.meta;
    let is_granted = |event: &Event| {
        let named = event.message.split_once("storageclass.storage.k8s.io \"");
        let name = named.and_then(|(_, rest)| rest.split_once("\" not found"));
        name.is_some_and(|(name, _)| grant::exists(grants, &class_object(name)))
    };
    let events = conditions
        .related
        .events(&meta.namespace, "PersistentVolumeClaim", &meta.name);
    let of_this = || {
        let events = events.iter();
        events.filter(|event| event.uid.is_empty() || event.uid == meta.uid)
    };
    let failures = || {
        of_this().filter(|event| {
            event.is_warning && &*event.reason == "ProvisioningFailed" && !is_granted(event)
        })
    };
    let last = failures().max_by_key(|event| event.last)?;
    let done =
        |event: &Arc<Event>| &*event.reason == "ProvisioningSucceeded" && event.last >= last.last;
    if of_this().any(done) {
        return None;
    }
    let often: i64 = failures().map(|event| event.count).sum();
    let since = last.first.or(meta.created);
    let waited = since.map(|since| conditions.now.duration_since(since));
    (often >= AGAIN_AND_AGAIN || waited.is_some_and(|waited| waited > PATIENCE)).then_some(last)
}

/// Returns the reason that its class alone gives: nothing will make a volume for the claim.
fn of_class(
    view: &Input<'_>,
    spec: &Value,
    metadata: &Value,
    grants: &[Grant],
) -> Option<ClaimTrouble> {
    let related = view.related;
    let class = match class_of(spec, metadata) {
        Some("") => {
            return knows_volumes(view).then(|| ClaimTrouble::NoVolume {
                class: String::new(),
            });
        }
        Some(class) => class,
        None => {
            let lacks = related.has_storage_classes() && related.default_storage_class().is_none();
            return lacks.then_some(ClaimTrouble::NoDefaultClass);
        }
    };
    match related.storage_class(class) {
        Some(known) if known.is_static() && knows_volumes(view) => Some(ClaimTrouble::NoVolume {
            class: class.to_owned(),
        }),
        Some(_) => None,
        // One that is taken to exist makes volumes.
        None if grant::exists(grants, &class_object(class)) => None,
        // Volumes made by hand may name any class, and nothing tells whether there are some.
        None if !knows_volumes(view) && has_bound_sibling(view.snapshot, class) => None,
        None => related
            .has_storage_classes()
            .then(|| ClaimTrouble::ClassMissing {
                class: class.to_owned(),
            }),
    }
}

/// Reports whether the input tells which volumes there are.
fn knows_volumes(view: &Input<'_>) -> bool {
    view.related.volumes().next().is_some()
        && (view.conditions.input == InputKind::Complete || view.related.has_storage_classes())
}

/// Reports whether a claim of the class has got a volume, so that something makes them.
fn has_bound_sibling(snapshot: &Snapshot, class: &str) -> bool {
    let mut claims = snapshot.claims.values();
    claims.any(|claim| {
        claim.phase() == "Bound"
            && claim
                .given()
                .is_some_and(|given| given["spec"]["storageClassName"] == class)
    })
}

/// Returns the number of volumes that are free for a claim of this specification.
fn free_volumes(
    related: &RelatedObjects,
    spec: &Value,
    namespace: &str,
    claim: Option<&str>,
) -> usize {
    let class = spec["storageClassName"].as_str().unwrap_or_default();
    let asked = spec["resources"]["requests"]["storage"].as_str();
    let asked = asked.and_then(|asked| Quantity::parse(asked).ok());
    let is_free = |volume: &&Arc<PersistentVolume>| {
        let free = match (&volume.claim, claim) {
            (None, _) => true,
            (Some((of, name)), Some(claim)) => **of == *namespace && **name == *claim,
            // One that waits for a claim by name may wait for one that is still to come.
            (Some((of, _)), None) => **of == *namespace && !volume.is_bound,
        };
        let fits = Quantity::parse(&volume.capacity)
            .ok()
            .zip(asked.as_ref())
            .is_none_or(|(has, asked)| has >= *asked);
        free && fits && *volume.storage_class == *class
    };
    related.volumes().filter(is_free).count()
}
