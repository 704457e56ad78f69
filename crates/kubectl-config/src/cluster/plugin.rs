//! Credential plugins.
//!
//! A plugin may prompt on the terminal: it inherits stderr, and also stdin if that is a terminal and the plugin may
//! prompt. A plugin never reads piped input of the program. Its output has secrets, and no message quotes it.

use std::io::{self, ErrorKind, IsTerminal as _, Read as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::certificate;
use super::kubeconfig::model::{Cluster, Exec};
use super::kuberc::{self, Kuberc};
use super::notice::{Notice, QUIET};
#[cfg(unix)]
use super::plugin_children;
use kubectl_manifest::go_base64;

/// Protocol versions that kubectl supports.
const VERSIONS: [&str; 2] = [
    "client.authentication.k8s.io/v1",
    "client.authentication.k8s.io/v1beta1",
];

/// Maximum size of the output, above that of any credentials.
const MAX_PRINTED: u64 = 16 << 20;
/// Interval of checks whether a plugin that closed its output has ended.
const TICK: Duration = Duration::from_millis(20);

/// Context of a plugin's run.
pub(super) struct PluginContext<'a> {
    /// True if no user can answer a prompt.
    pub(super) unattended: bool,
    /// Timeout of a plugin, if one is set: its user may have to type a password first.
    pub(super) patience: Option<Duration>,
    /// Kuberc of the user, with the plugin policy.
    pub(super) kuberc: Option<&'a Kuberc>,
    pub(super) notice: &'a Notice,
}

/// A plugin that can be run.
pub(super) struct Plugin {
    exec: Exec,
    /// Cluster, for plugins that request it.
    cluster: Option<Value>,
    unattended: bool,
    patience: Option<Duration>,
    notice: Notice,
}

/// Credentials that a plugin prints.
#[derive(Default)]
pub(super) struct Issued {
    pub(super) token: Option<String>,
    /// Certificate and key, in PEM.
    pub(super) certificate: Option<(String, String)>,
    /// Expiration.
    pub(super) until: Option<Timestamp>,
}

impl Plugin {
    /// # Errors
    /// When kubectl would refuse it, or the user does not allow it.
    pub(super) fn new(
        exec: Exec,
        cluster: &Cluster,
        attended: &PluginContext<'_>,
    ) -> Result<Self, String> {
        if exec.command.is_empty() {
            return Err("exec has no command: set it to the plugin".to_owned());
        }
        let plugin = |problem: &str| Err(format!("plugin {:?}: {problem}", exec.command));
        if !VERSIONS.contains(&exec.api_version.as_str()) {
            return plugin(&format!(
                "kubectl does not support the apiVersion {:?} of exec: use {} if the plugin supports it, or install a newer plugin",
                exec.api_version, VERSIONS[0]
            ));
        }
        if !["", "Never", "IfAvailable", "Always"].contains(&exec.interactive_mode.as_str()) {
            return plugin(
                "interactiveMode must be Never, IfAvailable or Always: correct the kubeconfig",
            );
        }
        let search = std::env::var_os("PATH");
        kuberc::check(
            attended.kuberc,
            &exec.command,
            search.as_ref(),
            attended.notice,
        )
        .map_err(|problem| format!("plugin {:?}: {problem}", exec.command))?;
        let cluster = match exec.provide_cluster_info {
            true => Some(about(cluster)?),
            false => None,
        };
        Ok(Plugin {
            exec,
            cluster,
            unattended: attended.unattended,
            patience: attended.patience,
            notice: attended.notice.clone(),
        })
    }

    /// Runs the plugin.
    ///
    /// # Errors
    /// When there are no credentials; the message includes advice.
    pub(super) fn run(&self) -> Result<Issued, String> {
        let exec = &self.exec;
        self.issued()
            .map_err(|problem| format!("plugin {:?}: {problem}", exec.command))
    }

