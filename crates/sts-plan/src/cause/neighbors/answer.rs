//! Answer of a process to its own probe: it runs, and says itself that it is not ready.

use serde_json::Value;

use crate::cause::Recognized;
use crate::cause::template::containers;
use sts_controller::object::Pod;

/// A probe that a process answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// The probe: `readiness probe, GET :8081/healthz`.
    pub probe: String,
    /// The answer: `503`, `NOT_SERVING`.
    pub answer: String,
    /// The path at which the API server passes the same request on; `None` for gRPC.
    pub path: Option<String>,
}

impl ProbeAnswer {
    /// Reads the report of the kubelet, and the probe of the container.
    pub(super) fn of(
        pod: &Pod,
        recognized: Option<&Recognized>,
        container: Option<&String>,
    ) -> Option<Self> {
        let message = &recognized?.message;
        let kinds = ["Readiness", "Liveness", "Startup"];
        let kind = kinds
            .iter()
            .find(|kind| message.contains(&format!("{kind} probe failed")))?;
        let kind = kind.to_ascii_lowercase();
        let given = pod.given()?;
        let found = containers(&given["spec"])
            .find(|it| container.is_none_or(|name| it["name"] == **name))?;
        let probe = &found[format!("{kind}Probe")];
        if let Some((_, rest)) = message.split_once("statuscode: ") {
            let answer: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let request = &probe["httpGet"];
            let port = port(found, &request["port"])?;
            let path = request["path"].as_str().unwrap_or("/");
            let scheme = match request["scheme"].as_str() {
                Some("HTTPS") => "https:",
                _ => "",
            };
            let (namespace, name) = (&pod.meta.namespace, &pod.meta.name);
            return Some(ProbeAnswer {
                probe: format!("{kind} probe, GET :{port}{path}"),
                answer,
                path: Some(format!(
                    "/api/v1/namespaces/{namespace}/pods/{scheme}{name}:{port}/proxy{path}"
                )),
            });
        }
        let port = port(found, &probe["grpc"]["port"])?;
        message.contains("NOT_SERVING").then(|| ProbeAnswer {
            probe: format!("{kind} probe, gRPC health check at port {port}"),
            answer: "NOT_SERVING".to_owned(),
            path: None,
        })
    }
}

/// Returns the program of a probe's command that the image does not have: `exec: "sh": executable file not found in $PATH`.
pub(super) fn missing_program(report: &str) -> Option<String> {
    let is_of_probe = ["robe errored", "robe failed"]
        .iter()
        .any(|words| report.contains(words));
    let quoted = |start: &str, end: char| {
        let (_, rest) = report.split_once(start)?;
        let (program, rest) = rest.split_once(end)?;
        let is_missing = ["not found", "no such file or directory"]
            .iter()
            .any(|words| rest.contains(words));
        Some(program.to_owned()).filter(|it| is_missing && !it.is_empty())
    };
    // The words of runc, and those of crun.
    let found = quoted("exec: \"", '"').or_else(|| quoted("executable file `", '`'));
    found.filter(|_| is_of_probe)
}

/// Returns the number of a port of a probe, which may be the name of one of the container.
fn port(container: &Value, port: &Value) -> Option<u64> {
    let named = || {
        let mut ports = container["ports"].as_array()?.iter();
        ports.find(|it| it["name"] == *port)?["containerPort"].as_u64()
    };
    port.as_u64().or_else(named)
}
