//! A saved plan, read back into the types that wrote it.

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{
    API_VERSION, Change, Finding, Kubernetes, Metadata, ReadObject, ReportOutcome,
    ReportRequirement, ReportSet, ReportStep,
};

/// The members of a saved plan that `verify` and `diff` read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedPlan {
    /// The set that it is of.
    pub metadata: Metadata,
    /// The set as it is at the beginning. Its `ordinals` are not saved.
    pub set: ReportSet,
    /// The objects that were read besides the set; `None` in plans of versions that did not save them.
    pub read: Option<Vec<ReadObject>>,
    /// The controller that it is of.
    pub kubernetes: Kubernetes,
    /// The time at which it begins, RFC 3339.
    pub now: String,
    /// The changed fields.
    pub change: Vec<Change>,
    /// Everything that happens, in order.
    pub steps: Vec<ReportStep>,
    /// The end.
    pub outcome: ReportOutcome,
    /// The requirements; empty where there is none.
    #[serde(default)]
    pub requirements: Vec<ReportRequirement>,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The assumptions, in sentences.
    pub assumptions: Vec<String>,
    /// The whole in one line.
    pub summary: String,
}

/// The reason why a value is not a plan that this program can use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct SavedPlanError {
    /// The field that is wrong, such as `steps[3].at`; empty for the whole.
    pub path: String,
    /// The problem, and what to do.
    pub problem: String,
}

impl SavedPlanError {
    /// A problem of the field at `path`; of the whole plan where that is empty.
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
    /// When the value is not a plan of this version, or one of its members has another type.
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
            let problem = format!("the plan is broken{place}: {}", error.inner());
            SavedPlanError { path, problem }
        })
    }
}

fn check_kind(plan: &Value) -> Result<(), SavedPlanError> {
    let member = |name: &str| plan.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (member("apiVersion"), member("kind"));
    let (path, problem) = if !version.starts_with("sts-plan/") {
        ("", format!("this is {kind} of {version}, and no plan"))
    } else if version != API_VERSION {
        let problem = format!("the plan is of {version}, and this program reads {API_VERSION}");
        ("apiVersion", problem)
    } else if kind != "Plan" {
        ("kind", format!("this is a {kind}, and no plan"))
    } else {
        return Ok(());
    };
    let advice = "make one with --save PATH or -o json";
    Err(SavedPlanError::new(path, format!("{problem}: {advice}")))
}
