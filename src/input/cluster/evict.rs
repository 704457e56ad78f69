//! Evictions as dry runs, which evict nothing.

use http::Method;
use serde_json::json;

use sts_controller::version::Version;

use super::body::OBJECT_BYTES;
use super::connect::{ApiClient, Cluster};
use super::error::{ClusterError, action};
use super::request::{ApiRequest, Failure};
use super::resource::{Resource, encoded};

/// Answer of the server to an eviction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvictionAnswer {
    /// It would be granted.
    Granted,
    /// A budget refuses it for now (429), with the message.
    Refused(String),
    /// It fails with this message.
    Fails(String),
    /// The pod does not exist.
    Gone,
    /// The account may not evict pods in the namespace, with the message.
    Forbidden(String),
}

impl Cluster {
    /// Asks for the eviction of a pod in a dry run, which evicts nothing.
    ///
    /// # Errors
    /// When the server does not answer, or does not know the account.
    pub fn dry_evict(
        &self,
        namespace: &str,
        pod: &str,
        version: Version,
    ) -> Result<EvictionAnswer, ClusterError> {
        self.block_on(self.api().dry_evict(namespace, pod, version))
    }
}

impl ApiClient {
    async fn dry_evict(
        &self,
        namespace: &str,
        pod: &str,
        version: Version,
    ) -> Result<EvictionAnswer, ClusterError> {
        let of_version = match version.has_policy_v1_evictions() {
            true => "policy/v1",
            false => "policy/v1beta1",
        };
        // The server requires that both say the same.
        let eviction = json!({
            "apiVersion": of_version, "kind": "Eviction",
            "metadata": {"name": pod, "namespace": namespace},
            "deleteOptions": {"dryRun": ["All"]},
        });
        let pods = Resource::PODS.path(Some(namespace));
        let question = ApiRequest {
            method: Method::POST,
            uri: format!("{pods}/{}/eviction?dryRun=All", encoded(pod)),
            accept: "application/json",
            body: Some(("application/json", eviction.to_string().into_bytes())),
            most: OBJECT_BYTES,
            action: action("evict", Resource::PODS, Some(namespace), Some(pod)),
        };
        match self.ask_once(&question).await {
            Ok(()) => Ok(EvictionAnswer::Granted),
            Err(Failure::Status(status)) => Ok(match status.code {
                401 => return Err(self.unauthorized()),
                403 => EvictionAnswer::Forbidden(status.message),
                404 => EvictionAnswer::Gone,
                429 => EvictionAnswer::Refused(with_causes(&status.message, &status.details)),
                _ => EvictionAnswer::Fails(status.message),
            }),
            Err(failure @ Failure::Error(_)) => Err(self.error(&question, failure)),
        }
    }
}

/// Returns a message with the messages of its causes: the counts of the budget.
fn with_causes(message: &str, details: &serde_json::Value) -> String {
    let causes = details["causes"].as_array().into_iter().flatten();
    let causes = causes.filter_map(|cause| cause["message"].as_str());
    let texts: Vec<&str> = std::iter::once(message).chain(causes).collect();
    texts.join(" ")
}
