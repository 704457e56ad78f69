//! An initial list and a watch from its version, without retries.

use std::time::Duration;

use futures::stream::{self, BoxStream, StreamExt as _};
use http::Request;
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::core::{Status, WatchEvent};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::body::{BodyError, OBJECT_BYTES, collect};
use super::connect::ApiClient;
use super::error::ClusterError;
use super::error_chain::innermost;
use super::list::{ListError, Query, received};
use super::request::status_of;
use super::resource::{Resource, encoded};

/// Time after which the server ends a watch.
const OPEN: Duration = Duration::from_secs(290);
/// Grace period after that. A connection that is still open then is dead.
const GRACE: Duration = Duration::from_secs(5);

/// Subject of a watch: objects of a kind in a namespace, or in all namespaces.
#[derive(Debug, Clone)]
pub struct Watched {
    /// Kind.
    pub resource: Resource,
    /// Namespace; `None` for all.
    pub namespace: Option<String>,
    /// Name of a single object; `None` for all.
    pub name: Option<String>,
}

/// An event of a watch.
#[derive(Debug)]
pub enum ObjectChange {
    /// An object was created or changed.
    Applied(Value),
    /// An object was deleted; this is its last state.
    Deleted(Value),
    /// No watched object has changed.
    None,
}

/// Changes of a watch in order, each with the `resourceVersion` from which to resume. The end of the stream is not an
/// error, whether regular or by a closed connection.
pub type ObjectChanges = BoxStream<'static, Result<(ObjectChange, String), WatchError>>;

/// Error of a list or watch.
#[derive(Debug)]
pub enum WatchError {
    /// Permission denied, with the message of the server.
    Forbidden(String),
    /// The credentials are not accepted.
    Unauthorized,
    /// Events were lost: a new list is required. Has the reason.
    Lost(String),
    /// Any other error, as a message. No events were lost.
    Broken(String),
}

impl Watched {
    fn query(&self) -> Query<'_> {
        Query {
            name: self.name.as_deref(),
            ..Query::of(self.resource, self.namespace.as_deref())
        }
    }
}

impl ApiClient {
    /// Lists the objects that `keep` accepts, with the `resourceVersion` from which to watch.
    ///
    /// # Errors
    /// When the list is not complete.
    pub async fn list_watched(
        &self,
        watched: &Watched,
        keep: impl Fn(&Value) -> bool,
    ) -> Result<(Vec<Value>, String), WatchError> {
        let query = watched.query();
        let listed = self.list(query, |object| Ok(Some(object).filter(&keep)));
        match listed.await {
            Ok(listed) if listed.version.is_empty() => Err(WatchError::Lost(format!(
                "the list of {} has no resourceVersion",
                watched.resource
            ))),
            Ok(listed) => Ok((listed.items, listed.version)),
            Err(ListError::Forbidden { message, .. }) => Err(WatchError::Forbidden(message)),
            Err(ListError::Unknown) => Err(WatchError::Broken(format!(
                "the API server does not have {}",
                watched.resource
            ))),
            Err(ListError::Error(error)) => Err(match error {
                ClusterError::Unauthorized { .. } => WatchError::Unauthorized,
                ClusterError::NotAnother { message } => WatchError::Forbidden(message),
                error => WatchError::Broken(error.to_string()),
            }),
        }
    }

    /// Watches from a version, for at most five minutes.
    ///
    /// # Errors
    /// When the watch cannot start.
    pub async fn watch(
        &self,
        watched: &Watched,
        version: &str,
    ) -> Result<ObjectChanges, WatchError> {
        self.watch_within(OPEN + GRACE, watched, version).await
    }

