//! `help TOPIC`: a page on what a group of flags is for, with every detail of each.

use clap::Command;

use super::flags::{HelpDetail, under};
use super::{WIDTH, examples, heading, literal, wrapped};
use crate::cli::exit;
use crate::output::keys::KeyScreen;

/// A subject with a help page of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The sources of the objects, and the selection of sets.
    Input,
    /// Changes that the user is about to make.
    Change,
    /// A change in several steps.
    Stages,
    /// Nodes that are drained, cordoned or lost.
    Nodes,
    /// Assumptions about the world and the controller.
    Assumptions,
    /// Questions beyond the plan.
    Questions,
    /// Conditions that make a run fail.
    Gates,
    /// Formats of the answer.
    Formats,
    /// Following a rollout.
    Watching,
    /// The connection to the cluster.
    Connection,
}

impl Topic {
    /// All of them, as help lists them.
    pub const ALL: [Topic; 10] = [
        Topic::Input,
        Topic::Change,
        Topic::Stages,
        Topic::Nodes,
        Topic::Assumptions,
        Topic::Questions,
        Topic::Gates,
        Topic::Formats,
        Topic::Watching,
        Topic::Connection,
    ];

    /// The topic of that name.
    #[must_use]
    pub fn called(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|topic| topic.name() == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Topic::Input => "input",
            Topic::Change => "change",
            Topic::Stages => "stages",
            Topic::Nodes => "nodes",
            Topic::Assumptions => "assumptions",
            Topic::Questions => "questions",
            Topic::Gates => "gates",
            Topic::Formats => "formats",
            Topic::Watching => "watching",
            Topic::Connection => "connection",
        }
    }

    /// Returns the subject of the page, in a line.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Topic::Input => "Input: which sets, and where the objects come from",
            Topic::Change => "Change: what you are about to do",
            Topic::Stages => "Stages: a change in several steps",
            Topic::Nodes => "Nodes: drained, cordoned or lost",
            Topic::Assumptions => "Assumptions: version, gates, and how long pods take",
            Topic::Questions => "Questions: what has to hold, and what if",
            Topic::Gates => "Gates: what makes a run fail",
            Topic::Formats => "Formats: what is printed and saved",
            Topic::Watching => "Watching: a rollout against its plan",
            Topic::Connection => "Connection: how the cluster is reached, as with kubectl",
        }
    }

    /// The headings of the grammar that are under it.
    pub(super) fn headings(self) -> &'static [&'static str] {
        match self {
            Topic::Input => &["Input", "Selection"],
            Topic::Change => &["Change"],
            Topic::Stages => &["Stages"],
            Topic::Nodes => &["Nodes"],
            Topic::Assumptions => &["Controller", "Assumptions"],
            Topic::Questions => &["Questions"],
            Topic::Gates => &["Gates"],
            Topic::Formats => &["Output"],
            Topic::Watching => &["Watching"],
            Topic::Connection => &["Connection"],
        }
    }

    /// The screens that its flags open.
    fn screens(self) -> &'static [KeyScreen] {
        match self {
            Topic::Questions => &[KeyScreen::Fields, KeyScreen::Image],
            Topic::Watching => &[KeyScreen::Watch, KeyScreen::AllSets],
            _ => &[],
        }
    }

    fn text(self) -> &'static str {
        match self {
            Topic::Input => {
                "Objects come from the live cluster, or with -f from files, and then no connection is opened. A plan \
                 uses StatefulSets, Pods, PersistentVolumeClaims and ControllerRevisions, and sees more with \
                 PodDisruptionBudgets, Nodes, StorageClasses and Events. kubectl sts-plan dump writes all of them in \
                 one file. A StatefulSet of -f without a Pod has no pods yet: its first rollout is planned."
            }
            Topic::Change => {
                "Without a change the plan says what happens anyway. A change goes through the API server's \
                 validation; one that it would refuse is a rejected plan, which names each field and the safe way \
                 round. Several changes may be given together."
            }
            Topic::Stages => {
                "All stages are planned over one world and one clock. For each the plan has the commands to run, what to \
                 check before going on, what it takes, and the way back from there, simulated: its commands, time, \
                 restarts, and the pods that are ready at worst. A stage that is blocked, or refused, keeps those behind \
                 it from beginning. -o markdown is a runbook with boxes to check. A file is a list of stages, each \
                 with change, whose keys are the flags of a change, and as needed name, approval, require, after and soak."
            }
            Topic::Nodes => {
                "The first line says what happens and whether the drain ends; the next what to do if it does not. \
                 Evictions count PodDisruptionBudgets as the disruption controller does, over all sets that are planned: \
                 -A for the whole cluster. Which node takes an evicted pod is not known; whether any does is worked out \
                 from selectors, affinity, taints, spreads, host ports, volumes, and the requests of the pods that were read."
            }
            Topic::Assumptions => {
                "The controller's algorithm is exact; how long pods take is assumed. A pod that shows why it will \
                 not become ready (CrashLoopBackOff, ImagePullBackOff, Unschedulable, a volume that does not attach, \
                 a node that is gone) is taken to stay so, unless --assume POD=recovers. Every plan prints what it \
                 assumed."
            }
            Topic::Questions => {
                "A plan is one order of events. A question asks of more: of every step, of every order, of every \
                 failure, of every partition."
            }
            Topic::Gates => {
                "For CI: a gate turns what a plan says into an exit code, with a line on standard error that says \
                 why. Words of --fail-on, --ignore and explain are the same: ids and names of findings. What the \
                 input cannot show is \"not checked\", and fails a gate on it."
            }
            Topic::Formats => {
                "Standard output has the plan and nothing else; warnings and errors go to standard error. JSON is \
                 stable: kubectl sts-plan schema prints its schema."
            }
            Topic::Watching => {
                "The plan is computed anew whenever an object of the set changes, and what happens is compared with what \
                 was predicted: on time, late, or something else. On a terminal that is a screen with keys (pods, steps, \
                 why, quit); elsewhere one plan after the other. --on-change runs a command with each changed plan, \
                 to page or to post to a chat."
            }
            Topic::Connection => {
                "Flags, kubeconfig, credential plugins, proxies and the service account of a pod count as they do for \
                 kubectl. Nothing is ever written. KUBECTL_PATH names the kubectl that renews an OpenID login; \
                 without it the one on the PATH does."
            }
        }
    }

    fn examples(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Topic::Input => &[
                (
                    "All sets of the cluster, the stuck ones first",
                    "kubectl sts-plan -A",
                ),
                (
                    "A dump",
                    "kubectl sts-plan dump web -n prod > dump.yaml\n  kubectl sts-plan -f dump.yaml",
                ),
            ],
            Topic::Change => &[
                (
                    "What a chart would do to the cluster",
                    "helm template . | kubectl sts-plan -n prod --apply -",
                ),
                (
                    "Delete the set without its pods, and create it anew",
                    "kubectl sts-plan -f dump.yaml --delete=orphan --apply new.yaml",
                ),
            ],
            Topic::Stages => &[
                (
                    "One pod, half of them, all",
                    "kubectl sts-plan web -n prod --image app:2 --partition 4 \\\n    --then --partition 50% --then --partition 0",
                ),
                (
                    "What is under way comes to rest first",
                    "kubectl sts-plan web -n prod --then --restart",
                ),
                (
                    "A runbook of a file",
                    "kubectl sts-plan web -n prod --stages stages.yaml -o markdown",
                ),
                (
                    "Larger volumes: patch the claims, and recreate the set around its pods",
                    "kubectl sts-plan web -n prod --grow data=20Gi",
                ),
            ],
            Topic::Nodes => &[
                (
                    "Does this drain end, and what is down meanwhile?",
                    "kubectl sts-plan -A --drain node-7",
                ),
                (
                    "Two nodes one after the other, with two new ones like the first",
                    "kubectl sts-plan -A --drain node-7,node-8 --assume nodes+2=node-7",
                ),
                (
                    "A zone is lost now",
                    "kubectl sts-plan web -n prod --lose zone=eu-west-1a --require quorum",
                ),
            ],
            Topic::Assumptions => &[
                (
                    "Pods take two minutes; web-1 never becomes ready",
                    "kubectl sts-plan web -n prod --ready-after 2m --assume web-1=never-ready",
                ),
                (
                    "What the next minor of the control plane would do",
                    "kubectl sts-plan web -n prod --kubernetes-version 1.37",
                ),
            ],
            Topic::Questions => &[
                (
                    "At most one pod unavailable, in any order of events, if any pod fails",
                    "kubectl sts-plan web -n prod --require 'unavailable<=1' --explore --faults 1",
                ),
                (
                    "Turn replicas, partition and maxUnavailable, and see lanes and verdict",
                    "kubectl sts-plan web -n prod --interactive",
                ),
                (
                    "Does an upgrade of the control plane restart anything?",
                    "kubectl sts-plan -A --upgrade-to 1.36 --fail-on spurious-rollout",
                ),
                (
                    "Where the rollout stops if a pod fails",
                    "kubectl sts-plan web -n prod --what-if-fails",
                ),
            ],
            Topic::Gates => &[
                (
                    "Fail on data loss and on a stuck rollout",
                    "kubectl sts-plan -f dump.yaml --apply new.yaml --fail-on blocked,data-loss",
                ),
                ("What a finding means", "kubectl sts-plan explain data-loss"),
            ],
            Topic::Formats => &[
                (
                    "A page and a test report beside the screen",
                    "kubectl sts-plan -f dump.yaml --report html=p.html --report junit=p.xml",
                ),
                (
                    "A field",
                    "kubectl sts-plan web -n prod -o jsonpath={.outcome.result}",
                ),
            ],
            Topic::Watching => &[
                (
                    "All sets of the cluster on one screen, the stuck ones on top",
                    "kubectl sts-plan -A -w",
                ),
                (
                    "Until it is complete, blocked, or half an hour has passed",
                    "kubectl sts-plan web -n prod -w --timeout 30m",
                ),
                (
                    "A line in the log of the system for each change",
                    "kubectl sts-plan web -n prod -w --on-change 'logger \"$STS_PLAN_MESSAGE\"'",
                ),
            ],
            Topic::Connection => &[(
                "Another context, as another user",
                "kubectl sts-plan web -n prod --context staging --as jane",
            )],
        }
    }
}

pub(super) fn page(topic: Topic, command: &Command) -> String {
    let mut out = format!("{}\n\n", heading(topic.title()));
    for line in wrapped(topic.text(), WIDTH) {
        out += &format!("{line}\n");
    }
    out += &format!("\n{}\n", heading("Flags:"));
    out += &under(command, topic.headings(), HelpDetail::All);
    for screen in topic.screens() {
        out += &format!("\n{}\n", heading(&format!("{}:", screen.title())));
        for (key, does) in screen.lines() {
            out += &format!("{}{does}\n", literal(&key));
        }
    }
    let codes = match topic {
        Topic::Gates => Some(exit::of_plan()),
        Topic::Watching => Some(exit::of_watch()),
        _ => None,
    };
    if let Some(codes) = codes {
        out += &format!("\n{codes}\n");
    }
    out += &format!("\n{}\n", heading("Examples:"));
    out + &examples(topic.examples())
}
