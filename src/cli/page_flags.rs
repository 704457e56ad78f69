//! The flags that a link of the planning page may carry: those that change the plan.

use clap::Arg;

/// Headings of the flags that are settings of a plan.
const SETTINGS: [&str; 5] = ["Change", "Stages", "Nodes", "Assumptions", "Questions"];
/// Flags of these headings that are not settings of the page: it has the manifest itself, no server, no other files,
/// objects with their time, and a budget of its own.
const EXCLUDED: [&str; 8] = [
    "apply",
    "apply_mode",
    "budget",
    "causes",
    "dry_run",
    "interactive",
    "now",
    "stages",
];
/// Flags that have a field on the page; the field `flags` has the others.
const FIELDS: [&str; 6] = [
    "kubernetes-version",
    "replicas",
    "partition",
    "max-unavailable",
    "image",
    "ready-after",
];

/// The page leaves other flags out of its links, and refuses them in a link.
#[test]
fn the_page_accepts_the_flags_of_a_link_and_no_others() {
    // The published package does not have the page.
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/playground/page.js");
    let Ok(page) = std::fs::read_to_string(page) else {
        return;
    };
    let list = page.split_once("const LINKED = [").unwrap().1;
    let list = list.split_once(']').unwrap().0;
    let list: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
    let command = super::command();
    let is_setting = |argument: &&Arg| {
        let heading = argument.get_help_heading();
        let id = argument.get_id().as_str();
        heading.is_some_and(|heading| SETTINGS.contains(&heading)) && !EXCLUDED.contains(&id)
    };
    let own = command.get_arguments().filter(is_setting);
    let names = own.filter_map(|argument| argument.get_long());
    let mut names: Vec<&str> = names.filter(|name| !FIELDS.contains(name)).collect();
    // The page has the time of its objects as a flag.
    names.push("now");
    names.sort_unstable();
    assert_eq!(list, names);
    for flag in [
        "show-values",
        "server",
        "token",
        "kubeconfig",
        "report",
        "save",
        "policy",
        "budget",
    ] {
        assert!(!list.contains(&flag), "{flag}");
    }
}
