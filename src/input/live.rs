//! What is read of a live cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::cli::{ApplyMode, Args};
use crate::commands::rbac::Grant;
use crate::input::Loaded;
use crate::input::cluster::{
    Access, Cluster, ClusterError, Intake, Progress, Proposal, Proxies, Scope, Seen,
    ServiceAccount, kubeconfig_files, namespace_of,
};
use crate::input::gather::{Gathered, conditions, read_applied};
use crate::input::resolve;
use sts_controller::apiserver::apply;
use sts_controller::version::{GATES, Stage, Version};
use sts_plan::plan::{Conditions, Source, VersionSource};

/// Sets that are read and planned together where all namespaces are planned: enough to keep every core busy, and few
/// enough to fit in memory with all that is around them.
const BATCH: usize = 250;

/// Reads what is there and what is about to be applied, and asks the server what it makes of that. All namespaces
/// are read a few at a time.
pub(super) fn gather(
    args: &Args,
    now: Timestamp,
    stdin: &mut dyn Read,
    take: &mut dyn FnMut(Gathered) -> Result<()>,
) -> Result<()> {
    if args.input.recursive {
        bail!("--recursive reads directories: give one with -f");
    }
    let (cluster, conditions, mut source) = connect(args, now)?;
    let progress = progress(args);
    let mut applied = read_applied(args, cluster.namespace(), &conditions, stdin)?;
    if args.selection.all_namespaces && applied.manifests.is_empty() {
        return gather_all(
            args,
            &cluster,
            &conditions,
            source,
            &applied,
            &progress,
            take,
        );
    }
    let scopes = scopes(args, &cluster, &applied)?;
    let (mut loaded, read) = read_cluster(&cluster, &scopes, &conditions, &progress)?;
    loaded.inventory.overlay(&applied.inventory);
    source.versions = read.versions;
    source.notes.extend(read.notes);
    if !applied.manifests.is_empty() {
        source
            .notes
            .push(submit(args, &cluster, &loaded, &mut applied)?);
    }
    take(Gathered {
        conditions,
        loaded,
        applied,
        source: Arc::new(source),
    })
}

/// Reads the sets of all namespaces, a few namespaces at a time. Namespaces without sets are not looked into.
fn gather_all(
    args: &Args,
    cluster: &Cluster,
    conditions: &Conditions,
    mut source: Source,
    applied: &Loaded,
    progress: &Progress,
    take: &mut dyn FnMut(Gathered) -> Result<()>,
) -> Result<()> {
    let selector = args.selection.selector.clone();
    let namespaces = cluster.namespaces(selector.as_deref(), progress)?;
    if namespaces.is_empty() {
        match selector {
            Some(selector) => bail!("no StatefulSet of the cluster matches -l {selector}"),
            None => bail!("there is no StatefulSet in the cluster"),
        }
    }
    let note =
        "events and volumes are not read with -A: plan a set by itself to see what they tell";
    source.notes.push(note.to_owned());
    let (of_cluster, read) = read_cluster(cluster, &[Scope::Cluster], conditions, progress)?;
    source.notes.extend(read.notes);
    progress.expect(namespaces.iter().map(|(_, sets)| sets.len()).sum());
    let mut left = namespaces.as_slice();
    while !left.is_empty() {
        let (some, sets) = batch(left);
        let scopes: Vec<Scope> = some
            .iter()
            .map(|(namespace, _)| Scope::Every {
                namespace: namespace.clone(),
                selector: selector.clone(),
                one_of_many: true,
            })
            .collect();
        let mut barred = Vec::new();
        let mut seen = Seen::default();
        let intake = Intake {
            api: &conditions.rules.api,
            progress,
        };
        cluster.read_each(&scopes, &intake, |scope, one| {
            match (one, scope.namespace()) {
                (Ok(one), _) => seen.extend(one),
                (Err(error), Some(namespace)) => {
                    barred.push((namespace.to_owned(), error.to_string()));
                }
                (Err(error), None) => return Err(error),
            }
            Ok(())
        })?;
        let (mut loaded, read_here) = take_in(seen);
        for (namespace, error) in &barred {
            let sets = some.iter().find(|(name, _)| name == namespace);
            let sets = sets.into_iter().flat_map(|(_, sets)| sets);
            let sets = sets.map(|name| ((namespace.clone(), name.clone()), error.clone()));
            loaded.unplannable.extend(sets);
        }
        loaded.inventory.overlay(&of_cluster.inventory);
        loaded.inventory.overlay(&applied.inventory);
        let mut versions = read.versions.clone();
        versions.extend(read_here.versions);
        let mut notes = source.notes.clone();
        notes.extend(read_here.notes);
        // A set may have gone in the meantime, and with it all of its namespace.
        if loaded.inventory.sets().next().is_some() || !loaded.unplannable.is_empty() {
            take(Gathered {
                conditions: conditions.clone(),
                loaded,
                applied: Loaded::default(),
                source: Arc::new(Source { versions, notes }),
            })?;
        }
        progress.planned(sets);
        left = &left[some.len()..];
    }
    Ok(())
}

