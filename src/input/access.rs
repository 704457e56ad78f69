//! Access to the cluster of a request: what is asked for, and where this machine keeps its kubeconfigs.

use super::cluster::{Access, Kuberc, Proxies, ServiceAccount, kubeconfig_files};
use crate::request::World;

/// Returns the access to the cluster. Reads the environment.
#[must_use]
pub fn access(world: &World) -> Access {
    let connection = world.connection.clone().without_empty_texts();
    let listed = std::env::var_os("KUBECONFIG");
    let home = std::env::home_dir();
    let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
    let either = |upper: &str, lower: &str| {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        given(upper).or_else(|| given(lower))
    };
    let named = connection.kubeconfig.as_deref();
    Access {
        kubeconfigs: kubeconfig_files(named, listed.as_deref(), home.as_deref()),
        kuberc: match connection.kuberc.clone() {
            Some(path) => Some(Kuberc { path, named: true }),
            None => Kuberc::of_environment(|name| std::env::var_os(name), home.as_deref()),
        },
        kubectl: std::env::var_os("KUBECTL_PATH").filter(|path| !path.is_empty()),
        kubeconfig_must_exist: named.is_some(),
        namespace: world.namespace.clone(),
        proxies: Proxies {
            https: either("HTTPS_PROXY", "https_proxy"),
            http: either("HTTP_PROXY", "http_proxy"),
            no: either("NO_PROXY", "no_proxy"),
        },
        service_account: ServiceAccount::of_environment(variable),
        unattended: false,
        connection,
    }
}
