//! Kubernetes version of the server.

use super::connect::ApiClient;
use super::error::ClusterError;
use super::request::{ApiRequest, Failure};
use sts_controller::version::{Version, VersionError};

impl ApiClient {
    /// Returns the version of the server; `None` if access is denied.
    pub(super) async fn version(&self) -> Result<Option<Version>, ClusterError> {
        let action = "get the server's version".to_owned();
        let question = ApiRequest::get("/version".to_owned(), action);
        let answer = match self.ask_json(&question).await {
            Ok(answer) => answer,
            Err(Failure::Status(status)) if status.code == 403 => return Ok(None),
            Err(failure) => return Err(self.error(&question, failure)),
        };
        let text = |name: &str| answer[name].as_str().unwrap_or_default();
        let git = text("gitVersion");
        let version = git.parse::<Version>().or_else(|error| match error {
            // Some builds only report the two numbers; vendors append a plus to the second.
            VersionError::Malformed(_) => {
                let short = format!("{}.{}", text("major"), text("minor").trim_end_matches('+'));
                short
                    .parse()
                    .map_err(|_| VersionError::Malformed(git.to_owned()))
            }
            other => Err(other),
        });
        version.map(Some).map_err(|error| ClusterError::Version {
            server: self.server().to_owned(),
            error,
        })
    }
}
