//! Flags for assumptions about the simulated world: docs/contract.md, "The simulated world".

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, ValueHint};
use jiff::{SignedDuration, Timestamp};

use super::causes;
use crate::request;
use kubectl_config::parse_duration;
use sts_controller::object::time;
use sts_controller::simulate::{Assumption, Start};
use sts_plan::grant::Grant;

/// Assumptions about pods, nodes and the world around them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Assumptions")]
pub struct Assumptions {
    /// Time a new pod takes to become ready
    ///
    /// auto is the median of the set's ready pods, or 10s if none is ready. A duration also overrides what an overdue
    /// pod suggests.
    #[arg(long, value_name = "DURATION|auto", default_value = "auto")]
    pub ready_after: ReadyAfter,

    /// Time a deleted pod takes to terminate [default: 5s]
    ///
    /// Never longer than the pod's grace period.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub gone_after: Option<SignedDuration>,

    /// Assume a state of a pod, node, quota, Secret, ...; repeatable
    ///
    /// For a pod, WHAT is recovers, never-ready, never-gone, fails, fails-once, start-fails, ready-after:DURATION or
    /// gone-after:DURATION. It applies to every pod with that name, and overrides what the objects show. A pod that
    /// fails does so now, ready or not, and its replacements fail too, except with fails-once. REVISION=works assumes
    /// that pods become ready on a revision although none is ready on it and some fail. nodes+2=NODE adds two nodes like
    /// NODE. quota/compute=+2Gi raises a quota (requests.memory+2Gi if several resources are exhausted).
    /// budgets=ignored-after:1h: a drain deletes the pods that it cannot evict after that time, as providers do.
    /// secret/db=exists assumes a missing object; also for configmap/, serviceaccount/, priorityclass/ and
    /// storageclass/. For --grow, storageclass/fast=expands-on-mount or expands-offline sets how volumes expand.
    #[arg(long, value_name = "OBJECT=WHAT", value_parser = parse_assumption)]
    pub assume: Vec<(String, Assumed)>,

    /// Directory with the causes of your team, which come first
    ///
    /// YAML files as docs/causes.md describes them: the messages of your operators, webhooks and applications, what to
    /// do, and whom to ask. explain lists them too.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub causes: Option<PathBuf>,

    /// True if `assume` comes from a policy, which may name pods of other sets.
    #[arg(skip)]
    pub assumed_by_policy: bool,
}

/// Time of the objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Assumptions")]
pub struct Moment {
    /// Start time of the plan [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Timestamp>,
}

/// `--ready-after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyAfter {
    /// Measured from the set's own pods.
    Auto,
    /// Fixed duration.
    Fixed(SignedDuration),
}

/// Right side of one `--assume`.
#[derive(Debug, Clone, PartialEq)]
pub enum Assumed {
    /// The pod becomes healthy, whatever the objects show.
    Recovers,
    /// Outcome of the pod's start.
    Start(Start),
    /// The pod fails now, and so do its replacements.
    Fails,
    /// The pod fails now, but its replacement does not.
    FailsOnce,
    /// The pod stays terminating forever.
    NeverGone,
    /// The pod becomes ready after this time.
    ReadyAfter(SignedDuration),
    /// The pod terminates after this time.
    GoneAfter(SignedDuration),
    /// Pods become ready on the revision of this name.
    Works,
    /// Additional nodes like the named one.
    MoreNodes(usize),
    /// Drains ignore budgets after this time.
    BudgetsIgnored(SignedDuration),
    /// An object or amount that is assumed to exist.
    Granted(Grant),
}

impl Assumed {
    /// Reports whether the assumption is about a pod.
    pub fn is_of_pod(&self) -> bool {
        !matches!(
            self,
            Assumed::Works
                | Assumed::MoreNodes(_)
                | Assumed::BudgetsIgnored(_)
                | Assumed::Granted(_)
        )
    }
}

