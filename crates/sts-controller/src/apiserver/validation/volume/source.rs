//! Volume sources: one table each, and functions for rules of more than one field.

use serde_json::Value;

use super::storage::{
    check_absolute, check_azure_disk, check_fibre_channel, check_flex_options, check_flocker,
    check_iscsi, check_partition, check_quobyte, check_secret_reference,
};
use super::{downward, projected};
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, is_given, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::{claim, meta, name};

/// An additional check of a source.
type More = fn(&Value, &Path<'_>, &mut Refusals<'_>);

struct Source {
    member: &'static str,
    /// The server's names: in paths of members, and in the error for too many sources.
    names: (&'static str, &'static str),
    rules: &'static [Rule],
    more: More,
}

const fn source(member: &'static str, rules: &'static [Rule], more: More) -> Source {
    Source {
        member,
        names: (member, member),
        rules,
        more,
    }
}

impl Source {
    const fn named(mut self, inside: &'static str, alone: &'static str) -> Self {
        self.names = (inside, alone);
        self
    }
}

const NEEDED: Check = Check::Required("");

/// In the server's order.
static SOURCES: [Source; 30] = [
    source("emptyDir", &[], check_empty_dir),
    source("hostPath", &[], check_host_path),
    source(
        "gitRepo",
        &[
            rule("repository", NEEDED),
            rule("directory", Check::InnerPath),
        ],
        nothing,
    ),
    source(
        "gcePersistentDisk",
        &[rule("pdName", NEEDED)],
        check_partition,
    )
    .named("persistentDisk", "gcePersistentDisk"),
    source(
        "awsElasticBlockStore",
        &[rule("volumeID", NEEDED)],
        check_partition,
    ),
    source(
        "secret",
        &[
            rule("secretName", NEEDED),
            rule("defaultMode", Check::FileMode),
        ],
        check_items,
    ),
    source(
        "nfs",
        &[rule("server", NEEDED), rule("path", NEEDED)],
        check_absolute,
    ),
    source(
        "iscsi",
        &[rule("targetPortal", NEEDED), rule("iqn", NEEDED)],
        check_iscsi,
    ),
    source(
        "glusterfs",
        &[rule("endpoints", NEEDED), rule("path", NEEDED)],
        nothing,
    ),
    source("flocker", &[], check_flocker),
    source(
        "persistentVolumeClaim",
        &[rule("claimName", NEEDED)],
        nothing,
    ),
    source(
        "rbd",
        &[rule("monitors", NEEDED), rule("image", NEEDED)],
        nothing,
    ),
    source(
        "cinder",
        &[rule("volumeID", NEEDED)],
        check_secret_reference,
    ),
    source("cephfs", &[rule("monitors", NEEDED)], nothing).named("cephfs", "cephFS"),
    source("quobyte", &[], check_quobyte),
    source(
        "downwardAPI",
        &[rule("defaultMode", Check::FileMode)],
        downward::check_items,
    )
    .named("downwardAPI", "downwarAPI"),
    source("fc", &[], check_fibre_channel),
    source("flexVolume", &[rule("driver", NEEDED)], check_flex_options),
    source(
        "configMap",
        &[rule("name", NEEDED), rule("defaultMode", Check::FileMode)],
        check_items,
    ),
    source(
        "azureFile",
        &[rule("secretName", NEEDED), rule("shareName", NEEDED)],
        nothing,
    ),
    source("vsphereVolume", &[rule("volumePath", NEEDED)], nothing),
    source("photonPersistentDisk", &[rule("pdID", NEEDED)], nothing),
    source("portworxVolume", &[rule("volumeID", NEEDED)], nothing),
    source(
        "azureDisk",
        &[
            rule("diskName", NEEDED),
            rule("diskURI", NEEDED),
            rule(
                "cachingMode",
                Check::OneOf(&["None", "ReadOnly", "ReadWrite"]),
            ),
            rule("kind", Check::OneOf(&["Dedicated", "Managed", "Shared"])),
        ],
        check_azure_disk,
    ),
    source(
        "storageos",
        &[
            rule("volumeName", Check::RequiredLabel),
            rule("volumeNamespace", Check::Label),
        ],
        check_secret_reference,
    ),
    source(
        "projected",
        &[rule("defaultMode", Check::FileMode)],
        projected::check,
    ),
    source(
        "scaleIO",
        &[
            rule("gateway", NEEDED),
            rule("system", NEEDED),
            rule("volumeName", NEEDED),
        ],
        nothing,
    ),
    source("csi", &[], check_csi),
    source("ephemeral", &[], check_ephemeral),
    source("image", &[], check_image),
];

