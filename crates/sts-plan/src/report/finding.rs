//! Findings on a plan, beyond what it does.

use serde::{Deserialize, Serialize};

use super::{ReportSource, name};
use crate::lint;
use crate::lint::{Excuse, RuleId, Severity};

/// Something worth knowing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Its stable id, such as `STS001`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub id: RuleId,
    /// `info`, `warning` or `error`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["info", "warning", "error"])))]
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// The object that it is about.
    pub object: String,
    /// Link to a public issue or document on it.
    pub docs: String,
    /// Position of the object, or of the field; absent where that is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
}

/// A finding that is ignored, with why.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IgnoredFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The source that says that it is ignored: `flag`, `policy` or `annotation`.
    #[cfg_attr(test, schemars(extend("enum" = ["flag", "policy", "annotation"])))]
    pub by: &'static str,
    /// The reason; absent where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last day, such as `2026-12-31`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl IgnoredFinding {
    pub(super) fn new(finding: Finding, excuse: &Excuse) -> Self {
        IgnoredFinding {
            finding,
            by: excuse.by.name(),
            reason: excuse.reason.clone(),
            until: excuse.until.map(|until| until.to_string()),
        }
    }

    /// Explains why it is ignored: `scratch data, until 2026-12-31`, `--ignore`.
    #[must_use]
    pub fn why(&self) -> String {
        let reason = match (&self.reason, self.by) {
            (Some(reason), _) => reason.clone(),
            (None, "flag") => "--ignore".to_owned(),
            (None, "policy") => "by the policy".to_owned(),
            (None, _) => format!("annotation {}", lint::ANNOTATION),
        };
        match &self.until {
            Some(until) => format!("{reason}, until {until}"),
            None => reason,
        }
    }
}

pub(super) fn finding(found: &lint::Finding) -> Finding {
    Finding {
        id: found.id,
        severity: found.severity,
        message: found.message.clone(),
        object: found.object.clone(),
        docs: found.docs.to_owned(),
        source: None,
    }
}
