//! Flags for the change to plan: docs/contract.md, "The change".

use std::convert::Infallible;
use std::str::FromStr;

use clap::builder::TypedValueParser as _;
use clap::{Args, ValueEnum, ValueHint};

use super::number::whole_number;
use crate::request;
use kubectl_config::yes_or_no;
use sts_controller::apiserver::apply::{Edit, Path};
use sts_controller::apiserver::server_side_apply::KUBECTL;
use sts_controller::simulate::Cascade;
use sts_plan::change::FieldValidation;

/// Change to plan.
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
    /// For -, reads standard input. The live server defaults, admits and validates the manifest in a dry run. With -f,
    /// the program merges, defaults and validates it as the API server of that version does.
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub apply: Option<String>,

    /// Merge and validate the manifest on the server or locally
    ///
    /// The default is server for a live cluster, and local with -f.
    #[arg(long, value_name = "MODE", value_enum)]
    pub apply_mode: Option<ApplyMode>,

    /// Use server-side apply, as kubectl apply --server-side does
    ///
    /// Without --apply, the manifest is read from standard input. With -f, the stored set needs its managedFields: save
    /// it with kubectl sts-plan dump or kubectl get -o yaml --show-managed-fields.
    #[arg(long)]
    pub server_side: bool,

    /// Field manager for server-side apply
    #[arg(long, value_name = "NAME", default_value = KUBECTL)]
    pub field_manager: Manager,

    /// Take over fields that other managers own
    #[arg(long)]
    pub force_conflicts: bool,

    /// Validation of unknown fields, as with kubectl
    ///
    /// Unknown fields in a -f manifest do not reject it: they are findings (STS034).
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
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number(i32::MIN..=i32::MAX).map(Edit::replicas))]
    pub replicas: Option<Edit>,

    /// Set the partition of the rolling update
    ///
    /// The API takes a number. A percentage of the replicas is rounded down, but at least 1, as for maxUnavailable.
    #[arg(long, value_name = "N|P%", allow_negative_numbers = true, value_parser = parse_partition)]
    pub partition: Option<Edit>,

    /// Set maxUnavailable of the rolling update
    #[arg(long, value_name = "N|P%", allow_negative_numbers = true, value_parser = parse_max_unavailable)]
    pub max_unavailable: Option<Edit>,

    /// Set spec.minReadySeconds
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number(i32::MIN..=i32::MAX).map(Edit::min_ready_seconds))]
    pub min_ready_seconds: Option<Edit>,

    /// Set the type of the update strategy
    #[arg(long, value_name = "TYPE", value_enum)]
    pub update_strategy: Option<StrategyType>,

    /// Set an image; repeatable
    ///
    /// CONTAINER is optional if the pod template has only one container.
    #[arg(long, value_name = "[CONTAINER=]IMAGE", value_parser = parse_image)]
    pub image: Vec<Edit>,

    /// Restart, as kubectl rollout restart does
    #[arg(long)]
    pub restart: bool,

    /// Roll back to this revision, as kubectl rollout undo does; 0 is the previous one
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number(i64::MIN..=i64::MAX))]
    pub to_revision: Option<i64>,

    /// Set any other field; repeatable
    ///
    /// PATH uses dots and brackets, VALUE is YAML: spec.podManagementPolicy=Parallel
    #[arg(long, value_name = "PATH=VALUE", value_parser = parse_set)]
    pub set: Vec<Edit>,

    /// Delete this pod; repeatable
    #[arg(long, value_name = "POD")]
    pub delete_pod: Vec<String>,

    /// Delete this PersistentVolumeClaim, as kubectl delete pvc does; repeatable
    ///
    /// The claim stays terminating while a pod uses it. If --delete-pod deletes that pod, the claim is deleted too, and
    /// the controller creates a new, empty one.
    #[arg(long, value_name = "CLAIM")]
    pub delete_claim: Vec<String>,

    /// Delete the set, with this cascade [default cascade: background]
    ///
    /// With --apply, the manifest is created after the deletion.
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
    /// Reads the manifest of a server-side apply from standard input if no file is named.
    pub(super) fn read_piped(&mut self) {
        if self.server_side && self.apply.is_none() {
            self.apply = Some("-".to_owned());
        }
    }

    /// Returns an error if a flag for server-side apply is used without it. `given` reports whether the argument with
    /// this id is on the command line.
    pub(super) fn needs_server_side(&self, given: impl Fn(&str) -> bool) -> Option<String> {
        let flags = [
            ("field_manager", "--field-manager"),
            ("force_conflicts", "--force-conflicts"),
        ];
        let (_, flag) = flags
            .iter()
            .find(|(id, _)| given(id) && !self.server_side)?;
        Some(format!("{flag} requires --server-side"))
    }

    /// Describes a contradiction within the change.
    pub fn contradiction(&self) -> Option<String> {
        if self.apply.is_some() && self.to_revision.is_some() {
            return Some(
                "--apply and --to-revision each replace the whole pod template: use only one of them"
                    .to_owned(),
            );
        }
        let delete = self.delete?;
        if self.apply.is_some() {
            return (delete == DeleteCascade::Foreground).then(|| {
                "--delete=foreground keeps the set until its pods are gone, so --apply would change a \
                 terminating set: plan them one after the other, or use background or orphan"
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
                "--delete leaves no set for {} to change: use only one of them, or pass the new set with --apply",
                given.join(", ")
            )
        })
    }
}

