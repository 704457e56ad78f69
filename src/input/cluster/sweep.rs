//! All namespaces by lists of the whole cluster, read side by side.
//!
//! A server lists objects in the order of their keys in etcd, of which the namespace and a slash come first. So a
//! namespace is whole as soon as every list has come to one behind it, and no more is held at a time than one namespace,
//! a page of each list, and the namespaces whose names begin with this one's and a dash: their keys come before its own.

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

/// The lists of a cluster's namespaces, read as far as they were needed.
pub struct Sweep<'c> {
    cluster: &'c Cluster,
    lists: Vec<List>,
    /// The namespaces whose objects are kept.
    namespaces: BTreeSet<String>,
}

/// One list.
struct List {
    permission: &'static Permission,
    query: Query<'static>,
    pages: Pages,
    /// The objects that were read and not handed on, by namespace.
    waiting: BTreeMap<String, Vec<Object>>,
    /// The namespace that reading has come to.
    at: String,
    is_done: bool,
    version: String,
    unread: Option<Unread>,
    shared: Shared,
}

/// The reason that a list is not read on.
enum Stop {
    /// The cluster is to be read namespace by namespace: its lists may not be read, expired, or hold mostly what is of
    /// no use.
    ByNamespace,
    /// A list is not in the order of namespaces.
    Disorder(ClusterError),
    Error(ClusterError),
}

impl Cluster {
    /// Begins to read these namespaces, in order; `None` where that is better done one after the other.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn sweep<'n>(
        &self,
        namespaces: impl Iterator<Item = &'n str>,
        options: &ReadOptions<'_>,
    ) -> Result<Option<Sweep<'_>>, ClusterError> {
        let namespaces: BTreeSet<String> = namespaces.map(str::to_owned).collect();
        // Original texts belong to the namespaces that are read at the time.
        if namespaces.len() < 2 || options.originals.is_some() {
            return Ok(None);
        }
        let mut lists: Vec<List> = PERMISSIONS.iter().filter_map(List::of).collect();
        let api = self.api();
        let opened = self.block_on(options.progress.during(async {
            // The pods tell whether it is worth it: in a cluster of other pods there may be more pages of those than
            // there would be requests.
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
    /// Returns the objects of the next namespace; `None` where it, and all after it, have to be read by themselves.
    ///
    /// # Errors
    /// When the server cannot be asked.
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
            // The namespaces that were handed on may have been without a part.
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
    /// The list of what a right allows to read, of those that are read of many namespaces.
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

    /// The objects of a namespace: reads until there is one behind it.
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

    /// Reads the next page, and says how many there are behind it, as far as the server tells.
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
                        asked: self.query.asked(),
                        problem: "the list is not in the order of namespaces".to_owned(),
                    }));
                }
                Ordering::Equal => {}
                Ordering::Greater => {
                    // The parts that a namespace's objects share are not kept for the next.
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

/// The order of two namespaces in the keys of etcd.
fn in_keys(one: &str, other: &str) -> Ordering {
    one.bytes().chain([b'/']).cmp(other.bytes().chain([b'/']))
}
