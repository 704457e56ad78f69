//! Files of YAML that the user writes: policies and stages.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use kubectl_manifest::ReadError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum size of a file in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Reads the text of a file; `kind` names it in the error for a large one.
///
/// # Errors
/// When the file cannot be read, or is too large.
pub(in crate::cli) fn read(path: &Path, kind: &str) -> Result<String> {
    let read = || -> io::Result<String> {
        // The interactive page has no file system.
        if cfg!(target_family = "wasm") {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut text = String::new();
        let file = File::open(path)?;
        file.take(MAX_SIZE + 1).read_to_string(&mut text)?;
        Ok(text)
    };
    let path = path.display();
    let text = read().with_context(|| path.to_string())?;
    if text.len() as u64 > MAX_SIZE {
        bail!("{path}: {kind} too large: more than {MAX_SIZE} bytes");
    }
    Ok(text)
}

/// Reads a value of a text in YAML. The reader of manifests refuses what nests too deep, and a text that is not YAML;
/// then `check` sees the values before they are read into types.
///
/// # Errors
/// When the text is invalid, with line and column.
pub(in crate::cli) fn parse<T: DeserializeOwned>(
    path: &str,
    text: &str,
    check: impl FnOnce(&Value) -> Result<(), String>,
) -> Result<T> {
    let at = |line: usize, column: usize, problem: &str| {
        let problem = shortened(problem);
        anyhow!("{path}: line {line}, column {column}: {problem}")
    };
    let value =
        kubectl_manifest::read_file(path, text.as_bytes()).map_err(|error| match &error {
            ReadError::Text { location, problem } => at(location.line, location.column, problem),
            ReadError::Path { .. } => anyhow!("{error}"),
        })?;
    check(&value).map_err(|problem| anyhow!("{path}: {problem}"))?;
    serde_yaml::from_str(text).map_err(|error| {
        let place = error.location();
        let (line, column) = place.map_or((1, 1), |place| (place.line(), place.column()));
        // The location is printed first.
        let mut problem = error.to_string();
        problem.truncate(problem.rfind(" at line ").unwrap_or(problem.len()));
        at(line, column, &problem)
    })
}

/// Shortens a problem that quotes a long value.
fn shortened(problem: &str) -> String {
    const MOST: usize = 1_000;
    let mut characters = problem.chars();
    let mut short: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