/// `sent` is the volume as sent.
pub(super) fn check(volume: &Value, sent: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let mut found = false;
    for source in &SOURCES {
        let given = &volume[source.member];
        if given.is_null() {
            continue;
        }
        if source.member == "iscsi" {
            check_iscsi_names(volume, at, out);
        }
        let (inside, alone) = source.names;
        let before = out.len();
        if found {
            let detail = "may not specify more than 1 volume type";
            out.forbidden(at.member(alone), detail);
            out.blame(before, at.member(source.member));
            continue;
        }
        found = true;
        let named = at.member(inside);
        check_rules(given, &named, source.rules, out);
        (source.more)(given, &named, out);
        if source.member == "ephemeral" {
            check_ephemeral_lists(given, &sent[source.member], &named, out);
        }
        out.blame_under(before, named, at.member(source.member));
    }
    if !found {
        out.required(at, "must specify a volume type");
    }
}

fn nothing(_: &Value, _: &Path<'_>, _: &mut Refusals<'_>) {}

fn check_empty_dir(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let negative = given["sizeLimit"]
        .as_str()
        .and_then(|text| Quantity::parse(text).ok())
        .is_some_and(|limit| limit.is_negative());
    if negative {
        let detail = "SizeLimit field must be a valid resource quantity";
        out.forbidden(at.member("sizeLimit"), detail);
    }
}

fn check_host_path(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const TYPES: [&str; 8] = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    static RULES: [Rule; 2] = [
        rule("path", Check::NoBacksteps),
        rule("type", Check::OneOf(&TYPES)),
    ];
    if text(given, "path").is_empty() {
        out.required(at.member("path"), "");
    } else {
        check_rules(given, at, &RULES, out);
    }
}

/// Checks the keys of a ConfigMap or Secret that become files.
fn check_items(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    for (at, item) in each(given, "items", at) {
        check_rules(item, &at, &projected::KEY_TO_PATH, out);
    }
}

fn check_csi(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX_DRIVER_LENGTH: usize = 63;
    let driver = text(given, "driver");
    let at_driver = at.member("driver");
    if driver.is_empty() {
        out.required(at_driver, "");
    }
    if !driver.is_empty() || out.rules.pod.empty_csi_drivers_named {
        if driver.len() > MAX_DRIVER_LENGTH {
            out.too_long(at_driver, MAX_DRIVER_LENGTH);
        }
        let complaints = name::dns_subdomain(&driver.to_lowercase());
        out.invalid_text(at_driver, driver, &complaints);
    }
    if is_given(given, "nodePublishSecretRef") {
        let secret = text(&given["nodePublishSecretRef"], "name");
        if secret.is_empty() {
            out.required(at.member("nodePublishSecretRef.name"), "");
        } else {
            let complaints = name::dns_subdomain(secret);
            out.invalid_text(at.member("name"), secret, &complaints);
        }
    }
}

fn check_ephemeral(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let template = &given["volumeClaimTemplate"];
    let at = at.member("volumeClaimTemplate");
    if template.is_null() {
        out.required(at, "");
        return;
    }
    let (metadata, at_metadata) = (&template["metadata"], at.member("metadata"));
    meta::check_annotations(
        &metadata["annotations"],
        &at_metadata.member("annotations"),
        out,
    );
    meta::check_labels(&metadata["labels"], &at_metadata.member("labels"), out);
    // The controller names the claims of pods.
    for (member, shown) in [
        ("name", "name"),
        ("generateName", "generateName"),
        ("namespace", "namespace"),
        ("selfLink", "selfLink"),
        ("uid", "uID"),
        ("resourceVersion", "resourceVersion"),
        ("generation", "generation"),
        ("creationTimestamp", "creationTimestamp"),
        ("deletionTimestamp", "deletionTimestamp"),
        ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
        ("ownerReferences", "ownerReferences"),
        ("finalizers", "finalizers"),
        ("managedFields", "managedFields"),
    ] {
        if is_given(metadata, member) {
            out.forbidden(at_metadata.member(shown), "cannot be set");
        }
    }
    claim::check_spec(&template["spec"], &at.member("spec"), out);
}

/// Checks metadata lists that are present but empty, which decoding drops.
fn check_ephemeral_lists(given: &Value, sent: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let metadata = |source: &'_ Value, member: &str| {
        is_given(&source["volumeClaimTemplate"]["metadata"], member)
    };
    let at = at.member("volumeClaimTemplate");
    let at = at.member("metadata");
    for member in ["ownerReferences", "finalizers", "managedFields"] {
        if metadata(sent, member) && !metadata(given, member) {
            out.forbidden(at.member(member), "cannot be set");
        }
    }
}

/// Checks the length of the name that a disk with a named initiator has on a node.
fn check_iscsi_names(volume: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX: usize = 64;
    let (name, disk) = (text(volume, "name"), &volume["iscsi"]);
    let length = name.len() + ":".len() + text(disk, "targetPortal").len();
    if is_given(disk, "initiatorName") && length > MAX {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
        out.invalid(at.member("name"), name, detail);
    }
}

/// Checks an image. A template may omit its reference.
fn check_image(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    static RULES: [Rule; 1] = [rule(
        "pullPolicy",
        Check::Chosen(&["Always", "IfNotPresent", "Never"]),
    )];
    if out.of_pod && text(given, "reference").is_empty() {
        out.required(at.member("reference"), "");
    }
    check_rules(given, at, &RULES, out);
}
