//! Turns the arguments of a plan with `--next` into a request.

use std::path::Path;

use anyhow::{Result, bail};
use clap::ArgMatches;

use super::PlanArgs;
use super::watch::unused;
use crate::request::NextRequest;
use kubectl_config::ConfigFlags;
use sts_plan::explain::quoted;

/// Argument groups that do not apply.
const UNUSED: [&str; 6] = ["Change", "Nodes", "Questions", "Gate", "Output", "Watch"];
/// Flags of these groups that do apply.
const USED: [&str; 5] = ["next", "order", "require", "policy", "ignore"];

/// Returns the request.
///
/// # Errors
/// When a flag does not apply, or cannot be part of the printed command.
pub(super) fn request(args: PlanArgs, matches: &ArgMatches) -> Result<NextRequest> {
    if let Some((group, flag)) = unused(matches, &UNUSED, &USED) {
        if group == "Change" || group == "Nodes" {
            bail!("--next continues the current rollout: make the change first, and omit --{flag}");
        }
        bail!("--{flag} cannot be used with --next");
    }
    if args.selection.all_namespaces {
        bail!("--next is for one set: replace -A with its name, and its namespace in -n");
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("--assume nodes+N=NODE cannot be used with --next: omit it");
    }
    let connection = args.connection.clone().without_empty_values();
    let order = args.questions.order.clone().unwrap_or_default();
    Ok(NextRequest {
        flags: flags(&connection)?,
        order,
        plan: args.request(Vec::new())?,
    })
}

/// Returns the flags with which kubectl reaches the same cluster as the same user.
fn flags(connection: &ConfigFlags) -> Result<String> {
    if connection.token.is_some() {
        bail!(
            "--token would appear in the command that --next prints: use --context or --kubeconfig"
        );
    }
    if connection.proxy_url.is_some() {
        bail!(
            "kubectl has no --proxy-url for the command that --next prints: set proxy-url in a kubeconfig"
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
    fn the_command_reaches_the_same_cluster() {
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
