//! Requirements of tests that not every machine meets.

use std::collections::BTreeSet;
use std::sync::Mutex;

/// The missing requirements that were told.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reports that a test did not run, once for each requirement. If `STS_PLAN_TESTS_NEED` names the missing requirement, the test fails. `.ci/run`
/// sets it after setting the requirement up, because a test that passes without running would mislead.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment says what has to be there"
)]
pub fn did_not_run(what: &str, why: &str) {
    let needed = std::env::var("STS_PLAN_TESTS_NEED").unwrap_or_default();
    assert!(
        !needed.split(',').any(|needed| needed == what),
        "STS_PLAN_TESTS_NEED={needed}, and a test could not run: {why}"
    );
    if TOLD.lock().unwrap().insert(what.to_owned()) {
        test_kit::tell(&format!("NOT RUN ({what}): {why}"));
    }
}
