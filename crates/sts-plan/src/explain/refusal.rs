//! What the API server refuses, and the way round it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::command::quoted;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::apiserver::schema::nearest;
use sts_controller::apiserver::validation::{Refused, RefusedKind};
use sts_controller::object::{Claim, RelatedObjects, Snapshot, StorageClass};

/// One refusal in words: where, and what the server says.
#[must_use]
pub fn refusal(refused: &Refused) -> String {
    if refused.is_unchangeable() && refused.path != refused.field {
        // Which is all that the server's own words, in the headline, do not say.
        format!("{} may not be changed", refused.path)
    } else if refused.kind == RefusedKind::Denied {
        refused.message.clone()
    } else if let RefusedKind::Conflict { since: Some(since) } = refused.kind {
        format!("{}: {}, since {since}", refused.field, refused.message)
    } else {
        format!("{}: {}", refused.field, refused.message)
    }
}

/// What helps to mend a refused change: the value that was probably meant, and whether the class of the claims that
/// it would have grown lets them grow.
#[must_use]
pub fn refusal_facts(
    refused: &Refused,
    snapshot: &Snapshot,
    related: &RelatedObjects,
) -> Vec<String> {
    if matches!(refused.kind, RefusedKind::Conflict { .. }) {
        return vec![
            "leave the field out to leave it to that manager, give it the stored value to share it, or take it with --force-conflicts".to_owned(),
        ];
    }
    let meant = meant(refused).map(|value| format!("did you mean {value}?"));
    let Some(growth) = Growth::of(refused, snapshot) else {
        return meant.into_iter().collect();
    };
    let mut fixed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for claim in growth.claims {
        if let Some(class) = class_of(claim, related).filter(|class| !class.allows_expansion) {
            let of_class = fixed.entry(&*class.meta.name).or_default();
            of_class.push(&*claim.meta.name);
        }
    }
    let told = fixed.into_iter().map(|(class, claims)| {
        let keep = match claims.as_slice() {
            [claim] => format!("{claim} keeps its size"),
            [first, ..] => format!("{} claims keep their size, {first} first", claims.len()),
            [] => String::new(),
        };
        format!("StorageClass {class} does not let claims grow: {keep}")
    });
    told.collect()
}

/// The safe way round a refusal, as commands in order; none where the value itself has to be another one.
#[must_use]
pub fn way_round(refused: &Refused, snapshot: &Snapshot, related: &RelatedObjects) -> Vec<String> {
    if !refused.is_unchangeable() {
        return Vec::new();
    }
    let mut commands = Vec::new();
    if let Some(growth) = Growth::of(refused, snapshot) {
        // Claims that exist keep their size whatever the template says, so they are grown one by one.
        let may = |claim: &&Arc<Claim>| {
            claim.can_be_resized()
                && class_of(claim, related).is_none_or(|class| class.allows_expansion)
        };
        commands.extend(growth.claims.into_iter().filter(may).map(|claim| {
            format!(
                "kubectl patch pvc {}{} --type merge -p \
                 '{{\"spec\":{{\"resources\":{{\"requests\":{{\"storage\":\"{}\"}}}}}}}}'",
                quoted(&claim.meta.name),
                in_namespace(snapshot),
                growth.size
            )
        }));
    }
    commands.push(format!(
        "kubectl delete sts {}{} --cascade=orphan",
        quoted(&snapshot.set.meta.name),
        in_namespace(snapshot)
    ));
    commands.push("kubectl apply -f FILE".to_owned());
    commands
}

/// ` -n prod`, where there is a namespace.
fn in_namespace(snapshot: &Snapshot) -> String {
    match &*snapshot.set.meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    }
}

/// More storage that a claim template was to ask for.
struct Growth<'a> {
    /// The claims of that template that have less.
    claims: Vec<&'a Arc<Claim>>,
    /// What they would have to ask for.
    size: &'a str,
}

impl<'a> Growth<'a> {
    /// `None` where something else is refused. Storage never shrinks.
    fn of(refused: &'a Refused, snapshot: &'a Snapshot) -> Option<Self> {
        let place = refused.path.strip_prefix("spec.volumeClaimTemplates[")?;
        let (index, field) = place.split_once(']')?;
        if field != ".spec.resources.requests.storage" {
            return None;
        }
        let template = snapshot
            .set
            .claim_templates
            .get(index.parse::<usize>().ok()?)?;
        let size = refused.new.as_ref()?.as_str()?;
        let wanted = Quantity::parse(size).ok()?;
        let before = refused.old.as_ref()?.as_str()?;
        if wanted <= Quantity::parse(before).ok()? {
            return None;
        }
        let prefix = format!("{}-{}-", template.name, snapshot.set.meta.name);
        let of_template = |name: &str| {
            let ordinal = name.strip_prefix(prefix.as_str());
            ordinal
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit()))
        };
        let has_less = |claim: &Claim| {
            let has = storage_of(claim).and_then(|size| Quantity::parse(&size).ok());
            has.is_none_or(|has| has < wanted)
        };
        let claims = snapshot.claims.iter();
        let claims = claims.filter(|(name, claim)| of_template(name) && has_less(claim));
        Some(Growth {
            claims: claims.map(|(_, claim)| claim).collect(),
            size,
        })
    }
}

/// The storage that a claim asks for.
fn storage_of(claim: &Claim) -> Option<String> {
    let given = claim.given()?;
    let size = given["spec"]["resources"]["requests"]["storage"].as_str()?;
    Some(size.to_owned())
}

/// The class of a claim, where it is among what was read.
fn class_of<'s>(claim: &Claim, related: &'s RelatedObjects) -> Option<&'s Arc<StorageClass>> {
    let given = claim.given();
    let name = given
        .as_ref()
        .and_then(|given| given["spec"]["storageClassName"].as_str());
    match name {
        Some(name) => related.storage_class(name),
        None => related.default_storage_class(),
    }
}

/// Of the values that the server supports, the one that is spelled almost like the one that it refuses.
fn meant(refused: &Refused) -> Option<&str> {
    if let Some(words) = refused.message.strip_prefix("Unsupported value: ") {
        let (found, supported) = words.split_once(": supported values: ")?;
        let supported = supported.split(", ").map(|value| value.trim_matches('"'));
        return nearest(found.trim_matches('"'), supported);
    }
    // `Invalid value: "parallel": must be 'OrderedReady' or 'Parallel'`
    let words = refused.message.strip_prefix("Invalid value: \"")?;
    let (found, rule) = words.split_once("\": must be '")?;
    let rule = rule.split_once(" when ").map_or(rule, |(rule, _)| rule);
    nearest(found, rule.split('\'').step_by(2))
}
