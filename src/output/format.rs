//! The output formats by name, and the value of `-o`.

use std::fmt;
use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray};
use thiserror::Error;

use super::{Columns, Template};
use sts_plan::lint::Scope;

/// A format without a template. [`OutputSpec`] has those with one, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// A screen for one plan, a row each for several.
    #[default]
    Table,
    /// The same with full names: a tree of revisions, pods and claims; more columns for several.
    Wide,
    /// The report as JSON.
    Json,
    /// The report as YAML.
    Yaml,
    /// The names of the sets, for use in other commands.
    Name,
    /// A line for each set, with stable keywords.
    Summary,
    /// Test results in JUnit XML.
    Junit,
    /// Results of static analysis in SARIF.
    Sarif,
    /// Annotations of a GitHub workflow.
    Github,
    /// A code quality report of GitLab.
    Gitlab,
    /// Gauges for Prometheus.
    Prometheus,
    /// A comment on a pull request.
    Markdown,
    /// A timeline as a picture.
    Svg,
    /// A self-contained page.
    Html,
}

/// The optional parts of a report that a format needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The objects that the next sync sends.
    pub objects: bool,
    /// The findings of each sync.
    pub looks: bool,
    /// The estimated duration of the plan.
    pub eta: bool,
    /// The branches of the steps.
    pub step_branches: bool,
    /// The findings, so far.
    pub findings: Scope,
}

impl Needs {
    /// Returns the union.
    pub fn or(self, other: Needs) -> Needs {
        Needs {
            objects: self.objects || other.objects,
            looks: self.looks || other.looks,
            eta: self.eta || other.eta,
            step_branches: self.step_branches || other.step_branches,
            findings: self.findings.max(other.findings),
        }
    }
}

impl Format {
    /// All formats.
    pub const ALL: &[Format] = Format::VARIANTS;

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Reports whether it is for people at a terminal, and has colors there.
    pub fn has_colors(self) -> bool {
        matches!(self, Format::Table | Format::Wide)
    }

