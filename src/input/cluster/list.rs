//! Lists, page by page: either complete, or an error.

use std::time::Duration;

use serde_json::Value;

use super::body::PAGE_BYTES;
use super::connect::ApiClient;
use super::error::{ClusterError, action};
use super::page;
use super::page::{Page, PageError};
use super::request::{ApiRequest, Failure, Status};
use super::resource::{Resource, encoded};
use kubectl_manifest::excerpt;

/// Objects per page, as in kubectl.
pub(super) const PAGE: usize = 500;
/// Maximum number of attempts at a complete list.
const MOST_STARTS: u32 = 4;
/// Maximum number of objects of one kind, above that of any cluster.
const MAX_OBJECTS: usize = 2_000_000;
/// Maximum number of pages, enough for those objects.
const MAX_PAGES: usize = 4_000;
/// Maximum number of consecutive empty pages. Servers send none, but one may be forgiven.
const MAX_EMPTY: usize = 3;
/// Timeout of a whole list, if single requests have none: 150,000 pods take a minute.
const MOST_TIME: Duration = Duration::from_secs(15 * 60);

/// A list query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Query<'q> {
    pub(super) resource: Resource,
    /// Namespace; `None` for all.
    pub(super) namespace: Option<&'q str>,
    pub(super) selector: Option<&'q str>,
    /// Name of a single object; `None` for all.
    pub(super) name: Option<&'q str>,
}

/// Kept part of a list.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    /// `resourceVersion` of the list.
    pub(super) version: String,
}

/// Progress of reading a list, with checks that it ends.
#[derive(Debug, Default)]
pub(super) struct Pages {
    after: String,
    objects: usize,
    pages: usize,
    empty: usize,
}

impl Pages {
    /// Counts the next page.
    ///
    /// # Errors
    /// When the list does not end.
    fn took<T>(&mut self, page: &Page<T>) -> Result<(), String> {
        self.objects += page.count;
        self.pages += 1;
        self.empty = if page.count == 0 { self.empty + 1 } else { 0 };
        if self.objects > MAX_OBJECTS || self.pages > MAX_PAGES || self.empty > MAX_EMPTY {
            let (objects, pages) = (self.objects, self.pages);
            return Err(format!(
                "the list does not end: {objects} objects in {pages} pages, and more pages follow"
            ));
        }
        if !page.next.is_empty() && page.next == self.after {
            return Err("the list repeats the same page".to_owned());
        }
        self.after = page.next.clone();
        Ok(())
    }
}

pub(super) enum ListError {
    /// Permission denied, with the message of the server.
    Forbidden { action: String, message: String },
    /// The server does not have this kind.
    Unknown,
    /// Any other error, which ends the run.
    Error(ClusterError),
}

impl From<ClusterError> for ListError {
    fn from(error: ClusterError) -> Self {
        ListError::Error(error)
    }
}

impl<'q> Query<'q> {
    /// Returns the query for all objects of a kind in a namespace, or in all namespaces.
    pub(super) fn of(resource: Resource, namespace: Option<&'q str>) -> Self {
        Query {
            resource,
            namespace,
            selector: None,
            name: None,
        }
    }

    pub(super) fn action(&self) -> String {
        action("list", self.resource, self.namespace, self.name)
    }

    fn uri(&self, page: bool, after: &str) -> String {
        let mut parts = Vec::new();
        if page {
            parts.push(format!("limit={PAGE}"));
        }
        if !after.is_empty() {
            parts.push(format!("continue={}", encoded(after)));
        }
        self.uri_with(parts)
    }

    /// Returns path and query, with additional query parameters.
    pub(super) fn uri_with(&self, mut parts: Vec<String>) -> String {
        if let Some(selector) = self.selector {
            parts.push(format!("labelSelector={}", encoded(selector)));
        }
        if let Some(name) = self.name {
            let selector = format!("metadata.name={name}");
            parts.push(format!("fieldSelector={}", encoded(&selector)));
        }
        let path = self.resource.path(self.namespace);
        if parts.is_empty() {
            path
        } else {
            format!("{path}?{}", parts.join("&"))
        }
    }
}

