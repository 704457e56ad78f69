//! Fields of a kubeconfig.
//!
//! Values are often secrets, so errors name the entry and the field and never quote a value.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::cluster::error::ConfigError;

/// Name of the cluster extension for credential plugins.
const FOR_PLUGINS: &str = "client.authentication.k8s.io/exec";

/// A kubeconfig, or several merged. As in kubectl, an empty string is unset.
#[derive(Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Kubeconfig {
    pub(in super::super) current_context: String,
    pub(in super::super) contexts: Vec<(String, Context)>,
    pub(in super::super) clusters: Vec<(String, Cluster)>,
    pub(in super::super) users: Vec<(String, User)>,
}

/// Selected part of a kubeconfig. Names may be empty.
pub(in super::super) struct Chosen {
    pub(in super::super) context: String,
    pub(in super::super) namespace: String,
    pub(in super::super) cluster: Cluster,
    pub(in super::super) user: String,
    /// User; an error if it does not exist, which only matters if the server requires credentials.
    pub(in super::super) auth: Result<User, ConfigError>,
}

/// Context: cluster, user and namespace.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Context {
    pub(in super::super) cluster: String,
    pub(in super::super) user: String,
    pub(in super::super) namespace: String,
}

/// Cluster: address, and verification of its certificate.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Cluster {
    pub(in super::super) server: String,
    pub(in super::super) tls_server_name: String,
    pub(in super::super) insecure: bool,
    pub(in super::super) authority: Pem,
    pub(in super::super) proxy_url: String,
    pub(in super::super) disable_compression: bool,
    /// Configuration for credential plugins.
    pub(in super::super) for_plugins: Option<Value>,
}

/// User with credentials.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct User {
    pub(in super::super) certificate: Pem,
    pub(in super::super) key: Pem,
    pub(in super::super) token: String,
    pub(in super::super) token_file: String,
    pub(in super::super) username: String,
    pub(in super::super) password: String,
    pub(in super::super) provider: Option<Provider>,
    pub(in super::super) exec: Option<Exec>,
    pub(in super::super) impersonate: Impersonate,
}

/// Certificate or key: a file, or base64 data, which takes precedence.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Pem {
    pub(in super::super) file: String,
    pub(in super::super) base64: String,
}

impl Pem {
    pub(in super::super) fn is_given(&self) -> bool {
        !self.file.is_empty() || !self.base64.is_empty()
    }
}

/// Impersonated user.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Impersonate {
    pub(in super::super) user: String,
    pub(in super::super) uid: String,
    pub(in super::super) groups: Vec<String>,
    pub(in super::super) extra: BTreeMap<String, Vec<String>>,
}

/// An `auth-provider`.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Provider {
    pub(in super::super) name: String,
    pub(in super::super) config: BTreeMap<String, String>,
}

/// A credential plugin.
#[derive(Clone, Default)]
#[cfg_attr(test, derive(Debug))]
pub(in super::super) struct Exec {
    pub(in super::super) api_version: String,
    pub(in super::super) command: String,
    pub(in super::super) args: Vec<String>,
    pub(in super::super) env: Vec<(String, String)>,
    pub(in super::super) install_hint: String,
    pub(in super::super) interactive_mode: String,
    pub(in super::super) provide_cluster_info: bool,
}

impl Kubeconfig {
    /// Parses a kubeconfig from JSON. Relative paths start in `folder`.
    ///
    /// # Errors
    /// When kubectl would refuse a field.
    pub(in super::super) fn read(value: &Value, folder: &Path) -> Result<Self, String> {
        let top = Fields::of("", value)?;
        let kind = top.text("kind")?;
        let version = top.text("apiVersion")?;
        if !matches!(kind.as_str(), "" | "Config") || !matches!(version.as_str(), "" | "v1") {
            return Err("not a kubeconfig: kind is not Config of v1".to_owned());
        }
        Ok(Kubeconfig {
            current_context: top.text("current-context")?,
            contexts: top.named("contexts", "context", |context| {
                Ok(Context {
                    cluster: context.text("cluster")?,
                    user: context.text("user")?,
                    namespace: context.text("namespace")?,
                })
            })?,
            clusters: top.named("clusters", "cluster", |cluster| cluster_of(cluster, folder))?,
            users: top.named("users", "user", |user| user_of(user, folder))?,
        })
    }
}

fn cluster_of(fields: &Fields, folder: &Path) -> Result<Cluster, String> {
    let mut for_plugins = None;
    for extension in fields.objects("extensions")? {
        if extension.text("name")? == FOR_PLUGINS {
            for_plugins = extension.get("extension").cloned();
        }
    }
    Ok(Cluster {
        server: fields.text("server")?,
        tls_server_name: fields.text("tls-server-name")?,
        insecure: fields.flag("insecure-skip-tls-verify")?,
        authority: fields.pem("certificate-authority", folder)?,
        proxy_url: fields.text("proxy-url")?,
        disable_compression: fields.flag("disable-compression")?,
        for_plugins,
    })
}

