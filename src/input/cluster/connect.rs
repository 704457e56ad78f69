//! From flags and kubeconfig to a client that can do nothing but read.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use kube::Client;
use kube::client::RustlsTlsError;
use kubectl_config::{Access, ConfigError, Credentials, Notice, configure, without_password};
use rustls::Error as TlsError;
use tower::Layer as _;

use super::error::ClusterError;
use super::error_chain::chain;
use super::handshake::WAY_ROUND;
use super::read_only::ReadOnly;

/// The default timeout of a request: longer than any healthy server needs, so that no run hangs for ever.
const PATIENCE: Duration = Duration::from_secs(120);
/// The `User-Agent` header.
const USER_AGENT: &str = concat!("kubectl-sts_plan/", env!("CARGO_PKG_VERSION"));

/// A client with what messages say of it. Cheap to copy. Everything that it sends passes [`ReadOnly`].
#[derive(Clone)]
pub struct ApiClient {
    client: Client,
    server: String,
    /// The address of the proxy on the way there.
    proxy: Option<String>,
    credentials: Arc<Credentials>,
    patience: Option<Duration>,
    takes_gzip: bool,
    notice: Notice,
}

impl ApiClient {
    /// An API client over a client of kube, to a server of that name. Must be made within a runtime.
    #[must_use]
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
            async move { credentials.send(client, request).await }
        });
        ApiClient {
            client: Client::new(ReadOnly.layer(send), namespace),
            server,
            proxy,
            credentials,
            patience,
            takes_gzip: true,
            notice: Notice::default(),
        }
    }

    /// The same without a word on what is waited for, where a screen is drawn.
    #[must_use]
    pub fn silent(&self) -> Self {
        ApiClient {
            notice: Notice::new(true),
            ..self.clone()
        }
    }

    /// The client: whatever it is asked to send that is not a reading is held back.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The address of the API server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The address of the API server, and the way there where it is not the direct one.
    pub(super) fn route(&self) -> String {
        match &self.proxy {
            None => self.server.clone(),
            Some(proxy) => format!("{} through the proxy {proxy}", self.server),
        }
    }

    /// The error for when the server does not know who asks.
    #[must_use]
    pub fn unauthorized(&self) -> ClusterError {
        ClusterError::Unauthorized {
            server: self.server.clone(),
            doubt: self.credentials.doubt(),
        }
    }

    /// Returns the credentials of the user who asks.
    pub(super) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Reports whether answers may be compressed.
    pub(super) fn takes_gzip(&self) -> bool {
        self.takes_gzip
    }

    /// Returns the notice, which says what is waited for.
    pub(super) fn notice(&self) -> &Notice {
        &self.notice
    }

    /// Returns the timeout of an answer; `None` for no timeout.
    #[must_use]
    pub fn patience(&self) -> Option<Duration> {
        self.patience
    }
}

/// A cluster, connected to.
pub struct Cluster {
    runtime: tokio::runtime::Runtime,
    api: ApiClient,
    namespace: String,
}

impl Cluster {
    /// Makes a client of flags and kubeconfigs. Runs the credential plugin if the user has one; nothing is asked of
    /// the server yet.
    ///
    /// # Errors
    /// When the flags, the kubeconfigs or the credentials are wrong.
    pub fn connect(access: &Access) -> Result<Self, ClusterError> {
        let runtime = runtime()?;
        let notice = Notice::new(access.unattended);
        let (mut config, credentials) = configure(access, &notice)?;
        // Answers are unpacked in body.rs, which counts.
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
        // Not what stands before an @, which may be a password.
        let proxy = config.proxy_url.as_ref().and_then(Uri::authority);
        let proxy = proxy.map(|proxy| match proxy.port() {
            Some(port) => format!("{}:{port}", proxy.host()),
            None => proxy.host().to_owned(),
        });
        // The buffer of a client is a task of the runtime.
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

    /// The namespace that is meant where none is named: that of the flags, else of the context, else `default`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The connection itself.
    #[must_use]
    pub fn api(&self) -> &ApiClient {
        &self.api
    }

    /// Runs something that waits for the cluster to its end, on this thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// The one runtime of the program: it waits on this thread.
fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ClusterError::Runtime)
}

/// Returns the error for a client that cannot be made.
fn cannot_begin(error: &kube::Error) -> ClusterError {
    let problem = match error {
        kube::Error::RustlsTls(RustlsTlsError::InvalidPrivateKey(TlsError::InconsistentKeys(_))) => {
            "the client key is not that of the client certificate: give the two that belong together"
                .to_owned()
        }
        kube::Error::RustlsTls(RustlsTlsError::InvalidPrivateKey(_)) => format!(
            "the client key is of a kind that cannot be used here (RSA of at least 2048 bits, ECDSA P-256 or P-384, and Ed25519 can); {WAY_ROUND}"
        ),
        kube::Error::RustlsTls(RustlsTlsError::AddRootCertificate(_)) => {
            "this machine trusts no authority at all: name that of the server with --certificate-authority, or in the kubeconfig"
                .to_owned()
        }
        _ => format!("cannot connect: {}", chain(error).join(": ")),
    };
    ConfigError::Access(problem).into()
}
