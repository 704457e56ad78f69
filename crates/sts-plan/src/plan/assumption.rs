//! Assumptions of a plan as data: the subject, what is assumed and why, the flag that changes it, and how much the outcome
//! rests on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use super::note::{PlanNote, PlanUnknown};
use super::{LoopAuthor, PlanResult, StuckAt};
use crate::duration::{span, spell};
use crate::foresight::{self, Foreseen};
use crate::words::plural;

/// Assumption of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanAssumption {
    /// A standard timing, or the version.
    Standard {
        /// The thing that it is about: `pods` or `controller`.
        subject: &'static str,
        /// In a few words: `ready 25s`.
        brief: String,
        /// In a sentence; `None` if a flag asks for it.
        sentence: Option<String>,
    },
    /// A pod stays stuck, as its objects show.
    Stuck {
        /// The pod.
        pod: Arc<str>,
        /// Stage of its life.
        at: StuckAt,
        /// The evidence in a few words.
        why: String,
    },
    /// A pod becomes ready, although it has taken much longer than others.
    LateStart {
        /// The pod.
        pod: Arc<str>,
        /// Time since it began.
        waited: SignedDuration,
        /// Time that a start is assumed to take.
        usual: SignedDuration,
    },
    /// A pod terminates, although its grace period is over.
    LateStop {
        /// The pod.
        pod: Arc<str>,
        /// Time since the end of its grace period.
        late: SignedDuration,
    },
    /// A pod that is up stays so, although it has not before.
    StaysUp {
        /// The pod.
        pod: Arc<str>,
        /// The evidence against it.
        setback: Setback,
    },
    /// The replacement of a pod becomes ready on the revision on which the pod does not.
    Recovery {
        /// The pod.
        pod: Arc<str>,
        /// The revision.
        revision: Arc<str>,
    },
    /// Pods that move to a revision fail there, as another pod does.
    Broken {
        /// The revision.
        revision: Arc<str>,
        /// The pod that shows it.
        witness: Arc<str>,
    },
    /// A pod that the plan creates never becomes ready.
    Foreseen {
        /// The pod.
        pod: Arc<str>,
        /// The reason.
        found: Foreseen,
    },
    /// The user assumes that a pod becomes ready, whatever its objects show.
    Recovers {
        /// The pod.
        pod: Arc<str>,
    },
    /// The user assumes that pods become ready on a revision, whatever its record.
    Works {
        /// The revision.
        revision: Arc<str>,
    },
    /// More assumptions of the same kind, which are not listed.
    More {
        /// Their number.
        count: usize,
        /// Singular and plural of the thing.
        of: [&'static str; 2],
    },
    /// A note on the request or the version.
    Note(PlanNote),
    /// Something that the input does not tell.
    Unknown(PlanUnknown),
}

/// Evidence that a pod does not stay up.
#[derive(Debug, Clone, PartialEq)]
pub enum Setback {
    /// A container crashes again and again, and is up in between.
    Restarted {
        /// The container.
        container: String,
        /// The number of restarts.
        count: i64,
        /// The time since the last crash.
        last: SignedDuration,
    },
    /// The pod took much longer than others to become ready, and its probe failed just before.
    Unready {
        /// The time from its creation.
        took: SignedDuration,
        /// The time since the last failure of the probe.
        last: SignedDuration,
    },
    /// The pod was created again and again.
    Recreated {
        /// The number of times.
        count: i64,
        /// The end of the earlier pods.
        author: LoopAuthor,
    },
}

impl std::fmt::Display for Setback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setback::Restarted {
                container,
                count,
                last,
            } => write!(
                f,
                "container {container} has restarted {count} times, {} ago the last",
                span(*last)
            ),
            Setback::Unready { took, last } => write!(
                f,
                "it was not ready for {}, and its readiness probe failed {} ago",
                span(*took),
                span(*last)
            ),
            Setback::Recreated { count, author } => match author {
                LoopAuthor::Failure => {
                    write!(f, "it has failed and been created again {count} times")
                }
                LoopAuthor::Evictor(by) => {
                    write!(f, "{} has evicted it {count} times", by.entry.component)
                }
                LoopAuthor::Set => write!(f, "the set has deleted and created it {count} times"),
                LoopAuthor::Unknown => {
                    write!(f, "it has been deleted and created again {count} times")
                }
            },
        }
    }
}

