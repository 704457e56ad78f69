//! Subcommands, each with its own flags: docs/contract.md, "Inputs".

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::CliError;
use super::assumptions::Moment;
use super::demo;
use super::demo::DemoArgs;
use super::help;
use super::input::Input;
use super::output::{Display, parse_format};
use super::plan::world;
use super::selection::{Namespace, Selection, all_or_named};
use super::set_names::set_names;
use crate::output::{Format, OutputSpec};
use crate::request::Shell;
use crate::request::{
    DiffRequest, DumpRequest, RbacRequest, Request, SchemaKind, VerifyRequest, VersionDiffRequest,
    World,
};
use kubectl_config::{ConfigFlags, any_path};
use sts_controller::version::Version;

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Plan an example, or list the examples
    Demo(Box<DemoArgs>),
    /// Compare a saved plan with what happened
    Verify(Box<VerifyArgs>),
    /// Compare two plans: duration, safety, data
    Diff(DiffArgs),
    /// Save everything a plan reads to one file, for use with -f
    Dump(Box<DumpArgs>),
    /// Explain a finding and what to do about it
    Explain(ExplainArgs),
    /// Print the JSON Schema of a plan, policy or stages file
    Schema(SchemaArgs),
    /// List supported Kubernetes versions and feature gates
    Versions(VersionsArgs),
    /// Print the minimal RBAC role for planning
    Rbac(RbacArgs),
    /// Print a shell completion script
    Completion(CompletionArgs),
    /// Show help on a command, topic or task
    Help(HelpArgs),
}

/// `verify FILE`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Plan written by --save or -o json; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: String,

    /// The sources of the objects.
    #[command(flatten)]
    pub input: Input,

    /// The connection to the cluster.
    #[command(flatten)]
    pub connection: ConfigFlags,

    /// In which namespace.
    #[command(flatten)]
    pub namespace: Namespace,

    /// The moment of the objects.
    #[command(flatten)]
    pub moment: Moment,

    /// Format, as for plans
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format, help_heading = "Output")]
    pub output: OutputSpec,

    /// The look of the text.
    #[command(flatten)]
    pub display: Display,

    /// Return whether the plan is finished as exit code (0, 2)
    #[arg(long, help_heading = "Output")]
    pub detailed_exitcode: bool,
}

/// `diff PLAN PLAN`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// First plan, written by --save or -o json; - is standard input
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub first: String,

    /// Second plan
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub second: String,

    /// Format: table, markdown, summary, json or yaml
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format, help_heading = "Output")]
    pub output: OutputSpec,

    /// The look of the text.
    #[command(flatten)]
    pub display: Display,

    /// Return exit code 2 if the plans differ
    #[arg(long, help_heading = "Output")]
    pub detailed_exitcode: bool,
}

impl DiffArgs {
    fn request(self) -> Result<DiffRequest> {
        let asked = self.output;
        let Some(
            format @ (Format::Table
            | Format::Markdown
            | Format::Summary
            | Format::Json
            | Format::Yaml),
        ) = asked.plain()
        else {
            anyhow::bail!(
                "unsupported format for diff: -o {asked}; use table, markdown, summary, json or yaml"
            );
        };
        if self.first == "-" && self.second == "-" {
            anyhow::bail!("standard input can be read only once: use '-' for one plan");
        }
        Ok(DiffRequest {
            first: self.first,
            second: self.second,
            format,
            display: self.display.into(),
            detailed_exitcode: self.detailed_exitcode,
        })
    }
}

/// `dump [NAME]...`.
#[derive(Debug, Args)]
pub struct DumpArgs {
    /// Sets to dump [default: all of the namespace, or of the input]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The sources of the objects.
    #[command(flatten)]
    pub input: Input,

    /// The connection to the cluster.
    #[command(flatten)]
    pub connection: ConfigFlags,

    /// In which namespace.
    #[command(flatten)]
    pub namespace: Namespace,

    /// The sets that are meant.
    #[command(flatten)]
    pub selection: Selection,

    /// The moment of the objects.
    #[command(flatten)]
    pub moment: Moment,

    /// Format: yaml or json
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml", value_parser = parse_format, help_heading = "Output")]
    pub output: OutputSpec,
}

/// `explain [ID]...`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Findings by id or name, such as STS003 or downtime [default: list all]
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,

    /// Directory with the causes of your team
    ///
    /// The default is that of the policy.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub causes: Option<PathBuf>,
}

/// `schema [plan|policy|stages]`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Kind of file
    #[arg(value_name = "OF", value_enum, default_value = "plan")]
    pub of: SchemaFile,
}

/// A kind of file that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaFile {
    /// Plan, as written by -o json.
    Plan,
    /// Policy file.
    Policy,
    /// File for --stages.
    Stages,
}

/// `versions`.
#[derive(Debug, Args)]
pub struct VersionsArgs {
    /// Show changes for StatefulSets between two versions
    ///
    /// Lists each change with the version that introduced it and the Kubernetes source file that implements it.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], value_parser = Version::known)]
    pub diff: Vec<Version>,