    async fn watch_within(
        &self,
        most: Duration,
        watched: &Watched,
        version: &str,
    ) -> Result<ObjectChanges, WatchError> {
        let deadline = Instant::now() + most;
        let uri = watched.query().uri_with(vec![
            "watch=true".to_owned(),
            "allowWatchBookmarks=true".to_owned(),
            format!("timeoutSeconds={}", OPEN.as_secs()),
            format!("resourceVersion={}", encoded(version)),
        ]);
        // Compressed events would have to be decompressed one by one.
        let request = Request::get(uri)
            .header(ACCEPT, "application/json")
            .header(ACCEPT_ENCODING, "identity")
            .body(Body::empty());
        let request = request.map_err(|error| WatchError::Broken(error.to_string()))?;
        let begin = async {
            let response = self.client().send(request).await;
            let response = response.map_err(|error| WatchError::Broken(innermost(&error)))?;
            let (parts, body) = response.into_parts();
            if parts.status.is_success() {
                return Ok(body);
            }
            Err(match collect(&parts.headers, body, OBJECT_BYTES).await {
                Ok(bytes) => {
                    let status = status_of(parts.status, &parts.headers, &bytes, 1);
                    refused(status.code, &status.message)
                }
                Err(
                    BodyError::TooLarge(why)
                    | BodyError::Malformed(why)
                    | BodyError::Truncated(why),
                ) => WatchError::Broken(why),
            })
        };
        let body = match timeout_at(deadline, begin).await {
            Ok(body) => body?,
            Err(_) => {
                return Err(WatchError::Broken(
                    "the watch did not start in time".to_owned(),
                ));
            }
        };
        let resource = watched.resource;
        let changes = Lines::of(body, OBJECT_BYTES)
            .stream()
            .filter_map(async move |line| line.and_then(|line| event(&line)).transpose())
            .map(move |event| change(event?, resource))
            .take_until(sleep_until(deadline));
        Ok(changes.boxed())
    }
}

/// Lines of a body as they arrive, with a size limit.
struct Lines {
    body: Body,
    most: usize,
    /// Beginning of the next line.
    pending: Vec<u8>,
    /// Number of its bytes without a line break.
    searched: usize,
    is_over: bool,
}

impl Lines {
    fn of(body: Body, most: usize) -> Self {
        Lines {
            body,
            most,
            pending: Vec::new(),
            searched: 0,
            is_over: false,
        }
    }

    fn stream(self) -> impl stream::Stream<Item = Result<Vec<u8>, WatchError>> {
        stream::unfold(self, async |mut lines| Some((lines.next().await?, lines)))
    }

    /// Returns the next line; at the end, the rest without a line break.
    async fn next(&mut self) -> Option<Result<Vec<u8>, WatchError>> {
        while !self.is_over {
            let rest = &self.pending[self.searched..];
            if let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + length;
                self.searched = 0;
                return Some(Ok(self.pending.drain(..=end).collect()));
            }
            self.searched = self.pending.len();
            if self.searched > self.most {
                self.is_over = true;
                let most = self.most >> 20;
                return Some(Err(WatchError::Lost(format!(
                    "event larger than {most} MiB"
                ))));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.pending.extend_from_slice(&bytes);
                    }
                }
                // A closed connection ends the watch like a regular end.
                Some(Err(_)) | None => {
                    self.is_over = true;
                    let last = std::mem::take(&mut self.pending);
                    return (!last.is_empty()).then_some(Ok(last));
                }
            }
        }
        None
    }
}

/// Parses the event of a line; `None` if it is truncated, as the last one of a connection may be.
fn event(line: &[u8]) -> Result<Option<WatchEvent<Value>>, WatchError> {
    match serde_json::from_slice(line) {
        Ok(event) => Ok(Some(event)),
        Err(error) if error.is_eof() => Ok(None),
        Err(error) => Err(match serde_json::from_slice::<Status>(line) {
            // A bare status. Any object parses as one, usually without code and message.
            Ok(status) => ended(&status),
            Err(_) => WatchError::Lost(format!("invalid event: {error}")),
        }),
    }
}

