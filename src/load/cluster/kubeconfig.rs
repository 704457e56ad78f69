//! Kubeconfig files: found, merged and chosen from as kubectl does it.
//!
//! They hold secrets, so no message quotes them: it names the file and the line, and no more.

use std::io;
use std::path::{Path, PathBuf};

use kube::config::{
    AuthInfo, Cluster, Context, Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext,
};

use super::connect::Access;
use super::error::ClusterError;
use crate::load::manifest;

/// More than any kubeconfig.
const MAX_SIZE: u64 = 64 << 20;

/// The files merged: what the first file says of a name, counts. Files that are not there are passed over, unless
/// one was named by itself.
pub(super) fn merged(access: &Access) -> Result<Kubeconfig, ClusterError> {
    let mut merged = Kubeconfig::default();
    for file in &access.kubeconfigs {
        let Some(next) = read(file, access.kubeconfig_must_exist)? else {
            continue;
        };
        merged = merged
            .merge(next)
            .map_err(|error| wrong(file, error.to_string()))?;
    }
    Ok(merged)
}

fn wrong(file: &Path, problem: String) -> ClusterError {
    ClusterError::Kubeconfig {
        file: file.display().to_string(),
        problem,
    }
}

/// A kubeconfig, with the paths in it made absolute; `None` where there is no such file and none is needed.
fn read(file: &Path, must_exist: bool) -> Result<Option<Kubeconfig>, ClusterError> {
    let bytes = match std::fs::metadata(file).and_then(|metadata| {
        if metadata.len() > MAX_SIZE {
            let kind = io::ErrorKind::FileTooLarge;
            return Err(io::Error::new(
                kind,
                "it is far too large to be a kubeconfig",
            ));
        }
        std::fs::read(file)
    }) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => return Ok(None),
        Err(error) => return Err(wrong(file, format!("cannot be read: {error}"))),
    };
    let value = manifest::read_document(&bytes).map_err(|line| {
        let problem = format!("line {line} is not what kubectl would read: correct it there");
        wrong(file, problem)
    })?;
    if value.is_null() {
        return Ok(Some(Kubeconfig::default()));
    }
    // The error would quote the value.
    let mut config: Kubeconfig = serde_json::from_value(value).map_err(|_| {
        let problem = "a field has a value of a wrong type, or an entry has no name: kubectl config view --kubeconfig with this file tells which";
        wrong(file, problem.to_owned())
    })?;
    make_absolute(&mut config, file.parent().unwrap_or(Path::new("")));
    Ok(Some(config))
}

/// Paths in a kubeconfig start where it lies.
fn make_absolute(config: &mut Kubeconfig, folder: &Path) {
    let absolute = |path: &mut Option<String>| {
        if let Some(path) = path.as_mut().filter(|path| !path.is_empty())
            && Path::new(path).is_relative()
            && let Some(joined) = folder.join(&*path).to_str()
        {
            *path = joined.to_owned();
        }
    };
    for cluster in config
        .clusters
        .iter_mut()
        .filter_map(|named| named.cluster.as_mut())
    {
        absolute(&mut cluster.certificate_authority);
    }
    for user in config
        .auth_infos
        .iter_mut()
        .filter_map(|named| named.auth_info.as_mut())
    {
        absolute(&mut user.client_certificate);
        absolute(&mut user.client_key);
        absolute(&mut user.token_file);
        // A bare name is looked for in PATH.
        if let Some(exec) = &mut user.exec
            && exec
                .command
                .as_ref()
                .is_some_and(|command| command.contains(std::path::MAIN_SEPARATOR))
        {
            absolute(&mut exec.command);
        }
    }
}

/// The names of what kubeconfigs have, each list in the order of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// The contexts.
    pub contexts: Vec<String>,
    /// The clusters.
    pub clusters: Vec<String>,
    /// The users.
    pub users: Vec<String>,
}

