//! STS032: the API server recently refused a request that the plan needs.

use std::collections::BTreeMap;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::catalogue::events_of_set;
use crate::explain::event_line;
use crate::plan::{Outcome, Plan};
use sts_controller::controller::{Resource, Verb, Write};
use sts_controller::object::Event;

pub(super) const RULE: Rule = Rule {
    id: RuleId::RecentlyRefused,
    name: "recently-refused",
    title: "the API server recently refused a request that the controller is about to repeat",
    why: "Quotas, admission webhooks and policies refuse requests for reasons that no object of the set shows. The \
          controller retries, and its events on the set are the only trace. The simulation has no webhooks and only the quotas \
          of the input, so it assumes that the API server accepts the request.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Read the message. For a quota:\n  kubectl describe resourcequota -n NAMESPACE\nand raise it, or request less in \
             the template. For a webhook or a policy: comply with it, or fix it. The controller retries automatically, at \
             increasing intervals of up to 1000 seconds; do not delete anything.",
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
        "the plan assumes that {} can be {}d now, which was recently refused: {}{more}",
        write.name,
        write.verb.name(),
        event_line(event, plan.conditions.now)
    );
    let object = format!("{object}/{}", write.name);
    vec![Found::new(Severity::Warning, object, message)]
}

/// Returns the last refusal of each request in the events of the set, by reason, kind and name.
fn refusals(plan: &Plan) -> BTreeMap<(&str, &str, &str), &Event> {
    let events = events_of_set(&plan.snapshot.set, &plan.related);
    let mut found: BTreeMap<(&str, &str, &str), &Event> = BTreeMap::new();
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

/// A kind as events and as findings spell it.
#[derive(Clone, Copy)]
struct Kind {
    word: &'static str,
    object: &'static str,
}

/// Returns the kind and the reason of the event for a refusal of this write.
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
