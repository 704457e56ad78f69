//! The user's change: docs/contract.md, "The change".

use std::str::FromStr;

use clap::{Args, ValueEnum, ValueHint};
use serde_json::Value;

use crate::request;
use crate::request::Partition;
use kubectl_config::yes_or_no;
use sts_controller::apiserver::apply::Path;
use sts_controller::apiserver::server_side_apply::KUBECTL;
use sts_controller::simulate::Cascade;
use sts_plan::change::FieldValidation;

/// The change.
#[derive(Debug, Args)]
#[expect(clippy::duplicated_attributes, reason = "two flags of one form")]
#[command(
    next_help_heading = "Change",
    mut_arg("server_side", yes_or_no),
    mut_arg("force_conflicts", yes_or_no)
)]
pub struct Change {
    /// Apply a manifest, as kubectl apply would
    ///
    /// FILE - is standard input. The live server defaults, admits and validates it in a dry run; with -f it is merged,
    /// defaulted and validated here, as the API server of the version does it.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub apply: Option<String>,

    /// Merge and check the manifest on the server, or locally
    ///
    /// The default is server for a live cluster, and local with -f.
    #[arg(long, value_name = "MODE", value_enum, requires = "apply")]
    pub apply_mode: Option<ApplyMode>,

    /// Apply on the server's side, as kubectl apply --server-side does
    ///
    /// Without --apply, the manifest is read from standard input. With -f, the stored set needs its managedFields: take
    /// it with kubectl sts-plan dump, or kubectl get -o yaml --show-managed-fields.
    #[arg(long)]
    pub server_side: bool,

    /// Manager that owns the fields of a server-side apply
    #[arg(long, value_name = "NAME", default_value = KUBECTL)]
    pub field_manager: Manager,

    /// Take fields from the managers that own them
    #[arg(long)]
    pub force_conflicts: bool,

    /// Fields that the API server does not know, as with kubectl
    ///
    /// A manifest of -f is not refused for them: there they are findings (STS034).
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_value = "strict",
        default_missing_value = "strict"
    )]
    pub validate: Validate,

    /// Set spec.replicas
    #[arg(long, value_name = "N")]
    pub replicas: Option<i32>,

    /// Set the partition of the rolling update
    ///
    /// The API takes a number. A percentage is of the replicas: rounded down, and at least 1, as maxUnavailable is.
    #[arg(long, value_name = "N|P%", value_parser = parse_partition)]
    pub partition: Option<Partition>,

    /// Set maxUnavailable of the rolling update
    #[arg(long, value_name = "N|P%")]
    pub max_unavailable: Option<String>,

    /// Set spec.minReadySeconds
    #[arg(long, value_name = "N")]
    pub min_ready_seconds: Option<i32>,

    /// Set the type of the update strategy
    #[arg(long, value_name = "TYPE", value_enum)]
    pub update_strategy: Option<StrategyType>,

    /// Set an image; repeatable
    ///
    /// The container's name may be left out where there is one container.
    #[arg(long, value_name = "[CONTAINER=]IMAGE", value_parser = parse_image)]
    pub image: Vec<(Option<String>, String)>,

    /// Restart, as kubectl rollout restart does
    #[arg(long)]
    pub restart: bool,

    /// Go back to this revision, as kubectl rollout undo does; 0 is the one before
    #[arg(long, value_name = "N")]
    pub to_revision: Option<i64>,

    /// Set any other field; repeatable
    ///
    /// PATH in dots and brackets, VALUE as YAML: spec.podManagementPolicy=Parallel
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_set)]
    pub set: Vec<(Path, Value)>,

    /// Delete this pod; repeatable
    #[arg(long, value_name = "POD")]
    pub delete_pod: Vec<String>,

    /// Delete this PersistentVolumeClaim, as kubectl delete pvc does; repeatable
    ///
    /// It stays, terminating, as long as a pod uses it: with --delete-pod it goes, and the controller makes a new, empty
    /// one.
    #[arg(long, value_name = "CLAIM")]
    pub delete_claim: Vec<String>,

    /// Delete the set, with this cascade [default cascade: background]
    ///
    /// With --apply the manifest is created after that.
    #[arg(
        long,
        value_name = "CASCADE",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "background"
    )]
    pub delete: Option<DeleteCascade>,
}

impl Change {
    /// Reads the manifest of a server-side apply from standard input, unless it comes from elsewhere.
    pub(super) fn read_piped(&mut self) {
        if self.server_side && self.apply.is_none() {
            self.apply = Some("-".to_owned());
        }
    }

    /// The refusal of a flag of server-side apply without one. `given` tells of the id of an argument whether it stands
    /// on the command line.
    pub(super) fn needs_server_side(&self, given: impl Fn(&str) -> bool) -> Option<String> {
        let flags = [
            ("field_manager", "--field-manager"),
            ("force_conflicts", "--force-conflicts"),
        ];
        let (_, flag) = flags
            .iter()
            .find(|(id, _)| given(id) && !self.server_side)?;
        Some(format!("{flag} only works with --server-side: add it"))
    }