    fn issued(&self) -> Result<Issued, String> {
        let exec = &self.exec;
        let terminal = !self.unattended && std::io::stdin().is_terminal();
        let interactive = terminal && exec.interactive_mode != "Never";
        if !terminal && exec.interactive_mode == "Always" {
            return Err("it must prompt (interactiveMode is Always), but standard input is not a terminal: run this in a terminal, and pass manifests by file name".to_owned());
        }
        let mut spec = json!({"interactive": interactive});
        if let Some(cluster) = &self.cluster {
            spec["cluster"] = cluster.clone();
        }
        let info = json!({"apiVersion": exec.api_version, "kind": "ExecCredential", "spec": spec});
        let mut command = Command::new(&exec.command);
        command
            .args(&exec.args)
            .envs(
                exec.env
                    .iter()
                    .filter(|(name, _)| is_variable(name))
                    .cloned(),
            )
            .env("KUBERNETES_EXEC_INFO", info.to_string())
            .stderr(match self.unattended {
                true => Stdio::null(),
                false => Stdio::inherit(),
            })
            .stdin(match interactive {
                true => Stdio::inherit(),
                false => Stdio::null(),
            });
        command.stdout(Stdio::piped());
        // A plugin in its own process group can be killed with its children. An interactive one has to stay in the
        // group of the terminal, and its children are found by their parents.
        #[cfg(unix)]
        if !interactive {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let ended = self
            .wait(&mut command, !interactive)
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => format!("not installed{}", self.hint()),
                ErrorKind::PermissionDenied => {
                    format!("permission denied: make it executable{}", self.hint())
                }
                _ => format!("cannot run ({error}){}", self.hint()),
            })?;
        match (ended, self.patience) {
            (Some((status, printed)), _) if status.success() => self.read(&printed),
            (Some((status, _)), _) => Err(format!(
                "failed ({status}): see its output above, log in again, or use another user"
            )),
            (None, patience) => Err(format!(
                "timeout after {:?}: run it manually to see what it waits for, or raise --request-timeout",
                patience.unwrap_or_default()
            )),
        }
    }

    /// Waits for the plugin and returns its output; `None` after the timeout.
    fn wait(
        &self,
        command: &mut Command,
        has_group: bool,
    ) -> io::Result<Option<(ExitStatus, Vec<u8>)>> {
        let mut child = command.spawn()?;
        let (sender, receiver) = mpsc::channel();
        let stdout = child.stdout.take();
        thread::Builder::new().spawn(move || {
            let mut printed = Vec::new();
            if let Some(stdout) = stdout {
                // Truncated output is handled like complete output.
                let _ = stdout.take(MAX_PRINTED).read_to_end(&mut printed);
            }
            let _ = sender.send(printed);
        })?;
        let mut left = self.patience.unwrap_or(Duration::MAX);
        let quiet = QUIET.min(left);
        let printed = receiver.recv_timeout(quiet).or_else(|_| {
            left -= quiet;
            if !left.is_zero() {
                self.notice.say(&format!(
                    "waiting for the credential plugin {:?}",
                    self.exec.command
                ));
            }
            receiver.recv_timeout(left)
        });
        let Ok(printed) = printed else {
            end(&mut child, has_group);
            return Ok(None);
        };
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some((status, printed)));
            }
            if left < TICK {
                end(&mut child, has_group);
                return Ok(None);
            }
            thread::sleep(TICK);
            left -= TICK;
        }
    }

    /// Returns the install hint of the kubeconfig.
    fn hint(&self) -> String {
        let words: Vec<&str> = self.exec.install_hint.split_whitespace().collect();
        match words.as_slice() {
            [] => ": install it, or use another user".to_owned(),
            words => format!(": {}", words.join(" ")),
        }
    }

    fn read(&self, printed: &[u8]) -> Result<Issued, String> {
        let none = || {
            "no ExecCredential with a status in its output: run it manually to see the output, or log in again".to_owned()
        };
        let credential = kubectl_manifest::read_document(printed).map_err(|_| none())?;
        if credential["kind"] != "ExecCredential" || !credential["status"].is_object() {
            return Err(none());
        }
        if credential["apiVersion"] != self.exec.api_version.as_str() {
            return Err(format!(
                "its output does not have the apiVersion {} of exec: correct the kubeconfig",
                self.exec.api_version
            ));
        }
        let status = &credential["status"];
        let text = |name: &str| match &status[name] {
            Value::Null => Ok(None),
            Value::String(text) if text.is_empty() => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(format!(
                "{name} in its output is not a string: run it manually to see the output"
            )),
        };
        let certificate = match (text("clientCertificateData")?, text("clientKeyData")?) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                return Err(
                    "its output has only one of client certificate and key: both are required"
                        .to_owned(),
                );
            }
        };
        let until = match text("expirationTimestamp")? {
            None => None,
            Some(time) => Some(time.parse().map_err(|_| {
                "expirationTimestamp in its output is not a time such as 2026-01-01T00:00:00Z"
                    .to_owned()
            })?),
        };
        let token = text("token")?;
        if token.is_none() && certificate.is_none() {
            return Err(
                "no token and no client certificate in its output: log in again".to_owned(),
            );
        }
        Ok(Issued {
            token,
            certificate,
            until,
        })
    }
}

/// Kills a plugin after a timeout, with its children: by process group if it has its own.
fn end(child: &mut Child, has_group: bool) {
    #[cfg(unix)]
    if !has_group {
        plugin_children::end_descendants(child.id());
    } else if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = has_group;
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
}

/// Reports whether a name is valid for an environment variable.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Returns the cluster in the format for plugins.
fn about(cluster: &Cluster) -> Result<Value, String> {
    let mut info = json!({"server": cluster.server});
    let mut tell = |name: &str, value: Value| info[name] = value;
    if !cluster.tls_server_name.is_empty() {
        tell("tls-server-name", cluster.tls_server_name.as_str().into());
    }
    if cluster.insecure {
        tell("insecure-skip-tls-verify", true.into());
    }
    if cluster.authority.is_given() {
        let pem = certificate::read(&cluster.authority, "certificate authority")?;
        tell("certificate-authority-data", go_base64::encode(&pem).into());
    }
    if !cluster.proxy_url.is_empty() {
        tell("proxy-url", cluster.proxy_url.as_str().into());
    }
    if cluster.disable_compression {
        tell("disable-compression", true.into());
    }
    tell("config", cluster.for_plugins.clone().unwrap_or_default());
    Ok(info)
}
