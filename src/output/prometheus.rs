//! `-o prometheus`: gauges in the text format of Prometheus, for the textfile collector of the node exporter. Every run has
//! the HELP and TYPE lines of every gauge. A set has a sample only if the gauge applies to it.

use std::io::{self, Write};

use super::style::escape;
use jiff::Timestamp;
use sts_plan::fleet::ReportList;
use sts_plan::report::Report;
use sts_plan::verify::Verification;

struct Gauge {
    name: &'static str,
    help: &'static str,
    samples: Vec<Sample>,
}

/// A value with its labels, in the order of output.
struct Sample {
    labels: Vec<(&'static str, String)>,
    value: i64,
}

/// Writes the gauges of plans.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    let of_each = |value: fn(&Report) -> Option<i64>| {
        let samples = plans.items.iter().filter_map(|report| {
            let value = value(report)?;
            Some(Sample {
                labels: labels(report),
                value,
            })
        });
        samples.collect::<Vec<_>>()
    };
    let verdicts = plans.items.iter().map(|report| Sample {
        labels: with(labels(report), "verdict", report.analysis.verdict.name()),
        value: 1,
    });
    let unplanned = plans.errors.iter().map(|error| Sample {
        labels: set_labels(&error.metadata.namespace, &error.metadata.name),
        value: 1,
    });
    // All plans of a run have the same time.
    let moment = plans
        .items
        .first()
        .and_then(|report| report.now.parse::<Timestamp>().ok());
    let moment = moment.map(|moment| Sample {
        labels: Vec::new(),
        value: moment.as_second(),
    });
    let gauges = [
        Gauge {
            name: "sts_plan_verdict",
            help: "Verdict of the StatefulSet: 1 for the current one.",
            samples: verdicts.collect(),
        },
        Gauge {
            name: "sts_plan_stuck_seconds",
            help: "Time since the StatefulSet became stuck, by cause.",
            samples: plans.items.iter().filter_map(stuck).collect(),
        },
        Gauge {
            name: "sts_plan_pods_outdated",
            help: "Pods that are not on the update revision.",
            samples: of_each(|report| i64::try_from(report.outdated_pods()?).ok()),
        },
        Gauge {
            name: "sts_plan_eta_seconds",
            help: "Predicted time until the rollout completes, 0 if there is nothing to do.",
            samples: of_each(Report::eta_seconds),
        },
        Gauge {
            name: "sts_plan_eta_min_seconds",
            help: "Predicted time if all pods are as fast as the fastest observed one.",
            samples: of_each(|report| Some(report.analysis.eta.as_ref()?.min_seconds)),
        },
        Gauge {
            name: "sts_plan_eta_max_seconds",
            help: "Predicted time if all pods are as slow as the slowest observed one.",
            samples: of_each(|report| Some(report.analysis.eta.as_ref()?.max_seconds)),
        },
        Gauge {
            name: "sts_plan_unplanned",
            help: "1 for a StatefulSet that could not be planned.",
            samples: unplanned.collect(),
        },
        Gauge {
            name: "sts_plan_last_run_timestamp_seconds",
            help: "Time of the plans, in seconds since the Unix epoch.",
            samples: moment.into_iter().collect(),
        },
    ];
    write(&gauges, out)
}

/// Writes the gauges of verifications.
pub(super) fn render_verifications(found: &[Verification], out: &mut dyn Write) -> io::Result<()> {
    let samples = found.iter().map(|verification| {
        let metadata = &verification.metadata;
        let labels = set_labels(&metadata.namespace, &metadata.name);
        Sample {
            labels: with(labels, "verdict", verification.verdict.name()),
            value: 1,
        }
    });
    let gauge = Gauge {
        name: "sts_plan_verification",
        help: "Verification of a saved plan of the StatefulSet: 1 for the verdict.",
        samples: samples.collect(),
    };
    write(&[gauge], out)
}

/// Returns the time since a set became stuck, if an object has the start.
fn stuck(report: &Report) -> Option<Sample> {
    let value = report.stuck_seconds()?;
    let cause = report.analysis.cause.as_ref();
    let name = cause.map(|cause| cause.id.as_ref().unwrap_or(&cause.kind).to_string());
    let mut labels = with(
        labels(report),
        "cause",
        &name.unwrap_or_else(|| "unknown".to_owned()),
    );
    if let Some(cause) = cause {
        labels = with(labels, "pod", &cause.pod);
    }
    Some(Sample { labels, value })
}

fn labels(report: &Report) -> Vec<(&'static str, String)> {
    set_labels(&report.metadata.namespace, &report.metadata.name)
}

fn set_labels(namespace: &str, name: &str) -> Vec<(&'static str, String)> {
    with(
        with(Vec::new(), "namespace", namespace),
        "statefulset",
        name,
    )
}

fn with(
    mut labels: Vec<(&'static str, String)>,
    name: &'static str,
    value: &str,
) -> Vec<(&'static str, String)> {
    labels.push((name, escape(value).into_owned()));
    labels
}

fn write(gauges: &[Gauge], out: &mut dyn Write) -> io::Result<()> {
    for gauge in gauges {
        writeln!(out, "# HELP {} {}", gauge.name, gauge.help)?;
        writeln!(out, "# TYPE {} gauge", gauge.name)?;
        for sample in &gauge.samples {
            let labels = sample.labels.iter();
            let labels: Vec<String> = labels
                .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
                .collect();
            let labels = match &labels[..] {
                [] => String::new(),
                some => format!("{{{}}}", some.join(",")),
            };
            writeln!(out, "{}{labels} {}", gauge.name, sample.value)?;
        }
    }
    Ok(())
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
