//! Shells with completion.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A shell with completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    Fish,
    /// PowerShell.
    Powershell,
}

impl Shell {
    pub const ALL: &[Shell] = Shell::VARIANTS;

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the file name of the script in `completions`.
    pub fn file_name(self) -> &'static str {
        match self {
            Shell::Bash => "kubectl-sts_plan.bash",
            Shell::Zsh => "_kubectl-sts_plan",
            Shell::Fish => "kubectl-sts_plan.fish",
            Shell::Powershell => "kubectl-sts_plan.ps1",
        }
    }
}
