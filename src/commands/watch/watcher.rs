//! The watches of the API server, as one stream.
//!
//! ```text
//! Unknown -> Listing -> Known -> Watching
//! ```
//!
//! A watch that ends or breaks resumes from the last seen version, in state `Known`. If the server no longer has that
//! version (410), or an event is invalid, the state is `Unknown` and the list is repeated. Retries wait longer after
//! each failure, and a watch that ends at once is not restarted more than once per second.

use std::mem::take;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _, select_all, unfold};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};

use super::object_cache::name;
use crate::input::cluster::{
    ApiClient, ObjectChange, ObjectChanges, Resource, WatchError, Watched,
};

/// Watched kinds, the set first.
pub(super) const KINDS: [Resource; 4] = [
    Resource::SETS,
    Resource::PODS,
    Resource::CLAIMS,
    Resource::REVISIONS,
];
/// The kind that is optional for a plan.
pub(super) const CLAIMS: usize = 2;

/// Wait after the first failure; doubled after each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// Maximum wait after a failure.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Minimum time between the starts of two watches of a kind.
const APART: Duration = Duration::from_secs(1);

/// An event of one of [`KINDS`].
pub(super) struct WatchEvent {
    /// Index of the kind.
    pub(super) kind: usize,
    /// The event.
    pub(super) change: Change,
}

/// An event of a kind's watch.
#[derive(Debug)]
pub(super) enum Change {
    /// Objects may be outdated: another list is requested.
    Listing,
    /// The complete list of objects that the set's controller may read.
    Listed(Vec<Value>),
    /// An object was created or changed, and the set's controller may read it.
    Applied(Value),
    /// An object was deleted, or the set's controller no longer reads it.
    Deleted(Value),
    /// The account is not allowed to watch; a retry will not help.
    Forbidden(String),
    /// The credentials are no longer accepted.
    Unauthorized,
    /// A transient error, which is retried, and the number of consecutive errors.
    Trouble(String, u32),
}

/// Filter for watched objects.
#[derive(Debug, Clone)]
pub(super) enum Keep {
    /// One set, and the objects that its controller may read.
    Set {
        /// Name of the set.
        name: String,
        /// Uid of the set.
        uid: String,
    },
    /// Every set, and the objects that their controller may read.
    AnySet,
}

/// Watches sets, and the pods, claims and revisions of their namespace, or of all namespaces.
pub(super) fn watch_kinds(
    api: &ApiClient,
    namespace: Option<&str>,
    keep: &Keep,
) -> BoxStream<'static, WatchEvent> {
    let streams = KINDS.iter().enumerate().map(|(kind, resource)| {
        let name = match keep {
            Keep::Set { name, .. } if *resource == Resource::SETS => Some(name.clone()),
            Keep::Set { .. } | Keep::AnySet => None,
        };
        let watcher = Watcher {
            api: api.silent(),
            watched: Watched {
                resource: *resource,
                namespace: namespace.map(str::to_owned),
                name,
            },
            keep: keep.clone(),
            failures: 0,
            pause: Duration::ZERO,
            next_watch: Instant::now(),
        };
        unfold((watcher, State::Unknown), |(mut watcher, state)| async {
            let (change, state) = watcher.next(state).await;
            Some((change, (watcher, state)))
        })
        .map(move |change| WatchEvent { kind, change })
        .boxed()
    });
    select_all(streams).boxed()
}

/// Watches of one kind.
struct Watcher {
    api: ApiClient,
    watched: Watched,
    keep: Keep,
    /// Number of consecutive failures.
    failures: u32,
    /// Delay before the next request.
    pause: Duration,
    /// Earliest start of the next watch.
    next_watch: Instant,
}

/// State of a kind's watch.
enum State {
    /// No objects, or outdated ones.
    Unknown,
    /// The same, and the next list was announced.
    Listing,
    /// All objects up to a version.
    Known(String),
    /// All objects up to a version, and later changes are being received.
    Watching(String, ObjectChanges),
}