/// Relation of an assumption to the outcome of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bearing {
    /// The outcome does not rest on it more than any plan does.
    None,
    /// The outcome rests on it.
    Essential,
    /// The outcome rests on it, and what was read speaks against it.
    AgainstEvidence,
}

impl PlanAssumption {
    /// Returns the pod, revision or other thing that it is about; empty for a note.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            PlanAssumption::Standard { subject, .. } => (*subject).to_owned(),
            PlanAssumption::Stuck { pod, .. }
            | PlanAssumption::LateStart { pod, .. }
            | PlanAssumption::LateStop { pod, .. }
            | PlanAssumption::StaysUp { pod, .. }
            | PlanAssumption::Recovery { pod, .. }
            | PlanAssumption::Recovers { pod }
            | PlanAssumption::Foreseen { pod, .. } => format!("pod/{pod}"),
            PlanAssumption::Broken { revision, .. } | PlanAssumption::Works { revision } => {
                format!("controllerrevision/{revision}")
            }
            PlanAssumption::More { .. } | PlanAssumption::Note(_) | PlanAssumption::Unknown(_) => {
                String::new()
            }
        }
    }

    /// Describes what is assumed: `web-2 becomes ready`.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            PlanAssumption::Standard { brief, .. } => brief.clone(),
            PlanAssumption::Stuck { pod, at, .. } => format!("{pod} {}", stays(*at)),
            PlanAssumption::LateStart { pod, .. } => format!("{pod} becomes ready"),
            PlanAssumption::LateStop { pod, .. } => format!("{pod} terminates"),
            PlanAssumption::StaysUp { pod, .. } => format!("{pod} stays up"),
            PlanAssumption::Recovery { pod, revision } => {
                format!("the next pod {pod} becomes ready on {revision}")
            }
            PlanAssumption::Broken { revision, .. } => {
                format!("pods that move to {revision} do not become ready")
            }
            PlanAssumption::Foreseen { pod, .. } => format!("{pod} never becomes ready"),
            PlanAssumption::Recovers { pod } => format!("{pod} recovers"),
            PlanAssumption::Works { revision } => format!("pods become ready on {revision}"),
            PlanAssumption::More { count, of } => {
                format!("{count} more {}", if *count == 1 { of[0] } else { of[1] })
            }
            PlanAssumption::Note(note) => note.to_string(),
            PlanAssumption::Unknown(unknown) => unknown.to_string(),
        }
    }

    /// Describes the reason, or the evidence against it; empty without one.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            PlanAssumption::Standard { sentence, .. } => sentence.clone().unwrap_or_default(),
            PlanAssumption::Stuck { why, .. } => why.clone(),
            PlanAssumption::LateStart { waited, usual, .. } => {
                let (waited, usual) = (span(*waited), spell(*usual));
                format!("it has been starting for {waited} and {usual} is usual")
            }
            PlanAssumption::LateStop { late, .. } => {
                format!("its grace period ended {} ago", span(*late))
            }
            PlanAssumption::StaysUp { setback, .. } => setback.to_string(),
            PlanAssumption::Recovery { .. } => "the current one does not".to_owned(),
            PlanAssumption::Broken { witness, .. } => {
                format!("{witness} fails on it, and no pod is ready on it")
            }
            PlanAssumption::Foreseen { pod, found } => foresight::describe(pod, found),
            PlanAssumption::Recovers { .. } | PlanAssumption::Works { .. } => "--assume".to_owned(),
            PlanAssumption::More { .. } | PlanAssumption::Note(_) | PlanAssumption::Unknown(_) => {
                String::new()
            }
        }
    }

    /// Returns the flag that changes it, if any.
    #[must_use]
    pub fn flag(&self) -> Option<String> {
        match self {
            PlanAssumption::Stuck { pod, .. } | PlanAssumption::Foreseen { pod, .. } => {
                Some(format!("--assume {pod}=recovers"))
            }
            PlanAssumption::LateStart { pod, .. }
            | PlanAssumption::StaysUp { pod, .. }
            | PlanAssumption::Recovery { pod, .. } => Some(format!("--assume {pod}=never-ready")),
            PlanAssumption::LateStop { pod, .. } => Some(format!("--assume {pod}=never-gone")),
            PlanAssumption::Broken { revision, .. } => Some(format!("--assume {revision}=works")),
            PlanAssumption::Recovers { pod } => Some(format!("--assume {pod}=recovers")),
            PlanAssumption::Works { revision } => Some(format!("--assume {revision}=works")),
            PlanAssumption::Standard { .. }
            | PlanAssumption::More { .. }
            | PlanAssumption::Note(_)
            | PlanAssumption::Unknown(_) => None,
        }
    }

    /// Returns how much an outcome of the plan rests on it. An assumption that a flag makes is the user's own, so the
    /// evidence does not count against it.
    #[must_use]
    pub fn bearing(&self, result: PlanResult) -> Bearing {
        let completes = result == PlanResult::Complete;
        match self {
            PlanAssumption::LateStart { .. }
            | PlanAssumption::LateStop { .. }
            | PlanAssumption::Recovers { .. }
            | PlanAssumption::Works { .. }
                if completes =>
            {
                Bearing::Essential
            }
            PlanAssumption::Recovery { .. } | PlanAssumption::StaysUp { .. } if completes => {
                Bearing::AgainstEvidence
            }
            PlanAssumption::Stuck { .. }
            | PlanAssumption::Broken { .. }
            | PlanAssumption::Foreseen { .. }
                if !completes =>
            {
                Bearing::Essential
            }
            _ => Bearing::None,
        }
    }

    /// Returns it as a sentence; `None` if there is nothing to say.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let (what, why) = (self.what(), self.why());
        let flag = self.flag().unwrap_or_default();
        Some(match self {
            PlanAssumption::Standard { sentence, .. } => return sentence.clone(),
            PlanAssumption::Stuck { .. } => {
                format!("pod {what}: {why} (to plan its recovery: {flag})")
            }
            PlanAssumption::LateStart { .. }
            | PlanAssumption::LateStop { .. }
            | PlanAssumption::StaysUp { .. } => {
                format!("pod {what}, although {why} (if not: {flag})")
            }
            PlanAssumption::Recovery { .. } => format!("{what}, although {why} (if not: {flag})"),
            PlanAssumption::Broken { .. } => format!("{what}: {why} (if it works: {flag})"),
            PlanAssumption::Foreseen { .. } => {
                format!("{why}; it never becomes ready (to plan its recovery: {flag})")
            }
            PlanAssumption::Recovers { .. } | PlanAssumption::Works { .. } => {
                format!("{what} ({why})")
            }
            PlanAssumption::More { .. } | PlanAssumption::Note(_) | PlanAssumption::Unknown(_) => {
                what
            }
        })
    }

    /// Returns the condition that it puts on a good outcome: `web-2 becomes ready, which has been starting for 20m`.
    #[must_use]
    pub fn condition(&self) -> String {
        match self {
            PlanAssumption::Recovery { .. } | PlanAssumption::StaysUp { .. } => {
                format!("{}, although {}", self.what(), self.why())
            }
            _ => format!("{} ({})", self.what(), self.why()),
        }
    }
}

