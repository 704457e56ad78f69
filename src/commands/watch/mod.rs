//! `-w`: the plan of a set, computed anew whenever something of it changes, with what happened since the plan before
//! against what that one predicted.
//!
//! ```text
//! watcher (watches of the API server) -> cache (the objects as they are) -> plan -> update -> display (screen or lines)
//! ```
//!
//! Nothing is planned before every first list is whole, and nothing ends a watch while a list is being repeated:
//! a set is said to be complete or blocked only of a world that has been seen whole and has been quiet for a while.

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
use sts_plan::report::{SavedStages, Verification, VerifiedStage};
use sts_plan::verify::Prediction;

use object_cache::ObjectCache;
pub use run::run;
use screen::Screen;
use updates::Updates;
use watcher::{CLAIMS, Change, KINDS, Keep, WatchEvent, watch_kinds};

/// Changes within this time make one update: at most five a second.
const TOGETHER: Duration = Duration::from_millis(200);
/// The quiet time after which the world counts as settled: each kind is watched on its own, and an effect may be seen
/// before its cause.
const QUIET: Duration = Duration::from_secs(1);

/// The watched set, and the conditions of its plans.
pub struct Subject {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The set's uid.
    pub uid: String,
    /// The conditions of the plans, but for the moment.
    pub conditions: Conditions,
    /// The outcome of reading the cluster.
    pub source: Arc<Source>,
    /// The objects around the set, as of the beginning of the watch.
    pub related: Arc<RelatedObjects>,
    /// The plan of all stages, where the change has several.
    pub stages: Option<SavedStages>,
}

/// The end of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The set matches its specification.
    Complete,
    /// It is not, and nothing more will happen.
    Blocked,
    /// The set is gone; whether it was on its way out when it was last seen.
    Gone {
        /// It was being deleted in the foreground, so that its plan said as much.
        foreseen: bool,
    },
    /// Time is up.
    TimedOut,
    /// The user interrupted it.
    Interrupted,
}

/// Receives what the watch observes.
pub trait Observer {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// A new plan, with what has become of the one before, and the stage that reality is in.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn update(
        &mut self,
        plan: &Plan,
        since: Option<&Verification>,
        stage: Option<&VerifiedStage>,
    ) -> Result<Option<Prediction>>;

    /// Something is wrong, and tried again.
    ///
    /// # Errors
    /// When it cannot be said.
    fn note(&mut self, text: &str) -> Result<()>;

    /// Something else has come in.
    ///
    /// # Errors
    /// When what it comes to cannot be shown.
    fn event(&mut self, event: Event) -> Result<WatchReply>;
}

/// Watches a set until it is complete, blocked or gone, or the time is up. Where a stage creates the set again, the new one
/// is watched from then on.
///
/// # Errors
/// When the set or what is around it may not be watched, the first lists do not come, or the observer fails.
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

/// Watches a set until an end, and returns the uid of the set that has taken its place as planned.
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

/// Waits until a moment; for ever where there is none.
async fn rest_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Fails once the first lists have not come by the moment that they are waited for.
fn refuse_late_lists(
    api: &ApiClient,
    by: Option<Instant>,
    cache: &ObjectCache,
    now: Instant,
) -> Result<()> {
    if !cache.is_filled() && by.is_some_and(|by| now >= by) {
        bail!(
            "the API server {} did not list everything in time: wait longer with --request-timeout, or try again",
            api.server()
        );
    }
    Ok(())
}

/// A watch in progress.
struct Watching<'w> {
    subject: &'w Subject,
    cache: ObjectCache,
    /// When something changed that was not looked at yet.
    changed: bool,
    /// When the next update may be at the earliest.
    earliest: Instant,
    updates: Updates,
    /// The end of the watch, and when it comes if nothing happens until then.
    ending: Option<(Ended, Instant)>,
    /// True if the set was terminating when it was last seen.
    leaving: bool,
    /// The uid of the set that has taken its place as planned.
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

    /// Takes in an event of a watch.
    fn take(&mut self, event: WatchEvent, observer: &mut dyn Observer) -> Result<()> {
        let WatchEvent { kind, change } = event;
        match change {
            Change::Forbidden(_) if kind == CLAIMS => {
                self.changed |= !self.cache.is_filled();
                self.cache.do_without(kind);
            }
            Change::Forbidden(message) => bail!(
                "not allowed to list and watch {} in namespace {:?}, which -w needs: {message}",
                KINDS[kind],
                self.subject.namespace
            ),
            // A watch that breaks off once goes on without a word.
            Change::Trouble(message, 2) => observer.note(&format!(
                "cannot watch {}: {message}; trying again",
                KINDS[kind]
            ))?,
            change => self.changed |= self.cache.take(kind, change),
        }
        if self.changed {
            self.ending = None;
        }
        Ok(())
    }

    /// When what changed is to be looked at.
    fn next_look(&self) -> Option<Instant> {
        let may = self.changed && self.cache.is_filled() && !self.cache.is_refilled();
        may.then_some(self.earliest)
    }

    fn ends_at(&self) -> Option<Instant> {
        let (_, at) = self.ending.filter(|_| !self.cache.is_refilled())?;
        Some(at)
    }

    /// Looks if it is time to, and tells how the watch ends if it does.
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

    /// Plans anew, and shows it if there is anything to show.
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

/// Returns the end of a watch whose world goes on as planned; `None` if the watch goes on.
fn ending(plan: &Plan) -> Option<Ended> {
    match &plan.outcome {
        Outcome::Livelock => Some(Ended::Blocked),
        _ if !plan.progression.steps.is_empty() => None,
        // A set that is being deleted is not complete before it is gone.
        Outcome::Complete => (!plan.snapshot.set.is_terminating()).then_some(Ended::Complete),
        Outcome::Blocked(_) | Outcome::Rejected(_) => Some(Ended::Blocked),
    }
}
