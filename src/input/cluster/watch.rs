//! A list to begin with, and one watch from a version on: what the API server answers, and nothing on when to ask again.

use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _};
use http::Request;
use kube::core::{Status, WatchEvent};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::connect::ApiClient;
use super::error::ClusterError;
use super::error_chain::innermost;
use super::list::{NoList, Query, received};
use super::resource::{Resource, encoded};

/// How long the server is to keep a watch open.
const OPEN: Duration = Duration::from_secs(290);
/// How much later the end of a watch may come. The connection of one that is still open then is dead.
const GRACE: Duration = Duration::from_secs(5);

/// What is watched: the objects of a kind in a namespace.
#[derive(Debug, Clone)]
pub struct Watched {
    /// Their kind.
    pub resource: Resource,
    /// Their namespace.
    pub namespace: String,
    /// The one object of that name; `None` for all.
    pub name: Option<String>,
}

/// What a watch tells.
#[derive(Debug)]
pub enum ObjectChange {
    /// An object is new or another one.
    Applied(Value),
    /// An object is gone; this is its last state.
    Deleted(Value),
    /// Nothing that is watched has changed.
    None,
}

/// The changes of a watch in their order, each with the `resourceVersion` to watch on from. Its end is no failure, and
/// neither has to be told apart from a connection that broke off.
pub type ObjectChanges = BoxStream<'static, Result<(ObjectChange, String), NoWatch>>;

/// Why there is no list, no watch, or no more of one.
#[derive(Debug)]
pub enum NoWatch {
    /// The account lacks the right: the server's words.
    Forbidden(String),
    /// The credentials are not accepted.
    Unauthorized,
    /// What has changed is only to be had from another list: why, in words.
    Lost(String),
    /// Anything else, in words. Nothing is lost.
    Broken(String),
}

impl Watched {
    fn query(&self) -> Query<'_> {
        Query {
            name: self.name.as_deref(),
            ..Query::of(self.resource, Some(&self.namespace))
        }
    }
}

impl ApiClient {
    /// The objects that are there, of those that `keep` has a use for, and the `resourceVersion` to watch them from.
    ///
    /// # Errors
    /// When there is no whole list.
    pub async fn list_watched(
        &self,
        watched: &Watched,
        keep: impl Fn(&Value) -> bool,
    ) -> Result<(Vec<Value>, String), NoWatch> {
        let query = watched.query();
        let listed = self.list(query, |object| Ok(Some(object).filter(&keep)));
        match listed.await {
            Ok(listed) if listed.version.is_empty() => Err(NoWatch::Lost(format!(
                "the list of {} has no resourceVersion",
                watched.resource
            ))),
            Ok(listed) => Ok((listed.items, listed.version)),
            Err(NoList::Forbidden { message, .. }) => Err(NoWatch::Forbidden(message)),
            Err(NoList::Unknown) => Err(NoWatch::Broken(format!(
                "the API server knows no {}",
                watched.resource
            ))),
            Err(NoList::Error(error)) => Err(match error {
                ClusterError::Unauthorized { .. } => NoWatch::Unauthorized,
                ClusterError::NotAnother { message } => NoWatch::Forbidden(message),
                error => NoWatch::Broken(error.to_string()),
            }),
        }
    }

    /// Watches from a version on, for five minutes at most.
    ///
    /// # Errors
    /// When no watch begins.
    pub async fn watch(&self, watched: &Watched, version: &str) -> Result<ObjectChanges, NoWatch> {
        self.watch_within(OPEN + GRACE, watched, version).await
    }

    async fn watch_within(
        &self,
        most: Duration,
        watched: &Watched,
        version: &str,
    ) -> Result<ObjectChanges, NoWatch> {
        let deadline = Instant::now() + most;
        let uri = watched.query().uri_with(vec![
            "watch=true".to_owned(),
            "allowWatchBookmarks=true".to_owned(),
            format!("timeoutSeconds={}", OPEN.as_secs()),
            format!("resourceVersion={}", encoded(version)),
        ]);
        let request = Request::get(uri).body(Vec::new());
        let request = request.map_err(|error| NoWatch::Broken(error.to_string()))?;
        let begin = self.client().request_events::<Value>(request);
        let events = match timeout_at(deadline, begin).await {
            Ok(events) => events.map_err(failed)?,
            Err(_) => return Err(NoWatch::Broken("no watch began in time".to_owned())),
        };
        let resource = watched.resource;
        let changes = events
            .map(move |event: kube::Result<_>| change(event.map_err(broken)?, resource))
            .take_until(sleep_until(deadline));
        Ok(changes.boxed())
    }
}

