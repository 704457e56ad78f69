//! The command line: contract sections 1 to 4 and 7.

use std::collections::BTreeMap;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Parser, ValueEnum};
use jiff::{SignedDuration, Timestamp};

use crate::controller::{Gates, Version};
use crate::render::Format;
use crate::simulate::{Assumption, Start};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  # What happens next in a dump of a cluster, and then
  kubectl get sts,po,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -

  # The first rollout of a manifest
  kubectl sts-plan -f web.yaml

  # As the controller of another version would do it, in a CI job
  kubectl sts-plan -f dump.yaml --kubernetes-version 1.27.4 --detailed-exitcode

Exit codes:
  0  a plan was printed (with --detailed-exitcode: and there is nothing to do)
  1  an error in usage or input
  2  --detailed-exitcode: there is something to do, and it completes
  3  --detailed-exitcode: blocked or livelock
  4  --detailed-exitcode: the API server would refuse the change";

/// Predicts what the StatefulSet controller does next, and the whole rollout after it. Read-only.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-sts_plan",
    version,
    after_help = EXAMPLES,
    styles = STYLES,
    max_term_width = 110
)]
pub struct Args {
    /// The sets to plan: web, sts/web, statefulset/web or statefulsets.apps/web; all sets of the input
    /// without a name. Or `versions`: the table of Kubernetes versions and feature gates
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Read objects from a file, a directory, or standard input (-); may be repeated
    #[arg(short, long, value_name = "FILE|DIR|-", help_heading = "Input")]
    pub filename: Vec<String>,

    /// Read directories with everything below them
    #[arg(short = 'R', long, help_heading = "Input")]
    pub recursive: bool,

    /// Plan sets of this namespace; objects of the input without a namespace belong to it
    #[arg(short, long, value_name = "NAMESPACE", help_heading = "Selection")]
    pub namespace: Option<String>,

    /// Plan the sets of all namespaces
    #[arg(
        short = 'A',
        long,
        conflicts_with = "names",
        help_heading = "Selection"
    )]
    pub all_namespaces: bool,

    /// Plan the sets whose labels match: a=b,c!=d,e in (f,g),h,!i
    #[arg(short = 'l', long, value_name = "SELECTOR", help_heading = "Selection")]
    pub selector: Option<String>,

    /// The controller's version: 1.NN is its last patch, 1.NN.P that patch
    #[arg(long, value_name = "1.NN[.P]", value_parser = parse_version, help_heading = "Controller")]
    pub kubernetes_version: Option<Version>,

    /// Feature gates of the controller: A=true,B=false
    #[arg(long, value_name = "GATES", value_parser = parse_gates, help_heading = "Controller")]
    pub feature_gates: Vec<BTreeMap<String, bool>>,

    /// The moment at which the plan begins [default: the current time]
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Assumptions")]
    pub now: Option<Timestamp>,

    /// How long a new pod takes to become ready, or auto: as long as the set's own pods took
    #[arg(long, value_name = "DURATION|auto", value_parser = parse_ready_after, default_value = "auto", help_heading = "Assumptions")]
    pub ready_after: ReadyAfter,

    /// How long a deleted pod takes to go, unless its grace period is shorter
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5s", help_heading = "Assumptions")]
    pub gone_after: SignedDuration,

    /// Assume of every pod of that name: never-ready, never-gone, fails, ready-after:DURATION or
    /// gone-after:DURATION; may be repeated
    #[arg(long, value_name = "POD=WHAT", value_parser = parse_assumption, help_heading = "Assumptions")]
    pub assume: Vec<(String, Assumed)>,

    /// The output's format: table, json or yaml
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format, help_heading = "Output")]
    pub output: Format,

    /// Leave table headers out
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, help_heading = "Output")]
    pub color: Color,

    /// Say more: full names, every step, what of the input was skipped
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Output")]
    pub verbose: bool,

    /// Let the exit code tell how the plan ends
    #[arg(long, help_heading = "Output")]
    pub detailed_exitcode: bool,
}

/// `--ready-after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyAfter {
    /// As long as the set's own pods took.
    Auto,
    /// That long.
    Fixed(SignedDuration),
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that wants them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The right side of one `--assume`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assumed {
    /// The pod's start ends so.
    Start(Start),
    /// The pod stays terminating for ever.
    NeverGone,
    /// The pod is ready after that long.
    ReadyAfter(SignedDuration),
    /// The pod is gone after that long.
    GoneAfter(SignedDuration),
}

