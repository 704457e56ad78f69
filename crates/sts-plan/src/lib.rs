#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! A [`plan::Plan`] is built from the objects of a set and the conditions of the plan. [`analysis::analyze`] analyzes it
//! completely, once. [`report::Report`] is the machine-readable form of the analysis. [`fleet::FleetRun`] plans many sets in
//! one run.

#[macro_use]
mod name;

mod absent;
pub mod analysis;
pub mod answer;
mod catalogue;
pub mod cause;
pub mod change;
mod command;
mod conditions;
mod document_kind;
mod down_nodes;
pub mod duration;
pub mod explain;
pub mod fleet;
pub mod foresight;
pub mod grant;
pub mod grow;
mod input_check;
pub mod lint;
mod members;
pub mod next;
pub mod nodes;
mod observed;
pub mod options;
mod order;
pub mod plan;
pub mod plan_diff;
pub mod redact;
pub mod remedy;
pub mod report;
mod requests;
pub mod requirement;
mod residents;
mod scope;
pub mod set_of_pods;
mod source;
pub mod stages;
pub mod upgrade;
pub mod verify;
mod version_diff;
pub mod what_if;
mod words;
mod wrap;
