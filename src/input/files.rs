//! Selection of the files to read, as in `kubectl -f`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::unquoted::quoted;
use crate::request::World;
use kubectl_config::bounded;
use kubectl_manifest::path_excerpt;
use kubectl_manifest::{ReadError, Reading, scan};

/// File name of standard input in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// File name of a demo in messages.
pub const DEMO: &str = "the demo";

/// Maximum file size, far above any manifest. It stops an endless device from filling the memory.
const MAX_SIZE: u64 = 1 << 30;
/// Memory for the objects of a file, as a multiple of its size: six for one long string, less than one for most files.
/// Only a limit on addresses (`ulimit -v`) counts memory that is reserved and not used.
const OBJECTS: usize = 6;
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];
/// Names of the file that `kubectl kustomize` reads in a directory.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Reads the objects of a demo or of files.
///
/// # Errors
///
/// Those of [`read_paths`].
pub fn read_world(world: &World, stdin: &mut dyn Read) -> Result<Reading, ReadError> {
    match world.demo {
        Some(demo) => scan(DEMO, demo.dump.as_bytes().to_vec()),
        None => read_each(&world.files, world.recursive, stdin, scan_dump),
    }
}

/// Reads the arguments of `-f` in order: files of any name, the `.json`, `.yaml` and `.yml` files of directories by
/// name (recursively if `recursive`), and standard input for `-`. Objects are only located, and parsed on demand.
///
/// # Errors
///
/// When a file cannot be read, a directory has no manifest, or `-` is repeated.
pub fn read_paths(
    paths: &[String],
    recursive: bool,
    stdin: &mut dyn Read,
) -> Result<Reading, ReadError> {
    read_each(paths, recursive, stdin, scan)
}

/// Reads files, each in this way.
fn read_each(
    paths: &[String],
    recursive: bool,
    stdin: &mut dyn Read,
    scan: fn(&str, Vec<u8>) -> Result<Reading, ReadError>,
) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let mut stdin = Some(stdin);
    for path in paths {
        let wrong = |problem: &str| ReadError::Path {
            path: path_excerpt(path),
            problem: problem.into(),
        };
        if path.is_empty() {
            return Err(ReadError::Path {
                path: "-f".into(),
                problem: "the name of a file is empty".into(),
            });
        }
        if path == "-" {
            let stdin = stdin
                .take()
                .ok_or_else(|| wrong("standard input can be read only once: use '-' once"))?;
            let bytes = read_all(stdin, 0).map_err(|error| wrong(&why(&error)))?;
            reading.extend(scan(STANDARD_INPUT, bytes)?);
            continue;
        }
        if path.starts_with("http://") || path.starts_with("https://") {
            return Err(wrong("URLs are not supported: download the file first"));
        }
        let metadata = fs::metadata(path).map_err(|error| wrong(&why(&error)))?;
        let files = if metadata.is_dir() {
            list(Path::new(path), recursive)?
        } else {
            vec![PathBuf::from(path)]
        };
        if files.is_empty() {
            return Err(wrong(
                "no manifests in this directory: file names must end with .json, .yaml or .yml",
            ));
        }
        for file in files {
            let name = file.to_string_lossy();
            let bytes = fs::File::open(&file).and_then(|file| {
                let size = file.metadata().map_or(0, |metadata| metadata.len());
                read_all(&mut { file }, size)
            });
            let bytes = bytes.map_err(|error| ReadError::Path {
                path: path_excerpt(&name),
                problem: why(&error),
            })?;
            reading.extend(scan(&name, bytes)?);
        }
    }
    Ok(reading)
}

/// Locates the objects of a file.
fn scan_dump(name: &str, bytes: Vec<u8>) -> Result<Reading, ReadError> {
    let (bytes, warnings) = quoted(name, bytes);
    let mut reading = scan(name, bytes)?;
    reading.warnings.extend(warnings);
    Ok(reading)
}

/// Returns the files that [`read_paths`] reads. Unreadable paths are omitted; reading them reports the error.
pub fn files_of<'p>(paths: impl IntoIterator<Item = &'p str>, recursive: bool) -> Vec<PathBuf> {
    let files = paths.into_iter().flat_map(|path| {
        let path = Path::new(path);
        match path.is_dir() {
            true => list(path, recursive).unwrap_or_default(),
            false => vec![path.to_owned()],
        }
    });
    files.collect()
}

/// Lists the manifests of a directory by name. Links to directories are not followed, so that the walk ends.
fn list(root: &Path, recursive: bool) -> Result<Vec<PathBuf>, ReadError> {
    let mut files = Vec::new();
    // Remaining paths; the next one is last.
    let mut left = vec![(root.to_owned(), true)];
    while let Some((path, is_directory)) = left.pop() {
        if !is_directory {
            if path
                .extension()
                .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
            {
                files.push(path);
            }
            continue;
        }
        if path != root && !recursive {
            continue;
        }
        let wrong = |error: &io::Error| ReadError::Path {
            path: path_excerpt(&path.to_string_lossy()),
            problem: why(error),
        };
        let mut entries = Vec::new();
        for entry in fs::read_dir(&path).map_err(|error| wrong(&error))? {
            let entry = entry.map_err(|error| wrong(&error))?;
            let is_directory = entry.file_type().map_err(|error| wrong(&error))?.is_dir();
            if !is_directory && KUSTOMIZATIONS.iter().any(|name| entry.file_name() == *name) {
                return Err(kustomization(&path));
            }
            entries.push((entry.path(), is_directory));
        }
        entries.sort_by(|a, b| b.0.file_name().cmp(&a.0.file_name()));
        left.append(&mut entries);
    }
    Ok(files)
}

/// Returns the error for a directory with a kustomization, whose manifests are incomplete until it is built.
fn kustomization(directory: &Path) -> ReadError {
    ReadError::Path {
        path: path_excerpt(&directory.to_string_lossy()),
        problem: "the directory has a kustomization, which -f does not build: use \
                  kubectl kustomize DIR | kubectl sts-plan -f -"
            .into(),
    }
}

/// Reads a whole source of about this size, without a reallocation that would double the memory.
fn read_all(source: &mut dyn Read, size: u64) -> io::Result<Vec<u8>> {
    // Room for a missing final line break and for detecting the end.
    let room = size.min(MAX_SIZE) + 64;
    let mut bytes = Vec::new();
    reserve(&mut bytes, usize::try_from(room).unwrap_or(usize::MAX))?;
    source.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "the file is larger than 1 GiB: split it",
        ));
    }
    // The objects are in memory beside their text.
    reserve(&mut Vec::new(), bytes.len().saturating_mul(OBJECTS))?;
    Ok(bytes)
}

/// Reserves memory, or returns an error where an allocation would end the program.
fn reserve(bytes: &mut Vec<u8>, room: usize) -> io::Result<()> {
    let reserved = bytes.try_reserve_exact(room);
    reserved.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "is a directory: name it without a link".into(),
        _ => bounded::problem(error),
    }
}
