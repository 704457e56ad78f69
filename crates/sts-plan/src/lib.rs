//! Analysis of a StatefulSet's rollout: plan, obstacles, remedies, findings and what-if questions.
//!
//! A [`plan::Plan`] is built from the objects of a set and the conditions of the plan. [`analysis::analyze`]
//! analyzes it completely, once. [`report::Report`] is the machine-readable form of the analysis. [`fleet::FleetRun`]
//! plans many sets in one run.
//!
//! # Example
//!
//! A set with two replicas, one of which never becomes ready:
//!
//! ```
//! use serde_json::json;
//! use sts_controller::apiserver::apply;
//! use sts_controller::object::{Set, Snapshot, Status};
//! use sts_controller::simulate::{Assumption, Start};
//! use sts_plan::analysis::{Verdict, analyze};
//! use sts_plan::plan::{Conditions, Plan};
//! use sts_plan::report::Report;
//! use sts_plan::what_if::Questions;
//!
//! let now = "2026-01-01T00:00:00Z".parse()?;
//! let mut conditions = Conditions::new("1.36".parse()?, now);
//! let manifest = json!({
//!     "apiVersion": "apps/v1",
//!     "kind": "StatefulSet",
//!     "metadata": {"name": "web", "namespace": "default"},
//!     "spec": {
//!         "replicas": 2,
//!         "serviceName": "web",
//!         "selector": {"matchLabels": {"app": "web"}},
//!         "template": {
//!             "metadata": {"labels": {"app": "web"}},
//!             "spec": {"containers": [{"name": "main", "image": "app:1"}]},
//!         },
//!     },
//! });
//! let stored = apply::create(&manifest, &[], &conditions.behaviour)?;
//! let snapshot = Snapshot::of_set(Set::from_json(stored.set)?, Status::default());
//! let never_ready = Assumption {
//!     start: Start::NeverReady,
//!     ..Assumption::default()
//! };
//! conditions.assumptions.insert("web-0".to_owned(), never_ready);
//! let plan = Plan::new(snapshot, conditions);
//! let analysis = analyze(&plan, &Questions::default());
//! assert_eq!(analysis.verdict, Verdict::Stuck);
//!
//! let report = Report::from(&analysis);
//! let waits = &report.outcome.blocked_by[0];
//! assert_eq!(waits.reason.to_string(), "WaitingForPodReady");
//! assert_eq!(waits.pod.as_deref(), Some("web-0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod absent;
pub mod analysis;
mod catalogue;
pub mod cause;
pub mod change;
mod command;
mod conditions;
mod document_kind;
mod down_nodes;
pub mod duration;
pub mod explain;
pub mod fleet;
pub mod foresight;
pub mod grant;
pub mod grow;
pub mod headline;
mod input_check;
pub mod lint;
mod members;
mod name;
pub mod next;
pub mod nodes;
mod observed;
pub mod options;
pub mod plan;
pub mod plan_diff;
pub mod redact;
pub mod relief;
pub mod remedy;
pub mod report;
mod requests;
pub mod requirement;
mod residents;
mod source;
pub mod stages;
pub mod upgrade;
pub mod verify;
mod version_diff;
pub mod what_if;
mod words;
mod wrap;
