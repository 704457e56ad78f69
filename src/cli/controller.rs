//! The controller whose behaviour is predicted: docs/contract.md, "The Kubernetes version".

use std::collections::BTreeMap;

use clap::Args;

use crate::request;
use sts_controller::version::{Gates, Version, VersionError};

/// The controller whose behaviour is predicted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Controller")]
pub struct Controller {
    /// Version of the controller: 1.NN is its last patch [default: the server's]
    ///
    /// 1.NN.P is that patch. With -f the default is the newest that is known.
    #[arg(long, alias = "kube-version", value_name = "1.NN[.P]", value_parser = parse_version)]
    pub kubernetes_version: Option<Version>,

    /// Feature gates of the controller: A=true,B=false
    ///
    /// No API shows them. Without this flag each gate has the default of the version.
    #[arg(long, value_name = "GATES", value_parser = parse_gates)]
    pub feature_gates: Vec<BTreeMap<String, bool>>,
}

impl From<Controller> for request::Controller {
    /// Of gates that are given twice the later one counts.
    fn from(flags: Controller) -> Self {
        request::Controller {
            version: flags.kubernetes_version,
            gates: flags.feature_gates.into_iter().flatten().collect(),
        }
    }
}

fn parse_version(text: &str) -> Result<Version, String> {
    text.parse()
        .map_err(|error: VersionError| error.to_string())
}

fn parse_gates(text: &str) -> Result<BTreeMap<String, bool>, String> {
    Gates::parse(text).map_err(|error| error.to_string())
}
