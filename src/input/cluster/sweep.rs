//! Reads all namespaces with lists of the whole cluster, in parallel.
//!
//! A server lists objects by their etcd keys, which begin with the namespace and a slash. So a namespace is complete
//! as soon as every list has reached a later one. At most one namespace, one page of each list, and the namespaces
//! whose names begin with this one and a dash (their keys come first) are in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;

use super::connect::{ApiClient, Cluster};
use super::error::ClusterError;
use super::list::{ListError, Pages, Query};
use super::permission::{PERMISSIONS, Permission, Target};
use super::read::{ReadOptions, ReadResult, Unread, needed, without};
use super::resource::Resource;
use crate::input::{Object, Shared};

/// Lists of the namespaces of a cluster, read on demand.
pub struct Sweep<'c> {
    cluster: &'c Cluster,
    lists: Vec<List>,
    /// Namespaces whose objects are kept.
    namespaces: BTreeSet<String>,
}

/// One list.
struct List {
    permission: &'static Permission,
    query: Query<'static>,
    pages: Pages,
    /// Objects that were read but not returned yet, by namespace.
    waiting: BTreeMap<String, Vec<Object>>,
    /// Namespace that reading has reached.
    at: String,
    is_done: bool,
    version: String,
    unread: Option<Unread>,
    shared: Shared,
}

/// Reason to stop reading a list.
enum Stop {
    /// Read the cluster namespace by namespace: the lists are forbidden, expired, or mostly hold other objects.
    ByNamespace,
    /// The list is not ordered by namespace.
    Disorder(ClusterError),
    Error(ClusterError),
}

impl Cluster {
    /// Starts reading these namespaces in order; `None` if reading them one by one is better.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn sweep<'n>(
        &self,
        namespaces: impl Iterator<Item = &'n str>,
        options: &ReadOptions<'_>,
    ) -> Result<Option<Sweep<'_>>, ClusterError> {
        let namespaces: BTreeSet<String> = namespaces.map(str::to_owned).collect();
        // Original texts belong to the namespaces being read.
        if namespaces.len() < 2 || options.originals.is_some() {
            return Ok(None);
        }
        let mut lists: Vec<List> = PERMISSIONS.iter().filter_map(List::of).collect();
        let api = self.api();
        let opened = self.block_on(options.progress.during(async {
            // The pods decide: in a cluster with many other pods, there may be more pages than requests for single
            // namespaces.
            let (pods, others): (Vec<_>, Vec<_>) = lists
                .iter_mut()
                .partition(|list| list.query.resource == Resource::PODS);
            let requests = namespaces.len() * (pods.len() + others.len());
            for list in pods {
                let left = list.read_on(api, &namespaces, options).await?;
                if left > requests {
                    return Err(Stop::ByNamespace);
                }
            }
            let others = others.into_iter();
            try_join_all(others.map(|list| list.read_on(api, &namespaces, options))).await
        }));
        match opened {
            Ok(_) => Ok(Some(Sweep {
                cluster: self,
                lists,
                namespaces,
            })),
            Err(Stop::ByNamespace | Stop::Disorder(_)) => Ok(None),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

impl Sweep<'_> {
    /// Returns the objects of the next namespace; `None` if it and all later ones have to be read one by one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn next(
        &mut self,
        namespace: &str,
        options: &ReadOptions<'_>,
    ) -> Result<Option<ReadResult>, ClusterError> {
        let (api, namespaces) = (self.cluster.api(), &self.namespaces);
        let lists = self.lists.iter_mut();
        let read =
            try_join_all(lists.map(|list| list.through(namespace, api, namespaces, options)));
        let parts = match self.cluster.block_on(options.progress.during(read)) {
            Ok(parts) => parts,
            Err(Stop::ByNamespace) => return Ok(None),
            // Namespaces that were already returned may be incomplete.
            Err(Stop::Disorder(error) | Stop::Error(error)) => return Err(error),
        };
        let mut result = ReadResult::default();
        for (list, objects) in self.lists.iter().zip(parts) {
            result.objects.extend(objects);
            result.unread.extend(list.unread.clone());
            if !list.version.is_empty() {
                let resource = list.query.resource.to_string();
                result.versions.insert(resource, list.version.clone());
            }
        }
        Ok(Some(result))
    }
}

