//! The digest of a saved plan, which detects later edits.

use std::io;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::json;
use sts_plan::report::Report;

/// Sets the digest of a report, which covers everything else in it.
///
/// # Errors
/// When the report cannot be serialized.
pub fn set_digest(report: &mut Report) -> io::Result<()> {
    report.metadata.digest.clear();
    let value = json::tree(report)?;
    report.metadata.digest = digest(&value);
    Ok(())
}

/// Reports whether a saved plan is unmodified. A plan without a digest was printed, not saved, and is not checked.
pub fn is_intact(plan: &Value) -> bool {
    let Some(recorded) = plan["metadata"]["digest"].as_str() else {
        return true;
    };
    let mut rest = plan.clone();
    if let Some(metadata) = rest["metadata"].as_object_mut() {
        metadata.remove("digest");
    }
    recorded == digest(&rest)
}

/// Returns the digest of the compact text with sorted members: whitespace and order do not matter.
fn digest(plan: &Value) -> String {
    let hash = Sha256::digest(plan.to_string().as_bytes());
    let hexadecimal: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hexadecimal}")
}
