//! Projected volumes: `validateProjectionSources`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::downward;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, entries, is_given, list, number, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::{go, meta, selector, signer, word};

/// Paths of the files so far, which must be unique.
struct Files<'a, 'r> {
    volume: &'a Path<'a>,
    paths: BTreeSet<String>,
    out: &'a mut Refusals<'r>,
}

impl Files<'_, '_> {
    /// Adds a path. The server attributes a duplicate path to the whole volume, and shows the source.
    fn add(&mut self, path: &str, shown: &str) {
        if !self.paths.insert(path.to_owned()) {
            self.out
                .invalid(self.volume, shown, "conflicting duplicate paths");
        }
    }
}

pub(super) fn check(volume: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let mut files = Files {
        volume: at,
        paths: BTreeSet::new(),
        out,
    };
    for (at, source) in each(volume, "sources", at) {
        let mut count = 0;
        for (member, check) in KINDS {
            if is_given(source, member) {
                count += 1;
                check(&source[member], &at.member(member), &mut files);
            }
        }
        if count > 1 {
            let detail = "may not specify more than 1 volume type per source";
            files.out.forbidden(at, detail);
        }
    }
}

type Kind = fn(&Value, &Path<'_>, &mut Files<'_, '_>);

const KINDS: [(&str, Kind); 6] = [
    ("secret", check_keys),
    ("configMap", check_keys),
    ("downwardAPI", check_fields),
    ("serviceAccountToken", check_token),
    ("clusterTrustBundle", check_trust_bundle),
    ("podCertificate", check_certificate),
];

/// `validateKeyToPath`.
pub(super) static KEY_TO_PATH: [Rule; 4] = [
    rule("key", Check::Required("")),
    rule("path", Check::Required("")),
    rule("path", Check::OwnPath),
    rule("mode", Check::FileMode),
];

fn check_keys(source: &Value, at: &Path<'_>, files: &mut Files<'_, '_>) {
    let name = text(source, "name");
    if name.is_empty() {
        files.out.required(at.member("name"), "");
    }
    for (at, item) in each(source, "items", at) {
        check_rules(item, &at, &KEY_TO_PATH, files.out);
        if !text(item, "path").is_empty() {
            files.add(text(item, "path"), name);
        }
    }
}

fn check_fields(source: &Value, at: &Path<'_>, files: &mut Files<'_, '_>) {
    for (index, file) in list(source, "items").iter().enumerate() {
        let before = files.out.len();
        downward::check_file(file, at, files.out);
        files
            .out
            .blame_under(before, at, at.member("items").index(index));
        let path = text(file, "path");
        if !path.is_empty() {
            files.add(path, path);
        }
    }
}

/// Checks a token. The server attributes an invalid path to the volume, not to the token.
fn check_token(source: &Value, at: &Path<'_>, files: &mut Files<'_, '_>) {
    const MIN: i64 = 10 * 60;
    const MAX: i64 = 1 << 32;
    let seconds = number(source, "expirationSeconds");
    let at_seconds = at.member("expirationSeconds");
    if seconds < MIN {
        let detail = "may not specify a duration less than 10 minutes";
        files.out.invalid(at_seconds, seconds, detail);
    }
    if seconds > MAX {
        let detail = "may not specify a duration larger than 2^32 seconds";
        files.out.invalid(at_seconds, seconds, detail);
    }
    let path = text(source, "path");
    let before = files.out.len();
    let at_path = files.volume.member("path");
    if path.is_empty() {
        files.out.required(at_path, "");
    } else if files.out.rules.pod.token_paths && !files.out.ratcheting.token_paths {
        files.out.invalid_text(at_path, path, &word::own_path(path));
    }
    files.out.blame(before, at.member("path"));
}

fn check_trust_bundle(source: &Value, at: &Path<'_>, files: &mut Files<'_, '_>) {
    let out = &mut *files.out;
    match (source["name"].as_str(), source["signerName"].as_str()) {
        (Some(_), Some(_)) => {
            let json = go::internal(source, go::CLUSTER_TRUST_BUNDLE);
            let detail = "only one of name and signerName may be used";
            out.invalid_object(at, source, &json, &json, detail);
        }
        (Some(name), None) => {
            let at_name = at.member("name");
            if name.is_empty() {
                out.required(at_name, "must be a valid object name");
            }
            for complaint in signer::bundle_name(name) {
                let detail = format!("not a valid clustertrustbundlename: {complaint}");
                out.invalid(at_name, name, &detail);
            }
            let labels = &source["labelSelector"];
            if !labels.is_null() {
                let json = go::label_selector(labels);
                let detail = "labelSelector must be unset if name is specified";
                out.invalid_object(at.member("labelSelector"), labels, &json, &json, detail);
            }
        }
        (None, Some(signer)) => {
            let at_signer = at.member("signerName");
            if signer.is_empty() {
                out.required(at_signer, "must be a valid signer name");
            }
            signer::check_name(signer, &at_signer, out);
            let at = at.member("labelSelector");
            selector::check_requirements(&source["labelSelector"], &at, true, out);
        }
        (None, None) => out.required(at, "either name or signerName must be specified"),
    }
    let path = text(source, "path");
    if path.is_empty() {
        out.required(at.member("path"), "");
    }
    out.invalid_text(at.member("path"), path, &word::own_path(path));
    files.add(path, path);
}

fn check_certificate(source: &Value, at: &Path<'_>, files: &mut Files<'_, '_>) {
    const KEY_TYPES: [&str; 6] = [
        "RSA3072",
        "RSA4096",
        "ECDSAP256",
        "ECDSAP384",
        "ECDSAP521",
        "ED25519",
    ];
    const MIN: i64 = 3_600;
    const MAX: i64 = 91 * 24 * 3_600;
    const MAX_FOR_KUBERNETES: i64 = 24 * 3_600;
    let signer = text(source, "signerName");
    signer::check_name(signer, &at.member("signerName"), files.out);
    for (key, _) in entries(source, "userAnnotations") {
        let at = at.member("userAnnotations");
        signer::check_key(&key.to_lowercase(), &at, files.out);
    }
    meta::check_annotations_size(
        &source["userAnnotations"],
        &at.member("userAnnotations"),
        files.out,
    );
    let key_type = text(source, "keyType");
    if !KEY_TYPES.contains(&key_type) {
        let at = at.member("keyType");
        files.out.not_supported_text(at, key_type, &KEY_TYPES);
    }
    if let Some(seconds) = source["maxExpirationSeconds"].as_i64() {
        let at = at.member("maxExpirationSeconds");
        if seconds < MIN {
            let detail = "if provided, maxExpirationSeconds must be >= 3600";
            files.out.invalid(at, seconds, detail);
        }
        let most = if signer::is_of_kubernetes(signer) {
            MAX_FOR_KUBERNETES
        } else {
            MAX
        };
        if seconds > most {
            let detail = format!("if provided, maxExpirationSeconds must be <= {most}");
            files.out.invalid(at, seconds, &detail);
        }
    }
    let mut found = false;
    for member in ["credentialBundlePath", "keyPath", "certificateChainPath"] {
        let path = text(source, member);
        if !path.is_empty() {
            found = true;
            let complaints = word::own_path(path);
            files.out.invalid_text(at.member(member), path, &complaints);
            files.add(path, path);
        }
    }
    if !found {
        let detail =
            "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        files.out.required(at, detail);
    }
}
