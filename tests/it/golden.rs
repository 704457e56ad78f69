//! Files with expected output, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the tests.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Returns true if the files are to be regenerated: `UPDATE_GOLDEN=1`.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment says whether to write the files again"
)]
pub fn is_updating() -> bool {
    std::env::var("UPDATE_GOLDEN").is_ok_and(|value| value == "1")
}

/// Compares with a file, or writes it if `UPDATE_GOLDEN=1`.
pub fn check(path: &Path, actual: &str) {
    if is_updating() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(
        expected == actual,
        "{} differs (UPDATE_GOLDEN=1 writes it again)\n--- expected\n{expected}\n--- actual\n{actual}",
        path.display()
    );
}
