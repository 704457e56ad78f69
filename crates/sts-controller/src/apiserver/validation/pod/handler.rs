//! Probes and lifecycle hooks: their numbers, and that each has exactly one action.

use serde_json::Value;

use super::context::PodContext;
use super::port;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{is_given, list, number, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::word;

/// Actions of a hook, in the order in which the server checks them.
const HOOK_ACTIONS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];
const PROBE_ACTIONS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];

/// Checks the probes and hooks of a container, in the server's order.
pub(super) fn check_all(
    container: &Value,
    pod: &PodContext<'_>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let lifecycle = &container["lifecycle"];
    let at_lifecycle = at.member("lifecycle");
    for hook in ["postStart", "preStop"] {
        if is_given(lifecycle, hook) {
            check_action(
                &lifecycle[hook],
                &HOOK_ACTIONS,
                pod,
                &at_lifecycle.member(hook),
                out,
            );
        }
    }
    if let Some(signal) = lifecycle["stopSignal"].as_str() {
        check_signal(signal, pod, &at_lifecycle.member("stopSignal"), out);
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let given = &container[probe];
        if given.is_null() {
            continue;
        }
        let at = at.member(probe);
        check_probe(given, pod, &at, out);
        if probe == "readinessProbe" {
            let grace = &given["terminationGracePeriodSeconds"];
            if !grace.is_null() {
                let at = at.member("terminationGracePeriodSeconds");
                out.invalid(at, grace.clone(), "must not be set for readinessProbes");
            }
        } else {
            let successes = number(given, "successThreshold");
            if successes != 1 {
                out.invalid(at.member("successThreshold"), successes, "must be 1");
            }
        }
    }
}

static NUMBERS: [Rule; 5] = [
    rule("initialDelaySeconds", Check::NotNegative),
    rule("timeoutSeconds", Check::NotNegative),
    rule("periodSeconds", Check::NotNegative),
    rule("successThreshold", Check::NotNegative),
    rule("failureThreshold", Check::NotNegative),
];

fn check_probe(probe: &Value, pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    check_action(probe, &PROBE_ACTIONS, pod, at, out);
    check_rules(probe, at, &NUMBERS, out);
    let grace = probe["terminationGracePeriodSeconds"].as_i64();
    if let Some(grace) = grace.filter(|grace| *grace <= 0) {
        let at = at.member("terminationGracePeriodSeconds");
        out.invalid(at, grace, "must be greater than 0");
    }
}

/// `validateHandler`.
fn check_action(
    handler: &Value,
    actions: &[&str],
    pod: &PodContext<'_>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let mut found = false;
    for action in actions {
        let given = &handler[*action];
        if given.is_null() {
            continue;
        }
        let at = at.member(action);
        if found {
            out.forbidden(at, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *action {
            "exec" => {
                if list(given, "command").is_empty() {
                    out.required(at.member("command"), "");
                }
            }
            "httpGet" => check_request(given, &at, out),
            "sleep" => check_sleep(number(given, "seconds"), pod, &at, out),
            _ => port::check_reference(&given["port"], &at.member("port"), out),
        }
    }
    if !found {
        out.required(at, "must specify a handler type");
    }
}

/// `validateHTTPGetAction`. The server omits the index of a header in its path.
fn check_request(request: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if text(request, "path").is_empty() {
        out.required(at.member("path"), "");
    }
    port::check_reference(&request["port"], &at.member("port"), out);
    let scheme = text(request, "scheme");
    if !["HTTP", "HTTPS"].contains(&scheme) {
        out.not_supported(at.member("scheme"), scheme, &["HTTP", "HTTPS"]);
    }
    let at = at.member("httpHeaders");
    for (index, header) in list(request, "httpHeaders").iter().enumerate() {
        let name = text(header, "name");
        let before = out.len();
        out.invalid_text(at, name, &word::http_header(name));
        out.blame(before, at.index(index).member("name"));
    }
}

/// `validateSleepAction`.
fn check_sleep(seconds: i64, pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let Some(grace) = pod.grace else {
        return;
    };
    let zero = out.rules.pod.zero_sleep;
    let least = i64::from(!zero);
    if seconds >= least && seconds <= grace {
        return;
    }
    let detail = if zero {
        format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})")
    } else if out.rules.pod.zero_sleep_gate_named {
        format!(
            "must be greater than 0 and less than terminationGracePeriodSeconds ({grace}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
        )
    } else {
        format!("must be greater than 0 and less than terminationGracePeriodSeconds ({grace})")
    };
    out.invalid(at, seconds, &detail);
}

/// `validateStopSignal`. The valid signals depend on the operating system, so `spec.os` is required.
fn check_signal(signal: &str, pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    match pod.spec["os"]["name"].as_str() {
        None => out.forbidden(
            at,
            "may not be set for containers with empty `spec.os.name`",
        ),
        Some("windows") => {
            if !["SIGKILL", "SIGTERM"].contains(&signal) {
                out.not_supported(at, signal, &["SIGKILL", "SIGTERM"]);
            }
        }
        Some("linux") => {
            if !LINUX_SIGNALS.contains(&signal) {
                out.not_supported(at, signal, &LINUX_SIGNALS);
            }
        }
        Some(_) => {}
    }
}

const LINUX_SIGNALS: [&str; 65] = [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];
