//! `-w` of several sets: one watch per kind, and one screen.
//!
//! A change marks the sets whose controller may read the object. These are planned one after the other, and keys are
//! handled in between.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use futures::StreamExt as _;
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use super::object_cache::{ObjectCache, SETS, key};
use super::watcher::{CLAIMS, Change, KINDS, Keep, WatchEvent, may_meet, watch_kinds};
use super::{Observer, Subject, TOGETHER, Updates, refuse_late_lists, rest_until};
use crate::cli::exit::Exit;
use crate::commands::Context;
use crate::commands::terminal::{DrawnTerminal, Event, Events, Signals, gives_keys};
use crate::input::Reader;
use crate::input::cluster::{ApiClient, Cluster};
use crate::input::read::Input;
use crate::output::screens::{AllSetsScreen, SetKey, WatchReply};
use crate::output::{Format, json_tree, render};
use crate::request::{PlanRequest, Selection};
use sts_controller::object::{RelatedObjects, Selector, Snapshot};
use sts_plan::analysis::analyze;
use sts_plan::fleet::{Findings, ReportList};
use sts_plan::lint::Suppressions;
use sts_plan::plan::{Conditions, Plan, Source};
use sts_plan::report::Report;
use sts_plan::verify::{Prediction, Verification, VerifiedStage};
use sts_plan::what_if::Questions;

/// Time for planning before keys are handled again.
const SLICE: Duration = Duration::from_millis(50);

/// Watched sets, and the conditions of their plans.
struct Sets {
    /// Namespace; `None` for all.
    namespace: Option<String>,
    /// Names of the sets to show.
    selection: Selection,
    selector: Option<Selector>,
    conditions: Conditions,
    source: Arc<Source>,
    related: Arc<RelatedObjects>,
}

/// Watches sets until the user quits, and prints their table.
///
/// # Errors
/// When the sets cannot be watched, or the terminal cannot be drawn on.
pub(super) fn run(
    request: &PlanRequest,
    context: &mut Context<'_>,
    cluster: &Cluster,
    input: Input,
) -> Result<Exit> {
    let selection = &request.selection;
    let namespace = (!selection.all_namespaces).then(|| cluster.namespace().to_owned());
    let selector = selection.selector.as_deref();
    let sets = Sets {
        selection: selection.clone(),
        selector: selector.map(str::parse).transpose()?,
        source: Arc::clone(input.read.of(namespace.as_deref().unwrap_or_default())),
        related: Arc::clone(&input.loaded.inventory.related()),
        conditions: input.conditions,
        namespace,
    };
    let signals = cluster.block_on(async { Signals::catch() });
    if !gives_keys() {
        bail!("-w of several sets requires a terminal for keyboard input");
    }
    let style = context.terminal.style(request.output.display, true);
    let terminal = DrawnTerminal::enter(context.stdout).context("cannot draw on the terminal")?;
    let mut display = SetsDisplay {
        terminal,
        screen: AllSetsScreen::new(style.color),
        clock: context.clock,
        silence: request.gates.silence.clone(),
    };
    let ended = cluster.block_on(async {
        let mut events = Events::new(signals, true);
        watch_sets(cluster.api(), &sets, &mut events, &mut display).await
    });
    let SetsDisplay {
        terminal, screen, ..
    } = display;
    let reports = screen.into_reports();
    let mut table = Vec::new();
    if !reports.is_empty() {
        render(
            Format::Table,
            &ReportList::new(&reports),
            &style,
            &mut table,
        )?;
    }
    terminal.leave(&table).context("cannot write the plan")?;
    ended
}

/// The screen and its terminal.
struct SetsDisplay<'s> {
    terminal: DrawnTerminal<'s>,
    screen: AllSetsScreen,
    clock: fn() -> Timestamp,
    silence: Suppressions,
}

impl SetsDisplay<'_> {
    fn draw(&mut self) -> Result<()> {
        let now = (self.clock)();
        let screen = &mut self.screen;
        let drawn = self.terminal.draw(|frame| screen.draw(frame, now));
        drawn.context("cannot draw on the terminal")
    }
}

