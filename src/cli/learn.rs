//! `--learn DIR`: pod timings from the verifications of earlier rollouts.

use std::path::{Path, PathBuf};

use kubectl_config::bounded;
use serde_json::Value;
use thiserror::Error;

use sts_plan::lessons::Lessons;
use sts_plan::verify::{Verification, VerificationList};

/// Extensions of the files to read, as when kubectl reads a directory.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];
/// Maximum size of a file in bytes, well above the verification of a large set.
const MAX_SIZE: u64 = 64 << 20;

/// Error of reading a `--learn` directory.
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
        "--learn: {problem}: {path}; keep only saved plans and files of kubectl sts-plan verify PLAN --save FILE there"
    )]
    Foreign {
        /// The path.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The directory has no verification.
    #[error(
        "--learn: no verification in {0}; after a rollout, kubectl sts-plan verify PLAN --save FILE writes one"
    )]
    Empty(PathBuf),
}

/// Reads the verifications in a directory, which may also have saved plans.
///
/// # Errors
/// When a file cannot be read or is of another kind, or there is no verification.
pub(super) fn read(folder: &Path) -> Result<Lessons, LearnError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        |error| LearnError::Unreadable { path, error }
    };
    // The interactive page has no file system.
    if cfg!(target_family = "wasm") {
        return Err(unreadable(folder)(std::io::ErrorKind::Unsupported.into()));
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if path.is_file() && extension.is_some_and(|it| EXTENSIONS.contains(&it)) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut lessons = Lessons::default();
    let mut count = 0;
    for path in paths {
        let text = bounded::read(&path, MAX_SIZE).map_err(unreadable(&path))?;
        let found = verifications(&text).map_err(|problem| LearnError::Foreign {
            path: path.clone(),
            problem,
        })?;
        count += found.len();
        for found in &found {
            let set = &found.metadata;
            lessons.add(&set.namespace, &set.name, &found.times);
        }
    }
    match count {
        0 => Err(LearnError::Empty(folder.to_owned())),
        _ => Ok(lessons),
    }
}

/// Returns the verifications in a file; a plan has none.
fn verifications(text: &[u8]) -> Result<Vec<Verification>, String> {
    let value = kubectl_manifest::read_document(text)
        .map_err(|line| format!("neither JSON nor YAML in line {line}"))?;
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    let wrong = |error: serde_json::Error| format!("invalid {kind}: {error}");
    match &*kind {
        _ if value["apiVersion"] != sts_plan::report::API_VERSION => {
            Err(format!("not of {}", sts_plan::report::API_VERSION))
        }
        "Verification" => Ok(vec![serde_json::from_value(value).map_err(wrong)?]),
        "VerificationList" => {
            let list: VerificationList<'_> = serde_json::from_value(value).map_err(wrong)?;
            Ok(list.items.into_owned())
        }
        "Plan" | "PlanList" => Ok(Vec::new()),
        _ => Err(format!(
            "unexpected kind {:?}",
            Value::as_str(&value["kind"]).unwrap_or("document")
        )),
    }
}
