//! How a cluster is to be reached, as the command line and the environment say it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::error::ClusterError;
use super::kubeconfig::Chosen;
use super::kubeconfig::model::{Impersonate, Pem, User};
use super::kuberc::Kuberc;
use super::proxy::Proxies;
use super::service_account::ServiceAccount;

/// How a cluster is to be reached: the flags of the command line over what kubeconfigs say, and what the environment
/// adds.
#[derive(Clone, Default)]
pub struct Access {
    /// The kubeconfigs to merge, the first one counting most; see [`super::kubeconfig_files`].
    pub kubeconfigs: Vec<PathBuf>,
    /// Whether it is an error that one of them is missing.
    pub kubeconfig_must_exist: bool,
    /// What the user allows to credential plugins.
    pub kuberc: Option<Kuberc>,
    /// The kubectl to run: that of `KUBECTL_PATH`, which kubectl sets for its plugins from 1.37 on.
    pub kubectl: Option<OsString>,
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
    /// `--as-user-extra`.
    pub impersonate_extra: BTreeMap<String, Vec<String>>,
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
    /// `--proxy-url`.
    pub proxy_url: Option<String>,
    /// `--disable-compression`.
    pub disable_compression: bool,
    /// What the environment says of proxies.
    pub proxies: Proxies,
    /// The account of the pod that the program runs in, where it runs in one.
    pub service_account: Option<ServiceAccount>,
    /// Whether no user is present: credential plugins cannot prompt.
    pub unattended: bool,
}

impl Access {
    /// Puts the flags over what the kubeconfig says.
    pub(super) fn over(&self, mut chosen: Chosen) -> Result<Chosen, ClusterError> {
        self.address(&mut chosen)?;
        // A server without TLS gets no credentials, so a missing user is not an error; impersonation still applies.
        let server = chosen.cluster.server.to_ascii_lowercase();
        if !server.starts_with("https:") && chosen.auth.is_err() {
            chosen.auth = Ok(User::default());
        }
        if let Ok(user) = &mut chosen.auth {
            if let Some(token) = &self.token {
                user.token.clone_from(token);
                // A token file and a password stay: kubectl reads the one, and refuses the other beside a token.
                (user.exec, user.provider) = (None, None);
            }
            if let Some(file) = &self.client_certificate {
                user.certificate = of_flag(file);
            }
            if let Some(file) = &self.client_key {
                if !user.certificate.is_given() {
                    let problem = "--client-key has no certificate to go with: give --client-certificate as well";
                    return Err(ClusterError::Access(problem.to_owned()));
                }
                user.key = of_flag(file);
            }
            self.impersonate(&mut user.impersonate);
            let acts = &user.impersonate;
            let is_flag_alone = !self.impersonate_groups.is_empty()
                || self.impersonate_uid.is_some()
                || !self.impersonate_extra.is_empty();
            if acts.user.is_empty() && is_flag_alone {
                let problem =
                    "--as-group, --as-uid and --as-user-extra need a user to act as: give --as";
                return Err(ClusterError::Access(problem.to_owned()));
            }
        }
        Ok(chosen)
    }

    /// Puts each flag over the kubeconfig's field; extra fields are merged by key.
    fn impersonate(&self, acts: &mut Impersonate) {
        if let Some(name) = &self.impersonate {
            acts.user.clone_from(name);
        }
        if let Some(uid) = &self.impersonate_uid {
            acts.uid.clone_from(uid);
        }
        if !self.impersonate_groups.is_empty() {
            acts.groups.clone_from(&self.impersonate_groups);
        }
        acts.extra.extend(self.impersonate_extra.clone());
    }

    fn address(&self, chosen: &mut Chosen) -> Result<(), ClusterError> {
        let cluster = &mut chosen.cluster;
        if self.insecure && self.certificate_authority.is_some() {
            let problem = "--insecure-skip-tls-verify checks no certificate, so --certificate-authority has no use with it: give one of the two";
            return Err(ClusterError::Access(problem.to_owned()));
        }
        if let Some(server) = &self.server {
            cluster.server.clone_from(server);
            // The name was that of the other address.
            cluster.tls_server_name.clear();
        }
        if let Some(file) = &self.certificate_authority {
            cluster.authority = of_flag(file);
            cluster.insecure = false;
        }
        if self.insecure {
            cluster.insecure = true;
            cluster.authority = Pem::default();
        }
        if let Some(url) = &self.proxy_url {
            cluster.proxy_url.clone_from(url);
        }
        cluster.disable_compression |= self.disable_compression;
        if let Some(name) = &self.tls_server_name {
            cluster.tls_server_name.clone_from(name);
        }
        if !cluster.server.is_empty() && !cluster.server.contains("://") {
            // Whatever the cluster says of certificates, as for kubectl.
            cluster.server = format!("http://{}", cluster.server);
        }
        Ok(())
    }
}

fn of_flag(file: &std::path::Path) -> Pem {
    Pem {
        file: file.display().to_string(),
        base64: String::new(),
    }
}