impl Observer for SetsDisplay<'_> {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    fn update(
        &mut self,
        plan: &Plan,
        since: Option<&Verification>,
        _: Option<&VerifiedStage>,
    ) -> Result<Option<Prediction>> {
        let mut findings = Findings::new(self.silence.clone());
        findings.note(findings.of(plan, &Suppressions::default()));
        let questions = Questions {
            observations: true,
            eta: true,
            ..Questions::default()
        };
        let mut report = Report::from(&analyze(plan, &questions));
        findings.complete(std::slice::from_mut(&mut report));
        let value = json_tree(&report).context("cannot make JSON of the plan")?;
        self.screen.update(report, since, (self.clock)());
        Ok(Prediction::from_json(&value).ok())
    }

    fn note(&mut self, text: &str) -> Result<()> {
        self.screen.note(text);
        self.draw()
    }

    fn event(&mut self, event: Event) -> Result<WatchReply> {
        let reply = match event {
            Event::Key(key) => self.screen.key(key),
            Event::Interrupted => return Ok(WatchReply::Quit),
            Event::Draw | Event::Message(_) => WatchReply::Draw,
        };
        self.draw().map(|()| reply)
    }
}

/// Watches until a key or a signal ends it.
async fn watch_sets(
    api: &ApiClient,
    sets: &Sets,
    events: &mut Events,
    display: &mut SetsDisplay<'_>,
) -> Result<Exit> {
    let start = Instant::now();
    let patience = api
        .patience()
        .and_then(|patience| start.checked_add(patience));
    let mut watches = watch_kinds(api, sets.namespace.as_deref(), &Keep::AnySet);
    let mut watching = Watching::new(sets, start);
    display.draw()?;
    loop {
        let first_lists = patience.filter(|_| !watching.cache.is_filled());
        let moments = [first_lists, watching.next_look()];
        let next = moments.into_iter().flatten().min();
        tokio::select! {
            change = watches.next() => match change {
                Some(WatchEvent { change: Change::Unauthorized, .. }) => {
                    return Err(api.unauthorized().into());
                }
                Some(change) => watching.take(change, display)?,
                None => bail!("the watches of the cluster have ended"),
            },
            () = rest_until(next) => {}
            event = events.next() => {
                let exit = match event {
                    Event::Interrupted => Exit::Interrupted,
                    _ => Exit::Done,
                };
                if display.event(event)? == WatchReply::Quit {
                    return Ok(exit);
                }
            }
        }
        let now = Instant::now();
        refuse_late_lists(api, patience, &watching.cache, now)?;
        watching.look_if_due(now, display)?;
    }
}

/// A watch in progress.
struct Watching<'w> {
    sets: &'w Sets,
    cache: ObjectCache,
    /// Sets with changes that were not planned yet.
    changed: BTreeSet<SetKey>,
    /// Earliest time of the next update.
    earliest: Instant,
    /// Displayed sets, with their uids.
    shown: BTreeMap<SetKey, (String, Updates)>,
}

impl<'w> Watching<'w> {
    fn new(sets: &'w Sets, start: Instant) -> Self {
        Watching {
            sets,
            cache: ObjectCache::default(),
            changed: BTreeSet::new(),
            earliest: start,
            shown: BTreeMap::new(),
        }
    }

    /// Handles an event of a watch.
    fn take(&mut self, event: WatchEvent, observer: &mut dyn Observer) -> Result<()> {
        let WatchEvent { kind, change } = event;
        match change {
            Change::Forbidden(_) if kind == CLAIMS => {
                self.cache.do_without(kind);
                self.mark_all();
            }
            Change::Forbidden(message) => {
                let place = match &self.sets.namespace {
                    Some(namespace) => format!("in namespace {namespace:?}"),
                    None => "in all namespaces".to_owned(),
                };
                bail!(
                    "not allowed to list and watch {} {place}, required for -w: {message}",
                    KINDS[kind]
                )
            }
            // A single interruption of a watch is not reported.
            Change::Trouble(message, 2) => observer.note(&format!(
                "cannot watch {}: {message}; retrying",
                KINDS[kind]
            ))?,
            Change::Listed(objects) => {
                if self.cache.take(kind, Change::Listed(objects)) {
                    self.mark_all();
                }
            }
            change => {
                if let Change::Applied(object) | Change::Deleted(object) = &change {
                    // The object may have belonged to another set before.
                    let before = self.cache.object(kind, &key(object)).cloned();
                    self.mark(kind, object);
                    if let Some(before) = before {
                        self.mark(kind, &before);
                    }
                }
                self.cache.take(kind, change);
            }
        }
        Ok(())
    }

