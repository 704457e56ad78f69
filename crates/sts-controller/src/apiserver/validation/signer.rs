//! Names of signers and of trust bundles.

use super::name;
use super::refusals::Refusals;
use crate::apiserver::schema::Path;

/// Reports whether a signer belongs to Kubernetes itself.
pub(super) fn is_of_kubernetes(signer: &str) -> bool {
    let host = signer.split('/').next().unwrap_or_default();
    host == "kubernetes.io" || host.ends_with(".kubernetes.io")
}

/// `ValidateSignerName`: a domain, a slash, and a path of one part.
pub(super) fn check_name(signer: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX: usize = 2 * name::DNS_SUBDOMAIN_LENGTH + name::LABEL_LENGTH + 2;
    if signer.is_empty() {
        out.required(at, "");
        return;
    }
    let mut parts = signer.split('/');
    let (Some(domain), Some(path), None) = (parts.next(), parts.next(), parts.next()) else {
        let detail =
            "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        out.invalid(at, signer, detail);
        return;
    };
    if domain.len() > name::DNS_SUBDOMAIN_LENGTH {
        out.too_long(at, name::DNS_SUBDOMAIN_LENGTH);
    }
    check_labels(domain, at, name::dns_label, out);
    if !domain.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        out.invalid(at, domain, detail);
    }
    check_labels(path, at, name::dns_subdomain, out);
    if signer.len() > MAX {
        out.too_long(at, MAX);
    }
}

/// Reports the first invalid DNS label in a name, with all its errors.
fn check_labels(
    text: &str,
    at: &Path<'_>,
    complain: fn(&str) -> Vec<String>,
    out: &mut Refusals<'_>,
) {
    for label in text.split('.') {
        let complaints = complain(label);
        for complaint in &complaints {
            let detail = format!("validating label {}: {complaint}", super::go::quoted(label));
            out.invalid(at, text, &detail);
        }
        if !complaints.is_empty() {
            return;
        }
    }
}

/// Returns the errors in the name of a ClusterTrustBundle, which starts with its signer's name, if it has a signer.
pub(super) fn bundle_name(name: &str) -> Vec<String> {
    let Some((signer, own)) = name.rsplit_once(':') else {
        return name::dns_subdomain(name);
    };
    if signer.is_empty() {
        return vec![
            "ClusterTrustBundle without signer name must not have \":\" in its name".to_owned(),
        ];
    }
    name::dns_subdomain(own)
}

/// `IsDomainPrefixedKey`.
pub(super) fn check_key(key: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    if key.is_empty() {
        out.required(at, "");
        return;
    }
    let complaints = name::qualified(key, out.rules);
    out.invalid_text(at, key, &complaints);
    if complaints.is_empty() && !key.contains('/') {
        let detail = "must be a domain-prefixed key (such as \"acme.io/foo\")";
        out.invalid(at, key, detail);
    }
}
