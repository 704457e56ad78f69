//! The choice of files to read, as `kubectl -f` makes it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::request::World;
use kubectl_manifest::path_excerpt;
use kubectl_manifest::{ReadError, Reading, scan};

/// The file name for what was read from standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// The file name for what a demo has.
pub const DEMO: &str = "the demo";

/// Far above any manifest, so that a device without end does not fill the memory.
const MAX_SIZE: u64 = 1 << 30;
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];
/// The names that `kubectl kustomize` looks for in a directory.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Reads the objects of a world that is not a cluster: a demo, or what [`read_paths`] reads.
///
/// # Errors
///
/// Those of [`read_paths`].
pub fn read_world(world: &World, stdin: &mut dyn Read) -> Result<Reading, ReadError> {
    match world.demo {
        Some(demo) => scan(DEMO, demo.dump.as_bytes().to_vec()),
        None => read_paths(&world.files, world.recursive, stdin),
    }
}

/// Reads what `-f` names, in its order: files whatever they are called, the `.json`, `.yaml` and `.yml` files of
/// directories by name (and of directories within if `recursive`), and standard input for `-`. Of an object no more than its
/// place is kept; it is read when it is asked for.
///
/// # Errors
///
/// The first file that cannot be read, a directory without a file to read, a `-` that is given twice.
pub fn read_paths(
    paths: &[String],
    recursive: bool,
    stdin: &mut dyn Read,
) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let mut stdin = Some(stdin);
    for path in paths {
        let wrong = |problem: &str| ReadError::Path {
            path: path_excerpt(path),
            problem: problem.into(),
        };
        if path == "-" {
            let stdin = stdin
                .take()
                .ok_or_else(|| wrong("standard input can be read only once: give '-' once"))?;
            let bytes = read_all(stdin, 0).map_err(|error| wrong(&why(&error)))?;
            reading.extend(scan(STANDARD_INPUT, bytes)?);
            continue;
        }
        if path.starts_with("http://") || path.starts_with("https://") {
            return Err(wrong("URLs are not read: download the file first"));
        }
        let metadata = fs::metadata(path).map_err(|error| wrong(&why(&error)))?;
        let files = if metadata.is_dir() {
            list(Path::new(path), recursive)?
        } else {
            vec![PathBuf::from(path)]
        };
        if files.is_empty() {
            return Err(wrong(
                "no manifest is in this directory: files must end with .json, .yaml or .yml",
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

/// The files that [`read_paths`] reads of these paths. What cannot be read is left out: reading it says why.
#[must_use]
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

/// The manifests of a directory, in the order of their names. Links to directories are not followed, so that no walk
/// is endless.
fn list(root: &Path, recursive: bool) -> Result<Vec<PathBuf>, ReadError> {
    let mut files = Vec::new();
    // The paths that are left to look at, the next one last.
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

/// The refusal of a directory whose manifests are not complete before its kustomization is built.
fn kustomization(directory: &Path) -> ReadError {
    ReadError::Path {
        path: path_excerpt(&directory.to_string_lossy()),
        problem: "the directory has a kustomization, which -f does not build: \
                  kubectl kustomize DIR | kubectl sts-plan -f -"
            .into(),
    }
}

/// Reads all of a source, which is probably of that size: a text that grows as it is read is there twice for a moment.
fn read_all(source: &mut dyn Read, size: u64) -> io::Result<Vec<u8>> {
    // Room for the line break that a last line may lack, and for finding the end.
    let room = size.min(MAX_SIZE) + 64;
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    source.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "the file is larger than 1 GiB: split it",
        ));
    }
    Ok(bytes)
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the path does not exist: check its name".into(),
        io::ErrorKind::PermissionDenied => "the file may not be read: check its permissions".into(),
        io::ErrorKind::IsADirectory => "this is a directory: name it without a link".into(),
        _ => error.to_string(),
    }
}