fn stays(at: StuckAt) -> &'static str {
    match at {
        StuckAt::Start => "never becomes ready on its own",
        StuckAt::Stop => "is never removed on its own",
        StuckAt::Creation => "is not created",
    }
}

/// Assumptions of a plan, in the order in which they are listed.
#[derive(Debug, Clone, Default)]
pub struct PlanAssumptions {
    /// The assumptions.
    pub items: Vec<PlanAssumption>,
}

impl PlanAssumptions {
    /// Returns the claims and revisions that are assumed to exist, although the input lacks them.
    #[must_use]
    pub fn unread(&self) -> BTreeSet<&Arc<str>> {
        let notes = self.items.iter().filter_map(|item| match item {
            PlanAssumption::Note(PlanNote::RevisionOfTemplate(name)) => {
                Some(std::slice::from_ref(name))
            }
            PlanAssumption::Note(
                PlanNote::UnknownTemplates(names)
                | PlanNote::ClaimsOfPods(names)
                | PlanNote::ReadyPodsOfStatus(names)
                | PlanNote::PodsOfEitherRevision(names)
                | PlanNote::PodsOfEvents(names)
                | PlanNote::PodsOfStatus(names),
            ) => Some(names.as_slice()),
            _ => None,
        });
        notes.flatten().collect()
    }

