//! The README shows what the program prints.

use std::process::Command;

const README: &str = include_str!("../../README.md");

#[test]
fn the_screen_is_what_the_program_prints() {
    let block = README
        .split("```console\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let (command, screen) = block.split_once('\n').unwrap();
    let args = command
        .strip_prefix("$ kubectl sts-plan ")
        .unwrap()
        .split(' ');
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
        .args(args)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), screen);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn it_names_the_two_commands() {
    for command in [
        "cargo run --release -- -f tests/fixtures/rollout.yaml",
        "cargo test",
    ] {
        assert!(README.lines().any(|line| line == command), "{command}");
    }
}
