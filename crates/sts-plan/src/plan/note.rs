//! Notes of a plan on the request and the version, and what the input does not tell.

use std::fmt;
use std::sync::Arc;

use sts_controller::simulate::Budget;
use sts_controller::version::Version;

/// A note on the request, the version or the simulation.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanNote {
    /// A budget of the simulation is spent.
    BudgetSpent(Budget),
    /// The controller has yet to observe the latest generation.
    Unobserved {
        /// The latest generation.
        generation: i64,
        /// The observed one.
        observed: i64,
    },
    /// The set, whose uid the input lacks, is the one that owns its pods.
    UidOfPods(Arc<str>),
    /// A revision that the input lacks has the template of the set.
    RevisionOfTemplate(Arc<str>),
    /// Revisions that the input lacks have templates of their own, which are unknown.
    UnknownTemplates(Vec<Arc<str>>),
    /// Claims of pods exist, although the input has no claims.
    ClaimsOfPods(Vec<Arc<str>>),
    /// Pods that the status counts as ready, and that the input lacks, exist.
    ReadyPodsOfStatus(Vec<Arc<str>>),
    /// Pods that the status counts, not all as ready, and that the input lacks, exist.
    PodsOfStatus(Vec<Arc<str>>),
    /// Pods that the status counts, on either revision, and that the input lacks, exist.
    PodsOfEitherRevision(Vec<Arc<str>>),
    /// Pods that the status counts, and that the input lacks, are in the state that their events tell.
    PodsOfEvents(Vec<Arc<str>>),
    /// The version is newer than the newest known one.
    TooNew(Version),
    /// A known difference of such a version.
    KnownDifference(&'static str),
    /// The version is beyond the last patch of its minor.
    NoSuchPatch {
        /// The version.
        version: Version,
        /// The last patch.
        last: u32,
    },
    /// The version is known from its change log alone.
    Reconstructed(Version),
    /// A sentence about the requested change, an assumed object or the caller's input.
    Sentence(String),
}

/// Something that the input does not tell.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanUnknown {
    /// The API server refused the pod of another template.
    Admission {
        /// The pod.
        pod: Arc<str>,
        /// The message of the refusal.
        message: String,
    },
    /// A sentence about a part of the input that was not read.
    NotRead(String),
}

impl From<String> for PlanNote {
    fn from(sentence: String) -> Self {
        PlanNote::Sentence(sentence)
    }
}

impl fmt::Display for PlanNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanNote::BudgetSpent(budget) => {
                write!(
                    out,
                    "{budget}: the rest is unknown and counts as a livelock"
                )
            }
            PlanNote::Unobserved {
                generation,
                observed,
            } => write!(
                out,
                "the controller observes generation {generation} once it runs (observedGeneration {observed})"
            ),
            PlanNote::UidOfPods(uid) => write!(
                out,
                "the set, whose uid the input lacks, is the one that owns the pods (uid {uid}): a set created anew would not adopt them"
            ),
            PlanNote::RevisionOfTemplate(revision) => write!(
                out,
                "ControllerRevision {revision}, which the input lacks, has the template of the set"
            ),
            PlanNote::UnknownTemplates(revisions) => write!(
                out,
                "the {} of ControllerRevision{} {}, which the input lacks, {} that of the set",
                plural_of(revisions, ["template", "templates"]),
                plural_of(revisions, ["", "s"]),
                revisions.join(", "),
                plural_of(revisions, ["differs from", "differ from"]),
            ),
            PlanNote::ClaimsOfPods(claims) => write!(
                out,
                "{}, which the input lacks, {}: the controller creates claims before their pods",
                first_and_more("claim", claims),
                plural_of(claims, ["exists", "exist"]),
            ),
            PlanNote::ReadyPodsOfStatus(pods) => write!(
                out,
                "{}, which the input lacks, {} ready: the status counts {}",
                first_and_more("pod", pods),
                plural_of(pods, ["is", "are"]),
                plural_of(pods, ["it", "them"]),
            ),
            PlanNote::PodsOfStatus(pods) => write!(
                out,
                "{}, which the input lacks, {}: the status counts {}, and not all pods as ready",
                first_and_more("pod", pods),
                plural_of(pods, ["exists", "exist"]),
                plural_of(pods, ["it", "them"]),
            ),
            PlanNote::PodsOfEitherRevision(pods) => write!(
                out,
                "{}, which the input lacks, {}: the status counts {}, and does not tell which of them are outdated",
                first_and_more("pod", pods),
                plural_of(pods, ["exists", "exist"]),
                plural_of(pods, ["it", "them"]),
            ),
            PlanNote::PodsOfEvents(pods) => write!(
                out,
                "{}, which the input lacks, {} as the last events tell",
                first_and_more("pod", pods),
                plural_of(pods, ["is", "are"]),
            ),
            PlanNote::TooNew(version) => write!(
                out,
                "Kubernetes {version} is newer than the newest supported version: planned as {}",
                version.or_newest()
            ),
            PlanNote::KnownDifference(what) => {
                write!(out, "known difference, not planned: {what}")
            }
            PlanNote::NoSuchPatch { version, last } => write!(
                out,
                "Kubernetes {version} does not exist: planned as 1.{} after patch {last}",
                version.minor
            ),
            PlanNote::Reconstructed(version) => write!(
                out,
                "Kubernetes {version} is reconstructed from its change log, not verified against its controller"
            ),
            PlanNote::Sentence(sentence) => out.write_str(sentence),
        }
    }
}

impl fmt::Display for PlanUnknown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanUnknown::Admission { pod, message } => write!(
                out,
                "admission of {pod} is uncertain: a different template was refused ({message})"
            ),
            PlanUnknown::NotRead(sentence) => out.write_str(sentence),
        }
    }
}

/// Returns the singular or the plural form for a list.
fn plural_of<'f, T>(list: &[T], [one, several]: [&'f str; 2]) -> &'f str {
    match list {
        [_] => one,
        _ => several,
    }
}

/// Names the first object of a kind and counts the others: `claims data-web-0 and 2 more`.
fn first_and_more(kind: &str, names: &[Arc<str>]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("{kind} {only}"),
        [first, others @ ..] => format!("{kind}s {first} and {} more", others.len()),
    }
}
