//! Needs of tests that not every machine meets.

/// Says that a test did not run. Where `STS_PLAN_TESTS_NEED` names what it lacks, as `.ci/run` does once it has set that
/// up, it is a failure: a test that passes without having run would mislead.
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
    println!("NOT RUN ({what}): {why}");
}
