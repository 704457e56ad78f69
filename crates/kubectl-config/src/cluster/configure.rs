//! Combines flags, kubeconfigs and the environment to a server and a user.

use http::Uri;
use kube::Config;
use kube::config::AuthInfo;
use rustls::pki_types::ServerName;

use super::access::Access;
use super::certificate;
use super::credentials::{Credentials, Identity, about, user_of_address};
use super::error::ConfigError;
use super::kubeconfig::model::{Chosen, Cluster, Impersonate, User};
use super::kubeconfig::{choose, merged};
use super::notice::Notice;
use super::oidc::renew;
use super::plugin::PluginContext;
use super::proxy::proxy;
use super::token::is_outdated;
use kubectl_manifest::go_base64;

/// Returns the choice of the kubeconfigs or, if they choose nothing, the service account of the pod. The namespace is
/// that of the flags, else of the choice, else `default`.
pub(super) fn found(access: &Access) -> Result<Chosen, ConfigError> {
    let chosen = choose(&merged(access)?, access)?;
    let nothing = chosen.context.is_empty() && chosen.cluster.server.is_empty();
    let account = access.service_account.as_ref();
    let account = account.filter(|account| nothing && account.is_there());
    let mut chosen = match account {
        // With only an address, the cluster is another one.
        Some(account) if access.flags.server.is_none() => {
            let mut chosen = account.chosen();
            // Unlike that of a kubeconfig, its token file yields to a token.
            if let (Some(_), Ok(user)) = (&access.flags.token, &mut chosen.auth) {
                user.token_file.clear();
            }
            chosen
        }
        _ => chosen,
    };
    if let Some(namespace) = &access.namespace {
        chosen.namespace.clone_from(namespace);
    }
    if chosen.namespace.is_empty() {
        "default".clone_into(&mut chosen.namespace);
    }
    Ok(chosen)
}

/// Returns the configuration of a client, and the credentials of its requests. Runs the credential plugin, if any;
/// sends no request.
///
/// # Errors
/// When the flags, the kubeconfigs or the credentials are invalid.
pub fn configure(access: &Access, notice: &Notice) -> Result<(Config, Credentials), ConfigError> {
    let chosen = access.over(found(access)?)?;
    let cluster = chosen.cluster;
    if cluster.server.is_empty() {
        return Err(ConfigError::NoCluster(place(access, &chosen.context)));
    }
    let url = address(&cluster.server)?;
    let mut config = Config::new(url.clone());
    config.default_namespace = chosen.namespace;
    let place = match access.flags.proxy_url {
        Some(_) => "--proxy-url",
        None => "the kubeconfig's proxy-url",
    };
    config.proxy_url = proxy(&url, Some((&cluster.proxy_url, place)), &access.proxies)?;
    config.disable_compression = cluster.disable_compression;
    if url.scheme_str() != Some("https") {
        let user = chosen.auth.unwrap_or_default();
        config.root_cert = Some(Vec::new());
        config.auth_info = shown(None, user.impersonate)?;
        return Ok((config, Credentials::open(&chosen.user)));
    }
    trust(&mut config, &cluster)?;
    let user = current(chosen.auth?, &chosen.user, access)?;
    let impersonate = user.impersonate.clone();
    let (credentials, identity) = {
        let attended = PluginContext {
            unattended: access.unattended,
            patience: access
                .flags
                .request_timeout
                .filter(|given| !given.is_zero()),
            kuberc: access.kuberc.as_ref(),
            notice,
        };
        Credentials::of(&chosen.user, user, &cluster, &attended)?
    };
    config.auth_info = shown(identity, impersonate)?;
    Ok((config, credentials))
}

/// Returns the default namespace, without a request.
///
/// # Errors
/// When the kubeconfigs are invalid.
pub fn namespace_of(access: &Access) -> Result<String, ConfigError> {
    if let Some(namespace) = &access.namespace {
        return Ok(namespace.clone());
    }
    Ok(found(access)?.namespace)
}

/// Returns the user, after kubectl renewed an expired OpenID Connect login.
fn current(user: User, name: &str, access: &Access) -> Result<User, ConfigError> {
    if access.unattended || !is_outdated(&user) {
        return Ok(user);
    }
    let renewed = renew(access);
    // The renewal may have succeeded even if kubectl then failed for another reason, so read the user again.
    let user = access.over(found(access)?)?.auth?;
    match renewed {
        Err(why) if is_outdated(&user) => {
            let problem = format!(
                "the id-token of its OpenID Connect auth-provider has expired, and {why}; log in again"
            );
            Err(ConfigError::Credentials(about(name, &problem)))
        }
        _ => Ok(user),
    }
}

