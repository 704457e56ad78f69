//! Automatic search for a policy: `.sts-plan.yaml` in the directory of the input file, the working directory, or a
//! parent directory within the repository.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Name of the policy file.
pub const FILE: &str = ".sts-plan.yaml";

/// Finds the policy for the first of these files; without files, that of the working directory. `-` is standard input
/// and has no directory. Without a repository, only the directory of the file and the working directory are searched:
/// anyone may have left a policy in a parent directory.
///
/// # Errors
/// When the policy belongs to another user.
pub fn find<'f>(files: impl IntoIterator<Item = &'f str>) -> Result<Option<PathBuf>> {
    let Some(folders) = folders(files.into_iter().find(|file| *file != "-")) else {
        return Ok(None);
    };
    let mut policies = folders.into_iter().map(|folder| folder.join(FILE));
    match policies.find(|policy| policy.is_file()) {
        Some(path) if is_foreign(&path) => bail!(
            "the policy belongs to another user: {0}; to use it: --policy {0}; to ignore it: --policy none",
            path.display()
        ),
        found => Ok(found),
    }
}

/// Returns the directories to search, nearest first.
fn folders(file: Option<&str>) -> Option<Vec<PathBuf>> {
    let working = std::env::current_dir().ok();
    let begin = match file {
        Some(file) => {
            let path = Path::new(file).canonicalize().ok()?;
            match path.is_dir() {
                true => path,
                false => path.parent()?.to_owned(),
            }
        }
        None => working.clone()?,
    };
    let above = begin.ancestors();
    let top = above
        .clone()
        .position(|folder| folder.join(".git").exists());
    Some(match top {
        Some(top) => above.take(top + 1).map(Path::to_owned).collect(),
        None => std::iter::once(begin.clone()).chain(working).collect(),
    })
}

/// Reports whether the file, or a link to it, belongs to another user. Files of root are trusted.
#[cfg(unix)]
fn is_foreign(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    let owners = [std::fs::metadata(path), path.symlink_metadata()];
    owners
        .iter()
        .flatten()
        .any(|there| ![0, user].contains(&there.uid()))
}

/// On Windows, the owner is not checked.
#[cfg(not(unix))]
fn is_foreign(_: &Path) -> bool {
    false
}
