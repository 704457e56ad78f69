//! Help on tasks by the words that people have for them, such as `help drain`: the flags of each, and the topic that lists
//! them.

use super::{Topic, WIDTH, examples, heading, literal, wrapped};

/// Help on one task.
pub(super) struct Recipe {
    /// Words for the task. The first is the one that help lists.
    names: &'static [&'static str],
    title: &'static str,
    text: &'static str,
    examples: &'static [(&'static str, &'static str)],
    topic: Topic,
}

const RECIPES: [Recipe; 12] = [
    Recipe {
        names: &["grow", "resize", "storage", "expand"],
        title: "Grow: larger volumes",
        text: "--grow plans what no single command does, as stages: patch each claim and wait until it has grown; restart \
               the pods, or take them away meanwhile, where the storage asks for that; delete the StatefulSet without \
               its pods, and create it with the new size, since volumeClaimTemplates cannot be changed. Each stage has \
               its commands, what to check, and the way back. Claims never shrink.",
        examples: &[
            (
                "The claims of template data, with a runbook",
                "kubectl sts-plan web -n prod --grow data=20Gi -o markdown",
            ),
            (
                "Where file systems grow only when a pod mounts them",
                "kubectl sts-plan web -n prod --grow data=20Gi \\\n    --assume storageclass/fast=expands-on-mount",
            ),
        ],
        topic: Topic::Stages,
    },
    Recipe {
        names: &["upgrade", "minor"],
        title: "Upgrade: the control plane, one minor after the other",
        text: "--upgrade-to takes every set through each minor in turn: where pods restart though nobody changed a \
               template (kubernetes#134773), how the next rollout differs, what a set gains or loses by the fields \
               that it has, and what of its manifest is refused afterwards. A minor is its last patch, unless one is \
               named; patches that would restart pods are named.",
        examples: &[
            (
                "Every set of the cluster, from the version of its server",
                "kubectl sts-plan -A --upgrade-to 1.36",
            ),
            (
                "Through a certain patch; a page for the change board, and a gate",
                "kubectl sts-plan -A --upgrade-to 1.34.1,1.36 -o markdown --fail-on spurious-rollout",
            ),
        ],
        topic: Topic::Questions,
    },
    Recipe {
        names: &["drain", "evict", "eviction", "node"],
        title: "Drain: pods of a node are evicted",
        text: "--drain plans what kubectl drain does: the node is cordoned, and its pods are evicted as far as \
               PodDisruptionBudgets allow, while the controller creates them again elsewhere. The plan says whether \
               the drain ends, and what to do if it hangs. kubectl delete consults no budget: --delete-pod plans that.",
        examples: &[
            (
                "Does the drain end, and what is down meanwhile?",
                "kubectl sts-plan -A --drain node-7",
            ),
            (
                "During a rollout, with a quorum at every step",
                "kubectl sts-plan web -n prod --restart --drain node-7 --require quorum",
            ),
        ],
        topic: Topic::Nodes,
    },
    Recipe {
        names: &["undo", "rollback", "revision", "history"],
        title: "Undo: roll back to an earlier revision",
        text: "--to-revision plans what kubectl rollout undo --to-revision does; 0 is the revision before the current \
               one. A pod that never becomes ready can block a rollback too: the plan shows it, and the pod to \
               delete.",
        examples: &[
            (
                "Roll back to the previous revision",
                "kubectl sts-plan web -n prod --to-revision 0",
            ),
            (
                "Whether a rollback is enough, for each pod that may fail",
                "kubectl sts-plan web -n prod --image app:2 --what-if-fails",
            ),
        ],
        topic: Topic::Change,
    },
    Recipe {
        names: &["canary", "partition"],
        title: "Canary: update the highest ordinals first",
        text: "With --partition N, only pods with an ordinal of N or more are updated. A pod below N that restarts \
               comes back on the old revision.",
        examples: &[
            (
                "Of three pods, update web-2 alone",
                "kubectl sts-plan web -n prod --image app:2 --partition 2",
            ),
            (
                "The revision of each pod, for every partition",
                "kubectl sts-plan web -n prod --image app:2 --every-partition",
            ),
            (
                "One pod first, then the others, with the way back from each",
                "kubectl sts-plan web -n prod --image app:2 --partition 2 --then --partition 0",
            ),
        ],
        topic: Topic::Change,
    },
    Recipe {
        names: &["pause", "resume", "stop"],
        title: "Pause: stop a rollout, and let it continue",
        text: "A StatefulSet cannot be paused: kubectl rollout pause is for Deployments. A partition as large as the \
               number of replicas stops further updates; pods that were updated stay so. Partition 0 continues.",
        examples: &[
            (
                "Stop a rollout of three replicas",
                "kubectl sts-plan web -n prod --partition 3",
            ),
            ("Continue it", "kubectl sts-plan web -n prod --partition 0"),
        ],
        topic: Topic::Change,
    },
    Recipe {
        names: &["quorum", "majority"],
        title: "Quorum: keep a majority of the pods ready",
        text: "--require quorum checks at every step of the plan that a majority of the replicas is ready: 2 of 3, 3 of 5. \
               With --explore it holds in every order of events, with --faults also while pods fail. Exit code 5 means \
               that it breaks. --fail-on quorum fails where a finding says that a majority is lost (STS042) or that no \
               pod is ready (STS023).",
        examples: &[
            (
                "A change keeps the quorum",
                "kubectl sts-plan web -n prod --image app:2 --require quorum",
            ),
            (
                "In any order of events, and if any one pod fails",
                "kubectl sts-plan web -n prod --require quorum --explore --faults 1",
            ),
            ("The finding", "kubectl sts-plan explain STS042"),
        ],
        topic: Topic::Questions,
    },
    Recipe {
        names: &["options", "pause", "resume", "abort"],
        title: "Options: what can be done in the middle of a rollout",
        text: "--options has a row for each thing that can be done now: go on, pause, resume, roll back, finish faster, or \
               repair what is stuck. Each is simulated: how long it takes, what it restarts, how many pods are down at \
               worst, and whether the quorum and the data are kept. The commands stand below.",
        examples: &[(
            "What can be done now?",
            "kubectl sts-plan web -n prod --options",
        )],
        topic: Topic::Questions,
    },
    Recipe {
        names: &["next", "ondelete", "loop"],
        title: "Next: replace the pods of an OnDelete set, one safe step at a time",
        text: "--next prints the one command that may be run now: exit code 0. Nothing and exit code 2: wait. Nothing and \
               exit code 0: the end. Anything else holds the rollout back, and standard error says why. The first two \
               examples lead a whole rollout: they wait where they have to, and end where it is held back.",
        examples: &[
            (
                "The command that the loop asks for",
                "next() { kubectl sts-plan web -n prod --next; }",
            ),
            (
                "The loop",
                "while cmd=$(next) && [ -n \"$cmd\" ] || [ $? -eq 2 ]; do eval \"${cmd:-sleep 5}\" || break; done",
            ),
            (
                "The primary last, and never without a quorum",
                "kubectl sts-plan web -n prod --next --order primary-last=role=primary --require quorum",
            ),
        ],
        topic: Topic::Questions,
    },
    Recipe {
        names: &["restart"],
        title: "Restart: replace every pod",
        text: "--restart plans what kubectl rollout restart does: a new revision with the same containers.",
        examples: &[("Restart", "kubectl sts-plan web -n prod --restart")],
        topic: Topic::Change,
    },
    Recipe {
        names: &["scale", "replicas"],
        title: "Scale: change the number of replicas",
        text: "--replicas plans what kubectl scale does. The plan shows which pods are deleted, and whether their \
               claims and the data on them go too.",
        examples: &[(
            "Scale down to one",
            "kubectl sts-plan web -n prod --replicas 1",
        )],
        topic: Topic::Change,
    },
    Recipe {
        names: &["status", "rollout", "wait"],
        title: "Status: follow a rollout",
        text: "A plan without a change is the status: how far the rollout is, and what is left of it. -w follows it, \
               as kubectl rollout status does, and ends when it is complete or blocked.",
        examples: &[
            ("The rest of the rollout", "kubectl sts-plan web -n prod"),
            (
                "Follow it for half an hour at most",
                "kubectl sts-plan web -n prod -w --timeout 30m",
            ),
        ],
        topic: Topic::Watching,
    },
];

/// The recipe that has this name.
pub(super) fn called(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.names.contains(&name))
}

/// The first name of each recipe.
pub(super) fn names() -> Vec<&'static str> {
    let recipes = RECIPES.iter();
    recipes
        .filter_map(|recipe| recipe.names.first().copied())
        .collect()
}

/// Its page.
pub(super) fn page(recipe: &Recipe) -> String {
    let mut out = format!("{}\n\n", heading(recipe.title));
    for line in wrapped(recipe.text, WIDTH) {
        out += &format!("{line}\n");
    }
    out += &format!("\n{}\n{}", heading("Examples:"), examples(recipe.examples));
    let more = format!("kubectl sts-plan help {}", recipe.topic.name());
    out + &format!("\n{} {}\n", heading("All flags:"), literal(&more))
}
