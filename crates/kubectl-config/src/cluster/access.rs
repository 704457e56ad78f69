//! Access to a cluster from the command line and the environment.

use std::ffi::OsString;
use std::path::PathBuf;

use super::error::ConfigError;
use super::kubeconfig::files::kubeconfig_files;
use super::kubeconfig::model::{Chosen, Impersonate, Pem, User};
use super::kuberc::Kuberc;
use super::proxy::Proxies;
use super::service_account::ServiceAccount;
use crate::flags::ConfigFlags;

/// Access to a cluster. Flags take precedence over kubeconfigs, and the environment adds to both.
#[derive(Clone, Default)]
pub struct Access {
    /// Kubeconfigs to merge, in order of precedence; see [`kubeconfig_files`].
    pub kubeconfigs: Vec<PathBuf>,
    /// True if a missing kubeconfig is an error.
    pub kubeconfig_must_exist: bool,
    /// Kuberc of the user, with the plugin policy.
    pub kuberc: Option<Kuberc>,
    /// The kubectl to run: that of `KUBECTL_PATH`, which kubectl sets for its plugins from 1.37.
    pub kubectl: Option<OsString>,
    /// Flags of the command line.
    pub flags: ConfigFlags,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// Proxies in the environment.
    pub proxies: Proxies,
    /// Service account of the pod that the program runs in, if any.
    pub service_account: Option<ServiceAccount>,
    /// True if no user is present: credential plugins cannot prompt.
    pub unattended: bool,
}

impl Access {
    /// Returns the access with these flags, and the kubeconfigs, kuberc, proxies and service account of this machine.
    /// Reads the environment.
    #[must_use]
    pub fn of_environment(flags: ConfigFlags) -> Self {
        let flags = flags.without_empty_values();
        let listed = std::env::var_os("KUBECONFIG");
        let home = std::env::home_dir();
        let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
        let either = |upper: &str, lower: &str| {
            let given = |name| variable(name).filter(|value| !value.is_empty());
            given(upper).or_else(|| given(lower))
        };
        let named = flags.kubeconfig.as_deref();
        Access {
            kubeconfigs: kubeconfig_files(named, listed.as_deref(), home.as_deref()),
            kuberc: match flags.kuberc.clone() {
                Some(path) => Some(Kuberc { path, named: true }),
                None => Kuberc::of_environment(|name| std::env::var_os(name), home.as_deref()),
            },
            kubectl: std::env::var_os("KUBECTL_PATH").filter(|path| !path.is_empty()),
            kubeconfig_must_exist: named.is_some(),
            namespace: None,
            proxies: Proxies {
                https: either("HTTPS_PROXY", "https_proxy"),
                http: either("HTTP_PROXY", "http_proxy"),
                no: either("NO_PROXY", "no_proxy"),
            },
            service_account: ServiceAccount::of_environment(variable),
            unattended: false,
            flags,
        }
    }

    /// Applies the flags to the selection of the kubeconfig.
    pub(super) fn over(&self, mut chosen: Chosen) -> Result<Chosen, ConfigError> {
        self.address(&mut chosen)?;
        // A server without TLS gets no credentials, so a missing user is not an error; impersonation still applies.
        let server = chosen.cluster.server.to_ascii_lowercase();
        if !server.starts_with("https:") && chosen.auth.is_err() {
            chosen.auth = Ok(User::default());
        }
        if let Ok(user) = &mut chosen.auth {
            if let Some(token) = &self.flags.token {
                token.reveal().clone_into(&mut user.token);
                // Keep a token file and a password: kubectl reads the former, and refuses the latter together with a
                // token.
                (user.exec, user.provider) = (None, None);
            }
            if let Some(file) = &self.flags.client_certificate {
                user.certificate = of_flag(file);
            }
            if let Some(file) = &self.flags.client_key {
                if !user.certificate.is_given() {
                    let problem =
                        "--client-key requires a certificate: set --client-certificate too";
                    return Err(ConfigError::Access(problem.to_owned()));
                }
                user.key = of_flag(file);
            }
            self.impersonate(&mut user.impersonate);
            let acts = &user.impersonate;
            let is_flag_alone = !self.flags.as_group.is_empty()
                || self.flags.as_uid.is_some()
                || !self.flags.as_user_extra.is_empty();
            if acts.user.is_empty() && is_flag_alone {
                let problem = "--as-group, --as-uid and --as-user-extra require --as";
                return Err(ConfigError::Access(problem.to_owned()));
            }
        }
        Ok(chosen)
    }

    /// Overrides each field of the kubeconfig that has a flag; extra fields are merged by key.
    fn impersonate(&self, acts: &mut Impersonate) {
        if let Some(name) = &self.flags.impersonate {
            acts.user.clone_from(name);
        }
        if let Some(uid) = &self.flags.as_uid {
            acts.uid.clone_from(uid);
        }
        if !self.flags.as_group.is_empty() {
            acts.groups.clone_from(&self.flags.as_group);
        }
        acts.extra.extend(self.flags.extra_fields());
    }

    fn address(&self, chosen: &mut Chosen) -> Result<(), ConfigError> {
        let cluster = &mut chosen.cluster;
        if self.flags.insecure_skip_tls_verify && self.flags.certificate_authority.is_some() {
            let problem = "--certificate-authority cannot be used with --insecure-skip-tls-verify: use only one of them";
            return Err(ConfigError::Access(problem.to_owned()));
        }
        if let Some(server) = &self.flags.server {
            cluster.server.clone_from(server);
            // The server name belongs to the other address.
            cluster.tls_server_name.clear();
        }
        if let Some(file) = &self.flags.certificate_authority {
            cluster.authority = of_flag(file);
            cluster.insecure = false;
        }
        if self.flags.insecure_skip_tls_verify {
            cluster.insecure = true;
            cluster.authority = Pem::default();
        }
        if let Some(url) = &self.flags.proxy_url {
            cluster.proxy_url.clone_from(url);
        }
        cluster.disable_compression |= self.flags.disable_compression;
        if let Some(name) = &self.flags.tls_server_name {
            cluster.tls_server_name.clone_from(name);
        }
        if !cluster.server.is_empty() && !cluster.server.contains("://") {
            // As in kubectl, even if the cluster has certificate settings.
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
