//! `help TOPIC`: the purpose of a group of flags, and every detail of each.

use clap::Command;

use super::{Page, examples, heading, literal};
use crate::cli::exit;
use crate::output::keys::KeyScreen;
use sts_plan::foresight::SCHEDULER_FILTERS;

/// Returns the filters of the scheduler, each with the part that is checked.
fn scheduler_filters() -> String {
    let rows = SCHEDULER_FILTERS
        .iter()
        .map(|filter| format!("  {:<20}  {}\n", filter.name, filter.checked));
    let rows: String = rows.collect();
    format!("Filters of kube-scheduler:\n{rows}\n")
}

/// A subject with a help page of its own.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    name: &'static str,
    /// The heading of its flags in the grammar.
    heading: &'static str,
    title: &'static str,
    text: &'static str,
    /// Returns the text between flags and examples.
    below: fn() -> String,
    examples: &'static str,
}

impl Topic {
    /// All topics, in the order of help.
    pub const ALL: [Topic; 10] = [
        Topic {
            name: "input",
            heading: "Input",
            title: "sets to plan, and where objects are read from",
            text: "Objects come from the live cluster. With -f they come from files, and no connection is opened. A plan \
                   requires StatefulSets, Pods, PersistentVolumeClaims and ControllerRevisions. PodDisruptionBudgets, \
                   Nodes, StorageClasses and Events make it more complete. kubectl sts-plan dump writes all of them to \
                   one file. If a StatefulSet in -f has no Pods, the plan is its first rollout.",
            below: String::new,
            examples: "# All sets of the cluster, stuck ones first
kubectl sts-plan -A
# A dump of one set
kubectl sts-plan dump web -n prod > dump.yaml
kubectl sts-plan -f dump.yaml",
        },
        Topic {
            name: "change",
            heading: "Change",
            title: "the change to plan",
            text: "Without a change, a plan shows what happens next anyway. A change passes the API server's validation. \
                   If the API server would refuse it, the plan is rejected: it names each field and a safe workaround. \
                   Changes can be combined.",
            below: String::new,
            examples: "# What a chart would do to the cluster
helm template . | kubectl sts-plan -n prod --apply -
# Delete the set without its pods, and create it again
kubectl sts-plan -f dump.yaml --delete=orphan --apply new.yaml",
        },
        Topic {
            name: "stages",
            heading: "Stages",
            title: "a change in several stages",
            text: "All stages share one simulated cluster and one clock. For each stage the plan lists the commands to \
                   run, the checks before the next stage, and its cost. It also simulates the rollback from there: \
                   commands, time, restarts, and the lowest number of ready pods. A blocked or rejected stage keeps later \
                   stages from beginning. -o markdown prints a runbook with checkboxes. A stages file is a list; each \
                   stage has change, whose keys are the flags of a change, and optionally name, approval, require, after \
                   and soak.",
            below: String::new,
            examples: r"# One pod, then half of them, then all
kubectl sts-plan web -n prod --image app:2 --partition 4 \
  --then --partition 50% --then --partition 0
# Let the current rollout finish first
kubectl sts-plan web -n prod --then --restart
# A runbook from a stages file
kubectl sts-plan web -n prod --stages stages.yaml -o markdown
# Larger volumes: patch the claims, and recreate the set around its pods
kubectl sts-plan web -n prod --grow data=20Gi",
        },
        Topic {
            name: "nodes",
            heading: "Nodes",
            title: "drained, cordoned or lost nodes",
            text: "The first line says what happens and whether the drain finishes. The next line says what to do if it \
                   does not. Evictions honor PodDisruptionBudgets as the disruption controller counts them, over all \
                   pods that were read; use -A for the whole cluster. Pods of other owners are evicted too, and the \
                   kubectl command has the flags that they need. The plan cannot know which node an evicted pod moves \
                   to. It checks whether any node fits, by the filters of the scheduler below. --return-after plans a \
                   rolling maintenance, which assumes the node with the fewest pods of the owner and the most room.",
            below: scheduler_filters,
            examples: "# Does this drain finish, and what is down meanwhile?
kubectl sts-plan -A --drain node-7
# Which nodes can go, each by itself, and what holds the others?
kubectl sts-plan -A --drain each
# Reboot all nodes, one after the other, each back after ten minutes; -o markdown prints the runbook
kubectl sts-plan -A --drain each --return-after 10m
# Ask the server too, with evictions as dry runs
kubectl sts-plan web -n prod --drain node-7 --dry-run=server
# Two nodes, one after the other, with two new nodes like the first
kubectl sts-plan -A --drain node-7,node-8 --assume nodes+2=node-7
# A zone is lost now
kubectl sts-plan web -n prod --lose zone=eu-west-1a --require quorum",
        },
        Topic {
            name: "assumptions",
            heading: "Assumptions",
            title: "version, feature gates, and pod timings",
            text: "The controller's algorithm is exact; pod timings are assumed. Some pods show why they do not become \
                   ready: CrashLoopBackOff, ImagePullBackOff, Unschedulable, a volume that does not attach, a lost node. \
                   A plan assumes that they stay that way, unless you pass --assume POD=recovers. Every plan prints its \
                   assumptions.",
            below: String::new,
            examples: "# Pods take two minutes; web-1 never becomes ready
kubectl sts-plan web -n prod --ready-after 2m --assume web-1=never-ready
# The plan under the next minor version of the control plane
kubectl sts-plan web -n prod --kubernetes-version 1.37",
        },
        Topic {
            name: "questions",
            heading: "Questions",
            title: "requirements and what-if questions",
            text: "A plan is one order of events. A question covers more: every step, every order, every failure, or \
                   every partition.",
            below: || keys(&[KeyScreen::Fields, KeyScreen::Image]),
            examples: "# At most one pod unavailable, in any order of events, if any pod fails
kubectl sts-plan web -n prod --require 'unavailable<=1' --explore --faults 1
# Change replicas, partition and maxUnavailable interactively
kubectl sts-plan web -n prod --interactive
# Does a control plane upgrade restart anything?
kubectl sts-plan -A --upgrade-to 1.36 --fail-on spurious-rollout
# Where the rollout stops if a pod fails
kubectl sts-plan web -n prod --what-if-fails",
        },
        Topic {
            name: "gates",
            heading: "Gates",
            title: "conditions that fail a run",
            text: "For CI: a gate turns the result of a plan into an exit code, and prints the reason on standard error. \
                   --fail-on, --ignore and explain take the same words: ids and names of findings. A finding that the \
                   input cannot show is \"not checked\", and a gate on it fails.",
            below: || exit::of_plan() + "\n\n",
            examples: "# Fail on data loss and on a stuck rollout
kubectl sts-plan -f dump.yaml --apply new.yaml --fail-on blocked,data-loss
# The meaning of a finding
kubectl sts-plan explain data-loss",
        },
        Topic {
            name: "formats",
            heading: "Output",
            title: "output formats and files",
            text: "Standard output has only the plan; warnings and errors go to standard error. The JSON format is \
                   stable: kubectl sts-plan schema prints its schema. BLOCKED 38m is seen since then, STUCK for 25m is \
                   inferred (longer than it may take), BLOCKED after 27s is foretold. AGE/ETA has the age of a state, or \
                   ETA and the time until the plan completes.",
            below: String::new,
            examples: "# An HTML page and a test report, in addition to the table
kubectl sts-plan -f dump.yaml --report html=p.html --report junit=p.xml
# A single field
kubectl sts-plan web -n prod -o jsonpath={.outcome.result}",
        },
        Topic {
            name: "watching",
            heading: "Watching",
            title: "a rollout compared with its plan",
            text: "Each change to an object of the set triggers a new plan. The watch compares events with the \
                   prediction: on time, late, or diverged. A terminal shows a screen with keys (pods, steps, why, quit); \
                   otherwise the plans are printed one after another. --on-change runs a command for each changed plan, \
                   for example to page someone or to post to a chat.",
            below: || keys(&[KeyScreen::Watch, KeyScreen::AllSets]) + &exit::of_watch() + "\n\n",
            examples: r#"# All sets of the cluster on one screen, stuck ones first
kubectl sts-plan -A -w
# Until the rollout completes or blocks, for at most half an hour
kubectl sts-plan web -n prod -w --timeout 30m
# A line in the system log for each change
kubectl sts-plan web -n prod -w --on-change 'logger "$STS_PLAN_MESSAGE"'"#,
        },
        Topic {
            name: "connection",
            heading: "Connection",
            title: "access to the cluster, as with kubectl",
            text: "Flags, kubeconfig, credential plugins, proxies and a pod's service account work as in kubectl. Nothing \
                   is ever written to the cluster. KUBECTL_PATH names the kubectl that renews an OpenID Connect login; \
                   the default is the one on the PATH.",
            below: String::new,
            examples: "# Another context, as another user
kubectl sts-plan web -n prod --context staging --as jane",
        },
    ];

