//! `--help`: every flag in a line or two, by topic.

use clap::Command;

use super::flags::{HelpDetail, under};
use super::{Topic, examples, heading, short};
use crate::cli::exit;

const EXAMPLES: [(&str, &str); 6] = [
    (
        "What happens next in the cluster, and then; all sets, the stuck ones first",
        "kubectl sts-plan web -n prod\n  kubectl sts-plan -A",
    ),
    (
        "What a change would do: an image, a partition, a chart",
        "kubectl sts-plan web -n prod --image app=registry.example/app:2 --partition 2\n  \
         helm template . | kubectl sts-plan -n prod --apply -",
    ),
    (
        "Without a cluster: a dump, or the first rollout of a manifest",
        "kubectl sts-plan -f dump.yaml\n  kubectl sts-plan -f web.yaml --kubernetes-version 1.33",
    ),
    (
        "Fail a pull request that would lose data or go down",
        "kubectl sts-plan -f dump.yaml --apply new.yaml --fail-on data-loss,downtime",
    ),
    (
        "Watch a rollout against its plan",
        "kubectl sts-plan web -n prod -w --timeout 10m",
    ),
    (
        "Save a plan, let things happen, and compare",
        "kubectl sts-plan web -n prod --save plan.json\n  kubectl sts-plan verify plan.json",
    ),
];

pub(super) fn page(command: &mut Command) -> String {
    let mut out = short::about(command);
    out += &format!("\n{}\n", heading("Commands:"));
    out += &short::commands(command);
    for topic in Topic::ALL {
        out += &format!("\n{} (help {})\n", heading(topic.title()), topic.name());
        out += &under(command, topic.headings(), HelpDetail::Summary);
    }
    out += &format!("\n{}\n", heading("Other:"));
    out += &under(command, &[""], HelpDetail::Summary);
    out += &format!("\n{}\n", heading("Examples:"));
    out += &examples(&EXAMPLES);
    out + &format!("\n{}", exit::of_plan())
}

/// The examples and exit codes, for the manual page, which has the flags already.
#[must_use]
pub fn manual() -> String {
    let examples = EXAMPLES.map(|(what, line)| format!("  # {what}\n  {line}\n"));
    format!(
        "Examples:\n{}\n{}\n\n{}",
        examples.concat(),
        exit::of_plan(),
        exit::of_watch()
    )
}
