//! Kubeconfig files: found, merged and selected as in kubectl.
//!
//! They have secrets, so messages name only the file and the line or entry.

pub(super) mod files;
pub(super) mod model;

use std::io;
use std::path::Path;

use super::access::Access;
use super::error::ConfigError;
use crate::bounded;
use model::{Chosen, Cluster, Context, Kubeconfig, User};

/// Maximum size, above that of any kubeconfig.
const MAX_SIZE: u64 = 64 << 20;

/// Merges the files: the first file with a name wins. Missing files are skipped, unless a single one was named.
pub(super) fn merged(access: &Access) -> Result<Kubeconfig, ConfigError> {
    let mut merged = Kubeconfig::default();
    for file in &access.kubeconfigs {
        let Some(next) = read(file, access.kubeconfig_must_exist)? else {
            continue;
        };
        if merged.current_context.is_empty() {
            merged.current_context = next.current_context;
        }
        add(&mut merged.contexts, next.contexts);
        add(&mut merged.clusters, next.clusters);
        add(&mut merged.users, next.users);
    }
    Ok(merged)
}

/// Adds the entries with new names.
fn add<T>(entries: &mut Vec<(String, T)>, more: Vec<(String, T)>) {
    for (name, entry) in more {
        if find(entries, &name).is_none() {
            entries.push((name, entry));
        }
    }
}

fn find<'e, T>(entries: &'e [(String, T)], name: &str) -> Option<&'e T> {
    let mut named = entries.iter().filter(|(given, _)| given == name);
    named.next().map(|(_, entry)| entry)
}

fn wrong(file: &Path, problem: String) -> ConfigError {
    ConfigError::Kubeconfig {
        file: file.display().to_string(),
        problem,
    }
}

/// Reads a kubeconfig, with absolute paths; `None` if an optional file does not exist.
fn read(file: &Path, must_exist: bool) -> Result<Option<Kubeconfig>, ConfigError> {
    let bytes = match bounded::read(file, MAX_SIZE) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => return Ok(None),
        Err(error) => return Err(wrong(file, format!("cannot be read: {error}"))),
    };
    let value = kubectl_manifest::read_document(&bytes).map_err(|line| {
        let problem = format!("line {line} is invalid for kubectl: correct it");
        wrong(file, problem)
    })?;
    if value.is_null() {
        return Ok(Some(Kubeconfig::default()));
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let config = Kubeconfig::read(&value, folder).map_err(|problem| wrong(file, problem))?;
    Ok(Some(config))
}

/// Names in the kubeconfigs, in the order of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// Contexts.
    pub contexts: Vec<String>,
    /// Clusters.
    pub clusters: Vec<String>,
    /// Users.
    pub users: Vec<String>,
}

/// Returns the names of the contexts, clusters and users.
///
/// # Errors
/// When the kubeconfigs are invalid.
pub fn entries(access: &Access) -> Result<Entries, ConfigError> {
    fn names<T>(entries: Vec<(String, T)>) -> Vec<String> {
        entries.into_iter().map(|(name, _)| name).collect()
    }
    let merged = merged(access)?;
    Ok(Entries {
        contexts: names(merged.contexts),
        clusters: names(merged.clusters),
        users: names(merged.users),
    })
}

/// Selects the context, cluster and user from the flags or the kubeconfig.
pub(super) fn choose(config: &Kubeconfig, access: &Access) -> Result<Chosen, ConfigError> {
    let name = access
        .flags
        .context
        .as_ref()
        .unwrap_or(&config.current_context);
    let context = match name.as_str() {
        "" => Context::default(),
        name => get("context", name, &config.contexts)?,
    };
    let cluster_name = access.flags.cluster.as_ref().unwrap_or(&context.cluster);
    let cluster = match cluster_name.as_str() {
        "" => Cluster::default(),
        name => match get("cluster", name, &config.clusters) {
            // With --server, the cluster of that name may be missing.
            Err(_) if access.flags.server.is_some() && access.flags.cluster.is_none() => {
                Cluster::default()
            }
            found => found?,
        },
    };
    let user_name = access.flags.user.as_ref().unwrap_or(&context.user);
    let auth = match user_name.as_str() {
        "" => Ok(User::default()),
        name => match get("user", name, &config.users) {
            Err(error) if access.flags.user.is_some() => return Err(error),
            found => found,
        },
    };
    Ok(Chosen {
        context: name.clone(),
        namespace: context.namespace.clone(),
        cluster,
        user: user_name.clone(),
        auth,
    })
}