    /// Format of --diff: table, json or yaml
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format, requires = "diff", help_heading = "Output")]
    pub output: OutputSpec,

    /// Omit table headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

impl VersionsArgs {
    fn request(self) -> Result<Request> {
        let headers = !self.no_headers;
        let [from, to] = self.diff[..] else {
            return Ok(Request::Versions { headers });
        };
        let asked = self.output;
        let Some(format @ (Format::Table | Format::Json | Format::Yaml)) = asked.plain() else {
            anyhow::bail!(
                "unsupported format for versions --diff: -o {asked}; use table, json or yaml"
            );
        };
        Ok(Request::VersionDiff(VersionDiffRequest {
            from,
            to,
            format,
            headers,
        }))
    }
}

/// `rbac`.
#[derive(Debug, Args)]
pub struct RbacArgs {
    /// Namespace of the role [default: the kubeconfig's]
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Print a ClusterRole for all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// User to bind the role to
    #[arg(long = "as", value_name = "USER")]
    pub impersonate: Option<String>,

    /// Group to bind the role to; repeatable
    #[arg(long, value_name = "GROUP")]
    pub as_group: Vec<String>,

    /// Kubeconfig [default: the files of KUBECONFIG, or ~/.kube/config]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// `completion SHELL`.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// Shell
    #[arg(value_name = "SHELL", value_parser = shells())]
    pub shell: Shell,
}

/// `help [TOPIC]`.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// Command, topic or task [default: all flags]
    #[arg(value_name = "TOPIC")]
    pub topic: Option<String>,
}

fn shells() -> impl TypedValueParser<Value = Shell> {
    PossibleValuesParser::new(Shell::ALL.iter().map(|shell| shell.name()))
        .try_map(|name| name.parse::<Shell>())
}

impl Command {
    /// Returns the request of the subcommand. `matches` are its own, and `words` is the whole command line.
    ///
    /// # Errors
    /// When the arguments contradict each other, or ask for help.
    pub(super) fn request(
        self,
        grammar: &mut clap::Command,
        matches: &clap::ArgMatches,
        words: &[OsString],
    ) -> Result<Request, CliError> {
        Ok(match self {
            Command::Demo(args) => return demo::request(*args, matches, words),
            Command::Verify(args) => Request::Verify(Box::new(args.request()?)),
            Command::Diff(args) => Request::Diff(args.request()?),
            Command::Dump(args) => Request::Dump(Box::new(args.request()?)),
            Command::Explain(args) => Request::Explain {
                catalogue: super::causes::catalogue(args.causes)?,
                ids: args.ids,
            },
            Command::Schema(args) => Request::Schema(match args.of {
                SchemaFile::Plan => SchemaKind::Plan,
                SchemaFile::Policy => SchemaKind::Policy,
                SchemaFile::Stages => SchemaKind::Stages,
            }),
            Command::Versions(args) => args.request()?,
            Command::Rbac(args) => Request::Rbac(Box::new(args.request())),
            Command::Completion(args) => Request::Completion(args.shell),
            Command::Help(args) => return Err(help::on(grammar, args.topic.as_deref()).into()),
        })
    }
}

impl VerifyArgs {
    fn request(self) -> Result<VerifyRequest> {
        let from_stdin = self.input.filename.iter().filter(|path| *path == "-");
        if from_stdin.count() + usize::from(self.file == "-") > 1 {
            anyhow::bail!("standard input can be read only once: use '-' once");
        }
        Ok(VerifyRequest {
            plans: self.file,
            world: world(
                self.input,
                self.connection,
                self.namespace,
                self.display.verbose,
            ),
            now: self.moment.now,
            format: self.output,
            display: self.display.into(),
            detailed_exitcode: self.detailed_exitcode,
        })
    }
}

impl DumpArgs {
    fn request(mut self) -> Result<DumpRequest> {
        let asked = self.output;
        let Some(format @ (Format::Json | Format::Yaml)) = asked.plain() else {
            anyhow::bail!("unsupported format for a dump: -o {asked}; use yaml or json");
        };
        let names = set_names(&self.names, &mut self.namespace)?;
        all_or_named(&self.selection, &names)?;
        Ok(DumpRequest {
            world: World {
                keeps_originals: true,
                ..world(self.input, self.connection, self.namespace, false)
            },
            selection: self.selection.of(names),
            now: self.moment.now,
            format,
        })
    }
}

impl RbacArgs {
    pub(super) fn request(self) -> RbacRequest {
        let text = |flag: Option<String>| flag.filter(|text| !text.is_empty());
        RbacRequest {
            world: World {
                connection: ConfigFlags {
                    kubeconfig: self.kubeconfig,
                    context: self.context,
                    impersonate: self.impersonate,
                    as_group: self.as_group,
                    ..ConfigFlags::default()
                },
                namespace: text(self.namespace),
                ..World::default()
            },
            all_namespaces: self.all_namespaces,
        }
    }
}
