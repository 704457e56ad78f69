//! The StatefulSet controller: one sync, as a function of the objects it reads.
//!
//! The algorithm is that of docs/semantics.md, and a function that mirrors one of the controller carries its name.
//! Nothing here reads a clock, an environment or a file, and nothing is written: [`sync`] returns what the
//! controller would send, in order, with the places at which it waits.

mod adopt;
mod claim_refs;
mod encode;
mod error;
mod event;
mod health;
mod hold;
mod identity;
mod ordinal_set;
mod pass;
mod pod_control;
mod replicas;
mod revision;
mod roster;
mod sequential;
mod status;
mod storage;
mod sync;
mod update;
mod write;

pub use encode::{hash, json as encode_json, revision_data};
pub use error::SyncError;
pub use event::Event;
pub use health::{terminating_pods, unhealthy_pods};
pub use hold::{Hold, Identity};
pub use identity::{controller_reference, is_member, ordinal_of, parent_and_ordinal, pod_name};
pub use revision::{list as list_revisions, name as revision_name};
pub use status::has_available_replicas;
pub use sync::{Memory, Sync, sync};
pub use update::hold_if_outdated;
pub use write::{ApiServer, Body, DeleteReason, OwnerChange, Refusal, Resource, Verb, Write};
