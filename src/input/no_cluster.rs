//! Substitute for reading a cluster in WebAssembly builds, which have no network.

use std::io;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::input::Loaded;
use crate::input::read::{Input, InputRequest};
use crate::request::World;

const NO_CLUSTER: &str = "this build of sts-plan has no network: pass objects with -f";

/// Refuses to read a cluster.
pub(super) fn read(
    _: &InputRequest<'_>,
    _: &mut dyn io::Read,
    _: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    bail!(NO_CLUSTER)
}

/// Refuses to read sets of a cluster.
pub(super) fn read_sets(_: &World, _: Timestamp, _: &[(&str, &str)]) -> Result<Loaded> {
    bail!(NO_CLUSTER)
}