    /// Looks a topic up.
    pub fn by_name(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|topic| topic.name == name)
    }

    /// The word after `help`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The heading of its flags.
    pub(super) fn heading(self) -> &'static str {
        self.heading
    }

    /// Returns its flags.
    pub(super) fn flags(self, command: &Command) -> impl Iterator<Item = &clap::Arg> {
        let flags = command.get_arguments();
        flags.filter(move |flag| flag.get_help_heading() == Some(self.heading))
    }

    /// The subject of the page.
    pub fn title(self) -> &'static str {
        self.title
    }
}

/// Lists the keys of screens that flags of a topic open.
fn keys(screens: &[KeyScreen]) -> String {
    let mut out = String::new();
    for screen in screens {
        out += &format!("{}\n", heading(&format!("{}:", screen.title())));
        for (key, does) in screen.lines() {
            out += &format!("  {}{does}\n", literal(key.trim_start()));
        }
        out += "\n";
    }
    out
}

pub(super) fn page(topic: Topic, command: &Command) -> clap::Error {
    let examples = examples(topic.examples);
    let (initial, rest) = topic.name.split_at(1);
    Page {
        title: format!("{}{rest}: {}", initial.to_uppercase(), topic.title),
        text: topic.text,
        flags: topic.flags(command).cloned().collect(),
        below: format!("{}{}\n{examples}", (topic.below)(), heading("Examples:")),
    }
    .rendered(command)
}
