//! `Differs:`, the fields in which the pods' revision and the template differ.

use crate::golden;
use crate::program;

fn plan(text: &str, extra: &[&str]) -> String {
    let usual = ["-f", "-", "--now", "2026-11-21T12:00:00Z"];
    program::feed(&[&usual[..], extra].concat(), text).1
}

fn rollout() -> String {
    std::fs::read_to_string(golden::root().join("fixtures/rollout.yaml")).unwrap()
}

const IMAGE: &str = "containers[app].image registry.example.com/shop/web:1.4.2 -> registry.example.com/shop/web:1.5.0";

#[test]
fn a_rollout_in_progress_says_what_differs_below_the_headline() {
    for format in ["table", "wide"] {
        let said = plan(&rollout(), &["-o", format]);
        let line = said.lines().nth(2).unwrap();
        assert_eq!(line, format!("Differs: {IMAGE}"), "{format}: {said}");
    }
}

#[test]
fn changed_fields_are_not_repeated() {
    let image = "registry.example.com/shop/web:9";
    let said = plan(&rollout(), &["--image", image]);
    assert!(said.contains("Change: spec.template"), "{said}");
    assert!(!said.contains("Differs:"), "{said}");
}

#[test]
fn at_most_three_fields_and_no_secrets_are_named() {
    let text = rollout().replacen(
        "imagePullPolicy: IfNotPresent\n",
        "imagePullPolicy: Always\n          workingDir: /srv\n          \
         stdin: true\n          env: [{name: TOKEN, value: hunter2}]\n",
        1,
    );
    let said = plan(&text, &[]);
    let line = said
        .lines()
        .skip_while(|line| !line.starts_with("Differs:"));
    let line = line
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    assert!(line.contains("and 2 more fields"), "{said}");
    assert_eq!(line.matches(" -> ").count(), 3, "{line}");
    let all = plan(&text, &["-v"]);
    assert!(
        all.contains("containers[app].env") && !all.contains("hunter2"),
        "{all}"
    );
}

#[test]
fn a_short_difference_is_in_the_table_of_many_sets() {
    let short = rollout().replace("registry.example.com/shop/", "");
    let other = short.replace("namespace: prod", "namespace: test");
    let said = plan(&format!("{short}---\n{other}"), &[]);
    assert!(
        said.contains("replace web-2 (+2): containers[app].image web:1.4.2 -> web:1.5.0"),
        "{said}"
    );
}