/// The first namespaces that make a batch, at least one, and how many sets they have.
fn batch(left: &[(String, Vec<String>)]) -> (&[(String, Vec<String>)], usize) {
    let (mut taken, mut sets) = (0, 0);
    for (_, names) in left {
        let more = names.len();
        if taken > 0 && sets + more > BATCH {
            break;
        }
        taken += 1;
        sets += more;
    }
    (&left[..taken], sets)
}

/// Reads the sets of one namespace that are named or match, to be watched from then on, and keeps the connection.
pub fn gather_to_watch(args: &Args, now: Timestamp) -> Result<(Cluster, Gathered)> {
    let (cluster, conditions, mut source) = connect(args, now)?;
    let applied = Loaded::default();
    let scopes = scopes(args, &cluster, &applied)?;
    let (loaded, read) = read_cluster(&cluster, &scopes, &conditions, &Progress::new(false))?;
    source.versions = read.versions;
    source.notes.extend(read.notes);
    let gathered = Gathered {
        conditions,
        loaded,
        applied,
        source: Arc::new(source),
    };
    Ok((cluster, gathered))
}

/// Reads sets that need not be there.
pub(super) fn read_sets(args: &Args, now: Timestamp, sets: &[(&str, &str)]) -> Result<Loaded> {
    let (cluster, conditions, _) = connect(args, now)?;
    let progress = progress(args);
    let (loaded, _) = read_cluster(&cluster, &by_namespace(sets), &conditions, &progress)?;
    Ok(loaded)
}

/// How far reading is, for whoever waits at a terminal that can show it; whoever wants all that there is to say gets
/// it line by line.
fn progress(args: &Args) -> Progress {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Progress::new(!args.output.verbose && !dumb)
}

/// The cluster, its controller, and what could not be seen of that.
fn connect(args: &Args, now: Timestamp) -> Result<(Cluster, Conditions, Source)> {
    let cluster = Cluster::connect(&access(args))?;
    let mut source = Source::default();
    let asked = args.controller.kubernetes_version;
    let (version, told) = match asked {
        Some(version) => (version, None),
        None => match cluster.controller()? {
            (Some(version), gates) => (version, gates),
            (None, _) => {
                let unseen = "not allowed to get /version, so it is uncertain which version the cluster is of (--kubernetes-version)";
                source.notes.push(unseen.to_owned());
                let conditions = conditions(
                    args,
                    now,
                    Version::NEWEST,
                    VersionSource::Default,
                    BTreeMap::new(),
                )?;
                return Ok((cluster, conditions, source));
            }
        },
    };
    let version_source = match asked {
        Some(_) => VersionSource::Flag,
        None => VersionSource::Server {
            tells_gates: told.is_some(),
        },
    };
    let set = gates_set(version, &told.unwrap_or_default());
    let conditions = conditions(args, now, version, version_source, set)?;
    Ok((cluster, conditions, source))
}

/// The gates that a server tells which its version knows and does not have so by itself.
fn gates_set(version: Version, told: &BTreeMap<String, bool>) -> BTreeMap<String, bool> {
    let version = version.or_newest();
    GATES
        .iter()
        .filter_map(|gate| {
            let (stage, default) = gate.at(version)?;
            let on = *told.get(gate.name)?;
            (on != default && stage != Stage::Ga).then(|| (gate.name.to_owned(), on))
        })
        .collect()
}