fn user_of(fields: &Fields, folder: &Path) -> Result<User, String> {
    let mut extra = BTreeMap::new();
    if let Some(object) = fields.object("as-user-extra")? {
        for name in object.names() {
            extra.insert(name.clone(), object.texts(name)?);
        }
    }
    let provider = match fields.object("auth-provider")? {
        None => None,
        Some(provider) => Some(Provider {
            name: provider.text("name")?,
            config: match provider.object("config")? {
                None => BTreeMap::new(),
                Some(config) => config
                    .names()
                    .map(|name| Ok((name.clone(), config.text(name)?)))
                    .collect::<Result<_, String>>()?,
            },
        }),
    };
    let exec = match fields.object("exec")? {
        None => None,
        Some(exec) => Some(exec_of(&exec, folder)?),
    };
    Ok(User {
        certificate: fields.pem("client-certificate", folder)?,
        key: fields.pem("client-key", folder)?,
        token: fields.text("token")?,
        token_file: fields.path("tokenFile", folder)?,
        username: fields.text("username")?,
        password: fields.text("password")?,
        provider,
        exec,
        impersonate: Impersonate {
            user: fields.text("as")?,
            uid: fields.text("as-uid")?,
            groups: fields.texts("as-groups")?,
            extra,
        },
    })
}

fn exec_of(fields: &Fields, folder: &Path) -> Result<Exec, String> {
    let command = fields.text("command")?;
    let env = fields.objects("env")?;
    Ok(Exec {
        api_version: fields.text("apiVersion")?,
        // A bare name is looked up in PATH.
        command: match command.contains(std::path::is_separator) {
            true => fields.path("command", folder)?,
            false => command,
        },
        args: fields.texts("args")?,
        env: env
            .iter()
            .map(|variable| Ok((variable.text("name")?, variable.text("value")?)))
            .collect::<Result<_, String>>()?,
        install_hint: fields.text("installHint")?,
        interactive_mode: fields.text("interactiveMode")?,
        provide_cluster_info: fields.flag("provideClusterInfo")?,
    })
}

/// Fields of an object, with its location. Null means unset.
struct Fields<'v> {
    place: String,
    members: &'v Map<String, Value>,
}

impl<'v> Fields<'v> {
    fn of(place: &str, value: &'v Value) -> Result<Self, String> {
        match value {
            Value::Object(members) => Ok(Fields {
                place: place.to_owned(),
                members,
            }),
            _ if place.is_empty() => Err("not a kubeconfig: it has no fields".to_owned()),
            _ => Err(format!("{place} must be a mapping")),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'v String> + use<'v> {
        self.members.keys()
    }

    fn get(&self, name: &str) -> Option<&'v Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn place(&self, name: &str) -> String {
        match self.place.as_str() {
            "" => name.to_owned(),
            place => format!("{place}: {name}"),
        }
    }

    fn wrong(&self, name: &str, what: &str) -> String {
        let place = self.place(name);
        format!("{place} must be {what}: correct it, or put it in quotes")
    }

    fn text(&self, name: &str) -> Result<String, String> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("{} must be true or false", self.place(name))),
        }
    }

    fn list(&self, name: &str) -> Result<&'v [Value], String> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(format!("{} must be a list", self.place(name))),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        self.list(name)?
            .iter()
            .map(|item| match item {
                Value::String(text) => Ok(text.clone()),
                Value::Null => Ok(String::new()),
                _ => Err(self.wrong(name, "a list of strings")),
            })
            .collect()
    }

    fn object(&self, name: &str) -> Result<Option<Fields<'v>>, String> {
        self.get(name)
            .map(|value| Fields::of(&self.place(name), value))
            .transpose()
    }

    fn objects(&self, name: &str) -> Result<Vec<Fields<'v>>, String> {
        let items = self.list(name)?.iter().filter(|item| !item.is_null());
        items
            .map(|item| Fields::of(&self.place(name), item))
            .collect()
    }

    /// Returns a path, relative to the directory of the kubeconfig.
    fn path(&self, name: &str, folder: &Path) -> Result<String, String> {
        let path = self.text(name)?;
        if path.is_empty() || Path::new(&path).is_absolute() {
            return Ok(path);
        }
        let joined = folder.join(&path);
        match joined.to_str() {
            Some(joined) => Ok(joined.to_owned()),
            None => Err(format!(
                "{} is relative to a directory with a non-Unicode name: use an absolute path",
                self.place(name)
            )),
        }
    }

    fn pem(&self, name: &str, folder: &Path) -> Result<Pem, String> {
        Ok(Pem {
            file: self.path(name, folder)?,
            base64: self.text(&format!("{name}-data"))?,
        })
    }

    /// Returns the entries of a list of named entries.
    fn named<T>(
        &self,
        list: &str,
        what: &str,
        read: impl Fn(&Fields) -> Result<T, String>,
    ) -> Result<Vec<(String, T)>, String> {
        let mut named: Vec<(String, T)> = Vec::new();
        for entry in self.objects(list)? {
            let name = entry.text("name")?;
            let place = format!("{what} {name:?}");
            if named.iter().any(|(other, _)| *other == name) {
                return Err(format!("duplicate {place}: remove one of them"));
            }
            let nothing = Map::new();
            let fields = match entry.get(what) {
                Some(value) => Fields::of(&place, value)?,
                None => Fields {
                    place,
                    members: &nothing,
                },
            };
            named.push((name, read(&fields)?));
        }
        Ok(named)
    }
}
