//! Files of YAML that the user writes: policies and stages.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

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

/// Returns the message of an error without its location, which is printed separately.
pub(in crate::cli) fn problem(error: &serde_yaml::Error) -> String {
    let mut text = error.to_string();
    text.truncate(text.rfind(" at line ").unwrap_or(text.len()));
    text
}
