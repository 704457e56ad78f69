//! The command line: contract sections 1 to 4 and 7.

use std::collections::BTreeMap;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Parser, ValueEnum};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::change::Path;
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

  # What if: another partition, another image
  kubectl sts-plan -f dump.yaml web --partition 2
  kubectl sts-plan -f dump.yaml web --image app=registry.example/app:2

  # What applying a manifest would do
  helm template . | kubectl sts-plan -f dump.yaml --apply -

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

    /// Plan what applying this file would do (- is standard input): as kubectl apply, defaulted and validated
    /// as the API server of the version does it
    #[arg(long, value_name = "FILE|-", help_heading = "Change")]
    pub apply: Option<String>,

    /// Change spec.replicas
    #[arg(long, value_name = "N", help_heading = "Change")]
    pub replicas: Option<i32>,

    /// Change the partition of the rolling update
    #[arg(long, value_name = "N", help_heading = "Change")]
    pub partition: Option<i32>,

    /// Change maxUnavailable of the rolling update
    #[arg(long, value_name = "N|P%", help_heading = "Change")]
    pub max_unavailable: Option<String>,

    /// Change spec.minReadySeconds
    #[arg(long, value_name = "N", help_heading = "Change")]
    pub min_ready_seconds: Option<i32>,

    /// Change the type of the update strategy
    #[arg(long, value_name = "TYPE", value_enum, help_heading = "Change")]
    pub update_strategy: Option<StrategyType>,

    /// Change an image; the container may be left out where there is one; may be repeated
    #[arg(long, value_name = "[CONTAINER=]IMAGE", value_parser = parse_image, help_heading = "Change")]
    pub image: Vec<(Option<String>, String)>,

    /// Change what `kubectl rollout restart` changes
    #[arg(long, help_heading = "Change")]
    pub restart: bool,

    /// Change the template to that of this revision, as `kubectl rollout undo` does; 0 is the one before
    #[arg(long, value_name = "N", help_heading = "Change")]
    pub to_revision: Option<i64>,

    /// Change any other field: PATH in dots and brackets, VALUE as YAML; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_set, help_heading = "Change")]
    pub set: Vec<(Path, Value)>,

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

/// `--update-strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub enum StrategyType {
    /// Pods are replaced from the top.
    RollingUpdate,
    /// Pods are replaced when somebody deletes them.
    OnDelete,
}

impl StrategyType {
    /// The type's name in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StrategyType::RollingUpdate => "RollingUpdate",
            StrategyType::OnDelete => "OnDelete",
        }
    }
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

/// Reads `app=nginx:1.27` or `nginx:1.27`. An image may hold an equals sign nowhere.
fn parse_image(text: &str) -> Result<(Option<String>, String), String> {
    let (container, image) = match text.split_once('=') {
        Some((container, image)) => (Some(container.to_owned()), image),
        None => (None, text),
    };
    if image.is_empty() || container.as_deref() == Some("") {
        return Err("write IMAGE or CONTAINER=IMAGE".to_owned());
    }
    Ok((container, image.to_owned()))
}

/// Reads `spec.replicas=3`. An equals sign within brackets belongs to the path.
fn parse_set(text: &str) -> Result<(Path, Value), String> {
    let mut depth = 0;
    let end = text.find(|character: char| {
        depth += i32::from(character == '[') - i32::from(character == ']');
        character == '=' && depth == 0
    });
    let (path, value) = end
        .map(|end| (&text[..end], &text[end + 1..]))
        .ok_or_else(|| "write PATH=VALUE, such as spec.replicas=3".to_owned())?;
    let path = path.parse::<Path>().map_err(|error| error.to_string())?;
    let value = crate::load::manifest::read_value(value).map_err(|error| error.to_string())?;
    Ok((path, value))
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
