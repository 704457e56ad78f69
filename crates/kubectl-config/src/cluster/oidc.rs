//! Renewal of an OpenID Connect login through kubectl.
//!
//! Some providers rotate the refresh token on every use. Only kubectl writes the new one to the kubeconfig, so only
//! kubectl may use it: it runs with a harmless request.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use super::access::Access;

/// Lets kubectl send a request to the same server as the same user.
///
/// # Errors
/// When the login was not renewed; the message follows "and".
pub(super) fn renew(access: &Access) -> Result<(), String> {
    let program = access.kubectl.as_deref();
    let mut command = Command::new(program.unwrap_or(OsStr::new("kubectl")));
    command
        .args(["get", "--raw", "/version", "--request-timeout", "20s"])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    match access.kubeconfigs.as_slice() {
        [only] if access.kubeconfig_must_exist => {
            command.arg("--kubeconfig").arg(only);
        }
        files => {
            let list = std::env::join_paths(files).map_err(|error| error.to_string())?;
            command.env("KUBECONFIG", list);
        }
    }
    for (flag, name) in [
        ("--context", &access.flags.context),
        ("--cluster", &access.flags.cluster),
        ("--user", &access.flags.user),
    ] {
        if let Some(name) = name {
            command.arg(format!("{flag}={name}"));
        }
    }
    let output = command
        .output()
        .map_err(|error| format!("kubectl, which would renew it, cannot run ({error})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().rfind(|line| !line.trim().is_empty());
    let said: String = said.unwrap_or("no message").chars().take(300).collect();
    Err(format!("kubectl could not renew it: {}", said.trim()))
}
