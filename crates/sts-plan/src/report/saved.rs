//! Saved plan, read back into the types that wrote it.

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{
    API_VERSION, Change, Finding, Kubernetes, Metadata, ReadObject, ReportOutcome,
    ReportRequirement, ReportSet, ReportStep,
};

/// Members of a saved plan that `verify` and `diff` read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedPlan {
    /// Identity of the planned set.
    pub metadata: Metadata,
    /// Set in its initial state, without `ordinals`.
    pub set: ReportSet,
    /// Objects read in addition to the set; `None` if an older version saved the plan.
    pub read: Option<Vec<ReadObject>>,
    /// Version and feature gates of the simulated controller.
    pub kubernetes: Kubernetes,
    /// Start of the plan, RFC 3339.
    pub now: String,
    /// Changed fields.
    pub change: Vec<Change>,
    /// Steps, in order.
    pub steps: Vec<ReportStep>,
    /// Outcome.
    pub outcome: ReportOutcome,
    /// Requirements; empty without any.
    #[serde(default)]
    pub requirements: Vec<ReportRequirement>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Assumptions, in sentences.
    pub assumptions: Vec<String>,
    /// One-line summary.
    pub summary: String,
}

/// Error in a saved plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct SavedPlanError {
    /// Path of the invalid field, such as `steps[3].at`; empty for the whole plan.
    pub path: String,
    /// Problem and solution.
    pub problem: String,
}

impl SavedPlanError {
    /// Creates an error for the field at `path`, or for the whole plan if it is empty.
    #[must_use]
    pub fn new(path: &str, problem: String) -> Self {
        SavedPlanError {
            path: path.to_owned(),
            problem,
        }
    }
}

impl SavedPlan {
    /// Reads a plan from its JSON form.
    ///
    /// # Errors
    /// If the value is not a plan of this version, or a member has the wrong type.
    pub fn from_json(plan: &Value) -> Result<Self, SavedPlanError> {
        check_kind(plan)?;
        serde_path_to_error::deserialize(plan).map_err(|error| {
            let path = match error.path().to_string() {
                path if path == "." => String::new(),
                path => path,
            };
            let place = match path.as_str() {
                "" => String::new(),
                path => format!(" at {path}"),
            };
            let problem = format!("invalid plan{place}: {}", error.inner());
            SavedPlanError { path, problem }
        })
    }
}

fn check_kind(plan: &Value) -> Result<(), SavedPlanError> {
    let member = |name: &str| plan.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (member("apiVersion"), member("kind"));
    let (path, problem) = if !version.starts_with("sts-plan/") {
        ("", format!("not a plan, but {kind} of {version}"))
    } else if version != API_VERSION {
        let problem = format!("unsupported plan version {version} (supported: {API_VERSION})");
        ("apiVersion", problem)
    } else if kind != "Plan" {
        ("kind", format!("not a plan, but a {kind}"))
    } else {
        return Ok(());
    };
    let advice = "create a plan with --save PATH or -o json";
    Err(SavedPlanError::new(path, format!("{problem}: {advice}")))
}
