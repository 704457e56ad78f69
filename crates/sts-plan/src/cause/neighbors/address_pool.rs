//! Pool of addresses that are all handed out.

use std::collections::BTreeSet;

use super::MOST;
use crate::catalogue::Trouble;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Bystander, Pod};

/// Kind and group of the pools of Whereabouts, which record the pod of each address.
const WHEREABOUTS: (&str, &str) = ("IPPool", "whereabouts.cni.cncf.io");

/// Returns what a pool says about the pods that hold its addresses, if the report is about one of its addresses.
pub(super) fn trouble(plan: &Plan, pod: &Pod, pool: &Bystander, report: &str) -> Option<Trouble> {
    let range = pool.spec["range"].as_str()?;
    if (&*pool.kind, &*pool.group) != WHEREABOUTS || !names_address_of(report, range) {
        return None;
    }
    let allocations = pool.spec["allocations"].as_object()?;
    let holders: BTreeSet<&str> = allocations
        .values()
        .filter_map(|it| it["podref"].as_str())
        .collect();
    let own = format!("{}/{}", pod.meta.namespace, pod.meta.name);
    let is_known = |holder: &str| {
        let (namespace, name) = holder.split_once('/').unwrap_or(("", holder));
        let mut pods = plan.related.pods(namespace);
        pods.any(|it| *it.meta.name == *name)
    };
    let unknown: Vec<&str> = holders
        .iter()
        .copied()
        .filter(|holder| *holder != own && !is_known(holder))
        .collect();
    let mut says = format!("has handed out {} addresses of {range}", allocations.len());
    if holders.contains(&*own) {
        says.push_str(&format!(
            ", one of them to an earlier sandbox of {}",
            pod.meta.name
        ));
    }
    if !unknown.is_empty() {
        let verb = if unknown.len() == 1 { "a pod" } else { "pods" };
        says.push_str(&format!(
            ", {} of them to {verb} that the input does not have: {}",
            unknown.len(),
            list(&unknown, MOST)
        ));
    }
    Some(Trouble {
        says,
        cure: "If these pods no longer exist, release their addresses: remove them from spec.allocations of the pool and \
               from the OverlappingRangeIPReservations, or let the ip-reconciler of Whereabouts do it; if all of them exist, \
               enlarge the range"
            .to_owned(),
    })
}

/// Reports whether a report names an address of a range, such as `10.1.0.0/29`.
fn names_address_of(report: &str, range: &str) -> bool {
    let Some((base, bits)) = range.split_once('/') else {
        return false;
    };
    let (Some(base), Ok(bits)) = (ipv4(base), bits.parse::<u32>()) else {
        return false;
    };
    let mask = u32::MAX
        .checked_shl(32_u32.saturating_sub(bits))
        .unwrap_or(0);
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = report.split(|c| !is_part(c));
    let mut addresses = words.filter_map(ipv4);
    addresses.any(|it| it & mask == base & mask)
}

/// Returns the number of an IPv4 address.
fn ipv4(text: &str) -> Option<u32> {
    let parts: Option<Vec<u8>> = text.split('.').map(|part| part.parse().ok()).collect();
    let parts: [u8; 4] = parts?.try_into().ok()?;
    Some(u32::from_be_bytes(parts))
}

#[cfg(test)]
mod tests {
    use super::names_address_of;

    #[test]
    fn a_report_names_an_address_of_a_range() {
        let report =
            "Could not allocate IP in range: ip: 172.20.8.1 / - 172.20.8.6 / range: net.IPNet";
        assert!(names_address_of(report, "172.20.8.0/29"));
        assert!(!names_address_of(report, "172.20.9.0/29"));
        assert!(!names_address_of(report, "fd00::/64"));
    }
}
