//! The questions of shell completion to a cluster: a few lists, and nothing around them.

use serde_json::Value;

use super::connect::Cluster;
use super::error::ClusterError;
use super::list::{ListError, Query};
use super::progress::Progress;
use super::read::needed;
use super::resource::Resource;
use kubectl_manifest::{Manifest, Reading};

impl Cluster {
    /// The names of the namespaces; those that have sets, where namespaces may not be listed.
    ///
    /// # Errors
    /// When the server cannot be asked, or neither may be listed.
    pub fn namespace_names(&self) -> Result<Vec<String>, ClusterError> {
        let query = Query::of(Resource::NAMESPACES, None);
        let listed = self.block_on(self.api().list(query, |namespace| {
            Ok(namespace["metadata"]["name"].as_str().map(str::to_owned))
        }));
        match listed {
            Ok(listed) => Ok(listed.items),
            Err(ListError::Error(error)) => Err(error),
            Err(_) => {
                let counted = self.namespaces(None, &Progress::new(false))?;
                Ok(counted.into_iter().map(|(name, _)| name).collect())
            }
        }
    }

    /// The names of the nodes, each with its zone; empty where nodes may not be listed.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn node_names(&self) -> Result<Vec<(String, String)>, ClusterError> {
        let query = Query::of(Resource::NODES, None);
        let listed = self.block_on(self.api().list(query, |node| {
            let metadata = &node["metadata"];
            let zone = metadata["labels"]["topology.kubernetes.io/zone"].as_str();
            let name = metadata["name"].as_str();
            Ok(name.map(|name| (name.to_owned(), zone.unwrap_or_default().to_owned())))
        }));
        match listed {
            Ok(listed) => Ok(listed.items),
            Err(ListError::Error(error)) => Err(error),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// The sets of these names in the namespace, or all of it where none is named, with the objects of one kind that
    /// their selectors may match. Sets that are not there are passed over.
    ///
    /// # Errors
    /// When the server cannot be asked, or something may not be read.
    pub fn glance(
        &self,
        names: &[String],
        around: Option<Resource>,
    ) -> Result<Reading, ClusterError> {
        let api = self.api();
        let namespace = self.namespace();
        self.block_on(async {
            let list = async |resource, selector: Option<String>| {
                let query = Query {
                    selector: selector.as_deref(),
                    ..Query::of(resource, Some(namespace))
                };
                needed(query, api.list(query, |object| Ok(Some(object))).await)
                    .map(|listed| listed.items)
            };
            let mut objects = Vec::new();
            if names.is_empty() {
                objects = list(Resource::SETS, None).await?;
                if let Some(resource) = around {
                    objects.extend(list(resource, None).await?);
                }
            }
            for name in names {
                let Some(set) = api.get(Resource::SETS, namespace, name).await? else {
                    continue;
                };
                if let Some(resource) = around {
                    objects.extend(list(resource, Some(labels(&set))).await?);
                }
                objects.push(set);
            }
            Ok(Reading {
                manifests: objects
                    .into_iter()
                    .map(|object| Manifest::received(object, "the cluster"))
                    .collect(),
                ..Reading::default()
            })
        })
    }
}

/// The labels that a set's selector wants, as a query has them. What else it wants, only leaves out more.
fn labels(set: &Value) -> String {
    let labels = set["spec"]["selector"]["matchLabels"].as_object();
    let pairs = labels.into_iter().flatten().filter_map(|(key, value)| {
        let value = value.as_str()?;
        Some(format!("{key}={value}"))
    });
    pairs.collect::<Vec<_>>().join(",")
}
