//! Files of YAML that the user writes: policies and stages.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Result, anyhow};
use kubectl_config::bounded;
use kubectl_manifest::ReadError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum size of a file in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Reads the text of a file.
///
/// # Errors
/// When the file cannot be read, or is too large.
pub(in crate::cli) fn read(path: &Path) -> Result<String> {
    // The interactive page has no file system.
    let text = match cfg!(target_family = "wasm") {
        true => Err(ErrorKind::Unsupported.into()),
        false => bounded::read_text(path, MAX_SIZE),
    };
    text.map_err(|error| anyhow!("{}: {}", path.display(), bounded::problem(&error)))
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
