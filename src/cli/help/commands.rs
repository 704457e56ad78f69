//! Texts below the flags of each command: its own exit codes, and examples.

use super::{examples, heading};
use crate::cli::exit;

const DUMP: &str = "\
A dump has StatefulSets, Pods, PersistentVolumeClaims, ControllerRevisions,
PodDisruptionBudgets, Services, HorizontalPodAutoscalers, StorageClasses,
PersistentVolumes, Nodes and Events, and the version, feature gates and time.
It never has a Secret or a ConfigMap, but it has env values of pod templates.

";

const DEMO: &str = "\
All flags of a plan work (kubectl sts-plan --help), except those for the input,
the connection and watching. No policy is searched for; name one with --policy.
A demo comes with its own time and Kubernetes version.

";

/// Returns the text below the flags of a command.
pub(super) fn below(name: &str) -> String {
    let text = match name {
        "verify" => exit::of_verify() + "\n\n",
        "dump" => DUMP.to_owned(),
        "demo" => DEMO.to_owned(),
        _ => String::new(),
    };
    let examples = examples(examples_of(name));
    format!("{text}{}\n{examples}", heading("Examples:"))
}

fn examples_of(name: &str) -> &'static str {
    match name {
        "verify" => {
            "# Save a plan, and compare it later with what happened
kubectl sts-plan web -n prod --save plan.json
kubectl sts-plan verify plan.json
# Compare with a later dump
kubectl sts-plan verify plan.json -f later.yaml"
        }
        "diff" => {
            "# What a pull request makes slower or riskier
kubectl sts-plan -f dump.yaml --apply main.yaml --save main.json
kubectl sts-plan -f dump.yaml --apply new.yaml --save new.json
kubectl sts-plan diff main.json new.json -o markdown"
        }
        "dump" => {
            "# The same plan on another machine
kubectl sts-plan dump web -n prod > dump.yaml
kubectl sts-plan -f dump.yaml"
        }
        "demo" => {
            "# List the demos; plan one; plan one in which a pod fails
kubectl sts-plan demo
kubectl sts-plan demo blocked
kubectl sts-plan demo canary --what-if-fails
# Change fields interactively; write an HTML report
kubectl sts-plan demo canary --interactive
kubectl sts-plan demo many -o html > many.html"
        }
        "explain" => {
            "# List findings; show one in detail
kubectl sts-plan explain
kubectl sts-plan explain STS003"
        }
        "schema" => {
            "# For a program that reads plans; for editors of policies and stages
kubectl sts-plan schema > plan.schema.json
kubectl sts-plan schema policy > policy.schema.json
kubectl sts-plan schema stages > stages.schema.json"
        }
        "versions" => {
            "# Supported versions; what an upgrade changes
kubectl sts-plan versions
kubectl sts-plan versions --diff 1.33 1.36"
        }
        "rbac" => {
            "# Let a service account plan in one namespace
kubectl sts-plan rbac -n prod --as system:serviceaccount:ci:sts-plan"
        }
        "completion" => {
            "# In this shell; in every new shell
source <(kubectl sts-plan completion bash)
echo 'source <(kubectl sts-plan completion bash)' >> ~/.bashrc"
        }
        _ => {
            "# Help on a topic; on a command; on all flags
kubectl sts-plan help gates
kubectl sts-plan help verify
kubectl sts-plan help"
        }
    }
}
