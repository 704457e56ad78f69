//! Shells with completion.

use std::str::FromStr;

use thiserror::Error;

/// A shell with completion.
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

/// Error of an unknown shell name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unsupported shell {name:?}: use bash, zsh, fish or powershell")]
pub struct UnknownShell {
    /// The name.
    pub name: String,
}

impl Shell {
    /// All shells.
    pub const ALL: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Powershell];

    /// Returns the name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Powershell => "powershell",
        }
    }

    /// Returns the file name of the script in `completions`.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Shell::Bash => "kubectl-sts_plan.bash",
            Shell::Zsh => "_kubectl-sts_plan",
            Shell::Fish => "kubectl-sts_plan.fish",
            Shell::Powershell => "kubectl-sts_plan.ps1",
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
