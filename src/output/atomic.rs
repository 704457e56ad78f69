//! Atomic writes: a reader finds the old content or the new content, never a part.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The users who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileVisibility {
    /// As the umask permits.
    Default,
    /// The user alone, on systems with file modes.
    User,
}

/// Writes a file and renames it into place once all of it is on the disk. A path that is not a regular file, such as a
/// pipe or `/dev/stdout`, is written to directly. A symlink is followed.
///
/// # Errors
/// When the directory is missing or not writable; the old content then remains. A broken symlink is an error, too.
pub fn write_file(path: &Path, content: &[u8], readers: FileVisibility) -> io::Result<()> {
    let path = target(path)?;
    let there = fs::metadata(&path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(&path)?
            .write_all(content);
    }
    let (beside, mut file) = create_beside(&path, readers)?;
    let written = file
        .write_all(content)
        .and_then(|()| match &there {
            Some(there) if readers == FileVisibility::Default => {
                file.set_permissions(there.permissions())
            }
            _ => Ok(()),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Resolves a path to its target, which need not exist.
///
/// # Errors
/// When it is a broken symlink, or the directory cannot be read.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(there) => Ok(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
                let problem = "broken symlink: remove it or use another path";
                return Err(io::Error::new(io::ErrorKind::NotFound, problem));
            }
            // The directory may be a symlink, too.
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
            match (folder, path.file_name()) {
                (Ok(folder), Some(name)) => Ok(folder.join(name)),
                _ => Ok(path.to_path_buf()),
            }
        }
        Err(error) => Err(error),
    }
}

/// Makes created files readable to the user alone.
#[cfg(unix)]
fn keep_private(options: &mut fs::OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// On Windows a file inherits the permissions of its directory.
#[cfg(not(unix))]
fn keep_private(_: &mut fs::OpenOptions) {}

/// Creates a hidden file in the directory of another one.
fn create_beside(path: &Path, readers: FileVisibility) -> io::Result<(PathBuf, fs::File)> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::IsADirectory, "not a file name"))?;
    let mut number = std::process::id();
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{number}"));
        let beside = path.with_file_name(hidden);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        if readers == FileVisibility::User {
            keep_private(&mut options);
        }
        match options.open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number = number.wrapping_add(1);
            }
            Err(error) => return Err(error),
        }
    }
}
