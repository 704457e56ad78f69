//! The StatefulSet controller of any Kubernetes version since 1.19, with the parts of the API server, the kubelet and
//! the garbage collector that it interacts with. All are pure functions over plain data.
//!
//! [`controller::sync`] is one sync: it takes objects, a time and a version, and returns the controller's writes.
//! [`simulate::World`] holds the objects and lets time pass. [`simulate::run`] continues until no event is left.
//! [`apiserver`] defaults, validates and applies manifests like each version.
//!
//! # Example
//!
//! Create a StatefulSet and roll it out with the controller of Kubernetes 1.36:
//!
//! ```
//! use serde_json::json;
//! use sts_controller::apiserver::apply;
//! use sts_controller::controller::{Resource, Verb};
//! use sts_controller::object::{Set, Snapshot, Status};
//! use sts_controller::simulate::{End, Kubelet, World, run};
//! use sts_controller::version::{Behaviour, Gates, Version};
//!
//! let version: Version = "1.36".parse()?;
//! let behaviour = Behaviour::new(version, &Gates::defaults(version));
//!
//! // The API server defaults and validates the manifest.
//! let manifest = json!({
//!     "apiVersion": "apps/v1",
//!     "kind": "StatefulSet",
//!     "metadata": {"name": "web", "namespace": "default"},
//!     "spec": {
//!         "replicas": 2,
//!         "serviceName": "web",
//!         "selector": {"matchLabels": {"app": "web"}},
//!         "template": {
//!             "metadata": {"labels": {"app": "web"}},
//!             "spec": {"containers": [{"name": "main", "image": "app:1"}]},
//!         },
//!     },
//! });
//! let stored = apply::create(&manifest, &[], &behaviour)?;
//! assert!(stored.refused.is_empty());
//!
//! // The first sync creates the first pod.
//! let snapshot = Snapshot::of_set(Set::from_json(stored.set)?, Status::default());
//! let mut world = World::new(snapshot, "2026-01-01T00:00:00Z".parse()?, Kubelet::default());
//! let next = world.next_sync(&behaviour);
//! let mut pods = next.writes.iter().filter(|write| write.resource == Resource::Pods);
//! let first = pods.next().map(|write| (write.verb, &*write.name));
//! assert_eq!(first, Some((Verb::Create, "web-0")));
//!
//! // In the end both run, and nothing is left to happen.
//! let rollout = run(world, &behaviour);
//! assert_eq!(rollout.end, End::Rest);
//! assert_eq!(rollout.world.snapshot().status.ready_replicas, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod apiserver;
pub mod controller;
mod encode;
pub mod name;
pub mod object;
mod serialize;
pub mod simulate;
pub mod version;
