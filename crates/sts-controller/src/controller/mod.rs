//! The StatefulSet controller: one sync, as a function of the objects it reads.
//!
//! The algorithm follows docs/semantics.md, and a function that mirrors one of the controller has its name. The module
//! reads no clock, environment or file, and writes nothing. [`sync`] returns the requests that the controller would
//! send, in order, and the places where it waits. The files follow the order of the controller's own functions:
//!
//! | upstream's function | ours | file |
//! |---|---|---|
//! | `sync`, `syncStatefulSet` | `sync`, `sync_stateful_set` | `sync.rs` |
//! | `adoptOrphanRevisions`, `CanAdopt`, `ClaimPods` | `adopt_orphan_revisions`, `can_adopt`, `claim_pods` | `adopt.rs` |
//! | `UpdateStatefulSet`, `performUpdate` | `update_stateful_set`, `perform_update` | `sync.rs` |
//! | `ListRevisions`, `getStatefulSetRevisions` | `list`, `determine` | `revision.rs`, `set_revisions.rs` |
//! | `CreateControllerRevision`, `EqualRevision`, `equalRevisionSemantically` | `create`, `equal_revisions`, `equal_revision_semantically` | `revision.rs`, `set_revisions.rs` |
//! | `newRevision`, `getPatch`, `HashControllerRevision` | `Proposal::new`, `revision_data`, `hash` | `revision.rs`, `../encode.rs` |
//! | `ApplyRevision`, `newVersionedStatefulSetPod` | `SyncContext::new`, `SyncContext::new_pod` | `context.rs` |
//! | `updateStatefulSet` | `update_pods` | `sync.rs` |
//! | `processReplica`, `processCondemned`, `runForAll`, `slowStartBatch` | `process_replica`, `process_condemned`, `drive` | `replicas.rs` |
//! | the same before 1.25.12, 1.26.7 and 1.27.4 | `process` | `sequential.rs` |
//! | the update phase, `getStatefulSetMaxUnavailable` | `update`, `max_unavailable` | `update.rs` |
//! | `StatefulPodControl` | `create_stateful_pod`, `update_stateful_pod`, `delete_stateful_pod` | `pod_control.rs` |
//! | `createPersistentVolumeClaims`, `PodClaimIsStale`, `ClaimsMatchRetentionPolicy`, `UpdatePodClaimForRetentionPolicy` | `create_claims`, `has_stale_claim`, `claims_match`, `update_claim_owners` | `pvc.rs` |
//! | `isClaimOwnerUpToDate` (`claimOwnerMatchesSetAndPod` before), `updateClaimOwnerRefForSetAndPod` | `is_up_to_date`, `updated` | `claim_refs.rs` |
//! | `getParentNameAndOrdinal`, `identityMatches`, `storageMatches`, `updateIdentity` | `parent_and_ordinal`, `identity_matches`, `storage_matches`, `with_identity` | `identity.rs` |
//! | `updateStatefulSetStatus`, `inconsistentStatus`, `completeRollingUpdate` | `write`, `is_inconsistent`, `complete_rolling_update` | `status.rs` |
//! | `truncateHistory` | `truncate_history` | `sync.rs` |
//!
//! These parts have no counterpart upstream: the recorder of all writes (`write.rs`), the holds (`hold.rs`,
//! `health.rs`), the claims that a sync reads again (`claim_cache.rs`), and the cache of a simulation ([`Cache`],
//! `cache/`), which skips what cannot have changed.

mod adopt;
mod cache;
mod claim_cache;
mod claim_refs;
mod context;

mod error;
mod event;
mod from_objects;
mod health;
mod hold;
mod identity;
mod pod_control;
mod pvc;
mod recorder;
mod recreate;
mod replicas;
mod revision;
mod sequential;
mod set_revisions;
mod status;
mod sync;
mod update;
mod write;

pub use crate::encode::{hash, json as encode_json, revision_data, revision_name};
pub use cache::Cache;
pub use context::pod_of_revision;
pub use error::SyncError;
pub use event::{Event, EventReason, EventType};
pub use from_objects::SnapshotError;
pub use health::{deleted_set, terminating_pods, unhealthy_pods};
pub use hold::{Hold, HoldKey, HoldReason};
pub(crate) use identity::is_identity_label;
pub use identity::{
    claim_of_pod, controller_reference, is_member, ordinal_of, parent_and_ordinal, pod_name,
    pod_of_claim, takes_current_revision,
};
pub use pvc::claims_of_pod;
pub use revision::{list as list_revisions, of_template as revision_of_template};
pub use status::has_available_replicas;
pub use sync::{Sync, sync};
pub use update::hold_if_outdated;
pub use write::{
    ApiServer, Body, DeleteReason, OwnerChange, Refusal, RefusalReason, Resource, Verb, Write,
};
