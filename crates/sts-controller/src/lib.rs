//! The StatefulSet controller of any Kubernetes version since 1.19, and the part of the API server, the kubelet and
//! the garbage collector that it meets, as pure functions over plain data.

pub mod apiserver;
pub mod controller;
mod name;
pub mod object;
pub mod simulate;
pub mod version;
