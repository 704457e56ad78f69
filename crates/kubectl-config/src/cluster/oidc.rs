//! Has kubectl renew what it keeps of an OpenID login.
//!
//! A provider may give a refresh token that is good once, and another one with every use of it. Only kubectl puts
//! that into the kubeconfig, so only kubectl uses it: it is asked to do what it does before every request.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use super::access::Access;

/// Lets kubectl ask the same server something, as the same user.
///
/// # Errors
/// The reason that it was not renewed, in words that follow "and".
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
        .map_err(|error| format!("kubectl, which renews it, cannot be run ({error})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().rfind(|line| !line.trim().is_empty());
    let said: String = said
        .unwrap_or("it says nothing")
        .chars()
        .take(300)
        .collect();
    Err(format!("kubectl could not renew it: {}", said.trim()))
}
