//! Queries for shell completion: a few lists, without related objects.

use serde_json::Value;

use super::connect::Cluster;
use super::error::ClusterError;
use super::list::{ListError, Query};
use super::progress::Progress;
use super::read::needed;
use super::resource::Resource;
use kubectl_manifest::{Manifest, Reading};

impl Cluster {
    /// Returns the names of the namespaces; if they cannot be listed, of those with sets.
    ///
    /// # Errors
    /// When the server does not answer, or permits neither list.
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

    /// Returns the names of the nodes with their zones; empty if nodes cannot be listed.
    ///
    /// # Errors
    /// When the server does not answer.
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

    /// Returns the sets of these names in the namespace, or all sets, with the objects of one kind that their
    /// selectors may match. Missing sets are skipped.
    ///
    /// # Errors
    /// When the server does not answer, or denies access.
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

/// Returns the labels of a set's selector in query form. Other conditions would only narrow the result.
fn labels(set: &Value) -> String {
    let labels = set["spec"]["selector"]["matchLabels"].as_object();
    let pairs = labels.into_iter().flatten().filter_map(|(key, value)| {
        let value = value.as_str()?;
        Some(format!("{key}={value}"))
    });
    pairs.collect::<Vec<_>>().join(",")
}