/// Puts what is about to be applied to the server, unless it is to be merged here. Says which.
fn submit(args: &Args, cluster: &Cluster, loaded: &Loaded, applied: &mut Loaded) -> Result<String> {
    if args.change.apply_mode == Some(ApplyMode::Local) {
        let note = "what is applied is merged and checked here: admission has no part in it (--apply-mode=server)";
        return Ok(note.to_owned());
    }
    // A server does not tell what it would do once something is gone.
    if args.change.delete.is_some() {
        let note =
            "what is applied after the deletion is checked here: admission has no part in it";
        return Ok(note.to_owned());
    }
    let names = resolve::set_names(&args.names)?;
    for manifest in &mut applied.manifests {
        if !names.is_empty() && !names.contains(&manifest.name) {
            continue;
        }
        let stored = loaded
            .inventory
            .snapshot(&manifest.namespace, &manifest.name);
        let stored = stored.map(|snapshot| snapshot.set.object.open());
        let stored = stored.as_deref();
        let mut object = manifest.value().clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.insert("namespace".to_owned(), manifest.namespace.clone().into());
        }
        // What cannot even be merged is told with its place, when it is planned.
        let Ok(wanted) = apply::apply(stored, &object) else {
            continue;
        };
        let answered = cluster.dry_run(Proposal {
            namespace: &manifest.namespace,
            name: &manifest.name,
            stored,
            wanted: &wanted,
        });
        let answered = match answered {
            Ok(answered) => answered,
            // It may be this set alone that cannot be asked about.
            Err(
                error @ (ClusterError::Forbidden { .. }
                | ClusterError::NoDryRun { .. }
                | ClusterError::Refused { .. }),
            ) => {
                let set = (manifest.namespace.clone(), manifest.name.clone());
                applied.unplannable.insert(set, error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let warnings = answered.warnings.iter();
        applied
            .warnings
            .extend(warnings.map(|warning| format!("{}: {warning}", manifest.name)));
        manifest.verdict = Some(answered.verdict);
    }
    Ok(
        "what is applied is as the API server answered to a dry run of it (--apply-mode)"
            .to_owned(),
    )
}

fn read_cluster(
    cluster: &Cluster,
    scopes: &[Scope],
    conditions: &Conditions,
    progress: &Progress,
) -> Result<(Loaded, Source)> {
    let intake = Intake {
        api: &conditions.rules.api,
        progress,
    };
    Ok(take_in(cluster.read_all(scopes, &intake)?))
}

/// What was read, for the planner.
fn take_in(seen: Seen) -> (Loaded, Source) {
    let unseen = seen.unseen.iter();
    let unseen = unseen.map(|unseen| {
        format!(
            "not allowed to {}, so it is uncertain {}",
            unseen.asked, unseen.uncertain
        )
    });
    let source = Source {
        notes: unseen.collect(),
        versions: seen.versions,
    };
    let mut loaded = Loaded::default();
    for object in seen.objects {
        loaded.inventory.insert(object);
    }
    let absent = seen.absent.into_iter();
    loaded.unplannable = absent
        .map(|(set, error)| (set, error.to_string()))
        .collect();
    (loaded, source)
}

/// Which sets of the cluster are read: those that are named, or those that are applied, or all.
fn scopes(args: &Args, cluster: &Cluster, applied: &Loaded) -> Result<Vec<Scope>> {
    let names = resolve::set_names(&args.names)?;
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
        namespace: cluster.namespace().to_owned(),
        selector: args.selection.selector.clone(),
        one_of_many: false,
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

/// Whom `rbac` is asked to let in, and where. Nothing is asked of the cluster.
pub fn grant(args: &Args) -> Result<Grant> {
    let access = access(args);
    Ok(Grant {
        namespace: match args.selection.all_namespaces {
            true => None,
            false => Some(namespace_of(&access)?),
        },
        user: access.impersonate,
        groups: access.impersonate_groups,
    })
}

/// How the cluster is reached: the flags, and where this machine keeps its kubeconfigs.
pub fn access(args: &Args) -> Access {
    let flags = &args.connection;
    let named = some_path(&flags.kubeconfig);
    let listed = std::env::var_os("KUBECONFIG");
    let home = std::env::home_dir();
    let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
    let either = |upper: &str, lower: &str| {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        given(upper).or_else(|| given(lower))
    };
    Access {
        kubeconfigs: kubeconfig_files(named.as_deref(), listed.as_deref(), home.as_deref()),
        kubeconfig_must_exist: named.is_some(),
        context: given(&flags.context),
        cluster: given(&flags.cluster),
        user: given(&flags.user),
        namespace: given(&args.selection.namespace),
        server: given(&flags.server),
        token: given(&flags.token.as_ref().map(|token| token.reveal().to_owned())),
        impersonate: given(&flags.impersonate),
        impersonate_groups: flags.as_group.clone(),
        impersonate_uid: given(&flags.as_uid),
        certificate_authority: some_path(&flags.certificate_authority),
        client_certificate: some_path(&flags.client_certificate),
        client_key: some_path(&flags.client_key),
        tls_server_name: given(&flags.tls_server_name),
        insecure: flags.insecure_skip_tls_verify,
        request_timeout: flags.request_timeout,
        proxies: Proxies {
            https: either("HTTPS_PROXY", "https_proxy"),
            http: either("HTTP_PROXY", "http_proxy"),
            no: either("NO_PROXY", "no_proxy"),
        },
        service_account: ServiceAccount::of_environment(variable),
        unattended: false,
    }
}

/// A flag's text; kubectl takes an empty one for none.
fn given(flag: &Option<String>) -> Option<String> {
    flag.clone().filter(|text| !text.is_empty())
}

fn some_path(flag: &Option<PathBuf>) -> Option<PathBuf> {
    flag.clone().filter(|path| !path.as_os_str().is_empty())
}
