//! The exit code of `--require`.

use crate::program;

#[test]
fn a_broken_requirement_decides_the_exit_code() {
    for (args, code) in [
        ("--require unavailable<=1", 0),
        ("--require unavailable<=0", 5),
        ("--require unavailable<=1 --detailed-exitcode", 2),
        ("--require unavailable<=0 --detailed-exitcode", 5),
        ("--explore --require unavailable<=1", 0),
        ("--explore --faults 1 --require unavailable<=1", 5),
        ("--require unavailable", 1),
        ("--faults 1", 1),
        ("--require quorum", 0),
        ("--require quorum --explore", 0),
        ("--require quorum --explore --faults 2", 5),
        ("--require quorum --replicas 1", 5),
        ("--require quorums", 1),
        ("--fail-on quorum", 0),
        ("--fail-on quorum --replicas 1", 5),
    ] {
        let words: Vec<&str> = args.split(' ').collect();
        let (found, _, error) =
            program::run(&[&["-f", "tests/fixtures/rollout.yaml"], &words[..]].concat());
        assert_eq!(found, code, "{args}: {error}");
    }
}
