//! Reads one set with the objects around it, or all sets of a namespace or of the cluster.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use futures::future::{join, join_all, try_join_all};
use serde_json::Value;

use super::around::Around;
use super::connect::{ApiClient, Cluster};
use super::error::ClusterError;
use super::list::{ListError, Listed, Query};
use super::permission::{PERMISSIONS, Permission, Target};
use super::progress::Progress;
use super::resource::Resource;
use super::scope::Scope;
use crate::input::originals::Originals;
use crate::input::{Object, Shared, receive, suggest};
use sts_controller::version::Defaulting;
use sts_controller::version::Version;

/// Options for reading objects.
pub struct ReadOptions<'i> {
    /// Defaults of the API server.
    pub defaulting: &'i Defaulting,
    /// Progress line.
    pub progress: &'i Progress,
    /// Store for objects in their original form, for a dump.
    pub originals: Option<&'i RefCell<Originals>>,
    /// True if the pods of other owners matter too, since nodes are changed.
    pub changes_nodes: bool,
}

impl ReadOptions<'_> {
    /// Parses an object; `None` if plans do not use its kind.
    pub(super) fn receive(&self, value: Value) -> Result<Option<Object>, ClusterError> {
        if let Some(originals) = self.originals {
            originals.borrow_mut().insert(value.clone());
        }
        Ok(receive(value, self.defaulting)?)
    }
}

/// Number of namespaces that are read concurrently.
const AT_ONCE: usize = 8;

/// Result of reading a cluster.
#[derive(Debug, Default)]
pub struct ReadResult {
    /// Objects, without duplicates.
    pub objects: Vec<Object>,
    /// `resourceVersion` of each list, by resource and namespace.
    pub versions: BTreeMap<String, String>,
    /// Resources that could not be read.
    pub unread: BTreeSet<Unread>,
    /// Resources that could not be read, but that no cause needs.
    pub passed_over: BTreeSet<&'static str>,
    /// Named sets that do not exist, by namespace and name, with the error. Only if other named sets exist.
    pub absent: Absent,
}

impl ReadResult {
    /// Adds another result.
    pub fn extend(&mut self, other: ReadResult) {
        self.objects.extend(other.objects);
        self.versions.extend(other.versions);
        self.unread.extend(other.unread);
        self.passed_over.extend(other.passed_over);
        self.absent.extend(other.absent);
    }
}

/// Errors of sets, by namespace and name.
pub type Absent = BTreeMap<(String, String), ClusterError>;

/// Feature gates by name, and whether they are on.
pub type Gates = BTreeMap<String, bool>;

/// A resource that could not be read, but without which a plan is possible.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Resource, such as `pods`.
    pub resource: &'static str,
    /// Reason, such as `not allowed to list pods in namespace "prod"`.
    pub problem: String,
    /// Resulting uncertainty, as a clause.
    pub uncertain: &'static str,
}

impl Cluster {
    /// Returns the version of the server, and its feature gates by name; `None` if they cannot be read or are not
    /// reported.
    ///
    /// # Errors
    /// When the server does not answer, or its version is not supported.
    pub fn controller(&self) -> Result<(Option<Version>, Option<Gates>), ClusterError> {
        let api = self.api();
        // The metrics are long, so both requests run concurrently.
        self.block_on(async {
            let (version, gates) = join(api.version(), api.gates()).await;
            Ok((version?, gates?))
        })
    }

    /// Returns the namespaces that have matching sets, in order, with the names of these sets.
    ///
    /// # Errors
    /// When the server does not answer, or sets cannot be listed.
    pub fn namespaces(
        &self,
        selector: Option<&str>,
        progress: &Progress,
    ) -> Result<Vec<(String, Vec<String>)>, ClusterError> {
        let query = Query {
            selector,
            ..Query::of(Resource::SETS, None)
        };
        let api = self.api();
        let listed = api.list(query, |set| {
            progress.read();
            let text = |name: &str| set["metadata"][name].as_str().map(str::to_owned);
            Ok(text("namespace").zip(text("name")))
        });
        let listed = self.block_on(progress.during(listed));
        let mut namespaces: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (namespace, name) in needed(query, listed)?.items {
            namespaces.entry(namespace).or_default().push(name);
        }
        Ok(namespaces.into_iter().collect())
    }

