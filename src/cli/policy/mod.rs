//! A policy: the gates, requirements, ignores and assumptions of a repository, in a file of their own, named by `--policy`
//! or found by itself.
//!
//! Each key stands for the flag of its name. A flag that is given takes the place of the key altogether.

mod find;
pub(in crate::cli) mod value;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use crate::cli::PlanArgs;
use crate::cli::assumptions::{Assumed, ReadyAfter};
use crate::cli::change::Manager;
use crate::request::FailOn;
use crate::request::{SetMatch, SetRule};
use sts_controller::object::Selector;
use sts_controller::version::Version;
use sts_plan::lint::Suppressions;
use sts_plan::requirement::Requirement;
use value::{Ignores, Listed, Parsed};

pub use find::{FILE, find};

/// More than any policy is long.
const LONGEST: u64 = 1 << 20;

/// A policy.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(test, schemars(title = "Policy"))]
pub struct Policy {
    /// Makes a run fail on: blocked, rejected, data-loss, downtime, pdb, quorum, a severity (info, warning, error:
    /// that one and above), or the id or name of a finding.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    fail_on: Option<Listed<FailOn>>,
    /// Must hold at every moment of a rollout, such as unavailable<=1 or quorum.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    require: Option<Listed<Requirement>>,
    /// The findings that are ignored: ids, names or severities; or a mapping of id, reason and until, a day such as
    /// 2026-12-31.
    #[cfg_attr(test, schemars(with = "Option<schema::IgnoresSchema>"))]
    ignore: Option<Ignores>,
    /// Apply manifests on the server's side.
    server_side: Option<bool>,
    /// The manager that owns the fields of a server-side apply, such as kustomize-controller.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    field_manager: Option<Parsed<Manager>>,
    /// Take fields from the managers that own them, in a server-side apply.
    force_conflicts: Option<bool>,
    /// Assumptions about the world and the controller.
    assumptions: Assumptions,
    /// Rules for some sets. A later entry counts before an earlier one; its keys replace those above, and
    /// the findings that it ignores are ignored besides.
    sets: Vec<SetEntry>,
}

/// The rules for some sets.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SetEntry {
    /// The sets that the entry is for; all that is given has to match.
    r#match: MatchEntry,
    /// Makes a run fail on these sets.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    #[serde(default)]
    fail_on: Option<Listed<FailOn>>,
    /// Must hold for these sets at every moment of a rollout.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    #[serde(default)]
    require: Option<Listed<Requirement>>,
    /// The findings on them that are ignored.
    #[cfg_attr(test, schemars(with = "Option<schema::IgnoresSchema>"))]
    #[serde(default)]
    ignore: Option<Ignores>,
    /// Assumptions about the pods of these sets.
    #[serde(default)]
    assumptions: SetAssumptions,
}

/// A selection of sets.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct MatchEntry {
    /// Names, such as web or prod/web; * stands for any part.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    name: Option<Listed<String>>,
    /// A label selector, such as app=web,tier!=cache.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    labels: Option<Parsed<Selector>>,
}

/// Assumptions about the pods of some sets.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct SetAssumptions {
    /// The time that a new pod takes to become ready, such as 30s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    ready_after: Option<Parsed<value::Duration>>,
    /// The time that a deleted pod takes to go, such as 10s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    gone_after: Option<Parsed<value::Duration>>,
    /// Assumptions about single pods, such as web-1=never-ready.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    assume: Option<Listed<(String, Assumed)>>,
}

/// Assumptions about the world and the controller.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Assumptions {
    /// The time that a new pod takes to become ready, such as 30s; or auto.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    ready_after: Option<Parsed<ReadyAfter>>,
    /// The time that a deleted pod takes to go, such as 10s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    gone_after: Option<Parsed<value::Duration>>,
    /// Assumptions about single pods, such as web-1=never-ready.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    assume: Option<Listed<(String, Assumed)>>,
    /// The controller's version, such as 1.30.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    kubernetes_version: Option<Parsed<Version>>,
    /// Feature gates of the controller.
    feature_gates: Option<BTreeMap<String, bool>>,
}

