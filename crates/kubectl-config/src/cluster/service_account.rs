//! Service account of a pod.

use std::path::{Path, PathBuf};

use super::kubeconfig::model::{Chosen, Cluster, Pem, User};
use crate::bounded;

/// Directory in which the kubelet mounts the service account.
const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Service account of the pod that the program runs in.
#[derive(Debug, Clone)]
pub struct ServiceAccount {
    /// Host of the API server.
    pub host: String,
    /// Port of the API server.
    pub port: String,
    /// Directory with `token`, `ca.crt` and `namespace`.
    pub folder: PathBuf,
    /// Namespace, if the environment overrides that file.
    pub namespace: Option<String>,
}

impl ServiceAccount {
    /// Returns the service account of this pod from its environment; `None` outside of a cluster.
    #[must_use]
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        Some(ServiceAccount {
            host: given("KUBERNETES_SERVICE_HOST")?,
            port: given("KUBERNETES_SERVICE_PORT")?,
            folder: Path::new(FOLDER).to_owned(),
            namespace: given("POD_NAMESPACE"),
        })
    }

    /// Reports whether a token exists; a pod may have none.
    pub(super) fn is_there(&self) -> bool {
        self.folder.join("token").is_file()
    }

    /// Returns the namespace of the pod.
    pub(super) fn namespace(&self) -> String {
        let of_file = || {
            let text = bounded::read_text(&self.folder.join("namespace"), bounded::SMALL).ok()?;
            let name = text.trim();
            (!name.is_empty()).then(|| name.to_owned())
        };
        let namespace = self.namespace.clone().or_else(of_file);
        namespace.unwrap_or_else(|| "default".to_owned())
    }

    /// Returns the equivalent of a kubeconfig with this account.
    pub(super) fn chosen(&self) -> Chosen {
        let file = |name: &str| self.folder.join(name).display().to_string();
        let host = match self.host.contains(':') && !self.host.starts_with('[') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        let authority = self.folder.join("ca.crt");
        Chosen {
            context: String::new(),
            namespace: self.namespace(),
            cluster: Cluster {
                server: format!("https://{host}:{}", self.port),
                authority: Pem {
                    // Without a file, the authorities of the machine are trusted.
                    file: match authority.is_file() {
                        true => file("ca.crt"),
                        false => String::new(),
                    },
                    ..Pem::default()
                },
                ..Cluster::default()
            },
            user: String::new(),
            auth: Ok(User {
                token_file: file("token"),
                ..User::default()
            }),
        }
    }
}
