//! Credential plugins: programs that say who their user is.
//!
//! A plugin speaks to its user through the terminal, so its stderr is the program's own, and its stdin too where that
//! is a terminal and the plugin may ask; what is piped into the program is never a plugin's to read. What it prints
//! holds secrets, and no message quotes it.

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

/// The versions of the protocol that kubectl speaks.
const VERSIONS: [&str; 2] = [
    "client.authentication.k8s.io/v1",
    "client.authentication.k8s.io/v1beta1",
];

/// More than any credential.
const MAX_PRINTED: u64 = 16 << 20;
/// The interval of checks whether a plugin that has printed all is gone.
const TICK: Duration = Duration::from_millis(20);

/// The surroundings of a plugin's run.
pub(super) struct PluginContext<'a> {
    /// True if no user is present to answer a prompt.
    pub(super) unattended: bool,
    /// The timeout of a plugin, if one is set: its user may have to type a password first.
    pub(super) patience: Option<Duration>,
    /// The user's kuberc, which says which plugins may run.
    pub(super) kuberc: Option<&'a Kuberc>,
    pub(super) notice: &'a Notice,
}

/// A plugin, ready to be run.
pub(super) struct Plugin {
    exec: Exec,
    /// The cluster, for plugins that want to know it.
    cluster: Option<Value>,
    unattended: bool,
    patience: Option<Duration>,
    notice: Notice,
}

/// The credentials that a plugin prints.
#[derive(Default)]
pub(super) struct Issued {
    pub(super) token: Option<String>,
    /// A certificate and its key, in PEM.
    pub(super) certificate: Option<(String, String)>,
    /// When it ends.
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
            return Err("its exec has no command: name the plugin".to_owned());
        }
        let plugin = |problem: &str| Err(format!("plugin {:?}: {problem}", exec.command));
        if !VERSIONS.contains(&exec.api_version.as_str()) {
            return plugin(&format!(
                "its exec has the apiVersion {:?}, which kubectl does not speak: give {} if the plugin knows it, or install a newer one",
                exec.api_version, VERSIONS[0]
            ));
        }
        if !["", "Never", "IfAvailable", "Always"].contains(&exec.interactive_mode.as_str()) {
            return plugin(
                "its interactiveMode has to be Never, IfAvailable or Always: correct it in the kubeconfig",
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

    /// Runs it.
    ///
    /// # Errors
    /// The reason that there are no credentials, and what to do.
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
            return Err("it has to prompt (its interactiveMode is Always), and standard input is not a terminal: run this in a terminal, and give manifests by file name".to_owned());
        }
        let mut spec = json!({"interactive": interactive});
        if let Some(cluster) = &self.cluster {
            spec["cluster"] = cluster.clone();
        }
        let told = json!({"apiVersion": exec.api_version, "kind": "ExecCredential", "spec": spec});
        let mut command = Command::new(&exec.command);
        command
            .args(&exec.args)
            .envs(
                exec.env
                    .iter()
                    .filter(|(name, _)| is_variable(name))
                    .cloned(),
            )
            .env("KUBERNETES_EXEC_INFO", told.to_string())
            .stderr(match self.unattended {
                true => Stdio::null(),
                false => Stdio::inherit(),
            })
            .stdin(match interactive {
                true => Stdio::inherit(),
                false => Stdio::null(),
            });
        command.stdout(Stdio::piped());
        // A group of its own can be ended with all that the plugin starts; one that may prompt has to stay in the group
        // that has the terminal, and what it starts is found by parents.
        #[cfg(unix)]
        if !interactive {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let ended = self
            .wait(&mut command, !interactive)
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => format!("it is not installed{}", self.hint()),
                ErrorKind::PermissionDenied => {
                    format!("it may not be run: make it executable{}", self.hint())
                }
                _ => format!("it cannot be run ({error}){}", self.hint()),
            })?;
        match (ended, self.patience) {
            (Some((status, printed)), _) if status.success() => self.read(&printed),
            (Some((status, _)), _) => Err(format!(
                "it failed ({status}): see what it printed above, log in again, or use another user"
            )),
            (None, patience) => Err(format!(
                "it did not end within {:?}: run it by hand to see what it waits for, or wait longer with --request-timeout",
                patience.unwrap_or_default()
            )),
        }
    }

    /// Runs the plugin to its end, with what it printed; `None` where that takes too long.
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
                // An answer that breaks off is judged like a whole one.
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

    /// Returns the kubeconfig's hint to those who do not have the plugin.
    fn hint(&self) -> String {
        let words: Vec<&str> = self.exec.install_hint.split_whitespace().collect();
        match words.as_slice() {
            [] => ": install it, or use another user".to_owned(),
            words => format!(": {}", words.join(" ")),
        }
    }

    fn read(&self, printed: &[u8]) -> Result<Issued, String> {
        let none = || {
            "it printed no ExecCredential with a status: run it by hand to see what it prints, or log in again".to_owned()
        };
        let credential = kubectl_manifest::read_document(printed).map_err(|_| none())?;
        if credential["kind"] != "ExecCredential" || !credential["status"].is_object() {
            return Err(none());
        }
        if credential["apiVersion"] != self.exec.api_version.as_str() {
            return Err(format!(
                "it answers in another apiVersion than {}, which its exec has: correct that in the kubeconfig",
                self.exec.api_version
            ));
        }
        let status = &credential["status"];
        let text = |name: &str| match &status[name] {
            Value::Null => Ok(None),
            Value::String(text) if text.is_empty() => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(format!(
                "it printed a {name} that is not a text: run it by hand to see what it prints"
            )),
        };
        let certificate = match (text("clientCertificateData")?, text("clientKeyData")?) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                return Err("it printed a client certificate without its key, or a key without its certificate: both are needed".to_owned());
            }
        };
        let until = match text("expirationTimestamp")? {
            None => None,
            Some(time) => Some(time.parse().map_err(|_| {
                "it printed an expirationTimestamp that is not a time: write 2026-01-01T00:00:00Z"
                    .to_owned()
            })?),
        };
        let token = text("token")?;
        if token.is_none() && certificate.is_none() {
            return Err(
                "it printed neither a token nor a client certificate: log in again".to_owned(),
            );
        }
        Ok(Issued {
            token,
            certificate,
            until,
        })
    }
}

/// Ends a plugin that took too long, with what it has started: its process group where it has one of its own.
fn end(child: &mut Child, has_group: bool) {
    #[cfg(unix)]
    if !has_group {
        plugin_children::end_descendants(child.id());
    } else if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = has_group;
    // It may have ended by itself by now.
    let _ = child.kill();
    let _ = child.wait();
}

/// Reports whether there can be a variable of that name.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// The cluster, as plugins are told of it.
fn about(cluster: &Cluster) -> Result<Value, String> {
    let mut told = json!({"server": cluster.server});
    let mut tell = |name: &str, value: Value| told[name] = value;
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
    Ok(told)
}
