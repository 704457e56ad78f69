#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! [`controller::sync`] is one sync: it takes objects, a time and a version, and returns the controller's writes.
//! [`simulate::World`] holds the objects and lets time pass. [`simulate::run`] continues until no event is left.
//! [`apiserver`] defaults, validates and applies manifests like each version.

pub mod apiserver;
pub mod controller;
mod encode;
pub mod name;
pub mod object;
mod serialize;
pub mod simulate;
pub mod version;
