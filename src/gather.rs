//! Everything that a plan is made of, from wherever it comes: files, standard input, or a cluster.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::args::{Args, ReadyAfter};
use crate::controller::{Gates, Rules, Version};
use crate::load::cluster::{Access, Cluster, Scope, Seen, kubeconfig_files};
use crate::load::{self, Loaded, Reader};
use crate::plan::{Conditions, Source, VersionSource};
use crate::targets;

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

/// Reads what the command line names. With `-f` no kubeconfig is read and no connection is opened.
pub fn gather(args: &Args, now: Timestamp, stdin: &mut dyn Read) -> Result<Gathered> {
    let from_stdin = args.input.filename.iter().chain(&args.change.apply);
    if from_stdin.filter(|path| *path == "-").count() > 1 {
        bail!("standard input can be read only once: give '-' to -f or to --apply, not to both");
    }
    if args.input.filename.is_empty() {
        return gather_live(args, now, stdin);
    }
    let version = args.controller.kubernetes_version;
    let source = version.map_or(VersionSource::Default, |_| VersionSource::Flag);
    let conditions = conditions(args, now, version.unwrap_or(Version::NEWEST), source)?;
    let namespace = args.selection.namespace.as_deref().unwrap_or("default");
    let mut loaded = read_files(
        &args.input.filename,
        args,
        namespace,
        &conditions,
        false,
        stdin,
    )?;
    let applied = read_applied(args, namespace, &conditions, stdin)?;
    loaded.inventory.overlay(&applied.inventory);
    Ok(Gathered {
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
        let (cluster, conditions, _) = connect(args, now)?;
        let (loaded, _) = read_cluster(&cluster, &by_namespace(sets), &conditions)?;
        return Ok(loaded);
    }
    let version = args
        .controller
        .kubernetes_version
        .unwrap_or(Version::NEWEST);
    let conditions = conditions(args, now, version, VersionSource::Flag)?;
    let namespace = args.selection.namespace.as_deref().unwrap_or("default");
    read_files(
        &args.input.filename,
        args,
        namespace,
        &conditions,
        false,
        stdin,
    )
}

fn gather_live(args: &Args, now: Timestamp, stdin: &mut dyn Read) -> Result<Gathered> {
    if args.input.recursive {
        bail!("--recursive reads directories: give one with -f");
    }
    let (cluster, conditions, mut source) = connect(args, now)?;
    let applied = read_applied(args, cluster.namespace(), &conditions, stdin)?;
    let scopes = scopes(args, &cluster, &applied)?;
    let (mut loaded, read) = read_cluster(&cluster, &scopes, &conditions)?;
    loaded.inventory.overlay(&applied.inventory);
    source.versions = read.versions;
    source.unseen.extend(read.unseen);
    Ok(Gathered {
        conditions,
        loaded,
        applied,
        source: Arc::new(source),
    })
}

/// The cluster, its controller, and what could not be seen of that.
fn connect(args: &Args, now: Timestamp) -> Result<(Cluster, Conditions, Source)> {
    let cluster = Cluster::connect(&access(args))?;
    let mut source = Source::default();
    let (version, version_source) = match args.controller.kubernetes_version {
        Some(version) => (version, VersionSource::Flag),
        None => match cluster.version()? {
            Some(version) => (version, VersionSource::Server),
            None => {
                let unseen = "not allowed to get /version, so it is uncertain which version the cluster is of (--kubernetes-version)";
                source.unseen.push(unseen.to_owned());
                (Version::NEWEST, VersionSource::Default)
            }
        },
    };
    let conditions = conditions(args, now, version, version_source)?;
    Ok((cluster, conditions, source))
}

fn read_cluster(
    cluster: &Cluster,
    scopes: &[Scope],
    conditions: &Conditions,
) -> Result<(Loaded, Source)> {
    let mut seen = Seen::default();
    for scope in scopes {
        seen.extend(cluster.read(scope)?);
    }
    let unseen = seen.unseen.iter();
    let unseen = unseen.map(|unseen| {
        format!(
            "not allowed to {}, so it is uncertain {}",
            unseen.asked, unseen.uncertain
        )
    });
    let source = Source {
        unseen: unseen.collect(),
        versions: seen.versions,
    };
    let reader = Reader {
        namespace: cluster.namespace(),
        api: &conditions.rules.api,
        all_new: false,
    };
    Ok((load::load(seen.reading, &reader)?, source))
}

/// Which sets of the cluster are read: those that are named, or those that are applied, or all.
fn scopes(args: &Args, cluster: &Cluster, applied: &Loaded) -> Result<Vec<Scope>> {
    let names = targets::set_names(&args.names)?;
    if !names.is_empty() {
        // A set that is about to be applied for the first time is not there yet.
        let is_applied = |name: &String| {
            applied
                .manifests
                .iter()
                .any(|manifest| manifest.name == *name)
        };
        return Ok(vec![Scope::Names {
            namespace: cluster.namespace().to_owned(),
            must_exist: !names.iter().any(is_applied),
            names,
        }]);
    }
    if !applied.manifests.is_empty() {
        let sets = applied.manifests.iter();
        let sets: Vec<_> = sets
            .map(|manifest| (manifest.namespace.as_str(), manifest.name.as_str()))
            .collect();
        return Ok(by_namespace(&sets));
    }
    Ok(vec![Scope::Every {
        namespace: (!args.selection.all_namespaces).then(|| cluster.namespace().to_owned()),
        selector: args.selection.selector.clone(),
    }])
}

/// Sets that need not be there.
fn by_namespace(sets: &[(&str, &str)]) -> Vec<Scope> {
    let namespaces: BTreeSet<&str> = sets.iter().map(|(namespace, _)| *namespace).collect();
    let scope = |namespace: &str| {
        let names: BTreeSet<&str> = sets
            .iter()
            .filter(|(of, _)| *of == namespace)
            .map(|(_, name)| *name)
            .collect();
        Scope::Names {
            namespace: namespace.to_owned(),
            names: names.into_iter().map(str::to_owned).collect(),
            must_exist: false,
        }
    };
    namespaces.into_iter().map(scope).collect()
}

/// How the cluster is reached: the flags, and where this machine keeps its kubeconfigs.
pub fn access(args: &Args) -> Access {
    let flags = &args.connection;
    let listed = std::env::var_os("KUBECONFIG");
    let home = std::env::home_dir();
    Access {
        kubeconfigs: kubeconfig_files(
            flags.kubeconfig.as_deref(),
            listed.as_deref(),
            home.as_deref(),
        ),
        kubeconfig_must_exist: flags.kubeconfig.is_some(),
        context: given(&flags.context),
        cluster: given(&flags.cluster),
        user: given(&flags.user),
        namespace: given(&args.selection.namespace),
        server: given(&flags.server),
        token: flags.token.as_ref().map(|token| token.reveal().to_owned()),
        impersonate: given(&flags.impersonate),
        impersonate_groups: flags.as_group.clone(),
        impersonate_uid: given(&flags.as_uid),
        certificate_authority: some_path(&flags.certificate_authority),
        client_certificate: some_path(&flags.client_certificate),
        client_key: some_path(&flags.client_key),
        tls_server_name: given(&flags.tls_server_name),
        insecure: flags.insecure_skip_tls_verify,
        request_timeout: flags.request_timeout,
    }
}

/// A flag's text; kubectl takes an empty one for none.
fn given(flag: &Option<String>) -> Option<String> {
    flag.clone().filter(|text| !text.is_empty())
}

fn some_path(flag: &Option<PathBuf>) -> Option<PathBuf> {
    flag.clone().filter(|path| !path.as_os_str().is_empty())
}

/// The controller, the clock and the kubelet that were asked for.
fn conditions(
    args: &Args,
    now: Timestamp,
    asked: Version,
    source: VersionSource,
) -> Result<Conditions> {
    // A version from the future behaves as the newest one known, as far as anyone can tell.
    let known = asked.or_newest();
    let gates = Gates::new(known, &args.controller.gates())?;
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

fn read_applied(
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

fn read_files(
    paths: &[String],
    args: &Args,
    namespace: &str,
    conditions: &Conditions,
    all_new: bool,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let reading = load::read_paths(paths, args.input.recursive, stdin)?;
    let reader = Reader {
        namespace,
        api: &conditions.rules.api,
        all_new,
    };
    Ok(load::load(reading, &reader)?)
}