impl Watcher {
    /// Waits for the next event, and returns it with the next state.
    async fn next(&mut self, mut state: State) -> (Change, State) {
        loop {
            state = match state {
                State::Unknown => return (Change::Listing, State::Listing),
                State::Listing => {
                    sleep(take(&mut self.pause)).await;
                    let keep = |object: &Value| self.may_meet(object);
                    match self.api.list_watched(&self.watched, keep).await {
                        Ok((objects, version)) => {
                            self.failures = 0;
                            return (Change::Listed(objects), State::Known(version));
                        }
                        Err(problem) => return (self.failed(problem), State::Listing),
                    }
                }
                State::Known(version) => {
                    sleep(take(&mut self.pause)).await;
                    sleep_until(self.next_watch).await;
                    self.next_watch = Instant::now() + APART;
                    match self.api.watch(&self.watched, &version).await {
                        Ok(changes) => State::Watching(version, changes),
                        Err(problem) => return self.broken(problem, version),
                    }
                }
                State::Watching(version, mut changes) => match changes.next().await {
                    None => State::Known(version),
                    Some(Ok((change, version))) => {
                        self.failures = 0;
                        let what = match change {
                            ObjectChange::Applied(object) if self.may_meet(&object) => {
                                Change::Applied(object)
                            }
                            ObjectChange::Applied(object) | ObjectChange::Deleted(object) => {
                                Change::Deleted(object)
                            }
                            ObjectChange::None => {
                                state = State::Watching(version, changes);
                                continue;
                            }
                        };
                        return (what, State::Watching(version, changes));
                    }
                    Some(Err(problem)) => return self.broken(problem, version),
                },
            };
        }
    }

    fn may_meet(&self, object: &Value) -> bool {
        match &self.keep {
            _ if self.watched.resource == Resource::SETS => true,
            Keep::Set { name, uid } => may_meet(name, uid, object),
            // Few other objects have revisions, and a name does not show the set.
            Keep::AnySet if self.watched.resource == Resource::REVISIONS => true,
            Keep::AnySet => may_meet_any(object),
        }
    }

    /// Returns the event and the next state after the failure of a watch that was complete up to a version.
    fn broken(&mut self, problem: WatchError, version: String) -> (Change, State) {
        let state = match problem {
            WatchError::Lost(_) => State::Unknown,
            _ => State::Known(version),
        };
        (self.failed(problem), state)
    }

    fn failed(&mut self, problem: WatchError) -> Change {
        self.pause = wait(self.failures);
        self.failures = self.failures.saturating_add(1);
        match problem {
            WatchError::Forbidden(message) => Change::Forbidden(message),
            WatchError::Unauthorized => Change::Unauthorized,
            WatchError::Lost(message) | WatchError::Broken(message) => {
                Change::Trouble(message, self.failures)
            }
        }
    }
}

/// Reports whether a set's controller may read an object: the set owns it, it has no owner, or the set would use its
/// name.
pub(super) fn may_meet(name: &str, uid: &str, object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return true;
    };
    owner["uid"] == uid || self::name(object).contains(name)
}

/// Reports whether the controller of any set may read a pod or a claim: their names end in an ordinal.
fn may_meet_any(object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return true;
    };
    let name = name(object);
    let ordinal = name.rsplit_once('-').map(|(_, last)| last);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    owner["kind"] == "StatefulSet" || ordinal.is_some_and(is_number)
}

/// Returns the owner that controls an object.
fn controller(object: &Value) -> Option<&Value> {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let mut owners = owners.into_iter().flatten();
    owners.find(|owner| owner["controller"] == true)
}

/// Returns the delay after a failure, from the number of previous ones.
fn wait(before: u32) -> Duration {
    FIRST_WAIT
        .saturating_mul(1 << before.min(16))
        .min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_seconds() {
        let waits = [0, 1, 2, 4, 5, 1000, u32::MAX].map(|before| wait(before).as_millis());
        assert_eq!(waits, [200, 400, 800, 3200, 5000, 5000, 5000]);
    }
}
