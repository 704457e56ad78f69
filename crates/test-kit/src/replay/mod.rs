//! Comparison with the vectors of docs/contract.md, for the test suite and `examples/replay.rs`.

mod apply;
mod defaults;
pub mod equal;
mod faults;
mod ssa;
mod sync;
mod trace;
mod validate;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use sts_controller::apiserver::defaults::reread;
use sts_controller::object::{Claim, Pod, Revision, Set, Snapshot, Status};
use sts_controller::version::{Behaviour, Gates, Version};

/// Kinds of cases in a vector file, one case per line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One sync.
    Sync,
    /// One sync in which the API server refuses some writes.
    Faults,
    /// One progression.
    Trace,
    /// One manifest.
    Defaults,
    /// One create or update, with the server's response.
    Validate,
    /// One `kubectl apply`, with its result.
    Apply,
    /// One `kubectl apply --server-side`, with its result.
    ServerSideApply,
}

impl Kind {
    /// Returns the kind of that name, which is also the name of its folder.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "sync" => Some(Kind::Sync),
            "faults" => Some(Kind::Faults),
            "trace" => Some(Kind::Trace),
            "defaults" => Some(Kind::Defaults),
            "validate" => Some(Kind::Validate),
            "apply" => Some(Kind::Apply),
            "ssa" => Some(Kind::ServerSideApply),
            _ => None,
        }
    }
}

/// Compares one line. The error is the first difference.
pub fn compare(kind: Kind, line: &str) -> Result<(), String> {
    let mut case: Value =
        serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let id = case["id"].as_str().unwrap_or("?").to_owned();
    let result = match kind {
        Kind::Sync => sync::compare(&mut case),
        Kind::Faults => faults::compare(&mut case),
        Kind::Trace => trace::compare(&mut case),
        Kind::Defaults => defaults::compare(&case),
        Kind::Validate => validate::compare(&case),
        Kind::Apply => apply::compare(&case),
        Kind::ServerSideApply => ssa::compare(&case),
    };
    result.map_err(|difference| format!("{id}: {difference}"))
}

/// Returns the behavior of the recorded version.
pub fn behaviour(case: &Value) -> Result<Behaviour, String> {
    let version: Version = case["kubernetes"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .map_err(|error| format!("{error}"))?;
    let overrides: BTreeMap<String, bool> = case["gates"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_bool()?)))
        .collect();
    let gates = Gates::new(version, &overrides).map_err(|error| error.to_string())?;
    Ok(Behaviour::new(version, &gates))
}

/// Takes the snapshot in a case's `input`.
pub fn snapshot(case: &mut Value) -> Result<Snapshot, String> {
    let mut input = case["input"].take();
    let text = |error: sts_controller::object::FieldError| error.to_string();
    let mut set = input["set"].take();
    // Decoded like the program's input, which does not change objects written by a server.
    let defaulting = behaviour(case)?.defaulting;
    let unknown = reread(&mut set, &defaulting).map_err(|errors| format!("{errors:?}"))?;
    if let Some(field) = unknown.first() {
        return Err(format!("the set has a field that no server knows: {field}"));
    }
    let status = Status::of_set(&set).map_err(text)?;
    let mut snapshot = Snapshot::of_set(Set::from_json(set).map_err(text)?, status);
    let mut list = |name: &str| match input[name].take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    for pod in list("pods") {
        let pod = Pod::from_json(pod).map_err(text)?;
        snapshot
            .pods
            .insert(Arc::clone(&pod.meta.name), Arc::new(pod));
    }
    for claim in list("claims") {
        let claim = Claim::from_json(claim).map_err(text)?;
        snapshot
            .claims
            .insert(Arc::clone(&claim.meta.name), Arc::new(claim));
    }
    for revision in list("revisions") {
        let revision = Revision::from_json(&revision).map_err(text)?;
        snapshot
            .revisions
            .insert(Arc::clone(&revision.meta.name), Arc::new(revision));
    }
    Ok(snapshot)
}
