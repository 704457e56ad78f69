//! Reasons why a connection failed, and advice.

use std::io;

use jiff::Timestamp;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, PeerIncompatible};

/// Advice if kubectl may connect where this program cannot.
pub(super) const KUBECTL_FALLBACK: &str = "read the objects with kubectl: kubectl get sts,pods,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -";

const NO_TLS: &str = "no TLS on this port: check the port, or use http://";

/// Describes a TLS error.
pub(super) fn problem(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(error) => certificate(error),
        Error::AlertReceived(alert) => refused(*alert),
        Error::InvalidMessage(_) => {
            "no TLS on this port: check the port, or use http://".to_owned()
        }
        Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13) => {
            format!("the server supports only TLS 1.1 and older: update it, or {KUBECTL_FALLBACK}")
        }
        Error::PeerIncompatible(_) => {
            format!("no common TLS version or cipher suite; {KUBECTL_FALLBACK}")
        }
        other => format!("TLS error ({other}): check the address; {KUBECTL_FALLBACK}"),
    }
}

/// Describes the problem with the server's certificate.
fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired => {
            "the server's certificate has expired: renew it, or check this machine's clock".to_owned()
        }
        CertificateError::ExpiredContext { not_after, .. } => format!(
            "the server's certificate expired{}: renew it, or check this machine's clock",
            on(not_after)
        ),
        CertificateError::NotValidYet => {
            "the server's certificate is not valid yet: check this machine's clock".to_owned()
        }
        CertificateError::NotValidYetContext { not_before, .. } => format!(
            "the server's certificate is not valid yet, only from{}: check this machine's clock",
            on(not_before)
        ),
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "the server's certificate was signed by an unknown authority: name the right one with --certificate-authority".to_owned()
        }
        CertificateError::NotValidForName => {
            "the server's certificate is for another name: use the address it is for, or set --tls-server-name".to_owned()
        }
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => {
            let expected = expected.to_str();
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            match names.as_slice() {
                [] => format!(
                    "the server's certificate has no names (subjectAltName), so it is not valid for {expected}: replace it with one that has"
                ),
                names => format!(
                    "the server's certificate is for {}, not for {expected}: use an address it is for, or set --tls-server-name",
                    names.join(", ")
                ),
            }
        }
        CertificateError::Revoked => "the server's certificate was revoked: replace it".to_owned(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is not for servers (extended key usage): replace it".to_owned()
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            format!(
                "the server uses the certificate of an authority as its own, which is not supported: issue a server certificate, or {KUBECTL_FALLBACK}"
            )
        }
        other => format!("the server's certificate cannot be verified ({other}); {KUBECTL_FALLBACK}"),
    }
}

/// Describes why the server ended the handshake.
fn refused(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateExpired => {
            "the server says that the client certificate has expired: renew it, or log in again".to_owned()
        }
        AlertDescription::CertificateRequired => {
            "the server requires a client certificate: set --client-certificate and --client-key, or choose another user".to_owned()
        }
        AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateRevoked
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::DecryptError
        | AlertDescription::AccessDenied => {
            format!("the server rejects the client certificate ({alert:?}): use one from an authority it trusts, or choose another user")
        }
        AlertDescription::UnrecognisedName => {
            "the server does not recognize this host name: use the address it is for, or set --tls-server-name".to_owned()
        }
        other => format!("the server aborted the TLS handshake ({other:?}): check the address; {KUBECTL_FALLBACK}"),
    }
}

/// Extracts the name from `DnsName("a")`.
fn bare(name: &str) -> &str {
    match name.split_once('(') {
        Some((_, rest)) => rest.trim_end_matches(')').trim_matches('"'),
        None => name,
    }
}

/// Formats ` on 2026-01-01T00:00:00Z`, if the time is known.
fn on(time: &UnixTime) -> String {
    let time = i64::try_from(time.as_secs()).ok();
    let time = time.and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map(|time| format!(" on {time}")).unwrap_or_default()
}

/// Describes why no connection was made.
pub(super) fn unreachable_because(kinds: &[io::ErrorKind], chain: &[String]) -> String {
    let says = |text: &str| chain.iter().any(|cause| cause.contains(text));
    let last = chain.last().map_or("", String::as_str);
    if kinds.contains(&io::ErrorKind::ConnectionRefused) {
        return "connection refused: check that the server is running, and its address".to_owned();
    }
    if says("dns error") || says("failed to lookup address") {
        return format!("cannot resolve the host name ({last}): check the address and the network");
    }
    if says("tls handshake eof") {
        return NO_TLS.to_owned();
    }
    if kinds.contains(&io::ErrorKind::TimedOut) || says("deadline has elapsed") {
        return "connection timed out: check the address, the network and the VPN".to_owned();
    }
    format!("{last}: check the address, the network and the kubeconfig")
}
