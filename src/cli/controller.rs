//! Flags for the simulated controller: docs/contract.md, "The Kubernetes version".

use std::collections::BTreeMap;

use clap::Args;

use crate::request;
use sts_controller::version::{Gates, Version};

/// Simulated controller.
#[derive(Debug, Args)]
#[command(next_help_heading = "Assumptions")]
pub struct Controller {
    /// Version of the controller [default: the server's]
    ///
    /// 1.NN means its last patch. With -f, the default is that of the dump or of the newest kubelet, or the newest
    /// supported one.
    #[arg(long, alias = "kube-version", value_name = "1.NN[.P]")]
    pub kubernetes_version: Option<Version>,

    /// Feature gates of the controller: A=true,B=false
    ///
    /// No API exposes them. Other gates have the default of the version.
    #[arg(long, value_name = "GATES", value_parser = parse_gates)]
    pub feature_gates: Vec<BTreeMap<String, bool>>,
}

impl From<Controller> for request::Controller {
    /// Converts the flags. If a gate is set twice, the last one applies.
    fn from(flags: Controller) -> Self {
        request::Controller {
            version: flags.kubernetes_version,
            gates: flags.feature_gates.into_iter().flatten().collect(),
        }
    }
}

fn parse_gates(text: &str) -> Result<BTreeMap<String, bool>, String> {
    Gates::parse(text).map_err(|error| error.to_string())
}
