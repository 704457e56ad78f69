//! `-w`: a new plan of a set on every change, with a comparison of events with the previous plan.
//!
//! ```text
//! watcher (watches of the API server) -> cache (current objects) -> plan -> update -> display (screen or lines)
//! ```
//!
//! Planning starts when every first list is complete, and a watch does not end while a list is repeated: a set is
//! only complete or blocked if all objects have been read and nothing has changed for a while.

mod display;
mod fingerprint;
mod object_cache;
mod on_change;
mod run;
mod screen;
mod sets;
mod stages;
mod updates;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use futures::StreamExt as _;
use jiff::Timestamp;
use tokio::time::{Instant, sleep_until};

use crate::commands::terminal::{Event, Events};
use crate::input::Reader;
use crate::input::cluster::ApiClient;
use crate::output::screens::WatchReply;
use sts_controller::object::RelatedObjects;
use sts_plan::plan::{Conditions, Outcome, Plan, Source};
use sts_plan::verify::{Prediction, SavedStages, Verification, VerifiedStage};

use object_cache::ObjectCache;
pub use run::run;
use screen::Screen;
use updates::Updates;
use watcher::{CLAIMS, Change, KINDS, Keep, WatchEvent, watch_kinds};

/// Changes within this time share an update: at most five per second.
const TOGETHER: Duration = Duration::from_millis(200);
/// Time without changes after which the cluster counts as settled: each kind is watched separately, and an effect may
/// arrive before its cause.
const QUIET: Duration = Duration::from_secs(1);

/// The watched set, and the conditions of its plans.
pub struct Subject {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// Uid of the set.
    pub uid: String,
    /// Conditions of the plans, except the time.
    pub conditions: Conditions,
    /// Result of reading the cluster.
    pub source: Arc<Source>,
    /// Objects around the set, from the start of the watch.
    pub related: Arc<RelatedObjects>,
    /// Plan of all stages, if there are several.
    pub stages: Option<SavedStages>,
}

/// End of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The set matches its spec.
    Complete,
    /// It does not, and nothing more will happen.
    Blocked,
    /// The set is gone.
    Gone {
        /// True if it was terminating in the foreground, so that its plan predicted the end.
        foreseen: bool,
    },
    /// The timeout was reached.
    TimedOut,
    /// The user interrupted the watch.
    Interrupted,
}

/// Observer of a watch.
pub trait Observer {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Handles a new plan, with the comparison with the previous one, and the current stage.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn update(
        &mut self,
        plan: &Plan,
        since: Option<&Verification>,
        stage: Option<&VerifiedStage>,
    ) -> Result<Option<Prediction>>;

    /// Handles a problem that will be retried.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn note(&mut self, text: &str) -> Result<()>;

    /// Handles another event.
    ///
    /// # Errors
    /// When the result cannot be shown.
    fn event(&mut self, event: Event) -> Result<WatchReply>;
}

/// Watches a set until it is complete, blocked or gone, or the timeout. If a stage recreates the set, the watch
/// continues with the new one.
///
/// # Errors
/// When the set or its objects cannot be watched, the first lists do not arrive, or the observer fails.
pub async fn watch(
    api: &ApiClient,
    subject: &mut Subject,
    timeout: Option<Duration>,
    events: &mut Events,
    observer: &mut dyn Observer,
) -> Result<Ended> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        match watch_one(api, subject, deadline, events, observer).await? {
            (_, Some(uid)) => subject.uid = uid,
            (ended, None) => return Ok(ended),
        }
    }
}

/// Watches a set until an end, and returns the uid of the set that replaced it as planned.
async fn watch_one(
    api: &ApiClient,
    subject: &Subject,
    deadline: Option<Instant>,
    events: &mut Events,
    observer: &mut dyn Observer,
) -> Result<(Ended, Option<String>)> {
    let start = Instant::now();
    let patience = api
        .patience()
        .and_then(|patience| start.checked_add(patience));
    let keep = Keep::Set {
        name: subject.name.clone(),
        uid: subject.uid.clone(),
    };
    let mut watches = watch_kinds(api, Some(&subject.namespace), &keep);
    let mut watching = Watching::new(subject, start);
    loop {
        let first_lists = patience.filter(|_| !watching.cache.is_filled());
        let moments = [
            deadline,
            first_lists,
            watching.next_look(),
            watching.ends_at(),
            watching.updates.wake,
            watching.updates.stage_begins,
        ];
        let next = moments.into_iter().flatten().min();
        tokio::select! {
            change = watches.next() => match change {
                Some(WatchEvent { change: Change::Unauthorized, .. }) => {
                    return Err(api.unauthorized().into());
                }
                Some(change) => watching.take(change, observer)?,
                None => bail!("the watches of {}/{} have ended", subject.namespace, subject.name),
            },
            () = rest_until(next) => {}
            event = events.next() => if observer.event(event)? == WatchReply::Quit {
                return Ok((Ended::Interrupted, None));
            },
        }
        let now = Instant::now();
        refuse_late_lists(api, patience, &watching.cache, now)?;
        if let Some(ended) = watching.look_if_due(now, observer)? {
            return Ok((ended, watching.replaced_by.take()));
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Ok((Ended::TimedOut, None));
        }
    }
}

