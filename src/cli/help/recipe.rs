//! `help TASK`: a page for a task such as `help drain`, with a pointer to the topic that has the flags.

use clap::Command;

use super::{Page, examples, heading, literal};

/// Help on one task.
pub(super) struct Recipe {
    /// Words for the task. The first is the one that help lists.
    names: &'static [&'static str],
    title: &'static str,
    text: &'static str,
    examples: &'static str,
    /// The topic that has the flags.
    topic: &'static str,
}

const RECIPES: [Recipe; 12] = [
    Recipe {
        names: &["grow", "resize", "storage", "expand"],
        title: "Grow: larger volumes",
        text: "--grow plans a task that no single command does, as stages. First it patches each claim and waits until it \
               has grown. If the storage requires it, it then restarts or temporarily removes the pods. Last it deletes \
               the StatefulSet without its pods and creates it with the new size, since volumeClaimTemplates is \
               immutable. Each stage has its commands, checks and rollback. Claims never shrink.",
        examples: r"# The claims of template data, with a runbook
kubectl sts-plan web -n prod --grow data=20Gi -o markdown
# For storage that grows a file system only when a pod mounts it
kubectl sts-plan web -n prod --grow data=20Gi \
  --assume storageclass/fast=expands-on-mount",
        topic: "stages",
    },
    Recipe {
        names: &["upgrade", "minor"],
        title: "Upgrade: the control plane, one minor version at a time",
        text: "--upgrade-to takes every set through each minor version in turn. It shows which pods restart although nobody \
               changed a template (kubernetes#134773), how the next rollout differs, and what a set gains or loses by its \
               fields. It also shows which parts of its manifest are refused afterwards. A minor version means its last \
               patch, unless you name one. Patches that would restart pods are named.",
        examples: r"# Every set of the cluster, from the version of its server
kubectl sts-plan -A --upgrade-to 1.36
# Through a specific patch, with a page for the change board and a gate
kubectl sts-plan -A --upgrade-to 1.34.1,1.36 -o markdown \
  --fail-on spurious-rollout",
        topic: "questions",
    },
    Recipe {
        names: &["drain", "evict", "eviction", "node"],
        title: "Drain: evict the pods of a node",
        text: "--drain plans kubectl drain. The node is cordoned, and its pods are evicted as PodDisruptionBudgets allow, \
               while the controller creates them again elsewhere. The plan says whether the drain finishes, and what to \
               do if it hangs. kubectl delete ignores PodDisruptionBudgets: --delete-pod plans that.",
        examples: "# Does the drain finish, and what is down meanwhile?
kubectl sts-plan -A --drain node-7
# During a rollout, with a quorum at every step
kubectl sts-plan web -n prod --restart --drain node-7 --require quorum",
        topic: "nodes",
    },
    Recipe {
        names: &["undo", "rollback", "revision", "history"],
        title: "Undo: roll back to an earlier revision",
        text: "--to-revision plans kubectl rollout undo --to-revision; 0 is the previous revision. A pod that never becomes \
               ready can block a rollback too: the plan shows it, and the pod to delete.",
        examples: "# Roll back to the previous revision
kubectl sts-plan web -n prod --to-revision 0
# Is a rollback enough, for each pod that may fail?
kubectl sts-plan web -n prod --image app:2 --what-if-fails",
        topic: "change",
    },
    Recipe {
        names: &["canary", "partition"],
        title: "Canary: update the highest ordinals first",
        text: "With --partition N, only pods with an ordinal of N or more are updated. A pod below N that restarts \
               comes back on the old revision.",
        examples: "# Update only web-2 of three pods
kubectl sts-plan web -n prod --image app:2 --partition 2
# The revision of each pod, for every partition
kubectl sts-plan web -n prod --image app:2 --every-partition
# One pod first, then the others, with the rollback from each stage
kubectl sts-plan web -n prod --image app:2 --partition 2 --then --partition 0",
        topic: "change",
    },
    Recipe {
        names: &["pause", "resume", "stop"],
        title: "Pause: stop a rollout, and resume it",
        text: "A StatefulSet cannot be paused: kubectl rollout pause is for Deployments. A partition equal to the number of \
               replicas stops further updates; updated pods stay updated. Partition 0 resumes the rollout.",
        examples: "# Stop a rollout of three replicas
kubectl sts-plan web -n prod --partition 3
# Resume it
kubectl sts-plan web -n prod --partition 0",
        topic: "change",
    },
    Recipe {
        names: &["quorum", "majority"],
        title: "Quorum: keep a majority of the pods ready",
        text: "--require quorum checks at every step of the plan that a majority of the replicas is ready: 2 of 3, 3 of 5. \
               With --explore it checks every order of events; with --faults, failing pods too. If the requirement breaks, \
               the exit code is 5. --fail-on quorum fails if a majority is lost (STS042) or no pod is ready (STS023).",
        examples: "# Does a change keep the quorum?
kubectl sts-plan web -n prod --image app:2 --require quorum
# In any order of events, and if any one pod fails
kubectl sts-plan web -n prod --require quorum --explore --faults 1
# The finding
kubectl sts-plan explain STS042",
        topic: "questions",
    },
    Recipe {
        names: &["options", "abort"],
        title: "Options: possible actions during a rollout",
        text: "--options has a row for each possible action: continue, pause, resume, roll back, speed up, or repair a stuck \
               rollout. Each is simulated: how long it takes, what it restarts, how many pods are down at worst, and \
               whether it keeps the quorum and the data. The commands follow the table.",
        examples: "# What can I do now?
kubectl sts-plan web -n prod --options",
        topic: "questions",
    },
    Recipe {
        names: &["next", "ondelete", "loop"],
        title: "Next: replace the pods of an OnDelete set, one safe step at a time",
        text: "--next prints the one command that is safe to run now, with exit code 0. No command and exit code 2: wait. No \
               command and exit code 0: done. With any other exit code, something holds the rollout back, and standard \
               error says why. The first two examples run a whole rollout: they wait when they have to, and stop when \
               it is held back.",
        examples: r#"# The next command
next() { kubectl sts-plan web -n prod --next; }
# The loop that runs it
while cmd=$(next) && [ -n "$cmd" ] || [ $? -eq 2 ]; do
  eval "${cmd:-sleep 5}" || break
done
# The primary last, and never without a quorum
kubectl sts-plan web -n prod --next \
  --order primary-last=role=primary --require quorum"#,
        topic: "questions",
    },
    Recipe {
        names: &["restart"],
        title: "Restart: replace every pod",
        text: "--restart plans kubectl rollout restart: a new revision with the same containers.",
        examples: "# Restart
kubectl sts-plan web -n prod --restart",
        topic: "change",
    },
    Recipe {
        names: &["scale", "replicas"],
        title: "Scale: change the number of replicas",
        text: "--replicas plans kubectl scale. The plan shows which pods are deleted, and whether their claims and the data \
               on them are deleted too.",
        examples: "# Scale down to one
kubectl sts-plan web -n prod --replicas 1",
        topic: "change",
    },
    Recipe {
        names: &["status", "rollout", "wait"],
        title: "Status: follow a rollout",
        text: "A plan without a change is the status of the rollout and its remaining steps. -w follows it, as kubectl \
               rollout status does, and ends when the rollout is complete or blocked.",
        examples: "# The rest of the rollout
kubectl sts-plan web -n prod
# Follow it for at most half an hour
kubectl sts-plan web -n prod -w --timeout 30m",
        topic: "watching",
    },
];

/// Looks a recipe up by any of its names.
pub(super) fn by_name(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.names.contains(&name))
}

/// The first name of each recipe.
pub(super) fn names() -> Vec<&'static str> {
    let recipes = RECIPES.iter();
    recipes
        .filter_map(|recipe| recipe.names.first().copied())
        .collect()
}

pub(super) fn page(recipe: &Recipe, command: &Command) -> clap::Error {
    let more = format!("kubectl sts-plan help {}", recipe.topic);
    let below = format!(
        "{}\n{}\n{} {}",
        heading("Examples:"),
        examples(recipe.examples),
        heading("All flags:"),
        literal(&more)
    );
    Page {
        title: recipe.title.to_owned(),
        text: recipe.text,
        flags: Vec::new(),
        below,
    }
    .rendered(command)
}
