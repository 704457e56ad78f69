//! Steps in words, for the formats and for `verify`.

use super::step::{ReportStep, ReportWrite, StepEvent};
use crate::answer::short_revision;
use crate::words::list;
use sts_controller::controller::{Resource, Verb};
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent};

/// Maximum number of names in a clause.
const NAMES: usize = 4;

impl ReportStep {
    /// Describes the step beside its actor: `create web-2, web-3 on 5bd58868ff`, `web-2 becomes ready`. `set` is the name
    /// of the set.
    #[must_use]
    pub fn words(&self, set: &str) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        match self.event {
            Some(event) => event.words(self.actor, name),
            None => writes_words(self.writes.iter().flatten(), set),
        }
    }
}

impl StepEvent {
    /// Describes the event on this object beside its actor: `delete web-1` of the user, `web-1 is gone` of others.
    fn words(self, actor: Actor, name: &str) -> String {
        self.user_action(actor, name)
            .unwrap_or_else(|| self.effect(actor, name))
    }

    /// Describes the event on this object in a sentence: `you delete web-1`, `web-1 is gone`.
    pub(crate) fn sentence(self, actor: Actor, name: &str) -> String {
        let action = self.user_action(actor, name);
        action.map_or_else(|| self.effect(actor, name), |it| format!("you {it}"))
    }

    /// Describes the user's request that is the event.
    fn user_action(self, actor: Actor, name: &str) -> Option<String> {
        match self {
            StepEvent::Object(event) if actor == Actor::User => match event {
                ObjectEvent::SetDeleted => Some("delete the StatefulSet".to_owned()),
                ObjectEvent::SetCreated => Some("recreate the StatefulSet".to_owned()),
                ObjectEvent::PodDeleted => Some(format!("delete {name}")),
                ObjectEvent::ClaimDeleted => Some(format!("delete claim {name}")),
                ObjectEvent::ClaimResizing => {
                    Some(format!("request more storage for claim {name}"))
                }
                ObjectEvent::SetRemoved
                | ObjectEvent::PodNotReady
                | ObjectEvent::PodOrphaned
                | ObjectEvent::ClaimOrphaned
                | ObjectEvent::ClaimResized
                | ObjectEvent::RevisionRemoved
                | ObjectEvent::RevisionOrphaned => None,
            },
            StepEvent::Object(_) | StepEvent::Pod(_) | StepEvent::ClaimRemoved => None,
        }
    }

    fn effect(self, actor: Actor, name: &str) -> String {
        match self {
            StepEvent::Pod(event) => match event {
                PodEvent::Removed => format!("{name} is gone"),
                PodEvent::Ready => format!("{name} becomes ready"),
                PodEvent::Failed => format!("{name} fails"),
                PodEvent::Available => format!("{name} becomes available"),
            },
            StepEvent::ClaimRemoved => format!("claim {name} is gone with its data"),
            StepEvent::Object(event) => match event {
                ObjectEvent::SetDeleted => "the StatefulSet is deleted".to_owned(),
                ObjectEvent::SetRemoved => "the StatefulSet is gone".to_owned(),
                ObjectEvent::SetCreated => "the StatefulSet is recreated".to_owned(),
                ObjectEvent::PodDeleted if actor == Actor::Eviction => format!("{name} is evicted"),
                ObjectEvent::PodDeleted => format!("{name} is deleted"),
                ObjectEvent::PodNotReady => format!("{name} becomes not ready (node unreachable)"),
                ObjectEvent::PodOrphaned => format!("{name} is orphaned"),
                ObjectEvent::ClaimDeleted => format!("claim {name} is deleted"),
                ObjectEvent::ClaimOrphaned => format!("claim {name} is orphaned"),
                ObjectEvent::ClaimResizing => format!("claim {name} requests more storage"),
                ObjectEvent::ClaimResized => format!("claim {name} is resized"),
                ObjectEvent::RevisionRemoved => format!("revision {name} is gone"),
                ObjectEvent::RevisionOrphaned => format!("revision {name} is orphaned"),
            },
        }
    }
}

/// Writes in one clause: what is done to the objects, their names, and what applies to all of them.
#[derive(PartialEq, Eq)]
struct Clause {
    /// `create claim`.
    request: String,
    /// ` on 5bd58868ff (refused: Invalid)`.
    detail: String,
}

