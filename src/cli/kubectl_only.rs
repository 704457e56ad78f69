//! Flags that kubectl has for all commands and that have no use here: each is refused by name, with the reason.

/// The flags, each with why it has no use.
const FLAGS: [(&str, &str); 10] = [
    (
        "cache-dir",
        "nothing is cached: the kinds that are read are known",
    ),
    (
        "username",
        "API servers have no basic authentication since Kubernetes 1.19; a proxy's stands in the kubeconfig",
    ),
    (
        "password",
        "a list of processes would show it; that of a proxy stands in the kubeconfig",
    ),
    (
        "match-server-version",
        "the plan is that of the server's own version: --kubernetes-version takes another",
    ),
    (
        "warnings-as-errors",
        "--fail-on warning fails on what a plan warns of",
    ),
    ("profile", "kubectl profiles itself with it"),
    ("profile-output", "kubectl profiles itself with it"),
    ("vmodule", "there are no log levels: -v says more"),
    ("log-flush-frequency", "there is no log to flush"),
    ("v", "there are no log levels: -v says more"),
];

/// Why there is no flag of the name that stands in an argument such as `--cache-dir`.
pub(super) fn refusal(argument: &str) -> Option<String> {
    let name = argument.strip_prefix("--")?.split('=').next()?;
    let (name, why) = FLAGS.iter().find(|(flag, _)| *flag == name)?;
    Some(format!(
        "kubectl's --{name} has no use here, since {why}: leave it out"
    ))
}
