//! The text below the flags of each command: exit codes where they are its own, and examples.

use super::{examples, heading};
use crate::cli::exit;

const DUMP: &str = "\
What is written: StatefulSets, Pods, PersistentVolumeClaims,
ControllerRevisions, PodDisruptionBudgets, Services, HorizontalPodAutoscalers,
StorageClasses, PersistentVolumes, Nodes and Events; the version, the feature
gates and the moment. Never a Secret or a ConfigMap; but values of env in pod
templates are in it, as they are in the cluster.

";

const DEMO: &str = "\
All flags of a plan apply (kubectl sts-plan --help), but for those that choose
the input, reach a cluster or watch it. No policy is looked for; --policy names
one. A demo has the moment and the version that it is planned with.

";

/// The text below the flags of a command of that name.
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

fn examples_of(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "verify" => &[
            (
                "Save a plan, let things happen, and compare",
                "kubectl sts-plan web -n prod --save plan.json\n  kubectl sts-plan verify plan.json",
            ),
            (
                "Compare with a dump of a later moment",
                "kubectl sts-plan verify plan.json -f later.yaml",
            ),
        ],
        "diff" => &[(
            "What a pull request makes longer or more dangerous",
            "kubectl sts-plan -f dump.yaml --apply main.yaml --save main.json\n  \
             kubectl sts-plan -f dump.yaml --apply new.yaml --save new.json\n  \
             kubectl sts-plan diff main.json new.json -o markdown",
        )],
        "dump" => &[(
            "The same plan, elsewhere",
            "kubectl sts-plan dump web -n prod > dump.yaml\n  kubectl sts-plan -f dump.yaml",
        )],
        "demo" => &[
            (
                "List the examples; plan one; what if a pod fails",
                "kubectl sts-plan demo\n  kubectl sts-plan demo blocked\n  kubectl sts-plan demo canary --what-if-fails",
            ),
            (
                "Turn fields by keys; a report page",
                "kubectl sts-plan demo canary --interactive\n  kubectl sts-plan demo many -o html > many.html",
            ),
        ],
        "explain" => &[(
            "All findings in a line each; one of them in full",
            "kubectl sts-plan explain\n  kubectl sts-plan explain STS003",
        )],
        "schema" => &[(
            "For a program that reads plans; for an editor of policies and of stages",
            "kubectl sts-plan schema > plan.schema.json\n  \
             kubectl sts-plan schema policy > policy.schema.json\n  \
             kubectl sts-plan schema stages > stages.schema.json",
        )],
        "versions" => &[(
            "What changed in which minor; what an upgrade changes",
            "kubectl sts-plan versions\n  kubectl sts-plan versions --diff 1.33 1.36",
        )],
        "rbac" => &[(
            "Let a service account plan in one namespace",
            "kubectl sts-plan rbac -n prod --as system:serviceaccount:ci:sts-plan",
        )],
        "completion" => &[(
            "For this shell, and for every new one",
            "source <(kubectl sts-plan completion bash)\n  \
                 echo 'source <(kubectl sts-plan completion bash)' >> ~/.bashrc",
        )],
        _ => &[(
            "A topic, a command, all flags",
            "kubectl sts-plan help gates\n  kubectl sts-plan help verify\n  kubectl sts-plan help",
        )],
    }
}
