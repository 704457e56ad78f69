//! One set with what is around it, or all sets of a namespace, or of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::{join_all, try_join, try_join3};
use serde_json::Value;

use super::connect::{Cluster, Link};
use super::error::ClusterError;
use super::list::{Listed, NoList, Query};
use super::resource::Resource;
use crate::controller::Version;
use crate::load::manifest::{Manifest, Reading};

/// Which sets are read, and with them what their controller may meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The sets of these names in a namespace. Those that need not exist are passed over if they do not.
    Names {
        /// The namespace.
        namespace: String,
        /// The names.
        names: Vec<String>,
        /// Whether each must be there.
        must_exist: bool,
    },
    /// The sets of a namespace, or of all, whose labels match a selector, if there is one.
    Every {
        /// The namespace; `None` for all.
        namespace: Option<String>,
        /// As `-l` has it.
        selector: Option<String>,
    },
}

impl Scope {
    fn namespace(&self) -> Option<&str> {
        match self {
            Scope::Names { namespace, .. } => Some(namespace),
            Scope::Every { namespace, .. } => namespace.as_deref(),
        }
    }
}

/// What was read of a cluster.
#[derive(Debug, Default)]
pub struct Seen {
    /// The objects, as manifests.
    pub reading: Reading,
    /// The `resourceVersion` of each list that was read, by resource and namespace.
    pub versions: BTreeMap<String, String>,
    /// What could not be seen.
    pub unseen: BTreeSet<Unseen>,
}

impl Seen {
    /// Takes in what was read besides.
    pub fn extend(&mut self, other: Seen) {
        self.reading.manifests.extend(other.reading.manifests);
        self.versions.extend(other.versions);
        self.unseen.extend(other.unseen);
    }
}

/// Something that may not be read, without which a plan can still be made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unseen {
    /// What was asked, such as `list pods in namespace "prod"`.
    pub asked: String,
    /// What that makes uncertain.
    pub uncertain: &'static str,
}

impl Cluster {
    /// The server's version; `None` where it may not be asked.
    ///
    /// # Errors
    /// When the server does not answer, or with a version that is not known.
    pub fn version(&self) -> Result<Option<Version>, ClusterError> {
        self.block_on(self.link().version())
    }

    /// Reads sets with what is around them.
    ///
    /// # Errors
    /// When a set is not there, the server cannot be asked, or sets, pods or revisions may not be read.
    pub fn read(&self, scope: &Scope) -> Result<Seen, ClusterError> {
        self.block_on(self.link().read(scope))
    }
}

impl Link {
    /// Reads sets with what is around them. See [`Cluster::read`].
    ///
    /// # Errors
    /// The same.
    pub async fn read(&self, scope: &Scope) -> Result<Seen, ClusterError> {
        match scope {
            Scope::Names {
                namespace,
                names,
                must_exist,
            } => {
                let sets = self.sets(namespace, names, *must_exist);
                let (sets, mut around) = try_join(sets, self.around(Some(namespace))).await?;
                around.retain(|object| sets.iter().any(|set| may_meet(set, object)));
                Ok(around.with(sets))
            }
            Scope::Every {
                namespace,
                selector,
            } => {
                let query = Query {
                    resource: Resource::SETS,
                    namespace: namespace.as_deref(),
                    selector: selector.as_deref(),
                };
                let sets = self.needed(query);
                let (sets, mut around) = try_join(sets, self.around(scope.namespace())).await?;
                around.note(query, sets.version);
                Ok(around.with(sets.items))
            }
        }
    }

    /// The sets of these names.
    async fn sets(
        &self,
        namespace: &str,
        names: &[String],
        must_exist: bool,
    ) -> Result<Vec<Value>, ClusterError> {
        let answers = names
            .iter()
            .map(|name| self.get(Resource::SETS, namespace, name));
        let mut sets = Vec::new();
        for (name, answer) in names.iter().zip(join_all(answers).await) {
            match answer? {
                Some(set) => sets.push(set),
                None if must_exist => return Err(self.no_such_set(namespace, name).await),
                None => {}
            }
        }
        Ok(sets)
    }

