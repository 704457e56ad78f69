//! The watches of the API server, as one stream.
//!
//! A watch that breaks off goes on from where it was; where the server has forgotten that moment (410), the list is
//! made anew. Both wait longer from one failure to the next, and a watch that ends as soon as it begins is not begun
//! more than once a second.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _, select_all, unfold};
use kube::Client;
use kube::api::Api;
use kube::core::ApiResource;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{Config, Error, Event, watcher};
use tokio::time::{Instant, sleep_until};

use super::raw_object::RawObject;
use crate::input::cluster::{ApiClient, Resource};

/// What is watched, the set first.
pub(super) const KINDS: [Resource; 4] = [
    Resource::SETS,
    Resource::PODS,
    Resource::CLAIMS,
    Resource::REVISIONS,
];
/// The kind without which a plan can still be made.
pub(super) const CLAIMS: usize = 2;

/// The first wait after a failure; doubled after each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// The longest wait after a failure.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How far apart two watches of a kind begin at least.
const APART: Duration = Duration::from_secs(1);

/// An event of a watch.
pub(super) struct WatchEvent {
    /// Of which of [`KINDS`].
    pub(super) kind: usize,
    /// What.
    pub(super) change: Change,
}

/// An event, or what went wrong.
pub(super) enum Change {
    /// An object is another one, or a list begins or is whole.
    Event(Box<Event<RawObject>>),
    /// The account lacks the right to watch; a retry will not help.
    Forbidden(String),
    /// The credentials are no longer accepted.
    Unauthorized,
    /// A transient error, which is retried.
    Trouble(String),
}

/// Watches a set, and the pods, claims and revisions of its namespace.
pub(super) fn watch_kinds(
    api: &ApiClient,
    namespace: &str,
    set: &str,
) -> BoxStream<'static, WatchEvent> {
    let streams = KINDS.iter().enumerate().map(|(kind, resource)| {
        let config = if kind == 0 {
            Config::default().fields(&format!("metadata.name={set}"))
        } else {
            Config::default()
        };
        let client = paced(api.client().clone());
        let api = Api::<RawObject>::namespaced_with(client, namespace, &api_resource(*resource));
        events(api, config)
            .map(move |event| WatchEvent {
                kind,
                change: match event {
                    Ok(event) => Change::Event(Box::new(event)),
                    Err(error) => change(&error),
                },
            })
            .boxed()
    });
    select_all(streams).boxed()
}

/// The events of one kind. A watch that cannot begin where the last one ended begins anew with a list.
fn events(
    api: Api<RawObject>,
    config: Config,
) -> BoxStream<'static, Result<Event<RawObject>, Error>> {
    let begin = move || {
        watcher(api.clone(), config.clone())
            .backoff(Patience(FIRST_WAIT))
            .boxed()
    };
    let first = begin();
    unfold((begin, first), |(begin, mut stream)| async move {
        let item = stream.next().await?;
        if let Err(Error::WatchStartFailed(kube::Error::Api(status))) = &item
            && status.code == 410
        {
            stream = begin();
        }
        Some((item, (begin, stream)))
    })
    .boxed()
}

/// A client whose watches do not begin one right after the other.
fn paced(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let next: Arc<Mutex<Option<Instant>>> = Arc::default();
    let send = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let client = client.clone();
        let next = Arc::clone(&next);
        async move {
            let is_watch = request
                .uri()
                .query()
                .is_some_and(|query| query.contains("watch=true"));
            if is_watch {
                let now = Instant::now();
                let begin = match next.lock() {
                    Ok(mut next) => {
                        let begin = next.unwrap_or(now).max(now);
                        *next = Some(begin + APART);
                        begin
                    }
                    Err(_) => now,
                };
                sleep_until(begin).await;
            }
            client.send(request).await
        }
    });
    Client::new(send, namespace)
}

fn api_resource(resource: Resource) -> ApiResource {
    ApiResource {
        group: resource.group.to_owned(),
        version: resource.version.to_owned(),
        api_version: resource.api_version(),
        kind: resource.kind.to_owned(),
        plural: resource.plural.to_owned(),
    }
}

/// What an error of a watch comes to.
fn change(error: &Error) -> Change {
    let status = match error {
        Error::InitialListFailed(kube::Error::Api(status))
        | Error::WatchStartFailed(kube::Error::Api(status))
        | Error::WatchFailed(kube::Error::Api(status))
        | Error::WatchError(status) => Some(status),
        _ => None,
    };
    match status {
        Some(status) if status.code == 401 => Change::Unauthorized,
        Some(status) if status.code == 403 => Change::Forbidden(status.message.clone()),
        Some(status) => Change::Trouble(status.message.clone()),
        None => {
            let mut last: &dyn std::error::Error = error;
            while let Some(source) = last.source() {
                last = source;
            }
            Change::Trouble(last.to_string())
        }
    }
}

/// Waits that double.
struct Patience(Duration);

impl Iterator for Patience {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let wait = self.0;
        self.0 = (wait * 2).min(LONGEST_WAIT);
        Some(wait)
    }
}

impl Backoff for Patience {
    fn reset(&mut self) {
        self.0 = FIRST_WAIT;
    }
}
