//! The request that the arguments of a plan make with `--next`.

use std::path::Path;

use anyhow::{Result, bail};
use clap::ArgMatches;

use super::PlanArgs;
use super::watch::unused;
use crate::request::NextRequest;
use kubectl_config::ConfigFlags;
use sts_plan::explain::quoted;

/// The groups of flags that it has no use for.
const UNUSED: [&str; 6] = ["Change", "Nodes", "Questions", "Gate", "Output", "Watch"];
/// The flags of them that it has.
const USED: [&str; 5] = ["next", "order", "require", "policy", "ignore"];

/// Returns the request that they make.
///
/// # Errors
/// When there are flags that it has no use for, or that a printed command cannot have.
pub(super) fn request(args: PlanArgs, matches: &ArgMatches) -> Result<NextRequest> {
    if let Some((group, flag)) = unused(matches, &UNUSED, &USED) {
        if group == "Change" || group == "Nodes" {
            bail!(
                "--next is about the rollout that is under way: make the change first, and leave --{flag} out"
            );
        }
        bail!("--{flag} has no use with --next");
    }
    if args.selection.all_namespaces {
        bail!("--next is for one set: leave -A out and name it, with its namespace in -n");
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("--assume nodes+N=NODE has no use with --next: leave it out");
    }
    let connection = args.connection.clone().without_empty_texts();
    let order = args.questions.order.clone().unwrap_or_default();
    Ok(NextRequest {
        flags: flags(&connection)?,
        order,
        plan: args.request(Vec::new())?,
    })
}

/// The flags by which kubectl reaches the same cluster as the same user.
fn flags(connection: &ConfigFlags) -> Result<String> {
    if connection.token.is_some() {
        bail!(
            "--token would stand in the command that --next prints: name a --context or a --kubeconfig"
        );
    }
    if connection.proxy_url.is_some() {
        bail!(
            "kubectl has no --proxy-url, which the command that --next prints would need: put it into a kubeconfig"
        );
    }
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let texts = [
        ("kubeconfig", connection.kubeconfig.as_deref().map(path)),
        ("context", connection.context.clone()),
        ("cluster", connection.cluster.clone()),
        ("user", connection.user.clone()),
        ("server", connection.server.clone()),
        ("as", connection.impersonate.clone()),
        ("as-uid", connection.as_uid.clone()),
        (
            "certificate-authority",
            connection.certificate_authority.as_deref().map(path),
        ),
        (
            "client-certificate",
            connection.client_certificate.as_deref().map(path),
        ),
        ("client-key", connection.client_key.as_deref().map(path)),
        ("tls-server-name", connection.tls_server_name.clone()),
        ("kuberc", connection.kuberc.as_deref().map(path)),
    ];
    let single = texts
        .into_iter()
        .filter_map(|(flag, text)| Some((flag, text?)));
    let groups = connection
        .as_group
        .iter()
        .map(|it| ("as-group", it.clone()));
    let extra = connection.as_user_extra.iter();
    let extra = extra.map(|(key, value)| ("as-user-extra", format!("{key}={value}")));
    let mut line: String = single
        .chain(groups)
        .chain(extra)
        .map(|(flag, text)| format!(" --{flag}={}", quoted(&text)))
        .collect();
    if connection.insecure_skip_tls_verify {
        line.push_str(" --insecure-skip-tls-verify");
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_goes_to_the_same_cluster() {
        let connection = ConfigFlags {
            context: Some("prod eu".to_owned()),
            kubeconfig: Some("/k".into()),
            ..ConfigFlags::default()
        };
        assert_eq!(
            flags(&connection).unwrap(),
            " --kubeconfig=/k --context='prod eu'"
        );
        assert_eq!(flags(&ConfigFlags::default()).unwrap(), "");
        let token = ConfigFlags {
            proxy_url: Some("http://proxy".to_owned()),
            ..ConfigFlags::default()
        };
        assert!(flags(&token).is_err());
    }
}