/// What an event comes to.
fn change(event: WatchEvent<Value>, resource: Resource) -> Result<(ObjectChange, String), NoWatch> {
    let (change, object): (fn(Value) -> ObjectChange, Value) = match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) => (ObjectChange::Applied, object),
        WatchEvent::Deleted(object) => (ObjectChange::Deleted, object),
        WatchEvent::Bookmark(bookmark) => {
            let version = bookmark.metadata.resource_version;
            let lost = || NoWatch::Lost(format!("a bookmark of {resource} has no resourceVersion"));
            let version = Some(version).filter(|version| !version.is_empty());
            return Ok((ObjectChange::None, version.ok_or_else(lost)?));
        }
        WatchEvent::Error(status) => return Err(ended(*status)),
    };
    let text = |name: &str| {
        let text = object["metadata"][name].as_str().unwrap_or_default();
        (!text.is_empty()).then(|| text.to_owned())
    };
    match (text("name"), text("resourceVersion")) {
        (Some(_), Some(version)) => Ok((change(received(object, resource)), version)),
        _ => Err(NoWatch::Lost(format!(
            "an event of {resource} has no name or no resourceVersion"
        ))),
    }
}

/// Why a watch that the server itself ends with an error cannot go on: 410, or something that it could not send.
fn ended(status: Status) -> NoWatch {
    match refused(status) {
        NoWatch::Broken(message) => NoWatch::Lost(message),
        other => other,
    }
}

/// Why no watch begins.
fn failed(error: kube::Error) -> NoWatch {
    match error {
        kube::Error::Api(status) => refused(*status),
        error => NoWatch::Broken(innermost(&error)),
    }
}

/// Why the next event cannot be had.
fn broken(error: kube::Error) -> NoWatch {
    match error {
        // A status that is no event. Any object can be read as one, so that most have neither code nor message.
        kube::Error::Api(status) => ended(*status),
        kube::Error::SerdeError(error) => {
            NoWatch::Lost(format!("an event cannot be read: {error}"))
        }
        error => NoWatch::Broken(innermost(&error)),
    }
}

fn refused(status: Status) -> NoWatch {
    let said = match status.message.as_str() {
        "" if status.code == 0 => "what was sent is no event".to_owned(),
        "" => format!("the API server answers {}", status.code),
        message => message.to_owned(),
    };
    match status.code {
        401 => NoWatch::Unauthorized,
        403 => NoWatch::Forbidden(said),
        410 => NoWatch::Lost(said),
        _ => NoWatch::Broken(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::pending;
    use http_body_util::BodyExt as _;
    use kube::Client;
    use kube::client::Body;

    /// How many changes a watch tells of a server that sends this, if anything, and then neither more nor the end.
    fn told(event: Option<&'static str>) -> Result<usize, NoWatch> {
        let send = tower::service_fn(move |_: Request<Body>| async move {
            let Some(event) = event else {
                return pending().await;
            };
            let body = Body::from(format!("{event}\n").into_bytes());
            Ok::<_, tower::BoxError>(http::Response::new(body.with_trailers(pending())))
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let api = ApiClient::over(Client::new(send, "default"), "memory".to_owned(), None);
            let watched = Watched {
                resource: Resource::PODS,
                namespace: "prod".to_owned(),
                name: None,
            };
            let most = Duration::from_millis(100);
            let changes = api.watch_within(most, &watched, "7").await?;
            Ok(changes.count().await)
        })
    }

    #[test]
    fn a_watch_whose_server_falls_silent_ends() {
        let silent = told(None);
        assert!(matches!(silent, Err(NoWatch::Broken(_))), "{silent:?}");
        let metadata = r#"{"name": "a", "resourceVersion": "8"}"#;
        let event = format!(r#"{{"type": "DELETED", "object": {{"metadata": {metadata}}}}}"#);
        assert_eq!(told(Some(event.leak())).unwrap(), 1);
    }
}
