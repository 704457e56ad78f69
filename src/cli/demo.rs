//! `demo`: planning a situation that the program carries, with the flags of a plan.

use std::ffi::OsString;

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::watch::unused;
use super::{CliError, PlanArgs, plan_of};
use crate::request::{DEMOS, Demo, Request};

/// `demo [EXAMPLE] [NAME]...`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Example to plan [default: a list of all]
    #[arg(value_name = "EXAMPLE", value_parser = demos())]
    pub demo: Option<&'static Demo>,

    /// The flags of a plan.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// The groups of flags that a demo has no use for, by the names of their structs: its objects are there, and nothing happens to them.
const UNUSED: [&str; 3] = ["Input", "ConfigFlags", "Watch"];

/// Parses the name of a demo.
fn demos() -> impl TypedValueParser<Value = &'static Demo> {
    let names = DEMOS
        .iter()
        .map(|demo| PossibleValue::new(demo.name).help(demo.situation));
    let unknown = |name: String| Demo::by_name(&name).ok_or_else(|| format!("no demo {name:?}"));
    PossibleValuesParser::new(names).try_map(unknown)
}

/// Returns the request: the list of demos, or the plan of one. No policy is looked for, so that the output is the same in
/// every folder.
pub(super) fn request(
    args: DemoArgs,
    matches: &ArgMatches,
    words: &[OsString],
) -> Result<Request, CliError> {
    let Some(demo) = args.demo else {
        let mut ids = matches.ids().map(clap::Id::as_str);
        let is_given = |id: &str| {
            matches.try_contains_id(id).unwrap_or(false)
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        if ids.any(is_given) {
            return Err(anyhow!(
                "flags are those of a plan: name an example first, one of {}",
                DEMOS.each_ref().map(|demo| demo.name).join(", ")
            )
            .into());
        }
        return Ok(Request::Demos);
    };
    if let Some((_, flag)) = unused(matches, &UNUSED, &[]) {
        return Err(anyhow!(
            "--{flag} has no use with a demo, which brings its objects and does not change: leave it out, or plan \
             without the word demo"
        )
        .into());
    }
    let mut plan = args.plan;
    plan.input.demo = Some(demo);
    plan_of(plan, matches, words)
}