/// Describes the writes of a sync: writes with the same verb, resource and revision share a clause.
pub(crate) fn writes_words<'w>(
    writes: impl IntoIterator<Item = &'w ReportWrite>,
    set: &str,
) -> String {
    let mut clauses: Vec<(Clause, Vec<&str>)> = Vec::new();
    for write in writes {
        let clause = clause(write, set);
        let name = Some(&*write.name).filter(|_| write.resource != Resource::Status);
        match clauses.iter_mut().find(|(known, _)| *known == clause) {
            Some((_, names)) => names.extend(name),
            None => clauses.push((clause, Vec::from_iter(name))),
        }
    }
    let texts = clauses.into_iter().map(|(clause, names)| {
        let Clause { request, detail } = clause;
        match names.as_slice() {
            [] => format!("{request}{detail}"),
            names => format!("{request} {}{detail}", list(names, NAMES)),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn clause(write: &ReportWrite, set: &str) -> Clause {
    let revision = write.revision.as_deref().unwrap_or_default();
    let mut detail = String::new();
    let request = match (write.resource, write.verb) {
        (Resource::Status, _) => "update status".to_owned(),
        (Resource::Pods, Verb::Create) => {
            if !revision.is_empty() {
                detail = format!(" on {}", short_revision(revision, set));
            }
            "create".to_owned()
        }
        (Resource::Pods, Verb::Delete) => "delete".to_owned(),
        (Resource::Pods, Verb::Update) => "update".to_owned(),
        (Resource::Pods, Verb::Patch) => "adopt or release".to_owned(),
        (Resource::Claims, verb) => format!("{verb} claim"),
        (Resource::Revisions, Verb::Create) => "create revision".to_owned(),
        (Resource::Revisions, Verb::Delete) => "delete revision".to_owned(),
        (Resource::Revisions, Verb::Update | Verb::Patch) => "reuse revision".to_owned(),
    };
    if let Some(error) = write.error {
        detail += &format!(" (refused: {error})");
    }
    Clause { request, detail }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn write(verb: Verb, resource: Resource, name: &str, revision: Option<&str>) -> ReportWrite {
        ReportWrite {
            verb,
            resource,
            name: Arc::from(name),
            revision: revision.map(Arc::from),
            error: None,
            reason: None,
        }
    }

    #[test]
    fn like_writes_share_a_clause() {
        let create = |name: &str, revision| write(Verb::Create, Resource::Pods, name, revision);
        let writes = [
            write(Verb::Create, Resource::Claims, "data-web-0", None),
            create("web-0", Some("web-5bd")),
            write(Verb::Create, Resource::Claims, "data-web-1", None),
            create("web-1", Some("web-5bd")),
            create("web-2", Some("{}")),
            write(Verb::Delete, Resource::Pods, "web-3", Some("web-5bd")),
            write(Verb::Update, Resource::Status, "web", None),
        ];
        assert_eq!(
            writes_words(&writes, "web"),
            "create claim data-web-0, data-web-1, create web-0, web-1 on 5bd, create web-2 on {}, delete web-3, update status"
        );
        let many = (0..6).map(|at| create(&format!("web-{at}"), None));
        assert_eq!(
            writes_words(&many.collect::<Vec<_>>(), "web"),
            "create web-0, web-1, web-2, web-3 and 2 more"
        );
    }

    #[test]
    fn only_the_users_requests_have_a_subject() {
        let deleted = StepEvent::Object(ObjectEvent::PodDeleted);
        for (event, actor, words, sentence) in [
            (deleted, Actor::User, "delete web-1", "you delete web-1"),
            (
                deleted,
                Actor::Eviction,
                "web-1 is evicted",
                "web-1 is evicted",
            ),
            (
                deleted,
                Actor::GarbageCollector,
                "web-1 is deleted",
                "web-1 is deleted",
            ),
            (
                StepEvent::Pod(PodEvent::Ready),
                Actor::Kubelet,
                "web-1 becomes ready",
                "web-1 becomes ready",
            ),
        ] {
            assert_eq!(event.words(actor, "web-1"), words);
            assert_eq!(event.sentence(actor, "web-1"), sentence);
        }
    }
}
