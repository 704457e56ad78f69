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
    let mode = match (readers, &there) {
        (FileVisibility::User, _) => PRIVATE,
        (FileVisibility::Default, Some(there)) => mode_of(there),
        (FileVisibility::Default, None) => PUBLIC,
    };
    let temporary = Temporary::create(&path, mode)?;
    let written = temporary.fill(
        content,
        there.filter(|_| readers == FileVisibility::Default),
    );
    let written = written
        .and_then(|()| temporary.name())
        .and_then(|beside| fs::rename(beside, &path));
    if written.is_err() {
        temporary.remove();
    }
    written
}

/// Modes of a file that only the user may read, and of one that the umask restricts.
const PRIVATE: u32 = 0o600;
const PUBLIC: u32 = 0o666;

/// A file that is not complete yet. It never has more readers than the complete one.
struct Temporary {
    file: fs::File,
    /// Hidden name in the directory of the complete file.
    beside: PathBuf,
    /// True if the file has no name yet, so that nothing is left of it if the program is killed.
    is_nameless: bool,
}

impl Temporary {
    fn create(path: &Path, mode: u32) -> io::Result<Self> {
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::IsADirectory, "not a file name"))?;
        let mut number = std::process::id();
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{number}"));
            let beside = path.with_file_name(hidden);
            if let Some(file) = nameless(&beside, mode).filter(|_| !beside.exists()) {
                return Ok(Temporary {
                    file,
                    beside,
                    is_nameless: true,
                });
            }
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true);
            with_mode(&mut options, mode);
            match options.open(&beside) {
                Ok(file) => {
                    return Ok(Temporary {
                        file,
                        beside,
                        is_nameless: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    number = number.wrapping_add(1);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes the content to the disk, with the permissions of the file that it replaces.
    fn fill(&self, content: &[u8], replaced: Option<fs::Metadata>) -> io::Result<()> {
        (&self.file).write_all(content)?;
        // The umask may have taken some away.
        if let Some(replaced) = replaced {
            self.file.set_permissions(replaced.permissions())?;
        }
        self.file.sync_all()
    }

    /// Returns the hidden name, and gives it to a nameless file.
    fn name(&self) -> io::Result<&Path> {
        if self.is_nameless {
            link(&self.file, &self.beside)?;
        }
        Ok(&self.beside)
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.beside);
    }
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

/// Sets the mode of created files.
#[cfg(unix)]
fn with_mode(options: &mut fs::OpenOptions, mode: u32) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(mode);
}

/// On Windows a file inherits the permissions of its directory.
#[cfg(not(unix))]
fn with_mode(_: &mut fs::OpenOptions, _: u32) {}

#[cfg(unix)]
fn mode_of(file: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> u32 {
    PUBLIC
}

/// Creates a file without a name in the directory of this one; `None` if the file system has none.
#[cfg(target_os = "linux")]
fn nameless(beside: &Path, mode: u32) -> Option<fs::File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = i32::try_from(OFlags::TMPFILE.bits()).ok()?;
    let folder = beside.parent()?;
    let mut options = fs::OpenOptions::new();
    options.write(true).custom_flags(flags).mode(mode);
    let file = options.open(folder).ok()?;
    // Its name comes from /proc, which a container may lack.
    fs::exists(descriptor(&file)).ok()?.then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &fs::File) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Names a nameless file.
#[cfg(target_os = "linux")]
fn link(file: &fs::File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(
        CWD,
        descriptor(file),
        CWD,
        name,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path, _: u32) -> Option<fs::File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_: &fs::File, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sts-plan-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let _ = fs::create_dir_all(&folder);
        folder
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).map_or(0, Iterator::count)
    }

    #[test]
    fn an_incomplete_file_has_no_more_readers_than_the_complete_one() {
        let folder = folder("mode");
        for (number, mode) in [0o600, 0o640, 0o400].into_iter().enumerate() {
            let path = folder.join(format!("plan-{number}.json"));
            let file = Temporary::create(&path, mode).unwrap().file;
            let created = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(created & !mode, 0, "{created:o}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_left_of_a_file_that_is_not_complete() {
        let folder = folder("nameless");
        let temporary = Temporary::create(&folder.join("plan.json"), PRIVATE).unwrap();
        temporary.fill(b"half", None).unwrap();
        match temporary.is_nameless {
            true => assert_eq!(files(&folder), 0),
            false => println!("not tested: the file system has no files without names"),
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_replaced_with_its_mode() {
        let folder = folder("replaced");
        let path = folder.join("plan.json");
        fs::write(&path, "old").unwrap();
        for mode in [0o600, 0o666, 0o640] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_file(&path, b"new", FileVisibility::Default).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            let now = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(now, mode, "{now:o}");
            assert_eq!(files(&folder), 1);
        }
        write_file(&path, b"plan", FileVisibility::User).unwrap();
        let now = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(now, 0o600);
        fs::remove_dir_all(&folder).unwrap();
    }
}
