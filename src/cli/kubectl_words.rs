//! kubectl flags and commands that this program does not support, each with a replacement.

const KUSTOMIZE: &str =
    "kubectl builds kustomizations; use kubectl kustomize DIR | kubectl sts-plan --apply -";

/// kubectl flags, each with the reason it is not supported, and a replacement.
const FLAGS: &[(&str, &str)] = &[
    // Flags of `kubectl apply`, `delete`, `get` and `scale`.
    ("-k", KUSTOMIZE),
    ("--kustomize", KUSTOMIZE),
    (
        "--dry-run",
        "every plan is a dry run; omit it (--apply-mode sets where a manifest is merged)",
    ),
    (
        "--all",
        "without names, a plan covers all sets of the namespace; omit it, or use -A for all namespaces",
    ),
    (
        "--field-selector",
        "sets are selected by name or label; use NAME or -l SELECTOR",
    ),
    (
        "--show-labels",
        "plans have no label column; use -l SELECTOR to select by label, or kubectl get statefulsets --show-labels",
    ),
    (
        "-L",
        "plans have no label column; use -l SELECTOR to select by label, or kubectl get statefulsets -L LABEL",
    ),
    (
        "--sort-by",
        "sets that need attention always come first; omit it, or sort the items of -o json",
    ),
    ("--watch-only", "each change is a new plan; use -w"),
    (
        "--cascade",
        "it is the value of --delete; use --delete=background, --delete=foreground or --delete=orphan",
    ),
    (
        "--grace-period",
        "the grace period comes from the pod; use --gone-after DURATION",
    ),
    (
        "--force",
        "a plan writes nothing; omit it (--assume POD=recovers ignores a stuck pod)",
    ),
    (
        "--prune",
        "a manifest is merged and deletes nothing; use --delete",
    ),
    (
        "--current-replicas",
        "a plan starts from the stored object; omit it",
    ),
    (
        "--since",
        "a plan reads no logs; omit it, or use kubectl logs POD --since DURATION",
    ),
    (
        "--tail",
        "a plan reads no logs; omit it, or use kubectl logs POD --tail N",
    ),
    (
        "--revision",
        "a rollback is a change; use --to-revision N, or kubectl rollout history sts/NAME --revision N",
    ),
    (
        "--template",
        "there are no Go templates; use -o jsonpath=TEMPLATE or -o custom-columns=SPEC",
    ),
    // Flags that this program had before its first release.
    (
        "--link-page",
        "open the planning page, and drop the output of kubectl sts-plan dump on it",
    ),
    (
        "--max-states",
        "the budget bounds every search; use --budget MILLIONS",
    ),
    (
        "--then-after",
        "it is a key of a stages file; use --stages FILE with {change: ..., after: DURATION}",
    ),
    (
        "--learn",
        "a plan takes its times from the set's own pods; use --ready-after and --gone-after for others",
    ),
    // kubectl subcommands that are flags here.
    ("--undo", "a rollback is a change; use --to-revision 0"),
    ("--rollback", "a rollback is a change; use --to-revision 0"),
    ("--scale", "a scale is a change; use --replicas N"),
    (
        "--evict",
        "an eviction deletes a pod; use --drain NODE, or --delete-pod POD",
    ),
    (
        "--pause",
        "a StatefulSet cannot be paused; use --partition N, where N is the number of replicas",
    ),
    (
        "--resume",
        "a StatefulSet cannot be paused; use --partition 0",
    ),
    // Global kubectl flags.
    ("--cache-dir", "nothing is cached; omit it"),
    (
        "--username",
        "Kubernetes 1.19 removed basic authentication; omit it (set the user of a proxy in the kubeconfig)",
    ),
    (
        "--password",
        "it would be visible in the process list; omit it (set the password of a proxy in the kubeconfig)",
    ),
    (
        "--match-server-version",
        "a plan uses the version of the server; omit it, or set another with --kubernetes-version",
    ),
    (
        "--warnings-as-errors",
        "findings take its place; use --fail-on warning",
    ),
    ("--profile", "it profiles kubectl itself; omit it"),
    ("--profile-output", "it profiles kubectl itself; omit it"),
    ("--vmodule", "there are no log levels; use -v"),
    ("--log-flush-frequency", "there is no log; omit it"),
    ("--v", "it requires a level; use -v"),
];