    fn needs(self, beside_others: bool) -> Needs {
        let has_steps = matches!(self, Format::Table | Format::Wide);
        let has_rows = beside_others && has_steps;
        Needs {
            objects: matches!(self, Format::Json | Format::Yaml),
            looks: matches!(self, Format::Svg | Format::Html),
            // A row has the duration of the plan, and no range.
            eta: !has_rows
                && matches!(
                    self,
                    Format::Table
                        | Format::Wide
                        | Format::Json
                        | Format::Yaml
                        | Format::Markdown
                        | Format::Html
                        | Format::Prometheus
                ),
            step_branches: has_steps && !beside_others,
            findings: match self {
                Format::Name | Format::Summary | Format::Prometheus => Scope::Errors,
                Format::Table => Scope::Actual,
                // The row of a set counts what the table counts.
                Format::Wide if beside_others => Scope::Actual,
                _ => Scope::Hypothetical,
            },
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The value of `-o`: a format, with the template of one that takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputSpec {
    /// A format without a template.
    Plain(Format),
    /// `jsonpath=TEMPLATE`.
    JsonPath(String),
    /// `custom-columns=SPEC`.
    Columns(String),
}

/// The names of the formats with a template, each with the name of its argument.
const TEMPLATED: [(&str, &str); 2] = [("jsonpath", "TEMPLATE"), ("custom-columns", "SPEC")];

const GO_TEMPLATES: &str =
    "there are no Go templates; use jsonpath=TEMPLATE or custom-columns=SPEC";

/// Formats that people type and that do not exist, each with the format to use.
const ABSENT: [(&str, &str); 7] = [
    ("go-template", GO_TEMPLATES),
    ("go-template-file", GO_TEMPLATES),
    ("template", GO_TEMPLATES),
    ("templatefile", GO_TEMPLATES),
    (
        "tap",
        "tap is not supported; use junit, which has the same tests",
    ),
    (
        "jsonpath-file",
        "jsonpath-file is not supported; use jsonpath=\"$(cat FILE)\"",
    ),
    (
        "custom-columns-file",
        "custom-columns-file is not supported; use custom-columns=HEADER:PATH,HEADER:PATH",
    ),
];

/// An invalid value of `-o`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownFormat {
    /// An unknown name.
    #[error("unknown output format {name:?} (one of: {})", OutputSpec::names().join(", "))]
    Name { name: String },
    /// A format that does not exist, with the one to use.
    #[error("{0}")]
    Absent(&'static str),
    /// A missing template.
    #[error("{name} requires a template: use {name}={takes}")]
    NoTemplate {
        /// The format's name.
        name: &'static str,
        /// The name of the argument.
        takes: &'static str,
    },
    /// A template for a format without one.
    #[error("{0} takes no template: use {0} alone")]
    Template(Format),
}

impl OutputSpec {
    /// Returns the usage of each format, such as `json` and `jsonpath=TEMPLATE`.
    pub fn names() -> Vec<String> {
        let plain = Format::ALL.iter().map(|format| format.name().to_owned());
        let templated = TEMPLATED
            .iter()
            .map(|(name, takes)| format!("{name}={takes}"));
        plain.chain(templated).collect()
    }

    /// Returns the format if it has no template.
    pub fn plain(&self) -> Option<Format> {
        match self {
            OutputSpec::Plain(format) => Some(*format),
            _ => None,
        }
    }

    /// Reports whether the format takes a template, which may contain equals signs.
    pub fn takes_template(name: &str) -> bool {
        TEMPLATED.iter().any(|(templated, _)| *templated == name)
    }
}

impl Default for OutputSpec {
    fn default() -> Self {
        OutputSpec::Plain(Format::Table)
    }
}

impl fmt::Display for OutputSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputSpec::Plain(format) => format.fmt(out),
            OutputSpec::JsonPath(template) => write!(out, "jsonpath={template}"),
            OutputSpec::Columns(spec) => write!(out, "custom-columns={spec}"),
        }
    }
}

impl FromStr for OutputSpec {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let plain = Format::ALL.iter().find(|format| format.name() == name);
        if let Some(&format) = plain {
            return match rest {
                None => Ok(OutputSpec::Plain(format)),
                Some(_) => Err(UnknownFormat::Template(format)),
            };
        }
        let templated = TEMPLATED.iter().find(|(templated, _)| *templated == name);
        if let Some((_, instead)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
            return Err(UnknownFormat::Absent(instead));
        }
        let Some((name, takes)) = templated else {
            return Err(UnknownFormat::Name {
                name: name.to_owned(),
            });
        };
        match (*name, rest.unwrap_or_default()) {
            (name, "") => Err(UnknownFormat::NoTemplate { name, takes }),
            ("jsonpath", template) => Ok(OutputSpec::JsonPath(template.to_owned())),
            (_, spec) => Ok(OutputSpec::Columns(spec.to_owned())),
        }
    }
}

/// A format with its parsed template.
#[derive(Debug, Clone, PartialEq)]
pub enum Printer {
    /// A format without a template.
    Plain(Format),
    /// A template that is applied to the plan, or to the list of plans.
    JsonPath(Template),
    /// A row for each plan.
    Columns(Columns),
}

impl Printer {
    /// Returns the parts that a report needs, alone or beside others.
    pub fn needs(&self, beside_others: bool) -> Needs {
        match self {
            Printer::Plain(format) => format.needs(beside_others),
            Printer::JsonPath(_) | Printer::Columns(_) => Needs {
                objects: true,
                looks: false,
                eta: true,
                step_branches: false,
                findings: Scope::Hypothetical,
            },
        }
    }

    /// Reports whether it is for people at a terminal, and has colors there.
    pub fn has_colors(&self) -> bool {
        matches!(self, Printer::Plain(format) if format.has_colors())
    }
}