impl List {
    /// Returns the list for a permission, if it is read for many namespaces.
    fn of(permission: &'static Permission) -> Option<List> {
        let Target::Objects(resource) = permission.target else {
            return None;
        };
        let query = Query::of(resource, None);
        (resource.namespaced && resource != Resource::EVENTS).then(|| List {
            permission,
            query,
            pages: Pages::default(),
            waiting: BTreeMap::new(),
            at: String::new(),
            is_done: false,
            version: String::new(),
            unread: None,
            shared: Shared::default(),
        })
    }

    /// Reads until a namespace is complete, and returns its objects.
    async fn through(
        &mut self,
        namespace: &str,
        api: &ApiClient,
        namespaces: &BTreeSet<String>,
        options: &ReadOptions<'_>,
    ) -> Result<Vec<Object>, Stop> {
        while !self.is_done && in_keys(&self.at, namespace) != Ordering::Greater {
            self.read_on(api, namespaces, options).await?;
        }
        Ok(self.waiting.remove(namespace).unwrap_or_default())
    }

    /// Reads the next page, and returns the number of later pages, as far as the server says.
    async fn read_on(
        &mut self,
        api: &ApiClient,
        namespaces: &BTreeSet<String>,
        options: &ReadOptions<'_>,
    ) -> Result<usize, Stop> {
        let shared = &mut self.shared;
        let mut keep = |value: serde_json::Value| {
            options.progress.read();
            let namespace = value["metadata"]["namespace"].as_str().unwrap_or_default();
            let namespace = namespace.to_owned();
            let mut object = match namespaces.contains(&namespace) {
                true => options.receive(value)?,
                false => None,
            };
            if let Some(object) = &mut object {
                object.share(shared);
            }
            Ok(Some((namespace, object)))
        };
        let mut read = api
            .next_page(self.query, true, &mut self.pages, &mut keep)
            .await;
        if matches!(read, Err(ListError::Unknown)) && self.query.resource == Resource::BUDGETS {
            self.query.resource = Resource::OLD_BUDGETS;
            read = api
                .next_page(self.query, true, &mut self.pages, &mut keep)
                .await;
        }
        let page = match read {
            Ok(Some(page)) => page,
            Ok(None) | Err(ListError::Forbidden { .. }) => return Err(Stop::ByNamespace),
            Err(error) => {
                self.is_done = true;
                if self.permission.needed {
                    let none: Result<(), ListError> = Err(error);
                    needed(self.query, none).map_err(Stop::Error)?;
                } else {
                    let unread = without(self.permission, self.query, error);
                    self.unread = unread.map_err(Stop::Error)?;
                }
                return Ok(0);
            }
        };
        for (namespace, object) in page.items {
            match in_keys(&namespace, &self.at) {
                Ordering::Less => {
                    return Err(Stop::Disorder(ClusterError::Malformed {
                        server: api.server().to_owned(),
                        action: self.query.action(),
                        problem: "the list is not ordered by namespace".to_owned(),
                    }));
                }
                Ordering::Equal => {}
                Ordering::Greater => {
                    // Shared parts of one namespace are not kept for the next.
                    self.shared = Shared::default();
                    self.at.clone_from(&namespace);
                }
            }
            if let Some(object) = object {
                self.waiting.entry(namespace).or_default().push(object);
            }
        }
        self.is_done = page.next.is_empty();
        self.version = page.version;
        Ok(page.left)
    }
}

/// Compares two namespaces in the order of etcd keys.
fn in_keys(one: &str, other: &str) -> Ordering {
    one.bytes().chain([b'/']).cmp(other.bytes().chain([b'/']))
}
