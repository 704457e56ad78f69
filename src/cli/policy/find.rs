//! The policy of a repository, found automatically: `.sts-plan.yaml` in the folder of the file that is planned, or the
//! working directory, or a folder above it within the repository.

use std::path::{Path, PathBuf};

use super::PolicyError;

/// The name of the file.
pub const FILE: &str = ".sts-plan.yaml";

/// The policy that goes with the first of these files; with none of them, that of the working directory. `-` is standard
/// input, which has no folder. Without a repository there are only the folder of the file and the working directory: in
/// a folder above them, anyone may have left a policy.
///
/// # Errors
/// When the policy belongs to another user.
pub fn find<'f>(files: impl IntoIterator<Item = &'f str>) -> Result<Option<PathBuf>, PolicyError> {
    let Some(folders) = folders(files.into_iter().find(|file| *file != "-")) else {
        return Ok(None);
    };
    let mut policies = folders.into_iter().map(|folder| folder.join(FILE));
    match policies.find(|policy| policy.is_file()) {
        Some(path) if is_foreign(&path) => Err(PolicyError::Owner {
            path: path.display().to_string(),
        }),
        found => Ok(found),
    }
}

/// The folders to look into, the nearest first.
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

/// Returns true if the file, or a link that leads to it, belongs to another user; root's files are everyone's.
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

/// Windows has no owner that could be asked for here.
#[cfg(not(unix))]
fn is_foreign(_: &Path) -> bool {
    false
}
