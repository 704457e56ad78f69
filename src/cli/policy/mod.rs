//! Policy file: gates, requirements, ignored findings and assumptions of a repository. `--policy` names it, or it is
//! found automatically.
//!
//! Each key is named after a flag. A flag on the command line replaces the whole key.

pub(in crate::cli) mod file;
mod find;
pub(in crate::cli) mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::cli::PlanArgs;
use crate::cli::assumptions::ReadyAfter;
use crate::cli::change::Manager;
use crate::request::{SetMatch, SetRule};
use sts_controller::object::Selector;
use sts_controller::version::Version;
use sts_plan::fleet::FailOn;
use sts_plan::lint::Suppressions;
use sts_plan::requirement::Requirement;
use value::{AssumedPod, Ignores, Listed, Parsed};

pub use find::find;

/// A policy.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(test, schemars(title = "Policy"))]
pub struct Policy {
    /// Conditions that fail a run: blocked, rejected, data-loss, downtime, pdb, quorum, a minimum severity (info,
    /// warning, error), or the id or name of a finding.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    fail_on: Option<Listed<FailOn>>,
    /// Requirements at every step of a rollout, such as unavailable<=1 or quorum.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    require: Option<Listed<Requirement>>,
    /// Ignored findings: ids, names or severities; or a mapping of id, reason and until, a date such as 2026-12-31.
    #[cfg_attr(test, schemars(with = "Option<schema::IgnoresSchema>"))]
    ignore: Option<Ignores>,
    /// Use server-side apply for manifests.
    server_side: Option<bool>,
    /// Field manager for server-side apply, such as kustomize-controller.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    field_manager: Option<Parsed<Manager>>,
    /// Take over fields that other managers own, in server-side apply.
    force_conflicts: Option<bool>,
    /// Directory with the causes of your team, relative to the policy.
    pub(super) causes: Option<PathBuf>,
    /// Assumptions about pods and the controller.
    assumptions: Assumptions,
    /// Rules for some sets. The keys of a later entry replace those of earlier ones; ignored findings add up.
    sets: Vec<SetEntry>,
}

/// Rules for some sets.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SetEntry {
    /// Sets to which the entry applies; all conditions have to match.
    r#match: MatchEntry,
    /// Conditions that fail a run for these sets.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    #[serde(default)]
    fail_on: Option<Listed<FailOn>>,
    /// Requirements for these sets at every step of a rollout.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    #[serde(default)]
    require: Option<Listed<Requirement>>,
    /// Ignored findings of these sets.
    #[cfg_attr(test, schemars(with = "Option<schema::IgnoresSchema>"))]
    #[serde(default)]
    ignore: Option<Ignores>,
    /// Assumptions about the pods of these sets.
    #[serde(default)]
    assumptions: SetAssumptions,
}

/// Selection of sets.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct MatchEntry {
    /// Names, such as web or prod/web; * matches any part.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    name: Option<Listed<String>>,
    /// Label selector, such as app=web,tier!=cache.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    labels: Option<Parsed<Selector>>,
}

/// Assumptions about the pods of some sets.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct SetAssumptions {
    /// Time a new pod takes to become ready, such as 30s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    ready_after: Option<Parsed<value::Duration>>,
    /// Time a deleted pod takes to terminate, such as 10s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    gone_after: Option<Parsed<value::Duration>>,
    /// Assumptions about single pods, such as web-1=never-ready.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    assume: Option<Listed<AssumedPod>>,
}

/// Assumptions about pods and the controller.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Assumptions {
    /// Time a new pod takes to become ready, such as 30s; or auto.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    ready_after: Option<Parsed<ReadyAfter>>,
    /// Time a deleted pod takes to terminate, such as 10s.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    gone_after: Option<Parsed<value::Duration>>,
    /// Assumptions about single pods, such as web-1=never-ready.
    #[cfg_attr(test, schemars(with = "Option<schema::Words>"))]
    assume: Option<Listed<AssumedPod>>,
    /// Version of the controller, such as 1.30.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    kubernetes_version: Option<Parsed<Version>>,
    /// Feature gates of the controller.
    feature_gates: Option<BTreeMap<String, bool>>,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// When the file cannot be read, or has an unknown key or an invalid value.
    pub fn read(path: &Path) -> Result<Self> {
        let text = file::read(path)?;
        // A file with only comments is an empty policy.
        let policy: Option<Policy> = file::parse(&path.display().to_string(), &text, |_| Ok(()))?;
        let mut policy = policy.unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new(""));
        policy.causes = policy.causes.map(|causes| folder.join(causes));
        Ok(policy)
    }

    /// Sets the arguments that are not on the command line. `given` reports whether the argument with an id is there.
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
        put(
            &mut args.assumptions.causes,
            self.causes.map(Some),
            given("causes"),
        );
        args.assumptions.assumed_by_policy = !given("assume");
        put(
            &mut args.assumptions.assume,
            assumptions
                .assume
                .map(|all| all.0.into_iter().map(|it| it.0).collect()),
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
    /// Returns the rule, without the parts that flags override.
    fn rule(self, given: impl Fn(&str) -> bool) -> SetRule {
        let unless = |id: &str| !given(id);
        let assumptions = self.assumptions;
        let ignores = self.ignore.map_or_else(Vec::new, |ignores| ignores.0);
        let ignores = ignores.iter().filter(|_| unless("ignore"));
        let assumed = assumptions.assume.into_iter().flat_map(|all| all.0);
        let assumed: Vec<_> = match unless("assume") {
            true => assumed.map(|it| it.0).collect(),
            false => Vec::new(),
        };
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
            working: crate::cli::assumptions::working(&assumed),
            by_pod: crate::cli::assumptions::by_pod(assumed),
        }
    }
}

/// JSON Schema of a policy. Editors read it from the repository.
pub const SCHEMA: &str = include_str!("../../../docs/policy.schema.json");

#[cfg(test)]
mod schema;
