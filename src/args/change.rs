//! What somebody is about to do: contract section 3.

use clap::{Args, ValueEnum, ValueHint};
use serde_json::Value;

use crate::change::Path;

/// The change.
#[derive(Debug, Args)]
#[command(next_help_heading = "Change")]
pub struct Change {
    /// Plan what applying this file would do (- is standard input): as kubectl apply, defaulted and validated
    /// as the API server of the version does it
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub apply: Option<String>,

    /// Change spec.replicas
    #[arg(long, value_name = "N")]
    pub replicas: Option<i32>,

    /// Change the partition of the rolling update
    #[arg(long, value_name = "N")]
    pub partition: Option<i32>,

    /// Change maxUnavailable of the rolling update
    #[arg(long, value_name = "N|P%")]
    pub max_unavailable: Option<String>,

    /// Change spec.minReadySeconds
    #[arg(long, value_name = "N")]
    pub min_ready_seconds: Option<i32>,

    /// Change the type of the update strategy
    #[arg(long, value_name = "TYPE", value_enum)]
    pub update_strategy: Option<StrategyType>,

    /// Change an image; the container may be left out where there is one; may be repeated
    #[arg(long, value_name = "[CONTAINER=]IMAGE", value_parser = parse_image)]
    pub image: Vec<(Option<String>, String)>,

    /// Change what `kubectl rollout restart` changes
    #[arg(long)]
    pub restart: bool,

    /// Change the template to that of this revision, as `kubectl rollout undo` does; 0 is the one before
    #[arg(long, value_name = "N")]
    pub to_revision: Option<i64>,

    /// Change any other field: PATH in dots and brackets, VALUE as YAML; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_set)]
    pub set: Vec<(Path, Value)>,
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
