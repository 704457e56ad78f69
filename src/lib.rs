//! Predicts what the StatefulSet controller of a given Kubernetes version will do: its next writes, the status
//! it will compute, and the whole rollout until nothing is left to happen.
//!
//! ```text
//! args -> load -> snapshot -> change -> controller <-> simulate -> plan -> explain -> check -> report -> render
//!         (IO)    (data)      (pure)    (pure: one sync; a world that steps)        (findings)          (text)
//! ```
//!
//! [`verify`] and a saved plan go another short way: snapshot -> [`follow`] -> report -> render.
//!
//! Data flows one way. [`run`] is the only place that sees every stage; [`gather`] tells where the objects come
//! from, [`targets`] tells which sets are planned and
//! what is asked of each, and [`validate`] what an API server would refuse of that.
//!
//! # What holds everywhere
//!
//! 1. **The decision is a pure function.** [`controller::sync`] reads a [`snapshot::Snapshot`] and returns what
//!    the controller would write, in order. The moment, the version and the gates are arguments. Nothing in
//!    `controller`, `simulate` or `snapshot` reads a clock or an environment, or walks an unordered map.
//! 2. **Writes go through a recorder that can refuse.** The algorithm branches on what the API server answers,
//!    so the recorder asks a [`controller::ApiServer`]; [`simulate::Answers`] is the one that stands in for it.
//! 3. **A wait is data, made on the line that waits.** Each place where the algorithm stops or skips records a
//!    [`controller::Hold`] with the facts that explain it. [`explain`] reads holds and never works out the
//!    algorithm again.
//! 4. **The version is data.** [`controller::Rules`] is a struct of named behaviours; the versions themselves are
//!    compared where it is made, and nowhere else in the controller.
//! 5. **The simulator is `enabled` and `apply`.** [`simulate::run`] takes the first event that may happen; whoever
//!    wants another order takes another one.
//! 6. **Only `report` is serialized.** Renderers take a report, a style and a writer. They never print and never
//!    decide.
//! 7. **Cost follows the change.** A pod that is well and right is passed over without a trace: a roster knows
//!    which pods are not, and a simulation keeps it from one sync to the next ([`controller::Memory`]). Templates,
//!    revisions, pods and labels are shared, not copied.
//!
//! # What is deliberately not modelled
//!
//! Scheduling, probes, image pulls, admission, quotas, nodes and volumes: how long a pod takes and whether it gets
//! there is assumed ([`simulate::Kubelet`]). The speed of the controller's caches: a sync sees the world as it
//! stands when it begins. Pod finalizers: a pod that is deleted goes when the kubelet is done with it.

pub mod args;
pub mod change;
pub mod check;
pub mod complete;
pub mod controller;
pub mod duration;
pub mod exit;
pub mod explain;
pub mod findings;
pub mod follow;
pub mod gate;
pub mod gather;
pub mod load;
pub mod outlook;
pub mod outputs;
pub mod places;
pub mod plan;
pub mod plans;
pub mod policy;
pub mod quantity;
pub mod rbac;
pub mod render;
pub mod report;
pub mod require;
pub mod run;
pub mod save;
pub mod simulate;
pub mod snapshot;
pub mod targets;
pub mod validate;
pub mod verify;
pub mod versions;
pub mod watch;