impl Args {
    /// All feature gates that were given, later ones over earlier ones.
    #[must_use]
    pub fn gates(&self) -> BTreeMap<String, bool> {
        self.feature_gates
            .iter()
            .flatten()
            .map(|(name, on)| (name.clone(), *on))
            .collect()
    }

    /// What is assumed of each pod, by name.
    #[must_use]
    pub fn assumptions(&self) -> BTreeMap<String, Assumption> {
        let mut assumptions: BTreeMap<String, Assumption> = BTreeMap::new();
        for (pod, assumed) in &self.assume {
            let assumption = assumptions.entry(pod.clone()).or_default();
            match assumed {
                Assumed::Start(start) => assumption.start = *start,
                Assumed::NeverGone => assumption.never_gone = true,
                Assumed::ReadyAfter(after) => assumption.ready_after = Some(*after),
                Assumed::GoneAfter(after) => assumption.gone_after = Some(*after),
            }
        }
        assumptions
    }
}

fn parse_version(text: &str) -> Result<Version, String> {
    text.parse()
        .map_err(|error: crate::controller::VersionError| error.to_string())
}

fn parse_gates(text: &str) -> Result<BTreeMap<String, bool>, String> {
    Gates::parse(text).map_err(|error| error.to_string())
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "write a time of RFC 3339, such as 2026-01-31T12:00:00Z".to_owned())
}

fn parse_format(text: &str) -> Result<Format, String> {
    text.parse()
        .map_err(|error: crate::render::UnknownFormat| error.to_string())
}

fn parse_ready_after(text: &str) -> Result<ReadyAfter, String> {
    match text {
        "auto" => Ok(ReadyAfter::Auto),
        other => parse_duration(other).map(ReadyAfter::Fixed),
    }
}

/// Reads a duration as kubectl writes them: `90s`, `1m30s`, `1.5h`, `500ms`, or `0`.
fn parse_duration(text: &str) -> Result<SignedDuration, String> {
    const UNITS: [(&str, f64); 6] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("m", 6e10),
        ("h", 3.6e12),
    ];
    let wrong = || format!("{text:?} is no duration: write 30s, 1m30s, 500ms or 1.5h");
    if text == "0" {
        return Ok(SignedDuration::ZERO);
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(wrong)?;
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(rest.len());
        let unit = UNITS
            .iter()
            .find(|(name, _)| *name == &rest[..letters])
            .ok_or_else(wrong)?;
        total += number * unit.1;
        rest = &rest[letters..];
    }
    // A century is more than any rollout takes, and keeps every sum of durations within the calendar.
    if text.is_empty() || total > 3.2e18 {
        return Err(wrong());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounded above, and never negative"
    )]
    Ok(SignedDuration::from_nanos(total as i64))
}

fn parse_assumption(text: &str) -> Result<(String, Assumed), String> {
    let known = "never-ready, never-gone, fails, ready-after:DURATION or gone-after:DURATION";
    let (pod, what) = text
        .split_once('=')
        .filter(|(pod, _)| !pod.is_empty())
        .ok_or_else(|| format!("write POD=WHAT, where WHAT is {known}"))?;
    let assumed = match what.split_once(':') {
        None if what == "never-ready" => Assumed::Start(Start::NeverReady),
        None if what == "never-gone" => Assumed::NeverGone,
        None if what == "fails" => Assumed::Start(Start::Fails),
        Some(("ready-after", after)) => Assumed::ReadyAfter(parse_duration(after)?),
        Some(("gone-after", after)) => Assumed::GoneAfter(parse_duration(after)?),
        _ => return Err(format!("{what:?} is no assumption: there are {known}")),
    };
    Ok((pod.to_owned(), assumed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_kubectl_reads_them() {
        let cases = [
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("500ms", 500),
            ("0", 0),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                parse_duration(text).unwrap().as_millis(),
                milliseconds,
                "{text}"
            );
        }
        for text in ["", "5", "s", "-5s", "1x", "1.2.3s", "9999999h", "٣s", "1é"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn assumptions_name_a_pod() {
        assert!(parse_assumption("web-1=never-ready").is_ok());
        assert!(parse_assumption("web-1=ready-after:2m").is_ok());
        for text in [
            "web-1",
            "=fails",
            "web-1=never",
            "web-1=fails:1s",
            "web-1=ready-after:x",
        ] {
            assert!(parse_assumption(text).is_err(), "{text}");
        }
    }
}
