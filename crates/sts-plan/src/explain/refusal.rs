//! Refusals by the API server, and the workaround.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::change_commands::grow_claim;
use crate::command::{apply, named, quoted};
use crate::grow::{CannotGrow, Condition, can_grow, claims_of, quantity};
use crate::plan::Plan;
use crate::redact;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::apiserver::schema::nearest;
use sts_controller::apiserver::validation::{FieldOwner, Refused, RefusedKind};
use sts_controller::object::{Claim, ClaimTemplate, RelatedObjects, Snapshot};

/// Describes a refusal: the field and the server's message.
#[must_use]
pub fn refusal(refused: &Refused) -> String {
    if is_unchangeable_within(refused) {
        format!("{} may not be changed", refused.path)
    } else if let Some(owner) = &refused.owner {
        owned(&refused.field, owner)
    } else if refused.kind == RefusedKind::Denied {
        redact::message(&refused.path, &refused.message).into_owned()
    } else {
        format!(
            "{}: {}",
            refused.field,
            redact::message(&refused.path, &refused.message)
        )
    }
}

/// Reports whether [`refusal`] adds the exact field or its owner to the server's message.
#[must_use]
pub fn refusal_has_detail(refused: &Refused) -> bool {
    is_unchangeable_within(refused) || refused.owner.is_some()
}

/// Reports whether the server refuses a field because of an immutable field within it.
fn is_unchangeable_within(refused: &Refused) -> bool {
    refused.is_unchangeable() && refused.path != refused.field
}

/// Describes the owner of a field: `.spec.replicas: owned by hpa (Update of scale) since TIME`.
fn owned(field: &str, owner: &FieldOwner) -> String {
    let through = match owner.subresource.as_str() {
        "" => String::new(),
        subresource => format!(" of {subresource}"),
    };
    let since = owner.since.as_ref();
    let since = since.map_or_else(String::new, |since| format!(" since {since}"));
    format!(
        "{field}: owned by {} ({}{through}){since}",
        owner.manager,
        owner.operation()
    )
}

/// Returns hints for a refused change: the value that was probably meant, and the claims that keep their size or their
/// StorageClass.
#[must_use]
pub fn refusal_facts(
    refused: &Refused,
    snapshot: &Snapshot,
    related: &RelatedObjects,
) -> Vec<String> {
    let mut facts: Vec<String> = suggested(refused)
        .map(|value| format!("did you mean {value}?"))
        .into_iter()
        .collect();
    let Some((template, field)) = claim_template_of(refused, snapshot) else {
        return facts;
    };
    if field == ".spec.storageClassName" {
        let claims: Vec<&Arc<Claim>> = claims_of(template, &snapshot.set, snapshot).collect();
        let keep = match claims.as_slice() {
            [] => return facts,
            [claim] => format!("{} keeps its StorageClass", claim.meta.name),
            [first, ..] => format!(
                "{} claims ({} first) keep their StorageClass",
                claims.len(),
                first.meta.name
            ),
        };
        facts.push(format!("{keep}: only new claims get the new one"));
        return facts;
    }
    let Some(growth) = Growth::of(refused, snapshot) else {
        return facts;
    };
    let mut reasons: BTreeMap<CannotGrow, Vec<&Arc<Claim>>> = BTreeMap::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for claim in growth.claims {
        match can_grow(claim, related) {
            Ok(Condition::Met) => {}
            Ok(Condition::Unknown(class)) => drop(unknown.insert(class)),
            Err(reason) => reasons.entry(reason).or_default().push(claim),
        }
    }
    facts.extend(reasons.into_iter().filter_map(|(reason, claims)| {
        let keep = match claims.as_slice() {
            [] => return None,
            [claim] => format!("{} keeps its size", claim.meta.name),
            [first, ..] => format!(
                "{} claims ({} first) keep their size",
                claims.len(),
                first.meta.name
            ),
        };
        Some(match reason {
            CannotGrow::Unbound => format!("only bound claims can grow: {keep}"),
            CannotGrow::NoClass => format!("claims without a StorageClass cannot grow: {keep}"),
            CannotGrow::Class(class) => {
                format!("StorageClass {class} does not allow volume expansion: {keep}")
            }
        })
    }));
    facts.extend(unknown.into_iter().map(|class| {
        format!("the claims grow only if StorageClass {class}, which is not in the input, has allowVolumeExpansion: true")
    }));
    facts
}

