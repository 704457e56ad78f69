//! The reasons that a connection failed, and what to do about them.

use std::io;

use jiff::Timestamp;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, PeerIncompatible};

/// The advice where kubectl gets through and this program does not.
pub(super) const WAY_ROUND: &str = "let kubectl do the reading: kubectl get sts,pods,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -";

const NO_TLS: &str =
    "it does not speak TLS there: check the port, or write http:// if that is meant";

/// Describes a TLS error.
pub(super) fn problem(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(error) => certificate(error),
        Error::AlertReceived(alert) => refused(*alert),
        Error::InvalidMessage(_) => {
            "it does not speak TLS there: check the port, or write http:// if that is meant"
                .to_owned()
        }
        Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13) => {
            format!("it speaks no TLS newer than 1.1: have it updated, or {WAY_ROUND}")
        }
        Error::PeerIncompatible(_) => {
            format!("it and this program have no way of TLS in common; {WAY_ROUND}")
        }
        other => format!("TLS fails ({other}): check the address; {WAY_ROUND}"),
    }
}

/// Describes the problem with the server's certificate.
fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired => {
            "its certificate has expired: renew it, or check this machine's clock".to_owned()
        }
        CertificateError::ExpiredContext { not_after, .. } => format!(
            "its certificate expired{}: renew it, or check this machine's clock",
            on(not_after)
        ),
        CertificateError::NotValidYet => {
            "its certificate is not valid yet: check this machine's clock".to_owned()
        }
        CertificateError::NotValidYetContext { not_before, .. } => format!(
            "its certificate is not valid yet, but will be{}: check this machine's clock",
            on(not_before)
        ),
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is of an authority that is not trusted: name the right one with --certificate-authority".to_owned()
        }
        CertificateError::NotValidForName => {
            "its certificate is of another name: use the address that it is for, or name it with --tls-server-name".to_owned()
        }
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => {
            let expected = expected.to_str();
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            match names.as_slice() {
                [] => format!(
                    "its certificate is for no name (it has no subjectAltName), and so not for {expected}: give it one with its names"
                ),
                names => format!(
                    "its certificate is for {}, and not for {expected}: use an address that it is for, or name one with --tls-server-name",
                    names.join(", ")
                ),
            }
        }
        CertificateError::Revoked => "its certificate was revoked: give it another".to_owned(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "its certificate is not meant for servers (extended key usage): give it another".to_owned()
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            format!(
                "its certificate is that of an authority, which is not taken here for a server's own even where it is trusted: give it one of its own, or {WAY_ROUND}"
            )
        }
        other => format!("its certificate cannot be checked ({other}); {WAY_ROUND}"),
    }
}

/// Describes the reason that the server ended the handshake.
fn refused(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateExpired => {
            "it says that the client certificate has expired: renew it, or log in again".to_owned()
        }
        AlertDescription::CertificateRequired => {
            "it wants a client certificate: name one with --client-certificate and --client-key, or choose another user".to_owned()
        }
        AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateRevoked
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::DecryptError
        | AlertDescription::AccessDenied => {
            format!("it does not take the client certificate ({alert:?}): give one of an authority that it trusts, or choose another user")
        }
        AlertDescription::UnrecognisedName => {
            "it does not know the name that it is called by: use the address that it is for, or name it with --tls-server-name".to_owned()
        }
        other => format!("it breaks off the TLS handshake ({other:?}): check the address; {WAY_ROUND}"),
    }
}

/// `DnsName("a")` as it was in the certificate.
fn bare(name: &str) -> &str {
    match name.split_once('(') {
        Some((_, rest)) => rest.trim_end_matches(')').trim_matches('"'),
        None => name,
    }
}

/// ` on 2026-01-01T00:00:00Z`, where there is such a time.
fn on(time: &UnixTime) -> String {
    let time = i64::try_from(time.as_secs()).ok();
    let time = time.and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map(|time| format!(" on {time}")).unwrap_or_default()
}

/// Describes the reason that no connection was made at all.
pub(super) fn unreachable_because(kinds: &[io::ErrorKind], chain: &[String]) -> String {
    let says = |text: &str| chain.iter().any(|cause| cause.contains(text));
    let last = chain.last().map_or("", String::as_str);
    if kinds.contains(&io::ErrorKind::ConnectionRefused) {
        return "the connection was refused: it is not running there, or the address is wrong"
            .to_owned();
    }
    if says("dns error") || says("failed to lookup address") {
        return format!("its name cannot be looked up ({last}): check the address and the network");
    }
    if says("tls handshake eof") {
        return NO_TLS.to_owned();
    }
    if kinds.contains(&io::ErrorKind::TimedOut) || says("deadline has elapsed") {
        return "no connection was made in time: check the address, the network and the VPN"
            .to_owned();
    }
    format!("{last}: check the address, the network and the kubeconfig")
}
