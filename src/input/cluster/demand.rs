//! Objects that only some causes need: read last, and only if a problem needs them.

use std::collections::BTreeSet;

use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};

use super::around::Around;
use super::connect::Cluster;
use super::error::ClusterError;
use super::list::Query;
use super::permission::{ON_DEMAND, Permission, Target};
use super::read::{ReadOptions, ReadResult};
use super::resource::Resource;
use super::scope::Scope;
use crate::input::Object;
use sts_controller::object::{NODE_LEASES, Related, RelatedKind};
use sts_plan::cause::{Catalogue, CauseEntry, cause_of_event};

/// Age above which a warning no longer describes the present.
const PAST: SignedDuration = SignedDuration::from_mins(30);
/// Maximum number of nodes whose leases are read one by one.
const MOST_NODES: usize = 20;

/// Additional objects to read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Demand {
    kinds: BTreeSet<&'static str>,
    /// Kinds that a cause needs; not set for a dump of everything.
    asked_for: BTreeSet<&'static str>,
    /// Nodes whose leases are read.
    nodes: BTreeSet<String>,
}

impl Demand {
    /// Returns the demand of the problems that these objects show; all kinds if `everything` is set.
    pub fn of(objects: &[Object], now: Timestamp, everything: bool) -> Self {
        let mut demand = Demand::default();
        let mut used = BTreeSet::new();
        let mut down = BTreeSet::new();
        for object in objects {
            match object {
                Object::Pod(pod) => used.extend(pod.node().map(str::to_owned)),
                Object::Related(related) => match &**related {
                    Related::Node(node) if node.is_down() => {
                        down.insert(node.meta.name.to_string());
                    }
                    Related::Event(event) => {
                        let is_past = event.last.is_some_and(|at| now.duration_since(at) > PAST);
                        let entry =
                            cause_of_event(Catalogue::default(), event).filter(|_| !is_past);
                        let kinds = entry.into_iter().flat_map(CauseEntry::kinds_to_read);
                        demand.kinds.extend(kinds.map(|kind| kind.name()));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        demand.asked_for = demand.kinds.clone();
        if used.intersection(&down).next().is_some() {
            demand.asked_for.insert(RelatedKind::Lease.name());
        }
        if everything {
            demand.kinds = ON_DEMAND.iter().filter_map(kind).collect();
            demand.nodes = used;
        } else {
            demand.nodes = used.intersection(&down).cloned().collect();
        }
        demand.kinds.remove(RelatedKind::Lease.name());
        demand
    }

    /// Adds a kind that a question needs, whatever the objects show.
    pub fn ask_for(&mut self, kind: RelatedKind) {
        self.kinds.insert(kind.name());
        self.asked_for.insert(kind.name());
    }

    fn asks_for(&self, permission: &Permission) -> bool {
        kind(permission).is_some_and(|kind| self.kinds.contains(kind))
    }
}

fn kind(permission: &Permission) -> Option<&'static str> {
    match permission.target {
        Target::Objects(resource) => Some(resource.kind),
        Target::Path(_) => None,
    }
}

impl Cluster {
    /// Reads the demanded objects of a scope.
    ///
    /// # Errors
    /// When the server does not answer. Resources without permission are reported as unread.
    pub fn read_demanded(
        &self,
        demand: &Demand,
        scope: &Scope,
        options: &ReadOptions<'_>,
    ) -> Result<ReadResult, ClusterError> {
        let Some(namespace) = scope.namespace() else {
            return Ok(ReadResult::default());
        };
        let mut queries: Vec<(&Permission, Query<'_>)> = Vec::new();
        for permission in &ON_DEMAND {
            let Target::Objects(resource) = permission.target else {
                continue;
            };
            if resource == Resource::LEASES {
                let leases = Query::of(resource, Some(NODE_LEASES));
                if demand.nodes.len() > MOST_NODES {
                    queries.push((permission, leases));
                    continue;
                }
                let of_nodes = demand.nodes.iter().map(|node| Query {
                    name: Some(node),
                    ..leases
                });
                queries.extend(of_nodes.map(|query| (permission, query)));
            } else if demand.asks_for(permission) {
                let namespace = Some(namespace).filter(|_| resource.namespaced);
                queries.push((permission, Query::of(resource, namespace)));
            }
        }
        let api = self.api();
        let lists = queries.into_iter().map(|(permission, query)| async move {
            let listed = api.list_if_allowed(permission, query, options).await;
            listed.map(|listed| (query, listed))
        });
        let mut around = Around::default();
        let mut passed_over = BTreeSet::new();
        for list in self.block_on(options.progress.during(join_all(lists))) {
            let (query, listed) = list?;
            match listed {
                Ok(listed) => around.objects.extend(listed.items),
                Err(unread) if demand.asked_for.contains(query.resource.kind) => {
                    around.unread.insert(unread);
                }
                // No planned object becomes uncertain without it.
                Err(unread) => {
                    passed_over.insert(unread.resource);
                }
            }
        }
        Ok(ReadResult {
            passed_over,
            ..around.with(Vec::new())
        })
    }
}