/// Returns the entry with a name.
fn get<T: Clone>(
    what: &'static str,
    name: &str,
    entries: &[(String, T)],
) -> Result<T, ConfigError> {
    find(entries, name)
        .cloned()
        .ok_or_else(|| ConfigError::NoSuchEntry {
            what,
            name: name.to_owned(),
            names: entries.iter().map(|(name, _)| name.clone()).collect(),
        })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::Command;

    use serde_json::{Value, json};

    use super::*;

    /// Pseudorandom numbers with a fixed seed.
    struct TestRng(u64);

    impl TestRng {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) as usize % end
        }

        fn of<T: Clone>(&mut self, items: &[T]) -> T {
            items[self.below(items.len())].clone()
        }

        /// Returns entries with some of the names, each with some of the fields.
        fn entries(&mut self, what: &str, fields: &[(&str, Vec<Value>)]) -> Value {
            let names = ["a", "b", "c"].iter().filter(|_| self.below(3) > 0);
            let names: Vec<&str> = names.copied().collect();
            let entries = names.iter().map(|name| {
                let mut entry = json!({"name": name});
                if self.below(8) > 0 {
                    entry[what] = json!({});
                    for (field, values) in fields {
                        if self.below(2) == 0 {
                            entry[what][field] = self.of(values);
                        }
                    }
                }
                entry
            });
            let entries: Vec<Value> = entries.collect();
            self.of(&[Value::Null, entries.clone().into(), entries.into()])
        }

        fn kubeconfig(&mut self) -> Value {
            let texts = || vec![json!("x"), json!("y"), json!(""), Value::Null];
            let paths = || {
                vec![
                    json!("ca.crt"),
                    json!("../k/ca.crt"),
                    json!("/etc/ca"),
                    json!(""),
                ]
            };
            let data = || vec![json!("eA=="), json!("eQ=="), json!("")];
            let flags = || vec![json!(true), json!(false), Value::Null];
            let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "./login",
                "args": ["a", "b"], "env": [{"name": "A", "value": "1"}], "interactiveMode": "Never",
                "installHint": "get it", "provideClusterInfo": true});
            let bare = json!({"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "login",
                "args": null, "env": null, "interactiveMode": "IfAvailable"});
            let groups = || vec![json!(["g", "h"]), json!([]), Value::Null];
            let mut config = json!({
                "clusters": self.entries("cluster", &[
                    ("server", texts()), ("certificate-authority", paths()),
                    ("certificate-authority-data", data()), ("insecure-skip-tls-verify", flags()),
                    ("tls-server-name", texts()), ("proxy-url", texts()), ("disable-compression", flags()),
                ]),
                "contexts": self.entries("context", &[
                    ("cluster", texts()), ("user", texts()), ("namespace", texts()),
                ]),
                "users": self.entries("user", &[
                    ("token", texts()), ("tokenFile", paths()), ("username", texts()), ("password", texts()),
                    ("client-certificate", paths()), ("client-certificate-data", data()),
                    ("client-key", paths()), ("client-key-data", data()),
                    ("as", texts()), ("as-uid", texts()), ("as-groups", groups()),
                    ("as-user-extra", vec![json!({"k": ["v"]}), Value::Null]),
                    ("exec", vec![exec, bare, Value::Null]),
                    ("auth-provider", vec![json!({"name": "oidc", "config": {"id-token": "t"}}), json!({"name": "gcp", "config": null})]),
                ]),
            });
            for (field, values) in [
                ("current-context", texts()),
                ("kind", vec![json!("Config"), json!("")]),
                ("apiVersion", vec![json!("v1"), json!("")]),
            ] {
                if self.below(2) == 0 {
                    config[field] = self.of(&values);
                }
            }
            config
        }
    }

    fn sorted(mut config: Kubeconfig) -> Kubeconfig {
        config.contexts.sort_by(|(a, _), (b, _)| a.cmp(b));
        config.clusters.sort_by(|(a, _), (b, _)| a.cmp(b));
        config.users.sort_by(|(a, _), (b, _)| a.cmp(b));
        config
    }

    #[test]
    fn files_are_merged_as_kubectl_merges_them() {
        let folder = std::env::temp_dir().join(format!("sts-plan-merge-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        let mut dice = TestRng(2026);
        let mut compared = 0;
        for round in 0..24 {
            let names = ["one", "sub/two", "missing", "three", "one"];
            let files: Vec<PathBuf> = (0..=dice.below(4))
                .map(|_| folder.join(dice.of(&names)))
                .collect();
            for file in &files {
                if !file.ends_with("missing") {
                    std::fs::write(file, dice.kubeconfig().to_string()).unwrap();
                }
            }
            let list = std::env::join_paths(&files).unwrap();
            let view = Command::new("kubectl")
                .args(["config", "view", "--raw", "-o", "json"])
                .env("KUBECONFIG", list)
                .output();
            let Ok(view) = view else {
                println!("kubeconfigs were not compared: there is no kubectl here");
                break;
            };
            let ours = merged(&Access {
                kubeconfigs: files,
                ..Access::default()
            });
            let said = String::from_utf8_lossy(&view.stderr);
            let theirs: Option<Value> = serde_json::from_slice(&view.stdout).ok();
            match (ours, theirs) {
                (Ok(ours), Some(theirs)) if view.status.success() => {
                    let theirs = Kubeconfig::read(&theirs, Path::new("")).unwrap();
                    // kubectl prints paths as written.
                    let mut ours = format!("{:?}", sorted(ours));
                    for place in [folder.join("sub/"), folder.join("")] {
                        ours = ours.replace(place.to_str().unwrap(), "");
                    }
                    assert_eq!(
                        ours,
                        format!("{:?}", sorted(theirs)),
                        "round {round}: {said}"
                    );
                    compared += 1;
                }
                (Err(_), _) if !view.status.success() => {}
                (ours, _) => panic!("round {round}: {:?}: {said}", ours.err()),
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
        println!("{compared} sets of kubeconfigs are the same to kubectl");
    }
}