/// What there is to choose from.
///
/// # Errors
/// What is wrong with the kubeconfigs.
pub fn entries(access: &Access) -> Result<Entries, ClusterError> {
    let merged = merged(access)?;
    Ok(Entries {
        contexts: merged
            .contexts
            .into_iter()
            .map(|named| named.name)
            .collect(),
        clusters: merged
            .clusters
            .into_iter()
            .map(|named| named.name)
            .collect(),
        users: merged
            .auth_infos
            .into_iter()
            .map(|named| named.name)
            .collect(),
    })
}

/// What is used of a kubeconfig.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The context's name; empty without one.
    pub(super) context: String,
    pub(super) namespace: Option<String>,
    pub(super) cluster: Option<Cluster>,
    /// The user's name; empty without one.
    pub(super) user: String,
    pub(super) auth: AuthInfo,
}

/// The context, the cluster and the user that the flags or the kubeconfig choose.
pub(super) fn choose(config: &Kubeconfig, access: &Access) -> Result<Chosen, ClusterError> {
    let context_name = access.context.clone().or_else(|| {
        let current = config.current_context.clone();
        current.filter(|name| !name.is_empty())
    });
    let context = match &context_name {
        None => Context::default(),
        Some(name) => {
            let found = config.contexts.iter().find(|named| named.name == *name);
            let found = found.and_then(|named: &NamedContext| named.context.clone());
            let names = config.contexts.iter().map(|named| named.name.as_str());
            found.ok_or_else(|| missing("context", name, names))?
        }
    };
    let cluster_name = access.cluster.clone().or_else(|| {
        let of_context = Some(context.cluster.clone());
        of_context.filter(|name| !name.is_empty())
    });
    let cluster = match &cluster_name {
        None => None,
        Some(name) => {
            let found = config.clusters.iter().find(|named| named.name == *name);
            let found = found.and_then(|named: &NamedCluster| named.cluster.clone());
            let names = config.clusters.iter().map(|named| named.name.as_str());
            match found {
                // An address of its own needs no cluster of that name.
                None if access.server.is_some() && access.cluster.is_none() => None,
                None => return Err(missing("cluster", name, names)),
                found => found,
            }
        }
    };
    let user_name = access.user.clone().or_else(|| {
        let of_context = context.user.clone();
        of_context.filter(|name| !name.is_empty())
    });
    let auth = match &user_name {
        None => AuthInfo::default(),
        Some(name) => {
            let found = config.auth_infos.iter().find(|named| named.name == *name);
            let names = config.auth_infos.iter().map(|named| named.name.as_str());
            found
                .map(|named: &NamedAuthInfo| named.auth_info.clone().unwrap_or_default())
                .ok_or_else(|| missing("user", name, names))?
        }
    };
    Ok(Chosen {
        context: context_name.unwrap_or_default(),
        namespace: context.namespace.filter(|name| !name.is_empty()),
        cluster,
        user: user_name.unwrap_or_default(),
        auth,
    })
}

fn missing<'n>(
    what: &'static str,
    name: &str,
    names: impl Iterator<Item = &'n str>,
) -> ClusterError {
    const SHOWN: usize = 20;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let there = match (names.as_slice(), more) {
        ([], _) => "is none at all".to_owned(),
        ([only], _) => format!("is {only}"),
        (names, 0) => format!("are {}", names.join(", ")),
        (names, more) => format!("are {} and {more} more", names.join(", ")),
    };
    ClusterError::NoSuchEntry {
        what,
        name: name.to_owned(),
        there,
    }
}

/// The files that kubectl would read: the one that is named, else those of `KUBECONFIG`, else that of the home.
#[must_use]
pub fn kubeconfig_files(
    named: Option<&Path>,
    listed: Option<&std::ffi::OsStr>,
    home: Option<&Path>,
) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let listed: Vec<PathBuf> = listed
        .map(|listed| {
            std::env::split_paths(listed)
                .filter(|path| !path.as_os_str().is_empty())
                .collect()
        })
        .unwrap_or_default();
    if !listed.is_empty() {
        return listed;
    }
    home.map(|home| home.join(".kube").join("config"))
        .into_iter()
        .collect()
}