/// Prefix of an assumption about nodes: `nodes+2=NODE`.
const MORE_NODES: &str = "nodes+";
/// Subject of an assumption about all budgets.
const BUDGETS: &str = "budgets";

impl Assumptions {
    /// Returns the objects and amounts that are assumed to exist.
    pub(super) fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.assume.iter().filter_map(|(_, assumed)| match assumed {
            Assumed::Granted(grant) => Some(grant),
            _ => None,
        })
    }

    /// Returns the first assumption on how volumes expand, unless it comes from a policy.
    pub(super) fn expansion(&self) -> Option<&Grant> {
        let mut grants = self.grants().filter(|_| !self.assumed_by_policy);
        grants.find(|grant| matches!(grant, Grant::Expands(..)))
    }

    /// Returns the time after which drains ignore budgets.
    pub(super) fn budgets_ignored_after(&self) -> Option<SignedDuration> {
        self.assume.iter().find_map(|(_, assumed)| match assumed {
            Assumed::BudgetsIgnored(after) => Some(*after),
            _ => None,
        })
    }

    /// Returns the additional nodes: their number, and the node that they are like.
    pub(super) fn more_nodes(&self) -> Vec<(usize, String)> {
        let assumed = self.assume.iter();
        let more = assumed.filter_map(|(node, assumed)| match assumed {
            Assumed::MoreNodes(count) => Some((*count, node.clone())),
            _ => None,
        });
        more.collect()
    }
}

impl Assumptions {
    /// Returns the assumptions of a request.
    ///
    /// # Errors
    /// When the directory of `--causes` has a wrong cause.
    pub(super) fn request(self) -> anyhow::Result<request::Assumptions> {
        let flags = self;
        let catalogue = flags.causes.as_deref().map(causes::read).transpose()?;
        Ok(request::Assumptions {
            ready_after: match flags.ready_after {
                ReadyAfter::Auto => None,
                ReadyAfter::Fixed(after) => Some(after),
            },
            gone_after: flags.gone_after,
            named: match flags.assumed_by_policy {
                true => Vec::new(),
                false => {
                    let of_pods = flags.assume.iter().filter(|(_, it)| it.is_of_pod());
                    of_pods.map(|(pod, _)| pod.clone()).collect()
                }
            },
            grants: flags.grants().cloned().collect(),
            named_revisions: match flags.assumed_by_policy {
                true => Vec::new(),
                false => (working(&flags.assume).iter())
                    .map(ToString::to_string)
                    .collect(),
            },
            working: working(&flags.assume),
            by_pod: by_pod(flags.assume),
            catalogue: catalogue.unwrap_or_default(),
        })
    }
}

/// Returns the revisions that are assumed to work.
pub(super) fn working(assumed: &[(String, Assumed)]) -> BTreeSet<Arc<str>> {
    let works = assumed.iter().filter(|(_, it)| *it == Assumed::Works);
    works.map(|(revision, _)| Arc::from(&**revision)).collect()
}

/// Merges the assumptions about each pod.
pub(super) fn by_pod(assumed: Vec<(String, Assumed)>) -> BTreeMap<String, Assumption> {
    let mut by_pod: BTreeMap<String, Assumption> = BTreeMap::new();
    for (pod, assumed) in assumed {
        if !assumed.is_of_pod() {
            continue;
        }
        let assumption = by_pod.entry(pod).or_default();
        match assumed {
            Assumed::Start(start) => assumption.start = start,
            Assumed::Fails => (assumption.fails_now, assumption.start) = (true, Start::Fails),
            Assumed::FailsOnce => assumption.fails_now = true,
            // The entry itself overrides what the objects show.
            Assumed::Recovers => {}
            Assumed::NeverGone => assumption.never_gone = true,
            Assumed::ReadyAfter(after) => assumption.ready_after = Some(after),
            Assumed::GoneAfter(after) => assumption.gone_after = Some(after),
            Assumed::Works
            | Assumed::MoreNodes(_)
            | Assumed::BudgetsIgnored(_)
            | Assumed::Granted(_) => {}
        }
    }
    by_pod
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    time(text).ok_or_else(|| "expected an RFC 3339 time, such as 2026-01-31T12:00:00Z".to_owned())
}