    /// Marks the sets whose controller may read an object.
    fn mark(&mut self, kind: usize, object: &Value) {
        if kind == SETS {
            self.changed.insert(key(object));
            return;
        }
        let (namespace, _) = key(object);
        let sets = self.cache.of_namespace(SETS, &namespace);
        let met = sets.filter(|((_, name), set)| may_meet(name, uid(set), object));
        self.changed.extend(met.map(|(key, _)| key.clone()));
    }

    fn mark_all(&mut self) {
        self.changed.extend(self.cache.keys(SETS).cloned());
        self.changed.extend(self.shown.keys().cloned());
    }

    /// Returns the time of the next update, or when a predicted step is late.
    fn next_look(&self) -> Option<Instant> {
        if !self.cache.is_filled() || self.cache.is_refilled() {
            return None;
        }
        let wakes = self.shown.values().filter_map(|(_, updates)| updates.wake);
        let changed = (!self.changed.is_empty()).then_some(self.earliest);
        wakes.chain(changed).min()
    }

    /// Plans pending sets for a limited time.
    fn look_if_due(&mut self, now: Instant, display: &mut SetsDisplay<'_>) -> Result<()> {
        if self.next_look().is_none_or(|at| now < at) {
            return Ok(());
        }
        for (key, (_, updates)) in &mut self.shown {
            if updates.wake.take_if(|wake| now >= *wake).is_some() {
                self.changed.insert(key.clone());
            }
        }
        while let Some(key) = self.changed.pop_first() {
            self.look(&key, display)?;
            if Instant::now().duration_since(now) > SLICE {
                break;
            }
        }
        self.earliest = match self.changed.is_empty() {
            true => now + TOGETHER,
            false => now,
        };
        display.draw()
    }

    /// Creates a new plan of a set, and shows it if it differs.
    fn look(&mut self, key: &SetKey, display: &mut SetsDisplay<'_>) -> Result<()> {
        let Some(snapshot) = self.snapshot(key, display)? else {
            if self.shown.remove(key).is_some() {
                display.screen.remove(key);
            }
            return Ok(());
        };
        let uid = snapshot.set.meta.uid.to_string();
        let shown = self.shown.entry(key.clone()).or_default();
        // A recreated set is a different one.
        if shown.0 != uid {
            *shown = (uid.clone(), Updates::default());
            display.screen.remove(key);
        }
        let subject = Subject {
            namespace: key.0.clone(),
            name: key.1.clone(),
            uid,
            conditions: self.sets.conditions.clone(),
            source: Arc::clone(&self.sets.source),
            related: Arc::clone(&self.sets.related),
            stages: None,
        };
        shown.1.look(snapshot, &subject, Instant::now(), display)?;
        Ok(())
    }

    /// Returns the snapshot of a set; `None` if it does not exist or is not watched.
    fn snapshot(&self, key: &SetKey, observer: &mut dyn Observer) -> Result<Option<Snapshot>> {
        let (namespace, name) = key;
        let selection = &self.sets.selection;
        let set = self.cache.object(SETS, key);
        let Some(set) = set.filter(|_| selection.has_name(name)) else {
            return Ok(None);
        };
        let reader = Reader {
            namespace,
            defaulting: &self.sets.conditions.behaviour.defaulting,
            all_new: false,
        };
        let snapshot = match self.cache.inventory(&reader, name, uid(set)) {
            Ok(inventory) => inventory.snapshot(namespace, name),
            // Other sets may still be readable.
            Err(error) => {
                observer.note(&format!("{error:#}"))?;
                None
            }
        };
        let selector = self.sets.selector.as_ref();
        Ok(snapshot.filter(|snapshot| {
            selector.is_none_or(|selector| selector.matches(&snapshot.set.meta.labels))
        }))
    }
}

fn uid(set: &Value) -> &str {
    set["metadata"]["uid"].as_str().unwrap_or_default()
}
