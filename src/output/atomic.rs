//! Writing a file all at once: a reader finds the old content or the new one, never a half.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The users who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileVisibility {
    /// Readable as the user's other files are.
    Usual,
    /// The user alone, where the system has permissions by file.
    User,
}

/// Writes a file under its name once all of it is on the disk. What is there and is not a file, such as a pipe or
/// `/dev/stdout`, is written to as it is; a link stays a link.
///
/// # Errors
/// When the folder is not there, or may not be written to; what was there before is there still. A link that leads
/// nowhere is an error as well: where it was to lead is not known.
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
            Some(there) if readers == FileVisibility::Usual => {
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

/// The file that a path leads to, which need not be there.
///
/// # Errors
/// When it leads nowhere, or the folder cannot be looked into.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(there) => Ok(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
                let problem = "this is a link that leads nowhere: remove it, or name another file";
                return Err(io::Error::new(io::ErrorKind::NotFound, problem));
            }
            // The folder may be a link as well.
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

/// Makes files that are created readable to the user alone.
#[cfg(unix)]
fn keep_private(options: &mut fs::OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// On Windows a file has the permissions of its folder.
#[cfg(not(unix))]
fn keep_private(_: &mut fs::OpenOptions) {}

/// A new file in the folder of another one, hidden from a listing.
fn create_beside(path: &Path, readers: FileVisibility) -> io::Result<(PathBuf, fs::File)> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::IsADirectory, "this is not a name of a file")
    })?;
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