impl FromStr for ReadyAfter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(ReadyAfter::Auto),
            other => parse_duration(other).map(ReadyAfter::Fixed),
        }
    }
}

/// Parses `web-1=never-ready`, `nodes+2=node-7`, `quota/compute=+2Gi` or `secret/db=exists`.
pub(crate) fn parse_assumption(text: &str) -> Result<(String, Assumed), String> {
    let known = "recovers, never-ready, never-gone, fails, fails-once, start-fails, ready-after:DURATION or gone-after:DURATION";
    let (pod, what) = text
        .split_once('=')
        .filter(|(pod, _)| !pod.is_empty())
        .ok_or_else(|| {
            format!(
                "expected POD=WHAT, where WHAT is {known}; or REVISION=works, nodes+2=NODE, quota/NAME=+AMOUNT, secret/NAME=exists"
            )
        })?;
    let pod = pod.strip_prefix("pod/").unwrap_or(pod);
    if pod.contains('/') {
        let grant = Grant::parse(pod, what).map_err(|error| error.to_string())?;
        return Ok((pod.to_owned(), Assumed::Granted(grant)));
    }
    if let Some(count) = pod.strip_prefix(MORE_NODES) {
        let count = count.parse().ok().filter(|count| *count > 0);
        let count =
            count.ok_or_else(|| format!("expected a number, as in nodes+2=NODE: {pod:?}"))?;
        return match what {
            "" => {
                Err("missing NODE: write nodes+2=NODE, where NODE is the node to copy".to_owned())
            }
            node => Ok((node.to_owned(), Assumed::MoreNodes(count))),
        };
    }
    if pod == BUDGETS {
        let after = what.strip_prefix("ignored-after:");
        let after = after.ok_or_else(|| {
            format!("expected ignored-after:DURATION, as in budgets=ignored-after:1h: {what:?}")
        })?;
        let after = Assumed::BudgetsIgnored(parse_duration(after)?);
        return Ok((pod.to_owned(), after));
    }
    let assumed = match what.split_once(':') {
        None if what == "never-ready" => Assumed::Start(Start::NeverReady),
        None if what == "recovers" => Assumed::Recovers,
        None if what == "works" => Assumed::Works,
        None if what == "never-gone" => Assumed::NeverGone,
        None if what == "fails" => Assumed::Fails,
        None if what == "fails-once" => Assumed::FailsOnce,
        None if what == "start-fails" => Assumed::Start(Start::Fails),
        Some(("ready-after", after)) => Assumed::ReadyAfter(parse_duration(after)?),
        Some(("gone-after", after)) => Assumed::GoneAfter(parse_duration(after)?),
        _ => {
            return Err(format!(
                "unknown assumption {what:?}: use {known}; or works, for a revision"
            ));
        }
    };
    Ok((pod.to_owned(), assumed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_name_a_pod() {
        assert!(parse_assumption("web-1=never-ready").is_ok());
        assert!(parse_assumption("web-1=ready-after:2m").is_ok());
        assert_eq!(
            parse_assumption("nodes+2=node-7"),
            Ok(("node-7".to_owned(), Assumed::MoreNodes(2)))
        );
        assert_eq!(
            parse_assumption("budgets=ignored-after:1h"),
            Ok((
                "budgets".to_owned(),
                Assumed::BudgetsIgnored(SignedDuration::from_hours(1))
            ))
        );
        for text in [
            "budgets=ignored",
            "budgets=ignored-after:x",
            "web-1",
            "=fails",
            "web-1=never",
            "web-1=fails:1s",
            "nodes+0=node-7",
            "nodes+x=node-7",
            "nodes+2=",
            "web-1=ready-after:x",
        ] {
            assert!(parse_assumption(text).is_err(), "{text}");
        }
    }
}
