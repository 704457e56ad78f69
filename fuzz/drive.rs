//! Gives a target its inputs, and says how many they were.

#![expect(
    clippy::disallowed_methods,
    reason = "how long it goes on is for the environment and the clock to say"
)]

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRng, TestRunner};

/// No input of a few kilobytes takes so long, on whatever machine.
const LONGEST: Duration = Duration::from_secs(20);
/// All targets together stay far below, in KiB.
const MOST_MEMORY: u64 = 2 << 20;

/// Gives a target inputs by lot: one in `cost` of the usual number, or as many as go into `FUZZ_SECONDS`, with another
/// draw in every round. It fails by panicking, by taking long, or by eating memory. An input that fails is made
/// smaller, and then printed.
pub fn fuzz<S: Strategy>(name: &str, cost: u32, inputs: &S, target: impl Fn(S::Value)) {
    let usual = Config::default();
    let config = Config {
        cases: (usual.cases / cost).max(1),
        failure_persistence: None,
        max_shrink_time: 120_000,
        ..usual
    };
    let seconds = std::env::var("FUZZ_SECONDS").ok();
    let seconds = seconds.map(|text| text.parse().expect("FUZZ_SECONDS is a number"));
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut runner = TestRunner::new(config.clone());
    let mut given = 0_u64;
    for round in 1_u64.. {
        let ran = runner.run(inputs, |input| {
            let began = worked();
            target(input);
            let took = worked().saturating_sub(began);
            assert!(took < LONGEST, "it takes too long: {took:?}");
            Ok::<(), TestCaseError>(())
        });
        if let Err(error) = ran {
            panic!("{name}: {error}");
        }
        given += u64::from(config.cases);
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
        let mut draw = [0; 32];
        draw[..8].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(config.rng_algorithm, &draw);
        runner = TestRunner::new_with_rng(config.clone(), rng);
    }
    if let Some(most) = most_memory() {
        assert!(most < MOST_MEMORY, "{name}: {most} KiB were in use");
    }
    println!("fuzz: {name}: {given} inputs");
}

/// Returns the time that this thread has worked, where the system tells: a machine with other work is not to blame.
fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// The most memory that this process has had, in KiB, where the system tells.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
