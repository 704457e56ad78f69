//! Words of kubectl that this program does not have: for each, why, and the words to type instead.

/// A word of kubectl, why there is none here, and the words to type instead.
type Row = (&'static str, &'static str, &'static str);

const FLAGS: &[Row] = &[
    // Flags of `kubectl apply`, `delete`, `get` and `scale`.
    (
        "-k",
        "kustomizations are built by kubectl",
        "kubectl kustomize DIR | kubectl sts-plan --apply -",
    ),
    (
        "--kustomize",
        "kustomizations are built by kubectl",
        "kubectl kustomize DIR | kubectl sts-plan --apply -",
    ),
    (
        "--dry-run",
        "every plan is a dry run",
        "omit it (--apply-mode server or local chooses where a manifest is merged)",
    ),
    (
        "--all",
        "a plan without names has all sets of the namespace",
        "omit it, or use -A for all namespaces",
    ),
    (
        "--field-selector",
        "sets are chosen by name or label",
        "use NAME or -l SELECTOR",
    ),
    (
        "--show-labels",
        "plans have no column of labels",
        "use -l SELECTOR to choose by label, or kubectl get statefulsets --show-labels",
    ),
    (
        "-L",
        "plans have no column of labels",
        "use -l SELECTOR to choose by label, or kubectl get statefulsets -L LABEL",
    ),
    (
        "--sort-by",
        "sets that need attention always come first",
        "omit it, or sort the items of -o json",
    ),
    ("--watch-only", "each change is a new plan", "use -w"),
    (
        "--cascade",
        "it belongs to a deletion",
        "use --delete=background, --delete=foreground or --delete=orphan",
    ),
    (
        "--grace-period",
        "the grace period is the pod's own",
        "use --gone-after DURATION",
    ),
    (
        "--force",
        "nothing is written",
        "omit it (--assume POD=recovers plans without a stuck pod)",
    ),
    (
        "--prune",
        "the objects of a manifest are merged, never deleted",
        "use --delete",
    ),
    (
        "--current-replicas",
        "a plan starts from the stored object",
        "omit it",
    ),
    // Subcommands of kubectl that are flags here.
    ("--undo", "a rollback is a change", "use --to-revision 0"),
    (
        "--rollback",
        "a rollback is a change",
        "use --to-revision 0",
    ),
    ("--scale", "a scale is a change", "use --replicas N"),
    (
        "--evict",
        "an eviction deletes a pod",
        "use --drain NODE, or --delete-pod POD",
    ),
    (
        "--pause",
        "a StatefulSet cannot be paused",
        "use --partition N, where N is the number of replicas",
    ),
    (
        "--resume",
        "a StatefulSet cannot be paused",
        "use --partition 0",
    ),
    // Flags of all kubectl commands.
    ("--cache-dir", "nothing is cached", "omit it"),
    (
        "--username",
        "API servers have no basic authentication since Kubernetes 1.19",
        "omit it (the kubeconfig has the user of a proxy)",
    ),
    (
        "--password",
        "a list of processes would show it",
        "omit it (the kubeconfig has the password of a proxy)",
    ),
    (
        "--match-server-version",
        "a plan is for the server's own version",
        "omit it, or use --kubernetes-version for another",
    ),
    (
        "--warnings-as-errors",
        "findings are gates",
        "use --fail-on warning",
    ),
    ("--profile", "kubectl profiles itself with it", "omit it"),
    (
        "--profile-output",
        "kubectl profiles itself with it",
        "omit it",
    ),
    ("--vmodule", "there are no log levels", "use -v"),
    ("--log-flush-frequency", "there is no log", "omit it"),
    ("--v", "it needs a level", "use -v"),
];

/// Subcommands of kubectl and the flags that take their place. Longer ones come before those that they begin with.
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
];

/// The refusal of an argument such as `--cascade` or `-k`, where kubectl has a flag of that name.
pub(super) fn flag_refusal(argument: &str) -> Option<String> {
    let name = argument.split('=').next()?;
    let (typed, why, instead) = FLAGS.iter().find(|(flag, ..)| *flag == name)?;
    Some(format!("{typed} is not supported: {why}; {instead}"))
}

/// The refusal of words that begin with a subcommand of kubectl. Such a word alone is the name of a set.
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
        "there is no command {command:?}: type {instead} (for a StatefulSet called {first:?}: sts/{first})"
    ))
}