/// The reasons for which a policy cannot be used.
#[derive(Debug, Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// The file is longer than any policy.
    #[error("{path}: more than {LONGEST} bytes: this is not a policy")]
    TooLong {
        /// The file.
        path: String,
    },
    /// A policy that was found belongs to another user.
    #[error(
        "{path}: this policy belongs to another user: to use it, write --policy {path}; to plan without it, --policy none"
    )]
    Owner {
        /// The file.
        path: String,
    },
    /// The content of the file is wrong.
    #[error("{path}: line {line}: {problem}")]
    Content {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The problem, in words.
        problem: String,
    },
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// When the file cannot be read, has a key that no policy has, or a value that the flag of that name would refuse.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let failed = |error| PolicyError::File {
            path: path.display().to_string(),
            error,
        };
        // The page that plans has no such file, and goes without what reads it.
        if cfg!(target_family = "wasm") {
            return Err(failed(std::io::ErrorKind::Unsupported.into()));
        }
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        let read = file.take(LONGEST + 1).read_to_string(&mut text);
        if read.map_err(failed)? as u64 > LONGEST {
            return Err(PolicyError::TooLong {
                path: path.display().to_string(),
            });
        }
        Policy::parse(&path.display().to_string(), &text)
    }

    fn parse(path: &str, text: &str) -> Result<Self, PolicyError> {
        // A file with nothing but comments asks for nothing.
        let parsed = serde_yaml::from_str::<Option<Policy>>(text);
        parsed.map(Option::unwrap_or_default).map_err(|error| {
            let line = error.location().map_or(1, |at| at.line());
            let problem = error.to_string();
            // The place stands in front.
            let problem = match problem.rfind(" at line ") {
                Some(at) => &problem[..at],
                None => &problem,
            };
            PolicyError::Content {
                path: path.to_owned(),
                line,
                problem: problem.to_owned(),
            }
        })
    }

    /// Sets the arguments that the command line leaves open. `given` tells of the id of an argument whether it was
    /// given there.
    pub(super) fn fill(self, args: &mut PlanArgs, given: impl Fn(&str) -> bool) {
        fn put<T>(place: &mut T, key: Option<T>, given: bool) {
            if let (Some(key), false) = (key, given) {
                *place = key;
            }
        }
        fn all<T>(key: Option<Listed<T>>) -> Option<Vec<T>> {
            key.map(|values| values.0)
        }
        let assumptions = self.assumptions;
        put(&mut args.gate.fail_on, all(self.fail_on), given("fail_on"));
        put(
            &mut args.gate.ignore,
            self.ignore.map(|ignores| ignores.0),
            given("ignore"),
        );
        args.gate.for_sets = self
            .sets
            .into_iter()
            .map(|entry| entry.rule(&given))
            .collect();
        put(
            &mut args.questions.require,
            all(self.require),
            given("require"),
        );
        let change = &mut args.change;
        put(
            &mut change.server_side,
            self.server_side,
            given("server_side"),
        );
        put(
            &mut change.field_manager,
            self.field_manager.map(|manager| manager.0),
            given("field_manager"),
        );
        put(
            &mut change.force_conflicts,
            self.force_conflicts,
            given("force_conflicts"),
        );
        put(
            &mut args.assumptions.ready_after,
            assumptions.ready_after.map(|after| after.0),
            given("ready_after"),
        );
        put(
            &mut args.assumptions.gone_after,
            assumptions.gone_after.map(|after| Some(after.0.0)),
            given("gone_after"),
        );
        args.assumptions.assumed_by_policy = !given("assume");
        put(
            &mut args.assumptions.assume,
            all(assumptions.assume),
            given("assume"),
        );
        put(
            &mut args.controller.kubernetes_version,
            assumptions
                .kubernetes_version
                .map(|version| Some(version.0)),
            given("kubernetes_version"),
        );
        put(
            &mut args.controller.feature_gates,
            assumptions.feature_gates.map(|gates| vec![gates]),
            given("feature_gates"),
        );
    }
}

impl SetEntry {
    /// Returns the rule, without the parts that flags replace.
    fn rule(self, given: impl Fn(&str) -> bool) -> SetRule {
        let unless = |id: &str| !given(id);
        let assumptions = self.assumptions;
        let ignores = self.ignore.map_or_else(Vec::new, |ignores| ignores.0);
        let ignores = ignores.iter().filter(|_| unless("ignore"));
        let by_pod = assumptions.assume.map_or_else(Vec::new, |assume| assume.0);
        SetRule {
            sets: SetMatch {
                names: self.r#match.name.map_or_else(Vec::new, |names| names.0),
                labels: self.r#match.labels.map(|labels| labels.0),
            },
            fail_on: self.fail_on.map(|it| it.0).filter(|_| unless("fail_on")),
            requirements: self.require.map(|it| it.0).filter(|_| unless("require")),
            silence: ignores.fold(Suppressions::default(), |all, some| all.and(some)),
            ready_after: assumptions
                .ready_after
                .map(|after| after.0.0)
                .filter(|_| unless("ready_after")),
            gone_after: assumptions
                .gone_after
                .map(|after| after.0.0)
                .filter(|_| unless("gone_after")),
            by_pod: match unless("assume") {
                true => crate::cli::assumptions::by_pod(by_pod),
                false => BTreeMap::new(),
            },
        }
    }
}

/// The JSON Schema of a policy, which editors read from the repository.
pub const SCHEMA: &str = include_str!("../../../docs/policy.schema.json");

#[cfg(test)]
mod schema;