    /// Reads several scopes, some concurrently.
    ///
    /// # Errors
    /// The first error, in the order of the scopes.
    pub fn read_all(
        &self,
        scopes: &[Scope],
        options: &ReadOptions<'_>,
    ) -> Result<ReadResult, ClusterError> {
        let mut result = ReadResult::default();
        self.read_each(scopes, options, |_, one| {
            result.extend(one?);
            Ok(())
        })?;
        Ok(result)
    }

    /// Reads several scopes, some concurrently, and passes each result to `take` in order. `take` also handles
    /// missing permissions.
    ///
    /// # Errors
    /// Any other error, and those of `take`.
    pub fn read_each(
        &self,
        scopes: &[Scope],
        options: &ReadOptions<'_>,
        mut take: impl FnMut(&Scope, Result<ReadResult, ClusterError>) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        let api = self.api();
        for some in scopes.chunks(AT_ONCE) {
            let all = some.iter().map(|scope| async move {
                match api.read(scope, options).await {
                    Err(error @ ClusterError::Forbidden { .. }) => Ok(Err(error)),
                    Err(error) => Err(error),
                    Ok(result) => Ok(Ok(result)),
                }
            });
            let all = self.block_on(options.progress.during(try_join_all(all)))?;
            some.iter()
                .zip(all)
                .try_for_each(|(scope, one)| take(scope, one))?;
        }
        Ok(())
    }
}

impl ApiClient {
    /// Reads sets with the objects around them.
    ///
    /// # Errors
    /// When a set does not exist, the server does not answer, or sets, pods or revisions cannot be read.
    async fn read(
        &self,
        scope: &Scope,
        options: &ReadOptions<'_>,
    ) -> Result<ReadResult, ClusterError> {
        match scope {
            Scope::Names {
                namespace,
                names,
                must_exist,
            } => {
                let sets = self.sets(namespace, names, *must_exist, options);
                let ((sets, absent), mut around) =
                    in_order(join(sets, self.around(scope, options)).await)?;
                match options.changes_nodes {
                    true => around.leave_out(&sets),
                    false => around.pass_over(names, &sets),
                }
                Ok(ReadResult {
                    absent,
                    ..around.with(sets)
                })
            }
            Scope::Cluster => Ok(self.around(scope, options).await?.with(Vec::new())),
            Scope::Every {
                namespace,
                selector,
                ..
            } => {
                let query = Query {
                    selector: selector.as_deref(),
                    ..Query::of(Resource::SETS, Some(namespace))
                };
                let sets = self.needed(query, options);
                let (sets, mut around) = in_order(join(sets, self.around(scope, options)).await)?;
                around.note(query, sets.version);
                around.leave_out(&sets.items);
                Ok(around.with(sets.items))
            }
        }
    }

    /// Reads the sets of these names. Returns errors for sets that must exist but do not.
    async fn sets(
        &self,
        namespace: &str,
        names: &[String],
        must_exist: bool,
        options: &ReadOptions<'_>,
    ) -> Result<(Vec<Object>, Absent), ClusterError> {
        let answers = names
            .iter()
            .map(|name| self.get(Resource::SETS, namespace, name));
        let (mut sets, mut absent) = (Vec::new(), Absent::new());
        for (name, answer) in names.iter().zip(join_all(answers).await) {
            match answer? {
                Some(set) => sets.extend(options.receive(set)?),
                None if must_exist => {
                    let error = self.no_such_set(namespace, name).await;
                    // Without the set, the objects around it are not needed.
                    if let [_] = names {
                        return Err(error);
                    }
                    absent.insert((namespace.to_owned(), name.clone()), error);
                }
                None => {}
            }
        }
        Ok((sets, absent))
    }

    /// Returns the error for a set that does not exist, with similar names.
    async fn no_such_set(&self, namespace: &str, name: &str) -> ClusterError {
        let query = Query::of(Resource::SETS, Some(namespace));
        let there = self.list(query, |set| {
            Ok(set["metadata"]["name"].as_str().map(str::to_owned))
        });
        let hint = match there.await {
            Ok(there) => suggest::hint(name, &there.items),
            // The missing set is the more important error.
            Err(_) => String::new(),
        };
        ClusterError::NoSuchSet {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            hint,
        }
    }

