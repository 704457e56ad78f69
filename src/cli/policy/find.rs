//! The policy of a repository, found by itself: `.sts-plan.yaml` in the folder of the file that is planned, or the working
//! directory, or a folder above it, as far as the repository goes.

use std::path::{Path, PathBuf};

/// What the file is called.
pub const FILE: &str = ".sts-plan.yaml";

/// The policy that goes with the first of these files; with none of them, that of the working directory. `-` is standard
/// input, which is nowhere.
#[must_use]
pub fn find<'f>(files: impl IntoIterator<Item = &'f str>) -> Option<PathBuf> {
    let file = files.into_iter().find(|file| *file != "-");
    let begin = match file {
        Some(file) => {
            let path = Path::new(file).canonicalize().ok()?;
            match path.is_dir() {
                true => path,
                false => path.parent()?.to_owned(),
            }
        }
        None => std::env::current_dir().ok()?,
    };
    for folder in begin.ancestors() {
        let policy = folder.join(FILE);
        if policy.is_file() {
            return Some(policy);
        }
        // What stands above a repository is not of it.
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}
