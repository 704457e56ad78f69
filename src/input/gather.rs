//! Everything that a plan is made of, from wherever it comes: files, standard input, or a cluster.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::cli::{ApplyMode, Args, ReadyAfter};
use crate::input;
use crate::input::{Loaded, Reader};
use sts_controller::version::{Gates, Rules, Version};
use sts_plan::plan::{Conditions, Source, VersionSource};

pub use super::live::{access, gather_to_watch, grant};

/// What was gathered.
pub struct Gathered {
    /// The controller, the clock and the kubelet.
    pub conditions: Conditions,
    /// The objects that are there.
    pub loaded: Loaded,
    /// What is about to be applied.
    pub applied: Loaded,
    /// What reading a cluster came to.
    pub source: Arc<Source>,
}

/// Reads what the command line names, and hands it on: at once, or a part after the other where it is much. With
/// `-f` no kubeconfig is read and no connection is opened.
pub fn gather(
    args: &Args,
    now: Timestamp,
    stdin: &mut dyn Read,
    take: &mut dyn FnMut(Gathered) -> Result<()>,
) -> Result<()> {
    let from_stdin = args.input.filename.iter().chain(&args.change.apply);
    if from_stdin.filter(|path| *path == "-").count() > 1 {
        bail!("standard input can be read only once: give '-' to -f or to --apply, not to both");
    }
    if args.input.filename.is_empty() {
        return super::live::gather(args, now, stdin, take);
    }
    let version = args.controller.kubernetes_version;
    let source = version.map_or(VersionSource::Default, |_| VersionSource::Flag);
    if args.change.apply_mode == Some(ApplyMode::Server) {
        bail!(
            "--apply-mode=server asks a live cluster, and with -f there is none: leave one of the two out"
        );
    }
    let asked = version.unwrap_or(Version::NEWEST);
    let conditions = conditions(args, now, asked, source, BTreeMap::new())?;
    let namespace = args.selection.namespace.as_deref().unwrap_or("default");
    let mut loaded = read_input(args, namespace, &conditions, stdin)?;
    let applied = read_applied(args, namespace, &conditions, stdin)?;
    loaded.inventory.overlay(&applied.inventory);
    take(Gathered {
        conditions,
        loaded,
        applied,
        source: Arc::default(),
    })
}

/// Reads the objects that are there of certain sets, by namespace and name, some of which may not be there.
pub fn gather_sets(
    args: &Args,
    now: Timestamp,
    sets: &[(&str, &str)],
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    if args.input.filename.is_empty() {
        return super::live::read_sets(args, now, sets);
    }
    let version = args
        .controller
        .kubernetes_version
        .unwrap_or(Version::NEWEST);
    let conditions = conditions(args, now, version, VersionSource::Default, BTreeMap::new())?;
    let namespace = args.selection.namespace.as_deref().unwrap_or("default");
    read_input(args, namespace, &conditions, stdin)
}

/// The controller, the clock and the kubelet that were asked for. Gates of the command line count over those that
/// are known otherwise.
pub(super) fn conditions(
    args: &Args,
    now: Timestamp,
    asked: Version,
    source: VersionSource,
    mut gates: BTreeMap<String, bool>,
) -> Result<Conditions> {
    // A version from the future behaves as the newest one known, as far as anyone can tell.
    let known = asked.or_newest();
    gates.extend(args.controller.gates());
    let gates = Gates::new(known, &gates)?;
    let rules = Rules {
        version: asked,
        ..Rules::new(known, &gates)
    };
    Ok(Conditions {
        now,
        rules,
        gates,
        version_source: source,
        ready_after: match args.assumptions.ready_after {
            ReadyAfter::Auto => None,
            ReadyAfter::Fixed(after) => Some(after),
        },
        gone_after: args.assumptions.gone_after,
        assumptions: args.assumptions.by_pod(),
    })
}

pub(super) fn read_applied(
    args: &Args,
    namespace: &str,
    conditions: &Conditions,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    match &args.change.apply {
        Some(path) => read_files(
            std::slice::from_ref(path),
            args,
            namespace,
            conditions,
            true,
            stdin,
        ),
        None => Ok(Loaded::default()),
    }
}

/// What -f names.
fn read_input(
    args: &Args,
    namespace: &str,
    conditions: &Conditions,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let paths = &args.input.filename;
    read_files(paths, args, namespace, conditions, false, stdin)
}

fn read_files(
    paths: &[String],
    args: &Args,
    namespace: &str,
    conditions: &Conditions,
    all_new: bool,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let reading = input::files::read_paths(paths, args.input.recursive, stdin)?;
    let reader = Reader {
        namespace,
        api: &conditions.rules.api,
        all_new,
    };
    Ok(input::load(reading, &reader)?)
}
