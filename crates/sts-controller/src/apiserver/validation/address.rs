//! IP addresses as the server parses them: lenient versions accept leading zeros.

use core::net::{IpAddr, Ipv6Addr};

use super::refusals::Refusals;
use crate::apiserver::schema::Path;

/// `IsValidIPForLegacyField`.
pub(super) fn check(text: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    if sloppy(text).is_none() {
        let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        out.invalid(at, text, detail);
        return;
    }
    if !out.rules.pod.strict_addresses {
        return;
    }
    match text.parse::<IpAddr>() {
        Err(_) => out.invalid(at, text, "must not have leading 0s"),
        Ok(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => {
            out.invalid(at, text, "must not be an IPv4-mapped IPv6 address");
        }
        Ok(_) => {}
    }
}

/// Parses an address whose decimal numbers may have leading zeros, also at the end of an IPv6 address.
pub(super) fn sloppy(text: &str) -> Option<IpAddr> {
    if !text.contains(':') {
        return plain_v4(text)?.parse().ok().map(IpAddr::V4);
    }
    let (start, end) = text.rsplit_once(':')?;
    if end.contains('.') {
        let end = plain_v4(end)?;
        let address: Ipv6Addr = format!("{start}:{end}").parse().ok()?;
        return Some(IpAddr::V6(address));
    }
    text.parse().ok().map(IpAddr::V6)
}

/// Returns the four numbers without leading zeros.
fn plain_v4(text: &str) -> Option<String> {
    let mut numbers = Vec::new();
    for part in text.split('.') {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number: u8 = part
            .trim_start_matches('0')
            .parse()
            .or_else(|error| {
                if digits && part.bytes().all(|byte| byte == b'0') {
                    Ok(0)
                } else {
                    Err(error)
                }
            })
            .ok()
            .filter(|_| digits)?;
        numbers.push(number.to_string());
    }
    (numbers.len() == 4).then(|| numbers.join("."))
}
