//! PEM certificates and keys: reads them, and checks for problems that would fail a handshake.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::kubeconfig::model::Pem;
use crate::bounded;
use kubectl_manifest::go_base64;

/// Reads the certificate or key of a kubeconfig or flag.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, String> {
    if pem.base64.is_empty() {
        return bounded::read(pem.file.as_ref(), bounded::SMALL).map_err(|error| {
            let place = place(pem, what);
            format!("{place} cannot be read ({error}): check its path and permissions")
        });
    }
    go_base64::decode(&pem.base64).ok_or_else(|| {
        let place = place(pem, what);
        format!("{place} is not base64: encode it with base64")
    })
}

/// Returns the description for messages.
pub(super) fn place(pem: &Pem, what: &str) -> String {
    match pem.base64.as_str() {
        "" => format!("the {what} {}", pem.file),
        _ => format!("the {what} in the kubeconfig"),
    }
}

/// Returns the certificates of authorities, in DER. As in kubectl, invalid ones are skipped.
///
/// # Errors
/// When the PEM is invalid; the message follows its description.
pub(super) fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let all = certificates(pem)?;
    let readable: Vec<Vec<u8>> = all
        .into_iter()
        .filter(|certificate| RootCertStore::empty().add(certificate.clone()).is_ok())
        .map(|certificate| certificate.to_vec())
        .collect();
    if readable.is_empty() {
        return Err("has no valid certificate: download the file again".to_owned());
    }
    Ok(readable)
}

/// Returns the expiration of a client certificate, the first of its chain. The PEM can be concatenated with that of
/// the key.
///
/// # Errors
/// When the PEM is invalid; the message follows its description.
pub(super) fn client(pem: &[u8]) -> Result<Option<Timestamp>, String> {
    let chain = certificates(pem)?;
    Ok(chain.first().and_then(|certificate| end(certificate)))
}

/// Checks that the PEM has a key.
///
/// # Errors
/// When it does not; the message follows its description.
pub(super) fn key(pem: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(pem);
    if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----")
        || text.contains("Proc-Type: 4,ENCRYPTED")
    {
        return Err(
            "is encrypted, which is not supported: decrypt it with openssl pkey".to_owned(),
        );
    }
    match PrivateKeyDer::from_pem_slice(pem) {
        Ok(_) => Ok(()),
        Err(_) => Err(
            "has no private key (a PEM section PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY): check that the file is the right one and complete"
                .to_owned(),
        ),
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(
            "has no certificate (a PEM section BEGIN CERTIFICATE): check that it is the right file"
                .to_owned(),
        ),
        Err(_) => Err("has damaged or truncated PEM: download the file again".to_owned()),
    }
}

/// Returns `notAfter` of a certificate; `None` if it does not parse.
fn end(certificate: &[u8]) -> Option<Timestamp> {
    const VERSION: u8 = 0xa0;
    let (_, certificate, _) = element(certificate)?;
    let (_, mut signed, _) = element(certificate)?;
    // Optional version, then number, algorithm and issuer.
    let (tag, _, rest) = element(signed)?;
    if tag == VERSION {
        signed = rest;
    }
    for _ in 0..3 {
        (_, _, signed) = element(signed)?;
    }
    let (_, validity, _) = element(signed)?;
    let (_, _, after) = element(validity)?;
    let (tag, time, _) = element(after)?;
    moment(tag, std::str::from_utf8(time).ok()?)
}

/// Returns the tag and the content of the first DER element, and the rest.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, mut rest) = rest.split_first()?;
    let mut length = usize::from(first);
    if first >= 0x80 {
        let digits = usize::from(first & 0x7f);
        if digits == 0 || digits > 4 || rest.len() < digits {
            return None;
        }
        let (bytes, behind) = rest.split_at(digits);
        length = bytes
            .iter()
            .fold(0, |length, byte| length << 8 | usize::from(*byte));
        rest = behind;
    }
    let content = rest.get(..length)?;
    Some((tag, content, &rest[length..]))
}

/// Parses `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`.
fn moment(tag: u8, text: &str) -> Option<Timestamp> {
    const SHORT: u8 = 0x17;
    const LONG: u8 = 0x18;
    let digits = text.strip_suffix('Z')?;
    let number = |from: usize, to: usize| digits.get(from..to)?.parse::<i16>().ok();
    let (year, rest) = match tag {
        // RFC 5280: two digits mean 1950 to 2049.
        SHORT => match number(0, 2)? {
            year @ 50.. => (1900 + year, 2),
            year => (2000 + year, 2),
        },
        LONG => (number(0, 4)?, 4),
        _ => return None,
    };
    let part = |index: usize| i8::try_from(number(rest + 2 * index, rest + 2 * index + 2)?).ok();
    let time = DateTime::new(year, part(0)?, part(1)?, part(2)?, part(3)?, part(4)?, 0).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_certificates_are_read() {
        for (tag, text, time) in [
            (0x17, "260101000000Z", Some("2026-01-01T00:00:00Z")),
            (0x17, "991231235959Z", Some("1999-12-31T23:59:59Z")),
            (0x18, "20500101000000Z", Some("2050-01-01T00:00:00Z")),
            (0x18, "99991231235959Z", None),
            (0x17, "261301000000Z", None),
            (0x17, "26é101000000Z", None),
            (0x17, "2601", None),
            (0x02, "260101000000Z", None),
        ] {
            let read = moment(tag, text).map(|time| time.to_string());
            assert_eq!(read.as_deref(), time, "{text}");
        }
    }

    #[test]
    fn invalid_certificates_have_no_expiration() {
        for der in [
            &[][..],
            &[0x30],
            &[0x30, 0x80],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[0x30, 0x02, 0x30, 0x00],
            &[0x30, 0x04, 0x30, 0x02, 0xa0, 0x00],
        ] {
            assert_eq!(end(der), None);
        }
    }
}
