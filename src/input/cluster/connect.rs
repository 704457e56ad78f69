//! Creates a read-only client from flags and kubeconfigs.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use kube::Client;
use kube::client::RustlsTlsError;
use kubectl_config::{Access, ConfigError, Credentials, Notice, configure, without_password};
use rustls::Error as TlsError;

use super::error::ClusterError;
use super::error_chain::chain;
use super::handshake::KUBECTL_FALLBACK;
use super::read_only::refuse_writes;

/// Default timeout of a request, longer than any healthy server needs.
const PATIENCE: Duration = Duration::from_secs(120);
/// The `User-Agent` header.
const USER_AGENT: &str = concat!("kubectl-sts_plan/", env!("CARGO_PKG_VERSION"));

/// A client with its description for messages. Cheap to clone. All requests pass `refuse_writes`.
#[derive(Clone)]
pub struct ApiClient {
    client: Client,
    server: String,
    /// Address of the proxy.
    proxy: Option<String>,
    credentials: Arc<Credentials>,
    patience: Option<Duration>,
    takes_gzip: bool,
    notice: Notice,
}

impl ApiClient {
    /// Wraps a kube client for a server of this name. Must be called within a runtime.
    pub fn over(client: Client, server: String, patience: Option<Duration>) -> Self {
        ApiClient::with(client, server, None, Credentials::default(), patience)
    }

    fn with(
        client: Client,
        server: String,
        proxy: Option<String>,
        credentials: Credentials,
        patience: Option<Duration>,
    ) -> Self {
        let namespace = client.default_namespace().to_owned();
        let credentials = Arc::new(credentials);
        let shown = Arc::clone(&credentials);
        let send = tower::service_fn(move |request| {
            let client = client.clone();
            let credentials = Arc::clone(&shown);
            async move {
                refuse_writes(&request)?;
                credentials.send(client, request).await
            }
        });
        ApiClient {
            client: Client::new(send, namespace),
            server,
            proxy,
            credentials,
            patience,
            takes_gzip: true,
            notice: Notice::default(),
        }
    }

    /// Returns a client that prints no notices, for use with a screen.
    pub fn silent(&self) -> Self {
        ApiClient {
            notice: Notice::new(true),
            ..self.clone()
        }
    }

    /// Returns the kube client. All requests other than reads are blocked.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the address of the API server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the address of the API server, and its proxy if any.
    pub(super) fn route(&self) -> String {
        match &self.proxy {
            None => self.server.clone(),
            Some(proxy) => format!("{} through the proxy {proxy}", self.server),
        }
    }

    /// Returns the error for credentials that the server does not accept.
    pub fn unauthorized(&self) -> ClusterError {
        ClusterError::Unauthorized {
            server: self.server.clone(),
            doubt: self.credentials.doubt(),
        }
    }

    /// Returns the credentials of the user.
    pub(super) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Reports whether answers may be compressed.
    pub(super) fn takes_gzip(&self) -> bool {
        self.takes_gzip
    }

    /// Returns the notice about long waits.
    pub(super) fn notice(&self) -> &Notice {
        &self.notice
    }

    /// Returns the timeout of an answer; `None` for no timeout.
    pub fn patience(&self) -> Option<Duration> {
        self.patience
    }
}

/// A connected cluster.
pub struct Cluster {
    runtime: tokio::runtime::Runtime,
    api: ApiClient,
    namespace: String,
}

impl Cluster {
    /// Creates a client from flags and kubeconfigs. Runs the credential plugin of the user, if any; sends no request.
    ///
    /// # Errors
    /// When the flags, the kubeconfigs or the credentials are invalid.
    pub fn connect(access: &Access) -> Result<Self, ClusterError> {
        let runtime = runtime()?;
        let notice = Notice::new(access.unattended);
        let (mut config, credentials) = configure(access, &notice)?;
        // body.rs decompresses responses within limits.
        let takes_gzip = !std::mem::replace(&mut config.disable_compression, true);
        config.default_retry = false; // request.rs knows better when to ask again.
        config.read_timeout = None; // It would count against watches.
        config.headers.push((
            HeaderName::from_static("user-agent"),
            HeaderValue::from_static(USER_AGENT),
        ));
        let patience = match access.flags.request_timeout {
            None => Some(PATIENCE),
            Some(Duration::ZERO) => None,
            Some(timeout) => Some(timeout),
        };
        let server = config.cluster_url.to_string();
        let server = without_password(server.trim_end_matches('/'));
        let namespace = match &access.namespace {
            Some(namespace) => namespace.clone(),
            None => config.default_namespace.clone(),
        };
        // Omit the part before an @, which may be a password.
        let proxy = config.proxy_url.as_ref().and_then(Uri::authority);
        let proxy = proxy.map(|proxy| match proxy.port() {
            Some(port) => format!("{}:{port}", proxy.host()),
            None => proxy.host().to_owned(),
        });
        // The buffer of the client is a task of the runtime.
        let api = {
            let _within = runtime.enter();
            let client = Client::try_from(config).map_err(|error| cannot_begin(&error))?;
            ApiClient {
                takes_gzip,
                notice,
                ..ApiClient::with(client, server, proxy, credentials, patience)
            }
        };
        Ok(Cluster {
            runtime,
            api,
            namespace,
        })
    }

    /// Wraps an existing client, with its default namespace.
    ///
    /// # Errors
    /// When the runtime cannot be created.
    pub fn over(
        client: impl FnOnce() -> Client,
        server: &str,
        patience: Option<Duration>,
    ) -> Result<Self, ClusterError> {
        let runtime = runtime()?;
        let api = {
            let _within = runtime.enter();
            ApiClient::over(client(), server.to_owned(), patience)
        };
        let namespace = api.client.default_namespace().to_owned();
        Ok(Cluster {
            runtime,
            api,
            namespace,
        })
    }

    /// Returns the default namespace: that of the flags, else of the context, else `default`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the connection.
    pub fn api(&self) -> &ApiClient {
        &self.api
    }

    /// Runs a future to its end on this thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// Creates the only runtime of the program, which waits on this thread.
fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ClusterError::Runtime)
}

/// Returns the error for a client that cannot be created.
fn cannot_begin(error: &kube::Error) -> ClusterError {
    let problem = match error {
        kube::Error::RustlsTls(RustlsTlsError::InvalidPrivateKey(TlsError::InconsistentKeys(_))) => {
            "the client key does not match the client certificate: use a matching pair"
                .to_owned()
        }
        kube::Error::RustlsTls(RustlsTlsError::InvalidPrivateKey(_)) => format!(
            "unsupported client key (supported: RSA of at least 2048 bits, ECDSA P-256 and P-384, Ed25519); {KUBECTL_FALLBACK}"
        ),
        kube::Error::RustlsTls(RustlsTlsError::AddRootCertificate(_)) => {
            "this machine has no trusted certificate authorities: name that of the server with --certificate-authority, or in the kubeconfig"
                .to_owned()
        }
        _ => format!("cannot connect: {}", chain(error).join(": ")),
    };
    ConfigError::Access(problem).into()
}