    /// Reads all objects around the sets: of their namespace or all namespaces, and of the cluster.
    async fn around(
        &self,
        scope: &Scope,
        options: &ReadOptions<'_>,
    ) -> Result<Around, ClusterError> {
        let lists = PERMISSIONS.iter().filter_map(|permission| {
            let Target::Objects(resource) = permission.target else {
                return None;
            };
            let namespace = scope.namespace().filter(|_| resource.namespaced);
            let query = Query::of(resource, namespace);
            scope.has_use_for(resource).then_some(async move {
                let listed = self.list_if_allowed(permission, query, options).await;
                listed.map(|listed| (query, listed))
            })
        });
        let mut around = Around::default();
        for list in join_all(lists).await {
            let (query, listed) = list?;
            match listed {
                Ok(listed) => around.take(query, listed),
                Err(unread) => {
                    around.unread.insert(unread);
                }
            }
        }
        Ok(around)
    }

    /// Reads an optional list; otherwise returns the unread resource.
    pub(super) async fn list_if_allowed(
        &self,
        permission: &Permission,
        query: Query<'_>,
        options: &ReadOptions<'_>,
    ) -> Result<Result<Listed<Object>, Unread>, ClusterError> {
        // Sets that were not requested are optional.
        if permission.needed && query.resource != Resource::SETS {
            return self.needed(query, options).await.map(Ok);
        }
        let mut listed = self.list(query, keep(options)).await;
        if matches!(listed, Err(ListError::Unknown)) && query.resource == Resource::BUDGETS {
            let old = Query {
                resource: Resource::OLD_BUDGETS,
                ..query
            };
            listed = self.list(old, keep(options)).await;
        }
        match listed {
            Ok(listed) => Ok(Ok(listed)),
            Err(error) => Ok(match without(permission, query, error)? {
                Some(unread) => Err(unread),
                None => Ok(Listed {
                    items: Vec::new(),
                    version: String::new(),
                }),
            }),
        }
    }

    /// Reads a list that is required for a plan.
    async fn needed(
        &self,
        query: Query<'_>,
        options: &ReadOptions<'_>,
    ) -> Result<Listed<Object>, ClusterError> {
        needed(query, self.list(query, keep(options)).await)
    }
}

/// Returns the unread resource for an optional list that failed; `None` if the server has no such objects.
///
/// # Errors
/// When no other request would succeed.
pub(super) fn without(
    permission: &Permission,
    query: Query<'_>,
    error: ListError,
) -> Result<Option<Unread>, ClusterError> {
    let problem = match error {
        ListError::Forbidden { action, .. } => format!("not allowed to {action}"),
        // Not all servers have the kind.
        ListError::Unknown if query.resource.is_new() => return Ok(None),
        ListError::Unknown => format!("the server does not have {}", query.resource),
        ListError::Error(error) if error.ends_the_run() => return Err(error),
        ListError::Error(error) => error.to_string(),
    };
    Ok(Some(Unread {
        resource: query.resource.plural,
        problem,
        uncertain: permission.uncertain,
    }))
}

/// Converts the errors of a required list.
pub(super) fn needed<T>(query: Query<'_>, listed: Result<T, ListError>) -> Result<T, ClusterError> {
    listed.map_err(|error| match error {
        ListError::Forbidden { action, message } => ClusterError::Forbidden { action, message },
        ListError::Unknown => ClusterError::Refused {
            action: query.action(),
            code: 404,
            message: "the server does not have this resource".to_owned(),
            tries: 1,
        },
        ListError::Error(error) => error,
    })
}

/// Returns a callback that parses objects as they arrive, so that only one page is in memory in its original form.
fn keep(options: &ReadOptions<'_>) -> impl FnMut(Value) -> Result<Option<Object>, ClusterError> {
    let mut shared = Shared::default();
    move |value| {
        let mut object = options.receive(value)?;
        options.progress.read();
        if let Some(object) = &mut object {
            object.share(&mut shared);
        }
        Ok(object)
    }
}

/// Combines two concurrent results. Of two errors, always returns the first in order.
fn in_order<A, B, E>((first, second): (Result<A, E>, Result<B, E>)) -> Result<(A, B), E> {
    Ok((first?, second?))
}
