//! `demo`: plans of built-in examples, with the flags of a plan.

use std::ffi::OsString;

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args};

use super::required::is_given;
use super::watch::unused;
use super::{CliError, PlanArgs, plan_of};
use crate::request::{DEMOS, Demo, Request};

/// `demo [EXAMPLE] [NAME]...`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Example to plan [default: list all]
    #[arg(value_name = "EXAMPLE", value_parser = demos())]
    pub demo: Option<&'static Demo>,

    /// Flags of a plan.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// Argument groups (named after their structs) that do not apply to a demo: its objects are fixed.
const UNUSED: [&str; 3] = ["Input", "ConfigFlags", "Watch"];

/// Parses the name of a demo.
fn demos() -> impl TypedValueParser<Value = &'static Demo> {
    let names = DEMOS
        .iter()
        .map(|demo| PossibleValue::new(demo.name).help(demo.situation));
    let unknown = |name: String| Demo::by_name(&name).ok_or_else(|| format!("no demo {name:?}"));
    PossibleValuesParser::new(names).try_map(unknown)
}

/// Returns the request: the list of demos, or the plan of one. It searches for no policy, so that the output is the same
/// in every directory.
pub(super) fn request(
    args: DemoArgs,
    matches: &ArgMatches,
    words: &[OsString],
) -> Result<Request, CliError> {
    let Some(demo) = args.demo else {
        let mut ids = matches.ids().map(clap::Id::as_str);
        if ids.any(|id| is_given(matches, id)) {
            return Err(anyhow!(
                "flags require an example: name one of {}",
                DEMOS.each_ref().map(|demo| demo.name).join(", ")
            )
            .into());
        }
        return Ok(Request::Demos);
    };
    if let Some((_, flag)) = unused(matches, &UNUSED, &[]) {
        return Err(anyhow!(
            "--{flag} cannot be used with a demo, whose objects are fixed: omit the flag, or plan without demo"
        )
        .into());
    }
    let mut plan = args.plan;
    plan.input.demo = Some(demo);
    plan_of(plan, matches, words)
}