    /// Reports whether the set is taken for the one that owns its pods, although it is read without a uid.
    #[must_use]
    pub fn owns_pods(&self) -> bool {
        let is_it = |item| matches!(item, &PlanAssumption::Note(PlanNote::UidOfPods(_)));
        self.items.iter().any(is_it)
    }

    /// Returns the standard assumptions in a few words each: `ready 25s`, `Kubernetes 1.36`.
    #[must_use]
    pub fn brief(&self) -> Vec<String> {
        let briefs = self.items.iter().filter_map(|item| match item {
            PlanAssumption::Standard { brief, .. } => Some(brief.clone()),
            _ => None,
        });
        briefs.collect()
    }

    /// Returns the standard assumptions, and then the others, in sentences.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let (standard, particular): (Vec<_>, Vec<_>) =
            (self.items.iter()).partition(|it| is_standard(it));
        let all = standard.into_iter().chain(particular);
        all.filter_map(PlanAssumption::sentence).collect()
    }

    /// Returns the assumptions that are specific to the plan, in sentences.
    #[must_use]
    pub fn particular(&self) -> Vec<String> {
        let particular = self.items.iter().filter(|it| !is_standard(it));
        particular.filter_map(PlanAssumption::sentence).collect()
    }

    /// Returns the conditions on which a good outcome rests, in clauses.
    #[must_use]
    pub fn conditions(&self, result: PlanResult) -> Vec<String> {
        if result != PlanResult::Complete {
            return Vec::new();
        }
        let essential = self
            .items
            .iter()
            .filter(|it| it.bearing(result) > Bearing::None);
        essential.map(PlanAssumption::condition).collect()
    }

    pub(super) fn standard(&mut self, subject: &'static str, brief: String, sentence: String) {
        let sentence = Some(sentence);
        self.items.push(PlanAssumption::Standard {
            subject,
            brief,
            sentence,
        });
    }

    pub(crate) fn notes<N: Into<PlanNote>>(&mut self, notes: impl IntoIterator<Item = N>) {
        let notes = notes.into_iter().map(Into::into);
        self.items.extend(notes.map(PlanAssumption::Note));
    }

    pub(super) fn unknowns(&mut self, unknowns: impl IntoIterator<Item = PlanUnknown>) {
        let unknowns = unknowns.into_iter().map(PlanAssumption::Unknown);
        self.items.extend(unknowns);
    }

    /// Records the first few of these, and only a count of the others.
    pub(super) fn some(
        &mut self,
        items: impl Iterator<Item = PlanAssumption>,
        of: [&'static str; 2],
    ) {
        const LISTED: usize = 5;
        let mut items = items;
        self.items.extend(items.by_ref().take(LISTED));
        match items.count() {
            0 => {}
            count => self.items.push(PlanAssumption::More { count, of }),
        }
    }
}

fn is_standard(item: &PlanAssumption) -> bool {
    matches!(item, PlanAssumption::Standard { .. })
}

/// States the conditions of an outcome after these words: `completes if a and b and 2 more conditions`; empty without any.
#[must_use]
pub fn provided(outcome: &str, conditions: &[String]) -> String {
    const NAMED: usize = 2;
    if conditions.is_empty() {
        return String::new();
    }
    let mut parts: Vec<String> = conditions.iter().take(NAMED).cloned().collect();
    match conditions.len().saturating_sub(NAMED) {
        0 => {}
        more => parts.push(plural(more, "more condition", "more conditions")),
    }
    format!("{outcome} if {}", parts.join(" and "))
}