/// Converts an event to a change of an object, with its `resourceVersion`.
fn change(
    event: WatchEvent<Value>,
    resource: Resource,
) -> Result<(ObjectChange, String), WatchError> {
    let (change, object): (fn(Value) -> ObjectChange, Value) = match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) => (ObjectChange::Applied, object),
        WatchEvent::Deleted(object) => (ObjectChange::Deleted, object),
        WatchEvent::Bookmark(bookmark) => {
            let version = bookmark.metadata.resource_version;
            let lost =
                || WatchError::Lost(format!("a bookmark of {resource} has no resourceVersion"));
            let version = Some(version).filter(|version| !version.is_empty());
            return Ok((ObjectChange::None, version.ok_or_else(lost)?));
        }
        WatchEvent::Error(status) => return Err(ended(&status)),
    };
    let text = |name: &str| {
        let text = object["metadata"][name].as_str().unwrap_or_default();
        (!text.is_empty()).then(|| text.to_owned())
    };
    match (text("name"), text("resourceVersion")) {
        (Some(_), Some(version)) => Ok((change(received(object, resource)), version)),
        _ => Err(WatchError::Lost(format!(
            "an event of {resource} has no name or no resourceVersion"
        ))),
    }
}

/// Returns the error for a watch that the server ends with an error: 410, or an event that it could not send.
fn ended(status: &Status) -> WatchError {
    match refused(status.code, &status.message) {
        WatchError::Broken(message) => WatchError::Lost(message),
        other => other,
    }
}

/// Returns the error for a watch that the server refuses.
fn refused(code: u16, message: &str) -> WatchError {
    let said = match message {
        "" if code == 0 => "the response is not an event".to_owned(),
        "" => format!("the API server answers {code}"),
        message => message.to_owned(),
    };
    match code {
        401 => WatchError::Unauthorized,
        403 => WatchError::Forbidden(said),
        410 => WatchError::Lost(said),
        _ => WatchError::Broken(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::pending;
    use kube::Client;

    /// Counts the changes of a watch on a server that sends this event, if any, and then nothing, without an end.
    /// nor the end.
    fn count_changes(event: Option<&'static str>) -> Result<usize, WatchError> {
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
                namespace: Some("prod".to_owned()),
                name: None,
            };
            let most = Duration::from_millis(100);
            let changes = api.watch_within(most, &watched, "7").await?;
            Ok(changes.count().await)
        })
    }

    #[test]
    fn a_watch_whose_server_falls_silent_ends() {
        let silent = count_changes(None);
        assert!(matches!(silent, Err(WatchError::Broken(_))), "{silent:?}");
        let metadata = r#"{"name": "a", "resourceVersion": "8"}"#;
        let event = format!(r#"{{"type": "DELETED", "object": {{"metadata": {metadata}}}}}"#);
        assert_eq!(count_changes(Some(event.leak())).unwrap(), 1);
    }

    /// Returns the lines of a body within a limit, and the error after the last one.
    fn lines(body: &'static str, most: usize) -> (Vec<String>, Option<String>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let body = Body::from(body.as_bytes().to_vec());
        let all: Vec<_> = runtime.block_on(Lines::of(body, most).stream().collect());
        let mut problem = None;
        let mut read = Vec::new();
        for line in all {
            match line {
                Ok(line) => read.push(String::from_utf8(line).unwrap()),
                Err(WatchError::Lost(why)) => problem = Some(why),
                Err(other) => panic!("{other:?}"),
            }
        }
        (read, problem)
    }

    #[test]
    fn an_endless_line_is_refused_at_the_limit() {
        let (read, problem) = lines("ab\n\ncd", 8);
        assert_eq!(read, ["ab\n", "\n", "cd"]);
        assert_eq!(problem, None);
        let (read, problem) = lines("ab\n123456789", 8);
        assert_eq!(read, ["ab\n"]);
        assert_eq!(problem.unwrap(), "event larger than 0 MiB");
    }
}
