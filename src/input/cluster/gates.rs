//! Feature gates from the metrics of the API server.

use std::collections::BTreeMap;

use super::connect::ApiClient;
use super::error::ClusterError;
use super::request::ApiRequest;

/// Metric with one line per gate; servers before 1.26 have none.
const METRIC: &str = "kubernetes_feature_enabled{";

impl ApiClient {
    /// Returns the gates of the server by name; `None` if they cannot be read or are not reported.
    pub(super) async fn gates(&self) -> Result<Option<BTreeMap<String, bool>>, ClusterError> {
        let question = ApiRequest {
            accept: "text/plain",
            ..ApiRequest::get("/metrics".to_owned(), "get /metrics".to_owned())
        };
        match self.ask(&question, |_, bytes| Ok(parse(bytes))).await {
            Ok(gates) => Ok((!gates.is_empty()).then_some(gates)),
            // Whatever is in front of the server, it does not expose metrics.
            Err(failure) => {
                let error = self.error(&question, failure);
                match error.ends_the_run() {
                    true => Err(error),
                    false => Ok(None),
                }
            }
        }
    }
}

/// Parses lines such as `kubernetes_feature_enabled{name="PodIndexLabel",stage="BETA"} 1`.
fn parse(bytes: &[u8]) -> BTreeMap<String, bool> {
    let mut gates = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some(rest) = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.strip_prefix(METRIC))
        else {
            continue;
        };
        let Some((labels, value)) = rest.split_once('}') else {
            continue;
        };
        let mut labels = labels.split(',').filter_map(|label| label.split_once('='));
        let name = labels.find(|(key, _)| key.trim() == "name");
        let on = match value.split_whitespace().next() {
            Some("1") => true,
            Some("0") => false,
            _ => continue,
        };
        if let Some((_, name)) = name {
            gates.insert(name.trim().trim_matches('"').to_owned(), on);
        }
    }
    gates
}
