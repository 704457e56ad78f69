//! `--dry-run=server`: the server's answers to the evictions of a drain.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::input::access::access;
use crate::input::cluster::{Cluster, EvictionAnswer};
use crate::request::PlanRequest;
use sts_controller::version::Version;
use sts_plan::fleet::Fleet;
use sts_plan::report::{ReportServerAnswer, ServerAnswer};

/// Refuses the question without a server.
pub(super) fn check(request: &PlanRequest) -> Result<()> {
    if request.fleet.nodes.asks_server && !request.world.is_live() {
        let input = match request.world.demo {
            Some(_) => "a demo",
            None => "-f",
        };
        bail!(
            "--dry-run=server asks a live cluster and cannot be combined with {input}: omit one of them"
        );
    }
    Ok(())
}

/// Sends the foretold evictions to the server as dry runs, and adds its answers. After a namespace where the account may
/// not evict pods, its other pods are not asked for.
pub(super) fn ask(request: &PlanRequest, fleet: &mut Fleet) -> Result<()> {
    let Some(nodes) = fleet
        .nodes
        .as_mut()
        .filter(|nodes| !nodes.server.is_empty())
    else {
        return Ok(());
    };
    let cluster = Cluster::connect(&access(&request.world))?;
    let version = match request.controller.version {
        Some(version) => version,
        None => cluster.controller()?.0.unwrap_or(Version::NEWEST),
    };
    let mut barred = BTreeSet::new();
    for eviction in &mut nodes.server {
        if barred.contains(&eviction.namespace) {
            continue;
        }
        let answer = cluster.dry_evict(&eviction.namespace, &eviction.pod, version)?;
        if let EvictionAnswer::Forbidden(_) = answer {
            barred.insert(eviction.namespace.clone());
        }
        (eviction.answer, eviction.message) = match answer {
            EvictionAnswer::Granted => (ServerAnswer::Granted, None),
            EvictionAnswer::Refused(message) => (ServerAnswer::Refused, Some(message)),
            EvictionAnswer::Fails(message) => (ServerAnswer::Fails, Some(message)),
            EvictionAnswer::Gone => (ServerAnswer::Gone, None),
            EvictionAnswer::Forbidden(message) => (ServerAnswer::NotAsked, Some(message)),
        };
    }
    let answers: Vec<ReportServerAnswer> = nodes.server.clone();
    for report in fleet.reports.iter_mut().chain(&mut fleet.saved) {
        if let Some(nodes) = &mut report.nodes {
            nodes.server.clone_from(&answers);
        }
    }
    Ok(())
}
