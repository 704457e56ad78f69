//! The answer to a report that no entry of the catalogue recognizes: who is asked next, by the component that reports it,
//! the exit of the process, and the other pods of the set.

use crate::catalogue::advised;
use crate::cause::{Blame, Cause, ContainerFailure, ProbeAnswer, Symptom};
use crate::duration::span;
use crate::words::list;

/// Maximum number of differing members to name.
const MOST_MEMBERS: usize = 4;

/// Returns what to do about a cause that is not recognized; `None` if the state alone says it.
pub(super) fn unrecognized(cause: &Cause) -> Option<String> {
    let (pod, node) = (&cause.pod, cause.node.as_deref());
    let on_node = node.map_or_else(|| "its node".to_owned(), |node| format!("node {node}"));
    let failure = cause.facts.failure.as_ref();
    let text = match cause.symptom {
        Symptom::CrashLoop | Symptom::CheckFails => {
            let failure = failure?;
            let no_words = match failure.last_words.trim().is_empty() {
                true => ", which leaves no message here",
                false => "",
            };
            let whose = format!("read the log of {}{no_words}", failure.container);
            let step = around_container(cause, &failure.container);
            let advice = advised(&failure.last_words).map(|it| format!("it says: {it}"));
            let parts = [Some(whose), advice, ending(failure), Some(step)];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            parts.join("; ")
        }
        Symptom::ContainerConfig => match cause.blame {
            Blame::Pod => format!(
                "the container runtime reports it, and other pods start from the same template: look at {on_node}, its \
                 runtime, mounts and devices"
            ),
            Blame::Template if cause.template_helps => format!(
                "the container runtime reports it for the new revision only: look at what differs{}",
                differing(cause)
            ),
            Blame::Template | Blame::Unknown => format!(
                "the container runtime of {on_node} reports it: compare with a pod on another node; if it starts there, the \
                 node is at fault, and otherwise the mounts, securityContext and command of the container"
            ),
        },
        Symptom::ImagePull | Symptom::VolumeImagePull => {
            let image = &failure?.image;
            match cause.blame {
                Blame::Pod => format!(
                    "other pods run {image}: look at {on_node}, its runtime and its way to the registry"
                ),
                Blame::Template | Blame::Unknown => format!(
                    "pull {image} on {on_node} (crictl pull): the registry and the runtime both may have written the \
                     message"
                ),
            }
        }
        Symptom::InitContainer | Symptom::NotStarting => format!(
            "the kubelet of {on_node} has not said why: read its log, and those of the network plugin and the storage \
             driver there"
        ),
        // The state of a cluster or a service concerns its members in turn.
        Symptom::NotReady if cause.blame == Blame::Pod => {
            let container = cause.facts.container()?;
            format!(
                "read the log of {container}: if the message is about the cluster or a service, look there; if it is about \
                 {pod} alone, check {pod}'s own data, node and volume"
            )
        }
        Symptom::NotReady => {
            let container = cause.facts.container()?;
            format!(
                "read the log of {container}; {}",
                around_container(cause, container)
            )
        }
        Symptom::Unschedulable => {
            "the scheduler's message has a reason for each group of nodes: let the group fit that needs the least".to_owned()
        }
        Symptom::Refused => format!(
            "the API server or a plugin of it refuses {pod}: ask the owner of what the message names"
        ),
        Symptom::ProvisioningFails => {
            "the message is from the provisioner of the class: read its log, and check the storage behind it".to_owned()
        }
        _ => return None,
    };
    let is_silent = match (cause.symptom, failure) {
        (Symptom::CrashLoop | Symptom::CheckFails, Some(failure)) => {
            failure.last_words.trim().is_empty()
        }
        _ => cause.message().is_empty(),
    };
    Some(match &cause.facts.neighbors.answer {
        Some(ProbeAnswer {
            probe,
            answer,
            path,
        }) => {
            let ask = if path.is_some() {
                "ask it for the reason, and "
            } else {
                ""
            };
            format!(
                "the process answers its {probe}, with {answer}, so it runs and says itself that it is not ready: {ask}{text}"
            )
        }
        None if is_silent => text,
        None => format!("the message is not recognized: {text}"),
    })
}

