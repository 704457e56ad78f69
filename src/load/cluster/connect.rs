//! From flags and kubeconfig to a client that can do nothing but read.

use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use kube::client::AuthError;
use kube::config::{Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext};
use kube::{Client, Config};
use tower::Layer as _;

use super::error::ClusterError;
use super::kubeconfig::{Chosen, choose, merged};
use super::read_only::ReadOnly;
use super::request::chain;

/// How long an answer is waited for where nobody says: no healthy server needs it, and no run hangs for ever.
const PATIENCE: Duration = Duration::from_secs(120);
/// How the program names itself to servers.
const USER_AGENT: &str = concat!("kubectl-sts_plan/", env!("CARGO_PKG_VERSION"));
/// The name of the one entry of the kubeconfig that is made of flags and files.
const ENTRY: &str = "chosen";

/// How a cluster is to be reached: the flags of the command line over what kubeconfigs say.
#[derive(Clone, Default)]
pub struct Access {
    /// The kubeconfigs to merge, the first one counting most; see [`super::kubeconfig_files`].
    pub kubeconfigs: Vec<PathBuf>,
    /// Whether it is an error that one of them is missing.
    pub kubeconfig_must_exist: bool,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--insecure-skip-tls-verify`.
    pub insecure: bool,
    /// `--request-timeout`; zero is for ever.
    pub request_timeout: Option<Duration>,
}

/// A client with what messages say of it. Cheap to copy. Everything that it sends passes [`ReadOnly`].
#[derive(Clone)]
pub struct Link {
    client: Client,
    server: String,
    patience: Option<Duration>,
}

impl Link {
    /// A link over a client, to a server of that name. Must be made within a runtime.
    #[must_use]
    pub fn over(client: Client, server: String, patience: Option<Duration>) -> Self {
        let namespace = client.default_namespace().to_owned();
        let send = tower::service_fn(move |request| {
            let client = client.clone();
            async move { client.send(request).await }
        });
        Link {
            client: Client::new(ReadOnly.layer(send), namespace),
            server,
            patience,
        }
    }

    /// The client, for watches: whatever it is asked to send that is no reading is held back.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The address of the API server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// How long an answer is waited for; `None` for ever.
    #[must_use]
    pub fn patience(&self) -> Option<Duration> {
        self.patience
    }
}

/// A cluster, connected to.
pub struct Cluster {
    runtime: tokio::runtime::Runtime,
    link: Link,
    namespace: String,
}

impl Cluster {
    /// Makes a client of flags and kubeconfigs. Runs the credential plugin if the user has one; nothing is asked of
    /// the server yet.
    ///
    /// # Errors
    /// What is wrong with the flags, the kubeconfigs or the credentials.
    pub fn connect(access: &Access) -> Result<Self, ClusterError> {
        let runtime = runtime()?;
        let (mut config, who) = configure(access)?;
        config.default_retry = false; // request.rs knows better when to ask again.
        config.read_timeout = None; // It would count against watches.
        config.headers.push((
            HeaderName::from_static("user-agent"),
            HeaderValue::from_static(USER_AGENT),
        ));
        let patience = match access.request_timeout {
            None => Some(PATIENCE),
            Some(Duration::ZERO) => None,
            Some(timeout) => Some(timeout),
        };
        let server = config
            .cluster_url
            .to_string()
            .trim_end_matches('/')
            .to_owned();
        let namespace = match &access.namespace {
            Some(namespace) => namespace.clone(),
            None => config.default_namespace.clone(),
        };
        // The buffer of a client is a task of the runtime.
        let link = {
            let _within = runtime.enter();
            let client = Client::try_from(config).map_err(|error| cannot_begin(&error, &who))?;
            Link::over(client, server, patience)
        };
        Ok(Cluster {
            runtime,
            link,
            namespace,
        })
    }

    /// A cluster behind a client that is made elsewhere, whose namespace counts where none is named.
    ///
    /// # Errors
    /// When the system gives no runtime.
    pub fn over(
        client: impl FnOnce() -> Client,
        server: &str,
        patience: Option<Duration>,
    ) -> Result<Self, ClusterError> {
        let runtime = runtime()?;
        let link = {
            let _within = runtime.enter();
            Link::over(client(), server.to_owned(), patience)
        };
        let namespace = link.client.default_namespace().to_owned();
        Ok(Cluster {
            runtime,
            link,
            namespace,
        })
    }

    /// The namespace that is meant where none is named: that of the flags, else of the context, else `default`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The connection itself.
    #[must_use]
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Runs something that waits for the cluster to its end, on this thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// The namespace that is meant where none is named, without asking anybody.
///
/// # Errors
/// What is wrong with the kubeconfigs.
pub fn namespace_of(access: &Access) -> Result<String, ClusterError> {
    if let Some(namespace) = &access.namespace {
        return Ok(namespace.clone());
    }
    let chosen = choose(&merged(access)?, access)?;
    Ok(chosen.namespace.unwrap_or_else(|| "default".to_owned()))
}

/// The one runtime of the program: it waits on this thread.
fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ClusterError::Runtime)
}

/// Who asks, for messages.
struct Who {
    user: String,
    /// The name of the credential plugin; empty without one.
    plugin: String,
}

/// The configuration that flags and files amount to.
fn configure(access: &Access) -> Result<(Config, Who), ClusterError> {
    if access.impersonate.is_none()
        && (!access.impersonate_groups.is_empty() || access.impersonate_uid.is_some())
    {
        let problem = "--as-group and --as-uid need somebody to act as: give --as";
        return Err(ClusterError::Access(problem.to_owned()));
    }
    let chosen = choose(&merged(access)?, access)?;
    let plain = chosen.cluster.is_none() && access.server.is_none() && access.context.is_none();
    if plain && let Ok(mut config) = Config::incluster() {
        // A pod's own account, with whatever the flags say besides.
        let auth = std::mem::take(&mut config.auth_info);
        let chosen = authenticate(Chosen { auth, ..chosen }, access);
        config.auth_info = chosen.auth;
        return Ok((
            config,
            Who {
                user: chosen.user,
                plugin: String::new(),
            },
        ));
    }
    let chosen = authenticate(address(chosen, access)?, access);
    let Some(cluster) = chosen.cluster.filter(|cluster| cluster.server.is_some()) else {
        let place = match (access.kubeconfigs.as_slice(), chosen.context.as_str()) {
            ([], _) => "no kubeconfig".to_owned(),
            (files, "") => {
                let files: Vec<String> = files
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect();
                format!("the kubeconfig ({})", files.join(", "))
            }
            (_, context) => format!("context {context:?}"),
        };
        return Err(ClusterError::NoCluster(place));
    };
    let who = Who {
        user: chosen.user,
        plugin: chosen
            .auth
            .exec
            .as_ref()
            .and_then(|exec| exec.command.clone())
            .unwrap_or_default(),
    };
    let server = cluster.server.clone().unwrap_or_default();
    let one = Kubeconfig {
        clusters: vec![NamedCluster {
            name: ENTRY.to_owned(),
            cluster: Some(cluster),
            ..NamedCluster::default()
        }],
        auth_infos: vec![NamedAuthInfo {
            name: ENTRY.to_owned(),
            auth_info: Some(chosen.auth),
            ..NamedAuthInfo::default()
        }],
        contexts: vec![NamedContext {
            name: ENTRY.to_owned(),
            context: Some(kube::config::Context {
                cluster: ENTRY.to_owned(),
                user: Some(ENTRY.to_owned()),
                namespace: chosen.namespace,
                ..kube::config::Context::default()
            }),
            ..NamedContext::default()
        }],
        current_context: Some(ENTRY.to_owned()),
        ..Kubeconfig::default()
    };
    let config = Config::try_from(one).map_err(|error| {
        use kube::config::KubeconfigError;
        let problem = match &error {
            KubeconfigError::ParseClusterUrl(_) => {
                format!("{server:?} is no address of a server: write https://HOST:PORT")
            }
            // These name files, and the errors of base64 and PEM; never the data.
            other => chain(other).join(": "),
        };
        ClusterError::Access(problem)
    })?;
    let host = config.cluster_url.host().unwrap_or_default();
    if host.is_empty() || !matches!(config.cluster_url.scheme_str(), Some("http" | "https")) {
        let problem = format!("{server:?} is no address of a server: write https://HOST:PORT");
        return Err(ClusterError::Access(problem));
    }
    Ok((config, who))
}

/// Puts the flags about the server over what the kubeconfig says of it.
fn address(mut chosen: Chosen, access: &Access) -> Result<Chosen, ClusterError> {
    let flags = access.server.is_some()
        || access.certificate_authority.is_some()
        || access.tls_server_name.is_some()
        || access.insecure;
    if !flags {
        return Ok(chosen);
    }
    if access.insecure && access.certificate_authority.is_some() {
        let problem = "--insecure-skip-tls-verify checks no certificate, so --certificate-authority has no use with it: give one of the two";
        return Err(ClusterError::Access(problem.to_owned()));
    }
    let mut cluster = chosen.cluster.take().unwrap_or_default();
    if let Some(server) = &access.server {
        let secured = access.certificate_authority.is_some()
            || access.client_certificate.is_some()
            || access.insecure
            || cluster.certificate_authority.is_some()
            || cluster.certificate_authority_data.is_some();
        let scheme = if secured { "https" } else { "http" };
        cluster.server = Some(if server.contains("://") {
            server.clone()
        } else {
            format!("{scheme}://{server}")
        });
        // The name was that of the other address.
        cluster.tls_server_name = None;
    }
    if let Some(file) = &access.certificate_authority {
        cluster.certificate_authority = Some(file.display().to_string());
        cluster.certificate_authority_data = None;
        cluster.insecure_skip_tls_verify = None;
    }
    if access.insecure {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if let Some(name) = &access.tls_server_name {
        cluster.tls_server_name = Some(name.clone());
    }
    chosen.cluster = Some(cluster);
    Ok(chosen)
}

/// Puts the flags about the user over what the kubeconfig says of it.
fn authenticate(mut chosen: Chosen, access: &Access) -> Chosen {
    let auth = &mut chosen.auth;
    if let Some(token) = &access.token {
        auth.token = Some(token.clone().into());
        auth.token_file = None;
        // One way to say who one is is enough, and the flag's is meant.
        (auth.exec, auth.auth_provider, auth.username, auth.password) = (None, None, None, None);
    }
    if let Some(file) = &access.client_certificate {
        auth.client_certificate = Some(file.display().to_string());
        auth.client_certificate_data = None;
    }
    if let Some(file) = &access.client_key {
        auth.client_key = Some(file.display().to_string());
        auth.client_key_data = None;
    }
    if let Some(user) = &access.impersonate {
        auth.impersonate = Some(user.clone());
        auth.impersonate_uid.clone_from(&access.impersonate_uid);
        auth.impersonate_groups = Some(access.impersonate_groups.clone());
        auth.impersonate_user_extra = None;
    }
    chosen
}

/// Why no client can be made.
fn cannot_begin(error: &kube::Error, who: &Who) -> ClusterError {
    match error {
        kube::Error::Auth(error) => {
            let user = if who.user.is_empty() {
                String::new()
            } else {
                format!("user {:?}: ", who.user)
            };
            let plugin = if who.plugin.is_empty() {
                String::new()
            } else {
                format!("plugin {:?}: ", who.plugin)
            };
            ClusterError::Credentials(format!("{user}{plugin}{}", credentials(error)))
        }
        other => ClusterError::Access(format!("cannot connect: {}", chain(other).join(": "))),
    }
}

/// What is wrong with credentials, without any of them: what plugins print holds tokens.
pub(super) fn credentials(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecStart(error) => {
            format!("the plugin cannot be run ({error}): install it, or use another user")
        }
        AuthError::AuthExecRun { out, .. } => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.lines().find(|line| !line.trim().is_empty());
            let said = said.map(|line| format!(": {}", line.trim())).unwrap_or_default();
            format!("the plugin failed with {}{said}; log in again, or use another user", out.status)
        }
        AuthError::AuthExecParse(_) | AuthError::ExecPluginFailed => {
            "the plugin printed no ExecCredential with a status: run it by hand to see what it prints".to_owned()
        }
        AuthError::MalformedTokenExpirationDate(_) => {
            "the plugin printed an expirationTimestamp that is no time".to_owned()
        }
        AuthError::InvalidBearerToken(_) | AuthError::InvalidBasicAuth(_) => {
            "they hold characters that no header may have: check for line breaks in the token".to_owned()
        }
        AuthError::ReadTokenFile(error, file) => {
            format!("token file {} cannot be read: {error}", file.display())
        }
        AuthError::MissingCommand => "the user's exec has no command: name the plugin".to_owned(),
        AuthError::ExecMissingClusterInfo => {
            "the plugin wants to know the cluster, of which the kubeconfig says nothing".to_owned()
        }
        AuthError::UnrefreshableTokenResponse => {
            "the plugin gave no new token when the old one ran out: log in again".to_owned()
        }
        AuthError::AuthExec(problem) => problem.clone(),
        AuthError::Oidc(error) => format!("the OpenID provider gave no token ({error}): log in again"),
        _ => "they cannot be used: log in again, or use another user".to_owned(),
    }
}