/// kubectl subcommands and their replacements. A command comes before its own prefixes.
const COMMANDS: &[(&str, &str)] = &[
    ("rollout status", "kubectl sts-plan NAME -w"),
    ("rollout undo", "kubectl sts-plan NAME --to-revision 0"),
    ("rollout restart", "kubectl sts-plan NAME --restart"),
    ("rollout history", "kubectl rollout history sts/NAME"),
    ("rollout pause", "kubectl sts-plan NAME --partition N"),
    ("rollout resume", "kubectl sts-plan NAME --partition 0"),
    ("rollout", "kubectl sts-plan NAME -w"),
    ("status", "kubectl sts-plan NAME -w"),
    ("watch", "kubectl sts-plan NAME -w"),
    ("wait", "kubectl sts-plan NAME -w --timeout DURATION"),
    ("undo", "kubectl sts-plan NAME --to-revision 0"),
    ("rollback", "kubectl sts-plan NAME --to-revision 0"),
    ("restart", "kubectl sts-plan NAME --restart"),
    ("history", "kubectl rollout history sts/NAME"),
    ("pause", "kubectl sts-plan NAME --partition N"),
    ("resume", "kubectl sts-plan NAME --partition 0"),
    ("get", "kubectl sts-plan NAME"),
    ("describe", "kubectl sts-plan NAME -v"),
    ("plan", "kubectl sts-plan NAME"),
    ("show", "kubectl sts-plan NAME"),
    ("apply", "kubectl sts-plan --apply FILE"),
    ("create", "kubectl sts-plan -f FILE"),
    ("replace", "kubectl sts-plan --apply FILE"),
    ("scale", "kubectl sts-plan NAME --replicas N"),
    (
        "set image",
        "kubectl sts-plan NAME --image [CONTAINER=]IMAGE",
    ),
    ("set", "kubectl sts-plan NAME --set PATH=VALUE"),
    ("edit", "kubectl sts-plan NAME --set PATH=VALUE"),
    ("patch", "kubectl sts-plan NAME --set PATH=VALUE"),
    (
        "delete",
        "kubectl sts-plan NAME --delete, or --delete-pod POD",
    ),
    ("drain", "kubectl sts-plan -A --drain NODE"),
    ("evict", "kubectl sts-plan -A --drain NODE"),
    ("list", "kubectl sts-plan, or -A for all namespaces"),
    ("ls", "kubectl sts-plan, or -A for all namespaces"),
    ("logs", "kubectl logs POD"),
    ("events", "kubectl events --for statefulset/NAME"),
    ("top", "kubectl top pods"),
];

/// Returns the error for a kubectl flag such as `--cascade` or `-k`.
pub(super) fn flag_refusal(argument: &str) -> Option<String> {
    let name = argument.split('=').next()?;
    let (typed, why) = FLAGS.iter().find(|(flag, _)| *flag == name)?;
    Some(format!("{typed} is not supported: {why}"))
}

/// Returns the error for a flag of `kubectl diff`, which compares manifests with the cluster.
pub(super) fn diff_refusal(flag: &str) -> Option<String> {
    ["-f", "--filename", "-R", "--recursive"].contains(&flag).then(|| {
        format!(
            "unexpected argument {flag:?}: diff compares two saved plans; use kubectl sts-plan --apply FILE to plan \
             a manifest"
        )
    })
}

/// Returns the error for a flag that `verify` does not have.
pub(super) fn verify_refusal(flag: &str) -> Option<String> {
    (flag == "--save").then(|| {
        "--save is not supported by verify: use kubectl sts-plan verify PLAN -o json > FILE"
            .to_owned()
    })
}

/// Returns the hint for a single name that is also a kubectl subcommand.
pub(super) fn command_hint(names: &[String]) -> Option<String> {
    let [name] = names else {
        return None;
    };
    let (_, instead) = COMMANDS.iter().find(|(command, _)| command == name)?;
    Some(format!("for the kubectl command {name}, use {instead}"))
}

/// Returns the error for words that begin with a kubectl subcommand. Such a word alone is the name of a set.
pub(super) fn command_refusal<T: AsRef<str>>(words: &[T]) -> Option<String> {
    let begins = |command: &str| {
        let mut words = words.iter().map(AsRef::as_ref);
        command.split(' ').all(|part| words.next() == Some(part))
    };
    if words.len() < 2 {
        return None;
    }
    let (command, instead) = COMMANDS.iter().find(|(command, _)| begins(command))?;
    let first = words.first()?.as_ref();
    Some(format!(
        "unknown command {command:?}: use {instead} (for a StatefulSet named {first:?}: sts/{first})"
    ))
}
