//! Comparison with one recorded sync in which the API server refuses some writes.

use std::sync::Arc;

use serde_json::Value;
use sts_controller::controller::{ApiServer, Refusal, RefusalReason, Write};
use sts_controller::object::Revision;
use sts_controller::simulate::FakeApiServer;

use super::sync;

/// A server that refuses some writes, and passes the others on.
struct FaultyServer<'a> {
    server: FakeApiServer<'a>,
    faults: Vec<Fault>,
}

/// A refused write.
struct Fault {
    verb: String,
    resource: String,
    name: String,
    error: String,
    /// Number of remaining refusals.
    left: u64,
}

impl Fault {
    fn read(fault: &Value) -> Self {
        let text = |key: &str| fault[key].as_str().unwrap_or_default().to_owned();
        Fault {
            verb: text("Verb"),
            resource: text("Resource"),
            name: text("Name"),
            error: text("Error"),
            left: fault["Times"].as_u64().unwrap_or(u64::MAX),
        }
    }

    fn concerns(&self, write: &Write) -> bool {
        self.left > 0
            && self.verb == write.verb.name()
            && self.resource == write.resource.name()
            && *self.name == *write.name
    }

    fn refusal(&self, write: &Write) -> Refusal {
        let (resource, name) = (write.resource.name(), Arc::clone(&write.name));
        let other = |reason| Refusal::Other {
            reason,
            message: Arc::from(&*self.error),
        };
        match &*self.error {
            "AlreadyExists" => Refusal::AlreadyExists { resource, name },
            "NotFound" => Refusal::NotFound { resource, name },
            "Conflict" => Refusal::Conflict { resource, name },
            "Invalid" => Refusal::Invalid(self.error.clone()),
            "Forbidden" | "NamespaceTerminating" => Refusal::Forbidden(Arc::from(&*self.error)),
            "Timeout" => other(RefusalReason::Timeout),
            "TooManyRequests" => other(RefusalReason::TooManyRequests),
            "InternalError" => other(RefusalReason::InternalError),
            _ => other(RefusalReason::Unknown),
        }
    }
}

impl ApiServer for FaultyServer<'_> {
    fn submit(&mut self, write: &Write) -> Result<(), Refusal> {
        let mut faults = self.faults.iter_mut();
        match faults.find(|fault| fault.concerns(write)) {
            Some(fault) => {
                fault.left -= 1;
                Err(fault.refusal(write))
            }
            None => self.server.submit(write),
        }
    }

    fn revision(&self, name: &str) -> Option<Arc<Revision>> {
        self.server.revision(name)
    }
}

pub fn compare(case: &mut Value) -> Result<(), String> {
    let faults: Vec<Fault> = case["faults"]
        .as_array()
        .into_iter()
        .flatten()
        .map(Fault::read)
        .collect();
    if faults.is_empty() {
        return Err("the case has no faults".to_owned());
    }
    // A terminating namespace is a cause with the reason Forbidden.
    let actions = case["output"]["actions"].as_array_mut();
    for action in actions.into_iter().flatten() {
        if action["error"] == "NamespaceTerminating" {
            action["error"] = RefusalReason::Forbidden.name().into();
        }
    }
    sync::compare_with(case, |server| Box::new(FaultyServer { server, faults }))
}
