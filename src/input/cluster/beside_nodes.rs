//! Objects of other namespaces that decide about nodes: the pods on them, and their budgets.

use std::collections::BTreeSet;

use futures::future::join_all;

use super::connect::Cluster;
use super::error::ClusterError;
use super::list::Query;
use super::permission::{OF_NODES, ON_DEMAND, PERMISSIONS, Permission, Target};
use super::read::{ReadOptions, ReadResult};
use super::resource::Resource;
use crate::input::Object;

/// Kinds that a plan of all namespaces does not read otherwise.
const OF_MANY: [Resource; 4] = [
    Resource::VOLUMES,
    Resource::QUOTAS,
    Resource::LIMIT_RANGES,
    Resource::CSI_NODES,
];

/// Objects around nodes.
#[derive(Debug)]
pub struct BesideNodes {
    /// The objects, and what could not be read.
    pub result: ReadResult,
    /// True if the pods and budgets of all namespaces were read.
    pub is_complete: bool,
}

impl Cluster {
    /// Reads the pods and budgets of all namespaces except these, which were read. With all namespaces, also what is read
    /// for the sets of one.
    ///
    /// # Errors
    /// When the server does not answer. Resources without permission are reported as unread.
    pub fn read_beside_nodes(
        &self,
        known: &BTreeSet<&str>,
        all_namespaces: bool,
        options: &ReadOptions<'_>,
    ) -> Result<BesideNodes, ClusterError> {
        let more = PERMISSIONS.iter().chain(&ON_DEMAND).filter(|permission| {
            let is_it = |resource| permission.target == Target::Objects(resource);
            all_namespaces && OF_MANY.into_iter().any(is_it)
        });
        let permissions: Vec<&Permission> = OF_NODES.iter().chain(more).collect();
        let api = self.api();
        let lists = permissions.iter().filter_map(|permission| {
            let Target::Objects(resource) = permission.target else {
                return None;
            };
            let query = Query::of(resource, None);
            Some(api.list_if_allowed(permission, query, options))
        });
        let lists = self.block_on(options.progress.during(join_all(lists)));
        let mut beside = BesideNodes {
            result: ReadResult::default(),
            is_complete: true,
        };
        for (permission, list) in permissions.into_iter().zip(lists) {
            match list? {
                Ok(listed) => {
                    let is_new = |object: &Object| !known.contains(&*object.meta().namespace);
                    let items = listed.items.into_iter().filter(is_new);
                    beside.result.objects.extend(items);
                }
                Err(unread) => {
                    beside.is_complete &= !OF_NODES.contains(permission);
                    beside.result.unread.insert(unread);
                }
            }
        }
        Ok(beside)
    }
}