/// Describes where to look for the reason of a container that fails, by the other pods.
fn around_container(cause: &Cause, container: &str) -> String {
    let pod = &cause.pod;
    match cause.blame {
        Blame::Pod => format!(
            "other pods on this revision are ready, so a template change would restart them for nothing: check {pod}'s own \
             data, node and volume"
        ),
        Blame::Template if cause.template_helps => format!(
            "only the new revision fails: the reason is in what differs{}, or in what it expects of its data and services",
            differing(cause)
        ),
        Blame::Template if !cause.difference.is_known => {
            "only the new revision fails, and the input lacks the template of the other one: compare the specs of the pods"
                .to_owned()
        }
        Blame::Template if cause.difference.only_restarted => {
            "only the restarted pods fail: check what they read at startup".to_owned()
        }
        Blame::Template => format!(
            "{container} is the same in both revisions, so rolling back does not help: check what changed around it, such \
             as its data, Secrets and ConfigMaps, and the services that it needs"
        ),
        Blame::Unknown => match cause.worked_for {
            Some(age) => format!(
                "{pod} has run on this template for most of {}, so rolling back does not help: check what changed around \
                 it, such as its data, Secrets and ConfigMaps, and the services that it needs",
                span(age)
            ),
            None => "no other pod tells whether the template, its data or a service is at fault"
                .to_owned(),
        },
    }
}

/// ` (image, env)`.
fn differing(cause: &Cause) -> String {
    let difference = &cause.difference;
    let members: Vec<String> = difference.members.iter().cloned().collect();
    match members.is_empty() {
        true => String::new(),
        false => format!(" ({})", list(&members, MOST_MEMBERS)),
    }
}

/// Describes how a process ended, if only its exit code says more than that it failed. A process with a message of its own
/// may have chosen its code: some count their errors beyond 128.
fn ending(failure: &ContainerFailure) -> Option<String> {
    if !failure.last_words.trim().is_empty() {
        return None;
    }
    let code = failure.exit_code?;
    let usual = match (signal(code), usual(code)) {
        (Some(signal), _) => format!("that of a signal ({signal}), unless the program chose it"),
        (None, usual) => format!("often {}", usual?),
    };
    Some(format!("exit code {code} is {usual}"))
}

/// Returns what an exit code mostly stands for: that of shells and of sysexits.h.
fn usual(code: i64) -> Option<&'static str> {
    Some(match code {
        2 => "a wrong argument or option",
        64 => "a wrong argument (EX_USAGE)",
        66 => "an input file that is missing (EX_NOINPUT)",
        69 => "a service that is unavailable (EX_UNAVAILABLE)",
        70 => "an error of the program itself (EX_SOFTWARE)",
        71 => "a limit of the system (EX_OSERR)",
        73 => "a file that cannot be created (EX_CANTCREAT)",
        74 => "an I/O error (EX_IOERR)",
        77 => "a missing permission (EX_NOPERM)",
        78 => "a wrong configuration (EX_CONFIG)",
        126 => "a script's command that may not be executed",
        127 => "a script's command that does not exist",
        _ => return None,
    })
}

/// Returns the name of the signal of an exit code that no entry has.
fn signal(code: i64) -> Option<&'static str> {
    Some(match code {
        129 => "SIGHUP",
        130 => "SIGINT",
        131 => "SIGQUIT",
        133 => "SIGTRAP",
        135 => "SIGBUS: often memory-mapped data that its disk or huge pages cannot provide",
        136 => "SIGFPE",
        141 => "SIGPIPE",
        152 => "SIGXCPU",
        153 => "SIGXFSZ: a file grew beyond its limit",
        159 => "SIGSYS: a seccomp profile refused a system call",
        _ => return None,
    })
}