/// Returns the commands of the safe workaround for refusals; empty if a value itself is invalid.
#[must_use]
pub fn workaround_commands(refused: &[Refused], plan: &Plan) -> Vec<String> {
    let snapshot = plan.predicted().objects();
    if !refused.iter().any(Refused::is_unchangeable) {
        return Vec::new();
    }
    // Existing claims keep their size whatever the template says, so they grow first, one by one.
    let growths = refused
        .iter()
        .filter_map(|refused| Growth::of(refused, snapshot));
    let mut commands: Vec<String> = growths
        .flat_map(|growth| {
            let claims = growth.claims.into_iter();
            let grows = claims.filter(|claim| can_grow(claim, &plan.related).is_ok());
            grows.map(move |claim| grow_claim(snapshot, &claim.meta.name, growth.size))
        })
        .collect();
    commands.push(format!(
        "kubectl delete sts {}{} --cascade=orphan",
        named(&snapshot.set.meta.name),
        in_namespace(snapshot)
    ));
    commands.push(format!("kubectl {}", apply(&plan.conditions)));
    commands
}

/// Returns ` -n prod`, or nothing without a namespace.
fn in_namespace(snapshot: &Snapshot) -> String {
    match &*snapshot.set.meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    }
}

/// A larger storage request in a claim template.
struct Growth<'a> {
    /// The smaller claims of the template.
    claims: Vec<&'a Arc<Claim>>,
    /// The new size.
    size: &'a str,
}

impl<'a> Growth<'a> {
    /// Returns the growth that is refused; `None` for any other refusal. Storage never shrinks.
    fn of(refused: &'a Refused, snapshot: &'a Snapshot) -> Option<Self> {
        let (template, field) = claim_template_of(refused, snapshot)?;
        if field != ".spec.resources.requests.storage" {
            return None;
        }
        let size = refused.new.as_ref()?.as_str()?;
        let wanted = Quantity::parse(size).ok()?;
        let before = refused.old.as_ref()?.as_str()?;
        if wanted <= Quantity::parse(before).ok()? {
            return None;
        }
        let has_less = |claim: &&Arc<Claim>| {
            let has = quantity(claim.storage.as_deref());
            has.is_none_or(|has| has < wanted)
        };
        Some(Growth {
            claims: claims_of(template, &snapshot.set, snapshot)
                .filter(has_less)
                .collect(),
            size,
        })
    }
}

/// Returns the claim template of a refusal, with the path of the field in it.
fn claim_template_of<'a>(
    refused: &'a Refused,
    snapshot: &'a Snapshot,
) -> Option<(&'a ClaimTemplate, &'a str)> {
    let place = refused.path.strip_prefix("spec.volumeClaimTemplates[")?;
    let (index, field) = place.split_once(']')?;
    let index: usize = index.parse().ok()?;
    Some((snapshot.set.claim_templates.get(index)?, field))
}

/// Returns the supported value that is most similar to the refused one.
fn suggested(refused: &Refused) -> Option<&str> {
    if let Some(text) = refused.message.strip_prefix("Unsupported value: ") {
        let (found, supported) = text.split_once(": supported values: ")?;
        let supported = supported.split(", ").map(|value| value.trim_matches('"'));
        return nearest(found.trim_matches('"'), supported);
    }
    // `Invalid value: "parallel": must be 'OrderedReady' or 'Parallel'`
    let text = refused.message.strip_prefix("Invalid value: \"")?;
    let (found, rule) = text.split_once("\": must be '")?;
    let rule = rule.split_once(" when ").map_or(rule, |(rule, _)| rule);
    nearest(found, rule.split('\'').step_by(2))
}
