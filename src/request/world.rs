//! Where the objects come from, and which sets among them are meant: docs/contract.md, "Inputs".

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where the objects come from: files, or a cluster where no file is named.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Files and directories; `-` is standard input.
    pub files: Vec<String>,
    /// Whether directories are read with everything below them.
    pub recursive: bool,
    /// How the cluster is reached.
    pub connection: Connection,
    /// The namespace of what names none; in a cluster, the one to read. The kubeconfig's if there is none.
    pub namespace: Option<String>,
    /// Whether a terminal shows how far reading is.
    pub shows_progress: bool,
    /// Whether the objects are kept as they came, to be written out again.
    pub keeps_originals: bool,
}

impl World {
    /// Whether the objects are those of a cluster.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.files.is_empty()
    }
}

/// Which sets are meant.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Their names as the user wrote them, with a kind or without; none for all.
    pub names: Vec<String>,
    /// Whether the sets of all namespaces are meant.
    pub all_namespaces: bool,
    /// What their labels match.
    pub selector: Option<String>,
}

/// How a cluster is reached. What is not given is the kubeconfig's to say.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// The kubeconfig.
    pub kubeconfig: Option<PathBuf>,
    /// The kubeconfig's context.
    pub context: Option<String>,
    /// The kubeconfig's cluster.
    pub cluster: Option<String>,
    /// The kubeconfig's user.
    pub user: Option<String>,
    /// The address of the API server.
    pub server: Option<String>,
    /// The bearer token.
    pub token: Option<Token>,
    /// The user to act as.
    pub impersonate: Option<String>,
    /// The groups to act as.
    pub impersonate_groups: Vec<String>,
    /// The uid to act as.
    pub impersonate_uid: Option<String>,
    /// The extra fields to act with.
    pub impersonate_extra: BTreeMap<String, Vec<String>>,
    /// The certificates of the authorities that may vouch for the API server.
    pub certificate_authority: Option<PathBuf>,
    /// The client certificate.
    pub client_certificate: Option<PathBuf>,
    /// The key of the client certificate.
    pub client_key: Option<PathBuf>,
    /// The name that the API server's certificate must have.
    pub tls_server_name: Option<String>,
    /// Whether the API server's certificate goes unchecked.
    pub insecure: bool,
    /// How long to wait for each answer; zero for as long as it takes.
    pub request_timeout: Option<Duration>,
    /// The proxy to the API server.
    pub proxy_url: Option<String>,
    /// Whether answers come unpacked.
    pub disable_compression: bool,
    /// The user's kuberc.
    pub kuberc: Option<PathBuf>,
}

/// A secret, which no message and no debug output shows.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(..)")
    }
}

impl From<String> for Token {
    fn from(text: String) -> Self {
        Token(text)
    }
}
