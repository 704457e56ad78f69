//! `--learn DIR`: the verifications of earlier rollouts, read for the times that pods took.

use std::path::{Path, PathBuf};

use kubectl_config::bounded;
use serde_json::Value;
use thiserror::Error;

use sts_plan::lessons::Lessons;
use sts_plan::report::{Verification, VerificationList};

/// The endings of the files that are read, as kubectl reads a directory.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];
/// More than a verification of a large set, in bytes.
const LARGEST: u64 = 64 << 20;

/// The reason that nothing can be learned from a directory.
#[derive(Debug, Error)]
pub enum LearnError {
    /// The directory or a file in it cannot be read.
    #[error("--learn: {path}: {error}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A file is neither a verification nor a plan.
    #[error(
        "--learn: {path}: {problem}: the directory is for what kubectl sts-plan verify PLAN --save FILE writes, and for saved plans"
    )]
    Foreign {
        /// The path.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// There is no verification in it.
    #[error(
        "--learn: {0}: there is no verification in it: kubectl sts-plan verify PLAN --save FILE writes one after a rollout"
    )]
    Empty(PathBuf),
}

/// Reads the verifications of a directory. Saved plans may lie beside them.
///
/// # Errors
/// When a file cannot be read, is something else, or there is no verification.
pub(super) fn read(folder: &Path) -> Result<Lessons, LearnError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        |error| LearnError::Unreadable { path, error }
    };
    // The page that plans has no directory, and goes without what reads it.
    if cfg!(target_family = "wasm") {
        return Err(unreadable(folder)(std::io::ErrorKind::Unsupported.into()));
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut lessons = Lessons::default();
    let mut count = 0;
    for path in paths {
        let text = bounded::read(&path, LARGEST).map_err(unreadable(&path))?;
        let found = verifications(&text).map_err(|problem| LearnError::Foreign {
            path: path.clone(),
            problem,
        })?;
        count += found.len();
        found.iter().for_each(|found| lessons.add(found));
    }
    match count {
        0 => Err(LearnError::Empty(folder.to_owned())),
        _ => Ok(lessons),
    }
}

/// The verifications of a file; none of a plan.
fn verifications(text: &[u8]) -> Result<Vec<Verification>, String> {
    let value = kubectl_manifest::read_document(text)
        .map_err(|line| format!("line {line} is neither JSON nor YAML"))?;
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    let wrong = |error: serde_json::Error| format!("this {kind} cannot be read: {error}");
    match &*kind {
        _ if value["apiVersion"] != sts_plan::report::API_VERSION => {
            Err(format!("it is not of {}", sts_plan::report::API_VERSION))
        }
        "Verification" => Ok(vec![serde_json::from_value(value).map_err(wrong)?]),
        "VerificationList" => {
            let list: VerificationList<'_> = serde_json::from_value(value).map_err(wrong)?;
            Ok(list.items.into_owned())
        }
        "Plan" | "PlanList" => Ok(Vec::new()),
        _ => Err(format!(
            "it is a {:?}",
            Value::as_str(&value["kind"]).unwrap_or("document")
        )),
    }
}
