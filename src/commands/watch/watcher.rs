//! The watches of the API server, as one stream.
//!
//! ```text
//! Unknown -> Listing -> Known -> Watching
//! ```
//!
//! A watch that ends or breaks off goes on from the last version that was seen, which is `Known` again; where the server
//! has forgotten that version (410), or an event cannot be understood, all is `Unknown` and the list is made anew. What
//! fails waits longer from one failure to the next, and a watch that ends as soon as it begins is not begun more than
//! once a second.

use std::mem::take;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _, select_all, unfold};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};

use super::object_cache::name;
use crate::input::cluster::{
    ApiClient, ObjectChange, ObjectChanges, Resource, WatchError, Watched,
};

/// The kinds that are watched, the set first.
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
/// The minimum time between the beginnings of two watches of a kind.
const APART: Duration = Duration::from_secs(1);

/// An event of one of [`KINDS`].
pub(super) struct WatchEvent {
    /// Its place there.
    pub(super) kind: usize,
    /// The event.
    pub(super) change: Change,
}

/// An event of a kind's watch.
#[derive(Debug)]
pub(super) enum Change {
    /// The objects may be old: another list is requested.
    Listing,
    /// The list: the objects that there are, of those that the set's controller may meet.
    Listed(Vec<Value>),
    /// An object is new or another one, and the set's controller may meet it.
    Applied(Value),
    /// An object is gone, or the set's controller lets it alone from now on.
    Deleted(Value),
    /// The account lacks the right to watch; a retry will not help.
    Forbidden(String),
    /// The credentials are no longer accepted.
    Unauthorized,
    /// A transient error, which is retried, and how many of them there were in a row.
    Trouble(String, u32),
}

/// The objects that a watch keeps.
#[derive(Debug, Clone)]
pub(super) enum Keep {
    /// One set, and those that its controller may meet.
    Set {
        /// The set's name.
        name: String,
        /// The set's uid.
        uid: String,
    },
    /// Every set, and those that the controller of any may meet.
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

/// The watches of one kind.
struct Watcher {
    api: ApiClient,
    watched: Watched,
    keep: Keep,
    /// Failures in a row.
    failures: u32,
    /// The delay before the next request.
    pause: Duration,
    /// When another watch may begin at the earliest.
    next_watch: Instant,
}

/// The state of a kind's watch: how much of the objects is known.
enum State {
    /// Nothing, or nothing that counts.
    Unknown,
    /// As much; the next list was announced.
    Listing,
    /// Everything up to a version.
    Known(String),
    /// Everything up to a version, and what follows is being told.
    Watching(String, ObjectChanges),
}

impl Watcher {
    /// Waits for the next event, and returns it with the state that follows.
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
            // Few others have any, and a name tells the set of none.
            Keep::AnySet if self.watched.resource == Resource::REVISIONS => true,
            Keep::AnySet => may_meet_any(object),
        }
    }

    /// Returns the event and the next state after the failure of a watch that has told everything up to a version.
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

/// Reports whether a set's controller may meet an object: the set owns it, it has no owner, or its name is one that the set
/// gives.
pub(super) fn may_meet(name: &str, uid: &str, object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return true;
    };
    owner["uid"] == uid || self::name(object).contains(name)
}

/// Reports whether the controller of any set may meet a pod or a claim: the names that sets give end in an ordinal.
fn may_meet_any(object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return true;
    };
    let name = name(object);
    let ordinal = name.rsplit_once('-').map(|(_, last)| last);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    owner["kind"] == "StatefulSet" || ordinal.is_some_and(is_number)
}

/// The owner that controls an object.
fn controller(object: &Value) -> Option<&Value> {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let mut owners = owners.into_iter().flatten();
    owners.find(|owner| owner["controller"] == true)
}

/// Returns the delay after a failure that so many came before.
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
