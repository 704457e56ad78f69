//! `completion SHELL`: what a shell is to load so that it asks the program.

use std::io::{self, Write};
use std::str::FromStr;

use anyhow::Result;
use clap_complete::env::{Bash, EnvCompleter, Fish, Powershell, Zsh};
use thiserror::Error;

use super::{EXECUTABLE, VARIABLE};
use crate::cli::exit::Exit;
use crate::commands::Context;

/// A shell that is completed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    Powershell,
}

/// The name is that of no shell that is completed for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is not a shell that is completed for: there are bash, zsh, fish and powershell")]
pub struct UnknownShell {
    /// The name.
    pub name: String,
}

impl Shell {
    /// All of them.
    pub const ALL: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Powershell];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.completer().name()
    }

    /// What its script is called in `completions`.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Shell::Bash => "kubectl-sts_plan.bash",
            Shell::Zsh => "_kubectl-sts_plan",
            Shell::Fish => "kubectl-sts_plan.fish",
            Shell::Powershell => "kubectl-sts_plan.ps1",
        }
    }

    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
            Shell::Powershell => &Powershell,
        }
    }
}

impl FromStr for Shell {
    type Err = UnknownShell;

    fn from_str(name: &str) -> Result<Self, UnknownShell> {
        let found = Shell::ALL.into_iter().find(|shell| shell.name() == name);
        found.ok_or_else(|| UnknownShell {
            name: name.to_owned(),
        })
    }
}

/// Prints what a shell is to load.
///
/// # Errors
/// When the output cannot be written.
pub fn run(shell: Shell, context: &mut Context<'_>) -> Result<Exit> {
    print(shell, context.stdout)?;
    Ok(Exit::Done)
}

fn print(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    let completer = shell.completer();
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, EXECUTABLE, EXECUTABLE, EXECUTABLE, &mut script)?;
    let script = String::from_utf8_lossy(&script);
    writeln!(out, "{}", script.trim())
}