impl ApiClient {
    /// Lists objects page by page, and keeps the results of `keep`. If the list expires between two pages, reading
    /// starts over; the last attempt uses a single page.
    pub(super) async fn list<T>(
        &self,
        query: Query<'_>,
        keep: impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Listed<T>, ListError> {
        let most = self.patience().map(|_| MOST_TIME);
        self.list_within(most, query, keep).await
    }

    async fn list_within<T>(
        &self,
        most: Option<Duration>,
        query: Query<'_>,
        keep: impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Listed<T>, ListError> {
        let listing = self.list_whole(query, keep);
        let Some(most) = most else {
            return listing.await;
        };
        match tokio::time::timeout(most, listing).await {
            Ok(listed) => listed,
            Err(_) => Err(ListError::Error(ClusterError::Late {
                server: self.server().to_owned(),
                action: query.action(),
                after: most,
            })),
        }
    }

    async fn list_whole<T>(
        &self,
        query: Query<'_>,
        mut keep: impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Listed<T>, ListError> {
        for start in 1..=MOST_STARTS {
            let paged = start < MOST_STARTS;
            if let Some(listed) = self.list_once(query, paged, &mut keep).await? {
                return Ok(listed);
            }
        }
        Err(ListError::Error(ClusterError::Expired {
            action: query.action(),
            tries: MOST_STARTS,
        }))
    }

    /// Lists once; `None` if the list expired.
    async fn list_once<T>(
        &self,
        query: Query<'_>,
        paged: bool,
        keep: &mut impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Option<Listed<T>>, ListError> {
        let (mut items, mut pages) = (Vec::new(), Pages::default());
        loop {
            let Some(page) = self.next_page(query, paged, &mut pages, keep).await? else {
                return Ok(None);
            };
            items.extend(page.items);
            if page.next.is_empty() {
                let version = page.version;
                return Ok(Some(Listed { items, version }));
            }
        }
    }

    /// Reads the next page of a list; `None` if the list expired.
    pub(super) async fn next_page<T>(
        &self,
        query: Query<'_>,
        paged: bool,
        pages: &mut Pages,
        keep: &mut impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Option<Page<T>>, ListError> {
        let question = ApiRequest {
            most: PAGE_BYTES,
            ..ApiRequest::get(query.uri(paged, &pages.after), query.action())
        };
        let mut refused = None;
        let page = self.ask(&question, |_, bytes| {
            page::read(bytes, query.resource.kind, &mut |object| {
                keep(received(object, query.resource))
            })
            .map_err(|problem| match problem {
                PageError::Truncated => None,
                PageError::Malformed(problem) => Some(problem),
                PageError::Refused(error) => {
                    refused = Some(error);
                    Some(String::new())
                }
            })
        });
        let page = match page.await {
            Ok(page) => page,
            Err(failure) => {
                return match (refused, failure) {
                    (Some(error), _) => Err(error.into()),
                    (None, Failure::Status(Status { code: 410, .. })) => Ok(None),
                    (None, Failure::Status(Status { code: 404, .. })) => Err(ListError::Unknown),
                    (None, Failure::Status(status))
                        if status.code == 403 && !status.is_about_acting() =>
                    {
                        Err(ListError::Forbidden {
                            action: query.action(),
                            message: status.message,
                        })
                    }
                    (None, failure) => Err(self.error(&question, failure).into()),
                };
            }
        };
        pages.took(&page).map_err(|problem| {
            ListError::Error(ClusterError::Malformed {
                server: self.server().to_owned(),
                action: query.action(),
                problem,
            })
        })?;
        Ok(Some(page))
    }

    /// Reads one object; `None` if it does not exist.
    pub(super) async fn get(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, ClusterError> {
        let uri = format!("{}/{}", resource.path(Some(namespace)), encoded(name));
        let action = action("get", resource, Some(namespace), Some(name));
        let question = ApiRequest::get(uri, action);
        match self.ask_json(&question).await {
            Ok(object) => match object["kind"].as_str() {
                Some(kind) if kind != resource.kind => Err(ClusterError::Malformed {
                    server: self.server().to_owned(),
                    action: question.action,
                    problem: format!("expected kind {1}, found {0}", excerpt(kind), resource.kind),
                }),
                None if !object.is_object() => Err(ClusterError::Malformed {
                    server: self.server().to_owned(),
                    action: question.action,
                    problem: format!("expected a {}, found no object", resource.kind),
                }),
                _ => Ok(Some(received(object, resource))),
            },
            Err(Failure::Status(status)) if status.code == 404 => Ok(None),
            Err(failure) => Err(self.error(&question, failure)),
        }
    }
}

/// Converts an object to the form it has in a file: items of a list do not have a kind, and managedFields are only
/// used for sets.
pub(super) fn received(mut object: Value, resource: Resource) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), resource.api_version().into());
        members.insert("kind".to_owned(), resource.kind.into());
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut)
            && !page::keeps_managers(resource.kind)
        {
            metadata.remove("managedFields");
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::Client;
    use kube::client::Body;
    use serde_json::json;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_list_that_goes_on_and_on_ends_in_time() {
        static PAGES: AtomicUsize = AtomicUsize::new(0);
        let send = tower::service_fn(|_: http::Request<Body>| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let next = PAGES.fetch_add(1, Ordering::Relaxed).to_string();
            let page = json!({"kind": "PodList", "items": [{}], "metadata": {"continue": next}});
            Ok::<_, tower::BoxError>(http::Response::new(Body::from(
                page.to_string().into_bytes(),
            )))
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let listed = runtime.block_on(async {
            let api = ApiClient::over(Client::new(send, "default"), "memory".to_owned(), None);
            let query = Query::of(Resource::PODS, Some("prod"));
            let most = Some(Duration::from_millis(200));
            api.list_within(most, query, |pod| Ok(Some(pod))).await
        });
        assert!(matches!(
            listed,
            Err(ListError::Error(ClusterError::Late { .. }))
        ));
        assert!(PAGES.load(Ordering::Relaxed) > 1);
    }
}