/// Waits until a moment; forever if there is none.
async fn rest_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Returns an error if the first lists have not arrived by the timeout.
fn refuse_late_lists(
    api: &ApiClient,
    by: Option<Instant>,
    cache: &ObjectCache,
    now: Instant,
) -> Result<()> {
    if !cache.is_filled() && by.is_some_and(|by| now >= by) {
        bail!(
            "timeout: the API server {} did not list all objects; retry, or raise --request-timeout",
            api.server()
        );
    }
    Ok(())
}

/// A watch in progress.
struct Watching<'w> {
    subject: &'w Subject,
    cache: ObjectCache,
    /// Time of the first change that was not planned yet.
    changed: bool,
    /// Earliest time of the next update.
    earliest: Instant,
    updates: Updates,
    /// Pending end of the watch, and its time if nothing happens until then.
    ending: Option<(Ended, Instant)>,
    /// True if the set was terminating when it was last seen.
    leaving: bool,
    /// Uid of the set that replaced it as planned.
    replaced_by: Option<String>,
}

impl<'w> Watching<'w> {
    fn new(subject: &'w Subject, start: Instant) -> Self {
        Watching {
            subject,
            cache: ObjectCache::default(),
            changed: false,
            earliest: start,
            updates: Updates::default(),
            ending: None,
            leaving: false,
            replaced_by: None,
        }
    }

    /// Handles an event of a watch.
    fn take(&mut self, event: WatchEvent, observer: &mut dyn Observer) -> Result<()> {
        let WatchEvent { kind, change } = event;
        match change {
            Change::Forbidden(_) if kind == CLAIMS => {
                self.changed |= !self.cache.is_filled();
                self.cache.do_without(kind);
            }
            Change::Forbidden(message) => bail!(
                "not allowed to list and watch {} in namespace {:?}, required for -w: {message}",
                KINDS[kind],
                self.subject.namespace
            ),
            // A single interruption of a watch is not reported.
            Change::Trouble(message, 2) => observer.note(&format!(
                "cannot watch {}: {message}; retrying",
                KINDS[kind]
            ))?,
            change => self.changed |= self.cache.take(kind, change),
        }
        if self.changed {
            self.ending = None;
        }
        Ok(())
    }

    /// Returns the time of the next update, if any.
    fn next_look(&self) -> Option<Instant> {
        let may = self.changed && self.cache.is_filled() && !self.cache.is_refilled();
        may.then_some(self.earliest)
    }

    fn ends_at(&self) -> Option<Instant> {
        let (_, at) = self.ending.filter(|_| !self.cache.is_refilled())?;
        Some(at)
    }

    /// Updates if it is time, and returns the end of the watch, if reached.
    fn look_if_due(&mut self, now: Instant, observer: &mut dyn Observer) -> Result<Option<Ended>> {
        let Updates {
            wake, stage_begins, ..
        } = &mut self.updates;
        let mut late = wake.take_if(|wake| now >= *wake).is_some();
        late |= stage_begins.take_if(|begins| now >= *begins).is_some();
        if self.next_look().is_some_and(|at| now >= at) || (late && self.next_look().is_none()) {
            self.changed = false;
            self.earliest = now + TOGETHER;
            if let Some(gone) = self.look(now, observer)? {
                return Ok(Some(gone));
            }
        }
        let over = self.ends_at().is_some_and(|at| now >= at) && !self.changed;
        Ok(self.ending.filter(|_| over).map(|(ended, _)| ended))
    }

    /// Creates a new plan, and shows it if it differs.
    fn look(&mut self, now: Instant, observer: &mut dyn Observer) -> Result<Option<Ended>> {
        let Subject {
            namespace,
            name,
            uid,
            conditions,
            ..
        } = self.subject;
        let reader = Reader {
            namespace,
            defaulting: &conditions.behaviour.defaulting,
            all_new: false,
        };
        let inventory = self.cache.inventory(&reader, name, uid)?;
        let snapshot = inventory.snapshot(namespace, name);
        let snapshot = match snapshot {
            Some(snapshot) if *snapshot.set.meta.uid == **uid => snapshot,
            other => return self.gone(&inventory, other.as_ref(), observer),
        };
        self.leaving = snapshot.set.is_terminating();
        let (plan, stage) = self.updates.look(snapshot, self.subject, now, observer)?;
        let ended = ending(&plan);
        let ended = match &stage {
            Some(stage) => stages::ending(stage, ended),
            None => ended,
        };
        self.ending = ended.map(|ended| (ended, now + QUIET));
        Ok(None)
    }
}

/// Returns the end of a watch for this plan; `None` if the watch continues.
fn ending(plan: &Plan) -> Option<Ended> {
    match &plan.outcome {
        Outcome::Livelock => Some(Ended::Blocked),
        _ if !plan.progression.steps.is_empty() => None,
        // A terminating set is not complete until it is gone, and one that waits for its user until the pods are done.
        Outcome::Complete => {
            let is_done = !plan.snapshot.set.is_terminating() && plan.tally().on_delete == 0;
            is_done.then_some(Ended::Complete)
        }
        Outcome::Blocked(_) | Outcome::Rejected(_) => Some(Ended::Blocked),
    }
}
