//! Writing a file all at once: whoever reads it finds the old content or the new one, never a half.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file under its name once all of it is on the disk. What is there and is no file, such as a pipe or
/// `/dev/stdout`, is written to as it is; a link stays a link.
///
/// # Errors
/// When the folder is not there, or may not be written to; what was there before is there still.
pub fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = match fs::canonicalize(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    let there = fs::metadata(&path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(&path)?
            .write_all(content);
    }
    let (beside, mut file) = create_beside(&path)?;
    let written = file
        .write_all(content)
        .and_then(|()| match &there {
            Some(there) => file.set_permissions(there.permissions()),
            None => Ok(()),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the folder of another one, hidden from whoever lists it.
fn create_beside(path: &Path) -> io::Result<(PathBuf, fs::File)> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::IsADirectory, "this is no name of a file"))?;
    let mut number = std::process::id();
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{number}"));
        let beside = path.with_file_name(hidden);
        let file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside);
        match file {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number = number.wrapping_add(1);
            }
            Err(error) => return Err(error),
        }
    }
}
