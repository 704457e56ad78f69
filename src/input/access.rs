//! How the cluster of a request is reached: what is asked for, and where this machine keeps its kubeconfigs.

use super::cluster::{Access, Kuberc, Proxies, ServiceAccount, kubeconfig_files};
use crate::request::World;

/// How the cluster is reached. Reads the environment.
#[must_use]
pub fn access(world: &World) -> Access {
    let asked = world.connection.clone();
    let listed = std::env::var_os("KUBECONFIG");
    let home = std::env::home_dir();
    let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
    let either = |upper: &str, lower: &str| {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        given(upper).or_else(|| given(lower))
    };
    let named = asked.kubeconfig.as_deref();
    Access {
        kubeconfigs: kubeconfig_files(named, listed.as_deref(), home.as_deref()),
        kuberc: match asked.kuberc {
            Some(path) => Some(Kuberc { path, named: true }),
            None => Kuberc::of_environment(|name| std::env::var_os(name), home.as_deref()),
        },
        kubectl: std::env::var_os("KUBECTL_PATH").filter(|path| !path.is_empty()),
        kubeconfig_must_exist: named.is_some(),
        context: asked.context,
        cluster: asked.cluster,
        user: asked.user,
        namespace: world.namespace.clone(),
        server: asked.server,
        token: asked.token.map(|token| token.reveal().to_owned()),
        impersonate: asked.impersonate,
        impersonate_groups: asked.impersonate_groups,
        impersonate_uid: asked.impersonate_uid,
        impersonate_extra: asked.impersonate_extra,
        certificate_authority: asked.certificate_authority,
        client_certificate: asked.client_certificate,
        client_key: asked.client_key,
        tls_server_name: asked.tls_server_name,
        insecure: asked.insecure,
        request_timeout: asked.request_timeout,
        proxy_url: asked.proxy_url,
        disable_compression: asked.disable_compression,
        proxies: Proxies {
            https: either("HTTPS_PROXY", "https_proxy"),
            http: either("HTTP_PROXY", "http_proxy"),
            no: either("NO_PROXY", "no_proxy"),
        },
        service_account: ServiceAccount::of_environment(variable),
        unattended: false,
    }
}
