//! STS032: the API server has refused what the plan counts on.

use std::collections::BTreeMap;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain::said;
use crate::plan::{Outcome, Plan};
use sts_controller::controller::{Resource, Verb, Write};
use sts_controller::object::Event;

pub(super) const RULE: Rule = Rule {
    id: RuleId::RefusedBefore,
    name: "refused-before",
    title: "the API server recently refused what the controller is about to request again",
    why: "Quotas, admission webhooks and policies refuse requests for reasons that no object of the set shows: the \
          controller retries, and its events on the set are the only trace. The simulation knows neither quotas nor \
          webhooks, so it assumes that the API server accepts.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Read the message. For a quota:\n  kubectl describe resourcequota -n NAMESPACE\nand raise it, or request \
             less in the template. For a webhook or a policy: comply, or fix it. The controller retries on its own, at \
             growing intervals of up to 1000 seconds; nothing has to be deleted.",
    links: &[
        "https://kubernetes.io/docs/concepts/policy/resource-quotas/",
        "https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return Vec::new();
    }
    let refusals = refusals(plan);
    if refusals.is_empty() {
        return Vec::new();
    }
    let writes = plan.next.writes.iter();
    let mut met = writes.filter_map(|write| {
        let (kind, reason) = event_of(write)?;
        let event = refusals.get(&(reason, kind.word, &*write.name))?;
        Some((kind.object, write, *event))
    });
    let Some((object, write, event)) = met.next() else {
        return Vec::new();
    };
    let more = match met.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!(
        "the plan assumes that {} can be {}d now, which was refused before: {}{more}",
        write.name,
        write.verb.name(),
        said(event, plan.conditions.now)
    );
    let object = format!("{object}/{}", write.name);
    vec![Found::new(Severity::Warning, object, message)]
}

/// The last refusal of each request that the events on the set tell of: by reason, kind and name.
fn refusals(plan: &Plan) -> BTreeMap<(&str, &str, &str), &Event> {
    let meta = &plan.snapshot.set.meta;
    let around = &plan.related;
    let events = around.events(&meta.namespace, "StatefulSet", &meta.name);
    let mut found: BTreeMap<(&str, &str, &str), &Event> = BTreeMap::new();
    let of_this = |event: &&Event| event.uid.is_empty() || event.uid == meta.uid;
    let events = events.iter().map(|event| &**event).filter(of_this);
    for event in events.filter(|event| event.is_warning) {
        // `create Pod web-2 in StatefulSet web failed error: ...`
        let mut words = event.message.split_whitespace().skip(1);
        if let (Some(kind), Some(name)) = (words.next(), words.next()) {
            let last = found.entry((&event.reason, kind, name)).or_insert(event);
            if event.last > last.last {
                *last = event;
            }
        }
    }
    found
}

/// A kind in the words of the controller's events, and in those of findings.
#[derive(Clone, Copy)]
struct Kind {
    word: &'static str,
    object: &'static str,
}

/// Under what a refusal of the write would be told: of what kind, and with which reason.
fn event_of(write: &Write) -> Option<(Kind, &'static str)> {
    if write.refused.is_some() {
        return None;
    }
    let kind = match write.resource {
        Resource::Pods => Kind {
            word: "Pod",
            object: "pod",
        },
        Resource::Claims => Kind {
            word: "Claim",
            object: "persistentvolumeclaim",
        },
        Resource::Revisions | Resource::Status => return None,
    };
    let reason = match write.verb {
        Verb::Create => "FailedCreate",
        Verb::Update => "FailedUpdate",
        Verb::Delete => "FailedDelete",
        Verb::Patch => return None,
    };
    Some((kind, reason))
}
