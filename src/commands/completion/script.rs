//! `completion SHELL`: prints the completion script of a shell.

use std::io::{self, Write};

use anyhow::Result;
use clap_complete::env::{Bash, EnvCompleter, Fish, Powershell, Zsh};

use super::{EXECUTABLE, VARIABLE};
use crate::cli::exit::Exit;
use crate::commands::Context;
use crate::request::Shell;

/// Prints the script.
///
/// # Errors
/// When the output cannot be written.
pub fn run(shell: Shell, context: &mut Context<'_>) -> Result<Exit> {
    print(shell, context.stdout)?;
    Ok(Exit::Done)
}

fn print(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    let completer = completer(shell);
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, EXECUTABLE, EXECUTABLE, EXECUTABLE, &mut script)?;
    let script = String::from_utf8_lossy(&script);
    writeln!(out, "{}", script.trim())
}

/// Returns the writer of a shell's script.
fn completer(shell: Shell) -> &'static dyn EnvCompleter {
    match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
    }
}
