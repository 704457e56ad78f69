//! Comparison with one recorded sync.

use serde_json::{Map, Value};
use sts_controller::controller::{ApiServer, Write, has_available_replicas, sync};
use sts_controller::simulate::FakeApiServer;

use super::equal::{difference, unmatched};
use crate::cached;

pub fn compare(case: &mut Value) -> Result<(), String> {
    compare_with(case, |server| Box::new(server))
}

/// Compares a sync that runs against another server.
pub fn compare_with(
    case: &mut Value,
    in_front_of: impl for<'a> FnOnce(FakeApiServer<'a>) -> Box<dyn ApiServer + 'a>,
) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let snapshot = super::snapshot(case)?;
    let now = case["now"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .map_err(|error| format!("{error}"))?;
    let mut server = in_front_of(FakeApiServer::new(&snapshot));
    let ours = sync(
        &snapshot,
        now,
        &behaviour,
        &mut *server,
        &mut cached::cache(),
        true,
    );

    let output = &case["output"];
    let theirs = output["actions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let writes: Vec<Value> = ours.writes.iter().map(write_json).collect();
    let mut events: Vec<Value> = ours
        .events
        .iter()
        .map(|event| Value::from(comparable_event(&event.to_string())))
        .collect();
    let mut their_events: Vec<Value> = output["events"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|event| Value::from(comparable_event(event)))
        .collect();

    if ours.error.is_some() != output.get("error").is_some() {
        return Err(format!(
            "error: ours {:?}, theirs {}",
            ours.error.map(|error| error.to_string()),
            output["error"]
        ));
    }
    if output["ordered"] == Value::Bool(true) {
        compare_in_order(&writes, theirs)?;
        sort_claim_runs(&mut events);
        sort_claim_runs(&mut their_events);
        if events != their_events {
            return Err(format!("events: ours {events:?}, theirs {their_events:?}"));
        }
    } else {
        if let Some(what) = unmatched(&writes, theirs) {
            return Err(format!("writes: {what}"));
        }
        if let Some(what) = unmatched(&events, &their_events) {
            return Err(format!("events: {what}"));
        }
    }
    let status = ours
        .status
        .to_json(has_available_replicas(&ours.status, &behaviour));
    match difference(&status, &output["status"], &mut String::new()) {
        Some(what) => Err(format!("status{what}")),
        None => Ok(()),
    }
}

/// Returns a write in the form of a vector.
pub fn write_json(write: &Write) -> Value {
    let mut out = Map::new();
    out.insert("verb".into(), write.verb.name().into());
    out.insert("resource".into(), write.resource.name().into());
    out.insert("name".into(), Value::from(&*write.name));
    if let Some(object) = write.object() {
        out.insert("object".into(), object);
    }
    if let Some(patch) = write.patch() {
        out.insert("patch".into(), patch);
    }
    if let Some(refusal) = &write.refused {
        out.insert("error".into(), refusal.reason().name().into());
    }
    Value::Object(out)
}

/// Returns an event without the API server's message that it quotes.
fn comparable_event(event: &str) -> String {
    match event.split_once(" failed error: ") {
        Some((_, _)) => event.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" "),
        None => event.to_owned(),
    }
}

/// Sorts consecutive events of claim creations, whose order depends on a map in the controller.
fn sort_claim_runs(events: &mut [Value]) {
    let is_claim = |event: &Value| {
        event
            .as_str()
            .is_some_and(|event| event.contains(" Claim "))
    };
    for run in events.chunk_by_mut(|a, b| is_claim(a) && is_claim(b)) {
        run.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
}

/// Returns the kind of run that a write belongs to: consecutive adoptions and releases, or claim creations. The order
/// within a run depends on a map in the controller.
fn run_of(write: &Value) -> Option<&str> {
    match (write["verb"].as_str()?, write["resource"].as_str()?) {
        ("patch", resource) => Some(resource),
        ("create", "persistentvolumeclaims") => Some("claims"),
        _ => None,
    }
}

fn compare_in_order(ours: &[Value], theirs: &[Value]) -> Result<(), String> {
    let names = |writes: &[Value]| -> String {
        let name = |write: &Value| {
            let part = |key: &str| write[key].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {} {}",
                part("verb"),
                part("resource"),
                part("name"),
                part("error")
            )
        };
        writes.iter().map(name).collect::<Vec<_>>().join("; ")
    };
    let sequence = || format!("writes: ours [{}], theirs [{}]", names(ours), names(theirs));
    if ours.len() != theirs.len() {
        return Err(sequence());
    }
    let mut at = 0;
    while at < ours.len() {
        let length = match run_of(&theirs[at]) {
            None => 1,
            run => theirs[at..]
                .iter()
                .take_while(|write| run_of(write) == run)
                .count(),
        };
        let range = at..at + length;
        if length == 1 {
            if let Some(what) = difference(&ours[at], &theirs[at], &mut String::new()) {
                return Err(format!("write {at}: {what}; {}", sequence()));
            }
        } else if let Some(what) = unmatched(&ours[range.clone()], &theirs[range]) {
            return Err(format!("{what}; {}", sequence()));
        }
        at += length;
    }
    Ok(())
}
