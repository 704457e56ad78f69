//! The use of a node for which the kubelet has evicted a pod, by its own report.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::plan::Plan;
use crate::words::plural;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Event, Pod};

/// Maximum age of an eviction that explains why a pod waits.
const RECENT: SignedDuration = SignedDuration::from_hours(24);
/// Minimum use that fills a node: 1 GiB, in billionths of a byte, and this part of what the smallest node has.
const MUCH: i128 = GIB * 1_000_000_000;
const PART: i128 = 10;
const GIB: i128 = 1 << 30;

/// The use of memory and of local storage for which a pod was evicted, a clause each; empty if it was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnUse {
    pub(super) memory: String,
    pub(super) storage: String,
}

/// Use of a container in the report of an eviction.
struct ContainerUse<'m> {
    container: &'m str,
    used: Quantity,
    request: &'m str,
}

/// Report of an eviction: its message, and how often it was made.
type Eviction<'e> = (&'e str, i64);

impl OwnUse {
    /// Reads the evictions of the pods of this name.
    pub(super) fn of(plan: &Plan, pod: &Pod) -> Self {
        let (reason, message) = pod.status_reason();
        let meta = &pod.meta;
        let events = plan.related.events(&meta.namespace, "Pod", &meta.name);
        let now = plan.observed().at();
        let is_recent = |event: &&Arc<Event>| {
            let last = event.last;
            &*event.reason == "Evicted" && last.is_some_and(|at| now.duration_since(at) <= RECENT)
        };
        let mut reported: Vec<&Arc<Event>> = events.iter().filter(is_recent).collect();
        reported.sort_by_key(|event| event.last);
        let reported = reported
            .into_iter()
            .map(|event| (&*event.message, event.count.max(1)));
        let mut evictions: Vec<Eviction<'_>> = reported.collect();
        if evictions.is_empty() && reason == "Evicted" {
            evictions.push((&message, 1));
        }
        let of = |resource: &str| {
            let nodes = plan.related.nodes();
            let has = nodes.filter_map(|node| {
                Quantity::parse(node.allocatable.get(resource)?)
                    .ok()?
                    .billionths()
            });
            let least = MUCH.max(has.min().unwrap_or(0) / PART);
            told(&evictions, resource, least).unwrap_or_default()
        };
        OwnUse {
            memory: of("memory"),
            storage: of("ephemeral-storage"),
        }
    }
}

/// Tells the use in the last eviction for a resource: `container app used 25Gi of memory with a request of 1Gi, and was
/// evicted for it 3 times`.
fn told(evictions: &[Eviction<'_>], resource: &str, least: i128) -> Option<String> {
    let is_for_it = |it: &&Eviction<'_>| greatest_use(it.0, resource, least).is_some();
    let of_resource: Vec<&Eviction<'_>> = evictions.iter().filter(is_for_it).collect();
    let it = greatest_use(of_resource.last()?.0, resource, least)?;
    let count: i64 = of_resource.iter().map(|it| it.1).sum();
    let times = match usize::try_from(count).unwrap_or(1) {
        1 => String::new(),
        count => format!(" {}", plural(count, "time", "times")),
    };
    let request = match it.request {
        "" | "0" => "without a request for it".to_owned(),
        request => format!("with a request of {request}"),
    };
    let used = in_gib(&it.used)?;
    Some(format!(
        "container {} used {used} of {resource} {request}, and was evicted for it{times}",
        it.container
    ))
}

/// Returns the container with the greatest use of a resource beyond its request, if that is at least this much, in
/// billionths: `Container app was using 25Gi, request is 1Gi, has larger consumption of memory.`
fn greatest_use<'m>(message: &'m str, resource: &str, least: i128) -> Option<ContainerUse<'m>> {
    let parts = message.split("Container ").skip(1);
    let uses = parts.filter_map(|part| {
        let (container, rest) = part.split_once(" was using ")?;
        let (used, rest) = rest.split_once(", request is ")?;
        let (request, of) = rest.split_once(", has larger consumption of ")?;
        let is_it = of.starts_with(resource);
        let used = Quantity::parse(used).ok().filter(|_| is_it)?;
        Some(ContainerUse {
            container,
            used,
            request,
        })
    });
    let much = uses.filter(|it| it.used.billionths().is_none_or(|used| used >= least));
    much.max_by_key(|it| it.used.billionths())
}

/// Returns an amount of bytes in whole gibibytes.
fn in_gib(amount: &Quantity) -> Option<String> {
    let bytes = amount.billionths()? / 1_000_000_000;
    Some(format!("{}Gi", (bytes + GIB / 2) / GIB))
}