    /// Describes a contradiction within the change, in a sentence.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        if self.apply.is_some() && self.to_revision.is_some() {
            return Some(
                "--apply and --to-revision each bring a whole pod template: leave one of them out"
                    .to_owned(),
            );
        }
        let delete = self.delete?;
        if self.apply.is_some() {
            return (delete == DeleteCascade::Foreground).then(|| {
                "--delete=foreground leaves the set in place until its pods are gone, so --apply would change a \
                 set that is being deleted: plan the two one after the other, or use background or orphan"
                    .to_owned()
            });
        }
        let fields = [
            ("--replicas", self.replicas.is_some()),
            ("--partition", self.partition.is_some()),
            ("--max-unavailable", self.max_unavailable.is_some()),
            ("--min-ready-seconds", self.min_ready_seconds.is_some()),
            ("--update-strategy", self.update_strategy.is_some()),
            ("--image", !self.image.is_empty()),
            ("--restart", self.restart),
            ("--to-revision", self.to_revision.is_some()),
            ("--set", !self.set.is_empty()),
        ];
        let given: Vec<&str> = fields
            .iter()
            .filter(|(_, given)| *given)
            .map(|(flag, _)| *flag)
            .collect();
        (!given.is_empty()).then(|| {
            format!(
                "--delete leaves no set for {} to change: leave one of them out, or give the set that is to \
                 take its place with --apply",
                given.join(", ")
            )
        })
    }
}

/// The name of a field manager, as an API server takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager(String);

impl FromStr for Manager {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const MOST: usize = 128;
        if name.is_empty() {
            return Err("a server-side apply needs a manager");
        }
        if name.len() > MOST {
            return Err("a manager's name has at most 128 bytes");
        }
        if name.chars().any(char::is_control) {
            return Err("a manager's name has printable characters only");
        }
        Ok(Manager(name.to_owned()))
    }
}

/// `--delete`: the names that `kubectl delete --cascade` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeleteCascade {
    /// The set goes at once; its pods follow.
    Background,
    /// The pods go first, then the set.
    Foreground,
    /// The set goes; its pods, claims and revisions stay.
    Orphan,
}

impl From<DeleteCascade> for Cascade {
    fn from(cascade: DeleteCascade) -> Self {
        match cascade {
            DeleteCascade::Background => Cascade::Background,
            DeleteCascade::Foreground => Cascade::Foreground,
            DeleteCascade::Orphan => Cascade::Orphan,
        }
    }
}

/// `--apply-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApplyMode {
    /// The live server, by a dry run with admission.
    Server,
    /// Here, without admission.
    Local,
}

/// `--validate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Validate {
    /// They refuse the change.
    #[value(alias = "true")]
    Strict,
    /// They are findings.
    Warn,
    /// They are dropped.
    #[value(alias = "false")]
    Ignore,
}

impl From<Validate> for FieldValidation {
    fn from(validate: Validate) -> Self {
        match validate {
            Validate::Strict => FieldValidation::Strict,
            Validate::Warn => FieldValidation::Warn,
            Validate::Ignore => FieldValidation::Ignore,
        }
    }
}

/// `--update-strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub enum StrategyType {
    /// Pods are replaced from the top.
    RollingUpdate,
    /// Pods are replaced when they are deleted by hand.
    OnDelete,
    /// All outdated pods go, then new ones are created: from 1.37, with gate StatefulSetRecreateStrategy.
    Recreate,
}

impl StrategyType {
    /// The type's name in the API.
    fn name(self) -> &'static str {
        match self {
            StrategyType::RollingUpdate => "RollingUpdate",
            StrategyType::OnDelete => "OnDelete",
            StrategyType::Recreate => "Recreate",
        }
    }
}

impl From<ApplyMode> for request::ApplyMode {
    fn from(mode: ApplyMode) -> Self {
        match mode {
            ApplyMode::Server => request::ApplyMode::Server,
            ApplyMode::Local => request::ApplyMode::Local,
        }
    }
}

impl From<Change> for request::Change {
    fn from(flags: Change) -> Self {
        request::Change {
            apply: flags.apply,
            apply_mode: flags.apply_mode.map(Into::into),
            server_side: flags.server_side.then_some(request::ServerSide {
                manager: flags.field_manager.0,
                force: flags.force_conflicts,
            }),
            validate: flags.validate.into(),
            replicas: flags.replicas,
            partition: flags.partition,
            max_unavailable: flags.max_unavailable,
            min_ready_seconds: flags.min_ready_seconds,
            update_strategy: flags.update_strategy.map(StrategyType::name),
            image: flags.image,
            restart: flags.restart,
            to_revision: flags.to_revision,
            set: flags.set,
            delete_pod: flags.delete_pod,
            delete_claim: flags.delete_claim,
            delete: flags.delete.map(Into::into),
        }
    }
}

/// Reads a partition: a number, or a percentage of the replicas.
fn parse_partition(text: &str) -> Result<Partition, String> {
    match text.strip_suffix('%') {
        Some(percent) => match percent.parse() {
            Ok(percent @ 0..=100) => Ok(Partition::Share(percent)),
            _ => Err("write a percentage of the replicas, from 0% to 100%".to_owned()),
        },
        None => text
            .parse()
            .map(Partition::Pods)
            .map_err(|error: std::num::ParseIntError| error.to_string()),
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
    let value = kubectl_manifest::read_value(value).map_err(|error| error.to_string())?;
    Ok((path, value))
}