/// A field manager name that the API server accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager(String);

impl FromStr for Manager {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const MAX_LEN: usize = 128;
        if name.is_empty() {
            return Err("server-side apply requires a field manager");
        }
        if name.len() > MAX_LEN {
            return Err("a field manager has at most 128 bytes");
        }
        if name.chars().any(char::is_control) {
            return Err("a field manager has only printable characters");
        }
        Ok(Manager(name.to_owned()))
    }
}

/// `--delete`: the names that `kubectl delete --cascade` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeleteCascade {
    /// Delete the set immediately, then its pods.
    Background,
    /// Delete the pods first, then the set.
    Foreground,
    /// Delete the set; keep its pods, claims and revisions.
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
    /// Dry run on the live server, with admission.
    Server,
    /// In this program, without admission.
    Local,
}

/// `--validate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Validate {
    /// Reject the change.
    #[value(alias = "true")]
    Strict,
    /// Report findings.
    Warn,
    /// Drop the fields.
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
    /// Replace pods from the highest ordinal down.
    RollingUpdate,
    /// Replace pods when they are deleted manually.
    OnDelete,
    /// Delete all outdated pods, then create new ones (1.37 and later, feature gate StatefulSetRecreateStrategy).
    Recreate,
}

impl StrategyType {
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
        let strategy = flags.update_strategy.map(StrategyType::name);
        let strategy = strategy.map(Edit::update_strategy);
        request::Change {
            apply: flags.apply,
            apply_mode: flags.apply_mode.map(Into::into),
            server_side: flags.server_side.then_some(request::ServerSide {
                manager: flags.field_manager.0,
                force: flags.force_conflicts,
            }),
            validate: flags.validate.into(),
            // The type comes before the partition, which belongs to its block.
            edits: [flags.replicas, strategy, flags.partition]
                .into_iter()
                .chain([flags.max_unavailable, flags.min_ready_seconds])
                .flatten()
                .chain(flags.image)
                .chain(flags.set)
                .collect(),
            restart: flags.restart,
            to_revision: flags.to_revision,
            delete_pod: flags.delete_pod,
            delete_claim: flags.delete_claim,
            delete: flags.delete.map(Into::into),
        }
    }
}

/// Parses a partition: a number, or a percentage of the replicas.
fn parse_partition(text: &str) -> Result<Edit, String> {
    match text.strip_suffix('%') {
        Some(percent) => match percent.parse() {
            Ok(percent @ 0..=100) => Ok(Edit::PartitionShare(percent)),
            _ => Err("expected a percentage of the replicas, from 0% to 100%".to_owned()),
        },
        None => whole_number(i32::MIN..=i32::MAX)(text).map(Edit::partition),
    }
}

/// Parses `maxUnavailable`, which the API server validates.
fn parse_max_unavailable(text: &str) -> Result<Edit, Infallible> {
    Ok(Edit::max_unavailable(text))
}

/// Parses `app=nginx:1.27` or `nginx:1.27`. An image cannot contain `=`.
fn parse_image(text: &str) -> Result<Edit, String> {
    let (container, image) = match text.split_once('=') {
        Some((container, image)) => (Some(container.to_owned()), image),
        None => (None, text),
    };
    if image.is_empty() || container.as_deref() == Some("") {
        return Err("expected IMAGE or CONTAINER=IMAGE".to_owned());
    }
    Ok(Edit::Image {
        container,
        image: image.to_owned(),
    })
}

/// Parses `spec.replicas=3`. A `=` inside brackets belongs to the path.
fn parse_set(text: &str) -> Result<Edit, String> {
    let mut depth = 0;
    let end = text.find(|character: char| {
        depth += i32::from(character == '[') - i32::from(character == ']');
        character == '=' && depth == 0
    });
    let (path, value) = end
        .map(|end| (&text[..end], &text[end + 1..]))
        .ok_or_else(|| "expected PATH=VALUE, such as spec.replicas=3".to_owned())?;
    let path = path.parse::<Path>().map_err(|error| error.to_string())?;
    let value = kubectl_manifest::read_value(value).map_err(|error| error.to_string())?;
    Ok(Edit::Set { path, value })
}