/// Configures the verification of the server's certificate.
fn trust(config: &mut Config, cluster: &Cluster) -> Result<(), ConfigError> {
    const AUTHORITY: &str = "certificate authority";
    config.accept_invalid_certs = cluster.insecure;
    let name = &cluster.tls_server_name;
    if !name.is_empty() {
        if ServerName::try_from(name.as_str()).is_err() {
            let problem = format!(
                "invalid server name: {name:?}; correct --tls-server-name, or tls-server-name in the kubeconfig"
            );
            return Err(ConfigError::Access(problem));
        }
        config.tls_server_name = Some(name.clone());
    }
    if !cluster.authority.is_given() {
        // Use the authorities that this machine trusts; there may be none if nothing is verified.
        config.root_cert = cluster.insecure.then(Vec::new);
        return Ok(());
    }
    if cluster.insecure {
        let problem = "the cluster has both a certificate authority and insecure-skip-tls-verify, which kubectl refuses: remove one of them from the kubeconfig, or use --insecure-skip-tls-verify";
        return Err(ConfigError::Access(problem.to_owned()));
    }
    let pem = certificate::read(&cluster.authority, AUTHORITY).map_err(ConfigError::Access)?;
    let certificates = certificate::authorities(&pem).map_err(|why| {
        let place = certificate::place(&cluster.authority, AUTHORITY);
        ConfigError::Access(format!("{place} {why}"))
    })?;
    config.root_cert = Some(certificates);
    Ok(())
}

/// Returns the client certificate and the impersonated user, which the client itself sends.
fn shown(identity: Option<Identity>, as_whom: Impersonate) -> Result<AuthInfo, ConfigError> {
    if as_whom.user.is_empty()
        && (!as_whom.uid.is_empty() || !as_whom.groups.is_empty() || !as_whom.extra.is_empty())
    {
        let problem = "the user has as-groups, as-uid or as-user-extra, but not as: set as in the kubeconfig, or --as";
        return Err(ConfigError::Access(problem.to_owned()));
    }
    let given = |text: String| (!text.is_empty()).then_some(text);
    let mut auth = AuthInfo {
        impersonate: given(as_whom.user),
        impersonate_uid: given(as_whom.uid),
        impersonate_groups: (!as_whom.groups.is_empty()).then_some(as_whom.groups),
        impersonate_user_extra: (!as_whom.extra.is_empty())
            .then(|| as_whom.extra.into_iter().collect()),
        ..AuthInfo::default()
    };
    if let Some(identity) = identity {
        auth.client_certificate_data = Some(go_base64::encode(&identity.certificate));
        auth.client_key_data = Some(go_base64::encode(&identity.key).into());
    }
    Ok(auth)
}

fn address(server: &str) -> Result<Uri, ConfigError> {
    let wrong = || {
        ConfigError::Access(format!(
            "invalid server address: {:?}; use the form https://HOST:PORT",
            without_password(server)
        ))
    };
    let url: Uri = server.parse().map_err(|_| wrong())?;
    let named = !url.host().unwrap_or_default().is_empty();
    let known = matches!(url.scheme_str(), Some("http" | "https"));
    if named && known {
        Ok(url)
    } else {
        Err(wrong())
    }
}

/// Removes secrets from an address for messages: the part before an `@` may be a password, and a query may have a
/// token.
#[must_use]
pub fn without_password(address: &str) -> String {
    let (address, query) = match address.split_once(['?', '#']) {
        Some((address, _)) => (address, "?***"),
        None => (address, ""),
    };
    let shown = match user_of_address(address) {
        Some(user) => address.replacen(&format!("{user}@"), "***@", 1),
        None => address.to_owned(),
    };
    shown + query
}

/// Describes the source that names no cluster: a context, or the kubeconfigs.
fn place(access: &Access, context: &str) -> String {
    if !context.is_empty() {
        return format!("context {context:?}");
    }
    let files = access
        .kubeconfigs
        .iter()
        .map(|file| file.display().to_string());
    let files: Vec<String> = files.collect();
    match files.as_slice() {
        [] => "no kubeconfig".to_owned(),
        files => format!("the kubeconfig ({})", files.join(", ")),
    }
}
