//! The kubectl command of a drain, with the flags that the pods on the nodes need. Upstream: the filters of
//! `staging/src/k8s.io/kubectl/pkg/drain/filters.go`.

use super::{DrainFlag, NodeActions};
use crate::command::named;
use crate::plan::Conditions;
use sts_controller::object::Pod;
use sts_controller::simulate::PodOwner;

/// Returns the flags for the pods that were read. Without a flag that a pod needs, kubectl evicts no pod of its node.
pub(super) fn flags(actions: &NodeActions, conditions: &Conditions) -> Vec<DrainFlag> {
    let mut flags = [
        ("--ignore-daemonsets", "pods of DaemonSets stay", Vec::new()),
        (
            "--delete-emptydir-data",
            "the data of emptyDir volumes is lost",
            Vec::new(),
        ),
        (
            "--force",
            "no controller creates these pods again",
            Vec::new(),
        ),
    ];
    let on_nodes = actions
        .drain
        .iter()
        .filter_map(|node| conditions.outage.running.get(node.as_str()))
        .flatten();
    for resident in on_nodes {
        let pod = &resident.pod;
        let is_over = pod.phase.has_ended();
        let owner = PodOwner::of(pod);
        if is_over || owner == PodOwner::Kubelet {
            continue;
        }
        let named = || format!("{}/{}", pod.meta.namespace, pod.meta.name);
        // Later filters see no pod that an earlier one leaves out.
        if owner == PodOwner::DaemonSet {
            flags[0].2.push(named());
            continue;
        }
        if has_empty_dir(pod) {
            flags[1].2.push(named());
        }
        if owner == PodOwner::Nobody {
            flags[2].2.push(named());
        }
    }
    let needed = flags
        .into_iter()
        .filter(|(flag, _, pods)| !pods.is_empty() || *flag == "--ignore-daemonsets");
    needed
        .map(|(flag, why, mut pods)| {
            pods.sort();
            DrainFlag {
                flag: flag.to_owned(),
                why: match pods.is_empty() {
                    true => "almost every node runs pods of DaemonSets".to_owned(),
                    false => why.to_owned(),
                },
                pods,
            }
        })
        .collect()
}

/// Returns the command that drains the nodes with these flags.
pub(super) fn command(actions: &NodeActions, flags: &[DrainFlag]) -> String {
    let nodes = actions.drain.iter().map(|node| named(node).to_owned());
    let flags = flags.iter().map(|flag| flag.flag.clone());
    let words: Vec<String> = nodes.chain(flags).collect();
    format!("kubectl drain {}", words.join(" "))
}

fn has_empty_dir(pod: &Pod) -> bool {
    pod.given().is_some_and(|given| {
        let volumes = given["spec"]["volumes"].as_array().into_iter().flatten();
        volumes
            .into_iter()
            .any(|volume| !volume["emptyDir"].is_null())
    })
}
