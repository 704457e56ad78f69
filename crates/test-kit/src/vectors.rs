//! Sources of recorded cases.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the files of one kind of vectors: all of them if available, otherwise the subset in this repository.
pub fn files(kind: &str) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = [
        here.join("../../../shared/vectors"),
        here.join("../../../shared/vectors/open"),
        here.join("../sts-controller/tests/vectors"),
    ]
    .into_iter()
    .map(|root| root.join(kind))
    .find(|folder| folder.is_dir())
    .expect("vectors");
    let mut files: Vec<PathBuf> = later(&folder, kind)
        .into_iter()
        .chain([folder])
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// Returns newer recordings, which have folders of their own.
fn later(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let root = folder.parent().expect("a folder of all kinds");
    let later = ["next", "open"].map(|name| root.join(name).join(kind));
    later.into_iter().filter(|folder| folder.is_dir()).collect()
}

/// Returns the cases of a file: one JSON value per line, compressed or not.
pub fn cases(file: &Path) -> Vec<Value> {
    lines(file)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the lines of a file, compressed or not.
pub fn lines(file: &Path) -> Vec<String> {
    let open = File::open(file).unwrap();
    let reader: Box<dyn Read> = if file.extension().is_some_and(|extension| extension == "gz") {
        Box::new(flate2::read::GzDecoder::new(open))
    } else {
        Box::new(open)
    };
    BufReader::new(reader).lines().map(Result::unwrap).collect()
}
