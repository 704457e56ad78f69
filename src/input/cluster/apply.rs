//! `--apply` against a live server, as a dry run.
//!
//! Computes the three-way patch of `kubectl apply`, and sends it as a JSON merge patch from the stored object to the
//! merged one. The result is the same as with kubectl's strategic merge patch, and works on servers of any age. With
//! `--server-side`, the manifest itself is sent as an apply patch, and the server merges it by field ownership.

use http::Method;
use serde_json::{Map, Value};

use sts_controller::apiserver::apply::{Cause, Verdict};
use sts_controller::apiserver::server_side_apply::Options;

use super::body::OBJECT_BYTES;
use super::connect::{ApiClient, Cluster};
use super::error::{ClusterError, action};
use super::request::{ApiRequest, Failure, Status};
use super::resource::{Resource, encoded};

/// A change to try on the server.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'p> {
    pub namespace: &'p str,
    pub name: &'p str,
    /// Stored set, if it exists.
    pub stored: Option<&'p Value>,
    /// Set that kubectl would store; for server-side apply, the manifest.
    pub wanted: &'p Value,
    /// Options of a server-side apply.
    pub server_side: Option<Options<'p>>,
    /// Handling of unknown fields: `Strict`, `Warn` or `Ignore`.
    pub field_validation: &'static str,
}

/// A verdict, and the warnings of the server.
#[derive(Debug)]
pub struct Answered {
    /// Verdict: whether the set would be stored.
    pub verdict: Verdict,
    /// Warnings of the server.
    pub warnings: Vec<String>,
}

impl Cluster {
    /// Submits a change in a dry run, which stores nothing.
    ///
    /// # Errors
    /// When the server does not answer, denies access or does not support dry runs.
    pub fn dry_run(&self, proposal: Proposal<'_>) -> Result<Answered, ClusterError> {
        self.block_on(self.api().dry_run(proposal))
    }
}

impl ApiClient {
    async fn dry_run(&self, proposal: Proposal<'_>) -> Result<Answered, ClusterError> {
        let Proposal {
            namespace,
            name,
            stored,
            wanted,
            server_side,
            field_validation,
        } = proposal;
        let sets = Resource::SETS.path(Some(namespace));
        // As in `kubectl apply`, unknown fields are refused by default.
        let query = format!(
            "dryRun=All&fieldManager=kubectl-client-side-apply&fieldValidation={field_validation}"
        );
        let question = match (server_side, stored) {
            (Some(how), _) => ApiRequest {
                method: Method::PATCH,
                uri: format!(
                    "{sets}/{}?dryRun=All&fieldManager={}&force={}&fieldValidation={field_validation}",
                    encoded(name),
                    encoded(how.manager),
                    how.force
                ),
                accept: "application/json",
                body: Some((
                    "application/apply-patch+yaml",
                    wanted.to_string().into_bytes(),
                )),
                most: OBJECT_BYTES,
                action: action("patch", Resource::SETS, Some(namespace), Some(name)),
            },
            (None, Some(stored)) => ApiRequest {
                method: Method::PATCH,
                uri: format!("{sets}/{}?{query}", encoded(name)),
                accept: "application/json",
                body: Some((
                    "application/merge-patch+json",
                    merge_patch(stored, wanted).to_string().into_bytes(),
                )),
                most: OBJECT_BYTES,
                action: action("patch", Resource::SETS, Some(namespace), Some(name)),
            },
            (None, None) => ApiRequest {
                method: Method::POST,
                uri: format!("{sets}?{query}"),
                accept: "application/json",
                body: Some(("application/json", wanted.to_string().into_bytes())),
                most: OBJECT_BYTES,
                action: action("create", Resource::SETS, Some(namespace), Some(name)),
            },
        };
        let (answer, warnings) = match self.ask_with_warnings(&question).await {
            Ok(answer) => answer,
            Err(Failure::Status(status)) if is_refusal(&status) => {
                return Ok(Answered {
                    warnings: status.warnings.clone(),
                    verdict: refused(status),
                });
            }
            Err(Failure::Status(status)) if status.code < 500 && status.code != 401 => {
                return Err(ClusterError::NoDryRun {
                    action: question.action,
                    code: status.code,
                    message: status.message,
                });
            }
            Err(failure) => return Err(self.error(&question, failure)),
        };
        Ok(Answered {
            verdict: Verdict::Accepted(answer),
            warnings,
        })
    }
}

/// Reports whether the server refuses the change, rather than the account or the request.
fn is_refusal(status: &Status) -> bool {
    match status.code {
        400 => !status.message.contains("does not support dry run"),
        // Authorization names the verb; admission does not.
        403 => !["cannot patch resource", "cannot create resource"]
            .iter()
            .any(|words| status.message.contains(words)),
        // The namespace does not exist.
        404 => status.details["kind"] == "namespaces",
        // Another manager owns a field.
        409 => {
            let causes = status.details["causes"].as_array();
            let mut causes = causes.into_iter().flatten();
            causes.any(|cause| cause["reason"] == "FieldManagerConflict")
        }
        422 => true,
        // The server has no error code for a manifest of the wrong types.
        500 => status
            .message
            .starts_with("failed to create typed patch object"),
        _ => false,
    }
}

fn refused(status: Status) -> Verdict {
    let causes = status.details["causes"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let causes = causes
        .map(|cause| Cause {
            field: text(&cause["field"]),
            reason: text(&cause["reason"]),
            message: text(&cause["message"]),
        })
        .collect();
    Verdict::Refused {
        message: status.message,
        causes,
    }
}

/// Returns the JSON merge patch (RFC 7386) from `stored` to `wanted`, without the fields that only the server writes.
fn merge_patch(stored: &Value, wanted: &Value) -> Value {
    let (Value::Object(stored), Value::Object(wanted)) = (stored, wanted) else {
        return wanted.clone();
    };
    let mut patch = Map::new();
    for (name, value) in wanted {
        match stored.get(name) {
            Some(old) if old == value => {}
            Some(old @ Value::Object(_)) if value.is_object() => {
                patch.insert(name.clone(), merge_patch(old, value));
            }
            // In a patch, null would remove a field.
            None if value.is_null() => {}
            _ => {
                patch.insert(name.clone(), value.clone());
            }
        }
    }
    for name in stored.keys().filter(|name| !wanted.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    Value::Object(patch)
}