    /// The error for a set that is not there, with those that are and have a similar name.
    async fn no_such_set(&self, namespace: &str, name: &str) -> ClusterError {
        let query = Query {
            resource: Resource::SETS,
            namespace: Some(namespace),
            selector: None,
        };
        let there = self.list(query, |set| {
            set["metadata"]["name"].as_str().map(str::to_owned)
        });
        let hint = match there.await {
            Ok(there) => super::similar::hint(name, &there.items),
            // It is the missing set that matters.
            Err(_) => String::new(),
        };
        ClusterError::NoSuchSet {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            hint,
        }
    }

    /// The pods, claims and revisions of a namespace, or of all.
    async fn around(&self, namespace: Option<&str>) -> Result<Around, ClusterError> {
        let query = |resource| Query {
            resource,
            namespace,
            selector: None,
        };
        let [pods, claims, revisions] =
            [Resource::PODS, Resource::CLAIMS, Resource::REVISIONS].map(query);
        let (listed_pods, listed_claims, listed_revisions) = try_join3(
            self.needed(pods),
            self.wished(claims),
            self.needed(revisions),
        )
        .await?;
        let mut around = Around::default();
        around.take(pods, listed_pods);
        match listed_claims {
            Ok(listed) => around.take(claims, listed),
            Err(asked) => {
                around.unseen.insert(Unseen {
                    asked,
                    uncertain: "which claims exist, so each claim of a pod is planned as if it had to be created",
                });
            }
        }
        around.take(revisions, listed_revisions);
        Ok(around)
    }

    /// A list without which there is no plan.
    async fn needed(&self, query: Query<'_>) -> Result<Listed<Value>, ClusterError> {
        self.list(query, Some).await.map_err(|error| match error {
            NoList::Forbidden { asked, message } => ClusterError::Forbidden { asked, message },
            NoList::Unknown => ClusterError::Refused {
                asked: query.asked(),
                code: 404,
                message: "the server does not know them".to_owned(),
                tries: 1,
            },
            NoList::Error(error) => error,
        })
    }

    /// A list that may be refused: what was asked then.
    async fn wished(
        &self,
        query: Query<'_>,
    ) -> Result<Result<Listed<Value>, String>, ClusterError> {
        match self.list(query, Some).await {
            Ok(listed) => Ok(Ok(listed)),
            Err(NoList::Forbidden { asked, .. }) => Ok(Err(asked)),
            Err(NoList::Unknown) => Ok(Err(query.asked())),
            Err(NoList::Error(error)) => Err(error),
        }
    }
}

/// What is around sets.
#[derive(Default)]
struct Around {
    objects: Vec<Value>,
    versions: BTreeMap<String, String>,
    unseen: BTreeSet<Unseen>,
}

impl Around {
    fn take(&mut self, query: Query<'_>, listed: Listed<Value>) {
        self.note(query, listed.version);
        self.objects.extend(listed.items);
    }

    fn note(&mut self, query: Query<'_>, version: String) {
        self.versions.insert(query.resource.to_string(), version);
    }

    fn retain(&mut self, keep: impl Fn(&Value) -> bool) {
        self.objects.retain(|object| keep(object));
    }

    fn with(self, sets: Vec<Value>) -> Seen {
        let manifests = sets.into_iter().chain(self.objects).map(|object| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let metadata = &object["metadata"];
            let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
            let name = format!("the cluster's {namespace}/{name}");
            Manifest::received(object, &name)
        });
        Seen {
            reading: Reading {
                manifests: manifests.collect(),
                warnings: Vec::new(),
            },
            versions: self.versions,
            unseen: self.unseen,
        }
    }
}

/// Whether a set's controller may meet an object: it owns it, nobody does, or it has a name that the set gives.
fn may_meet(set: &Value, object: &Value) -> bool {
    let (set, object) = (&set["metadata"], &object["metadata"]);
    let owner = object["ownerReferences"].as_array().into_iter().flatten();
    let mut owner = owner.filter(|owner| owner["controller"] == true);
    let Some(owner) = owner.next() else {
        return true;
    };
    let (Some(name), Some(set_name)) = (object["name"].as_str(), set["name"].as_str()) else {
        return true;
    };
    owner["uid"] == set["uid"] || name.contains(set_name)
}
