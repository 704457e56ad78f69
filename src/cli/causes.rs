//! `--causes DIR` and `causes:` of a policy: the causes that a team adds to those of this program.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use kubectl_config::bounded;

use super::policy::{self, Policy, file};
use crate::output::escape;
use sts_plan::cause::{Catalogue, CauseEntry};

/// Reads the causes in the YAML files of a directory, in the order of their names.
///
/// # Errors
/// When a file cannot be read, a cause is wrong or known already, or there is none.
pub(super) fn read(folder: &Path) -> Result<Catalogue> {
    let mut all = Vec::new();
    for path in files(folder)
        .map_err(|error| anyhow!("{}: {}", folder.display(), bounded::problem(&error)))?
    {
        let text = file::read(&path)?;
        // A file with only comments has no causes.
        let entries: Option<Vec<CauseEntry>> =
            file::parse(&path.display().to_string(), &text, |_| Ok(()))?;
        for mut entry in entries.unwrap_or_default() {
            if let Some(fault) = fault(&entry) {
                bail!("{}: cause {:?}: {fault}", path.display(), entry.id);
            }
            entry.file = escape(&path.to_string_lossy()).into_owned();
            all.push(entry);
        }
    }
    if all.is_empty() {
        bail!(
            "{}: no causes: add a file such as causes.yaml with a list of causes (docs/causes.md)",
            folder.display()
        );
    }
    Catalogue::with_own(all).map_err(|fault| anyhow!("{}: cause {fault}", folder.display()))
}

/// Returns the catalogue with the causes of a directory, or else of the one that the policy of the working directory
/// names.
///
/// # Errors
/// When the policy or a cause is wrong.
pub(super) fn catalogue(named: Option<PathBuf>) -> Result<Catalogue> {
    let folder = match named {
        Some(folder) => Some(folder),
        None => match policy::find([])? {
            Some(path) => Policy::read(&path)?.causes,
            None => None,
        },
    };
    folder.map_or_else(|| Ok(Catalogue::default()), |folder| read(&folder))
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if matches!(extension, Some("yaml" | "yml")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns what is wrong in an entry, apart from the other entries.
fn fault(entry: &CauseEntry) -> Option<&'static str> {
    let texts = [
        &entry.id,
        &entry.title,
        &entry.component,
        &entry.source,
        &entry.helps,
        &entry.useless,
        &entry.avoid,
        &entry.look,
        &entry.owner,
        &entry.runbook,
        &entry.admitted_once,
    ];
    let lists = [&entry.reasons, &entry.containers, &entry.named_after];
    let lists = lists.into_iter().chain(&entry.words).flatten();
    let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_link = ["https://", "http://"]
        .iter()
        .any(|start| entry.runbook.starts_with(start));
    if entry.id.is_empty() || !entry.id.chars().all(is_id) {
        Some("the id has lower-case letters, digits and dashes")
    } else if entry.title.is_empty() || entry.helps.is_empty() {
        Some("title and helps say what is wrong and what to do: write both")
    } else if texts
        .into_iter()
        .chain(lists)
        .any(|text| escape(text) != **text)
    {
        Some("a text is too long, or has a line break or another character that is not printed")
    } else if entry.reasons.is_empty() && entry.words.is_empty() && entry.exit_codes.is_empty() {
        Some(
            "it has no reasons, words or exitCodes, so every report of its place would be this cause",
        )
    } else if entry
        .words
        .iter()
        .any(|group| group.iter().all(|word| word.trim().is_empty()))
    {
        Some("an item of words is empty, so every message would be this cause")
    } else if !entry.state.is_empty() {
        Some("a report identifies it: omit state, which is for states that this program looks for")
    } else if !entry.runbook.is_empty() && !is_link {
        Some("the runbook is a link: begin it with https://")
    } else {
        None
    }
}
