//! Lists, page by page: whole, or an error.

use serde_json::Value;

use super::connect::Link;
use super::error::{ClusterError, asked};
use super::page;
use super::page::NoPage;
use super::request::{Failure, Question, Status};
use super::resource::{Resource, encoded};

/// Objects a page, as kubectl asks for them.
const PAGE: usize = 500;
/// How often a list may expire before it is whole.
const MOST_STARTS: u32 = 4;
/// More objects of one kind than any cluster holds.
const MAX_OBJECTS: usize = 2_000_000;

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Query<'q> {
    pub(super) resource: Resource,
    /// `None` for all.
    pub(super) namespace: Option<&'q str>,
    pub(super) selector: Option<&'q str>,
}

/// What was kept of a list.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    /// The list's `resourceVersion`.
    pub(super) version: String,
}

/// What may not be listed, or cannot be.
pub(super) enum NoList {
    /// Whoever asks may not: the server's words.
    Forbidden { asked: String, message: String },
    /// The server knows no such kind.
    Unknown,
    /// Anything else, which ends the run.
    Error(ClusterError),
}

impl From<ClusterError> for NoList {
    fn from(error: ClusterError) -> Self {
        NoList::Error(error)
    }
}

impl Query<'_> {
    pub(super) fn asked(&self) -> String {
        asked("list", self.resource, self.namespace, None)
    }

    fn uri(&self, page: bool, after: &str) -> String {
        let mut parts = Vec::new();
        if page {
            parts.push(format!("limit={PAGE}"));
        }
        if !after.is_empty() {
            parts.push(format!("continue={}", encoded(after)));
        }
        if let Some(selector) = self.selector {
            parts.push(format!("labelSelector={}", encoded(selector)));
        }
        let path = self.resource.path(self.namespace);
        if parts.is_empty() {
            path
        } else {
            format!("{path}?{}", parts.join("&"))
        }
    }
}

impl Link {
    /// Lists objects, and keeps what `keep` makes of them, page by page. Where the list expires between two pages, all that was
    /// kept is dropped and it begins anew, the last time without pages.
    pub(super) async fn list<T>(
        &self,
        query: Query<'_>,
        mut keep: impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Listed<T>, NoList> {
        for start in 1..=MOST_STARTS {
            let paged = start < MOST_STARTS;
            if let Some(listed) = self.list_once(query, paged, &mut keep).await? {
                return Ok(listed);
            }
        }
        Err(NoList::Error(ClusterError::Expired {
            asked: query.asked(),
            tries: MOST_STARTS,
        }))
    }

    /// `None` when the list expired on the way.
    async fn list_once<T>(
        &self,
        query: Query<'_>,
        paged: bool,
        keep: &mut impl FnMut(Value) -> Result<Option<T>, ClusterError>,
    ) -> Result<Option<Listed<T>>, NoList> {
        let (mut items, mut after, mut seen) = (Vec::new(), String::new(), 0);
        loop {
            let question = Question::get(query.uri(paged, &after), query.asked());
            let mut refused = None;
            let page = self.ask(&question, |_, bytes| {
                page::read(bytes, &mut |object| keep(received(object, query.resource))).map_err(
                    |problem| match problem {
                        NoPage::CutOff => None,
                        NoPage::Garbled(problem) => Some(problem),
                        NoPage::Refused(error) => {
                            refused = Some(error);
                            Some(String::new())
                        }
                    },
                )
            });
            let page = match page.await {
                Ok(page) => page,
                Err(failure) => {
                    return match (refused, failure) {
                        (Some(error), _) => Err(error.into()),
                        (None, Failure::Status(Status { code: 410, .. })) => Ok(None),
                        (None, Failure::Status(Status { code: 404, .. })) => Err(NoList::Unknown),
                        (None, Failure::Status(status))
                            if status.code == 403 && !status.is_about_acting() =>
                        {
                            Err(NoList::Forbidden {
                                asked: query.asked(),
                                message: status.message,
                            })
                        }
                        (None, failure) => Err(self.error(&question, failure).into()),
                    };
                }
            };
            let garbled = |problem: &str| {
                NoList::Error(ClusterError::Garbled {
                    server: self.server().to_owned(),
                    asked: query.asked(),
                    problem: problem.to_owned(),
                })
            };
            // Pages without end may be empty ones.
            seen += page.count.max(PAGE);
            if seen > MAX_OBJECTS {
                return Err(garbled("the list has no end"));
            }
            items.extend(page.items);
            let (version, next) = (page.version, page.next);
            if next.is_empty() {
                return Ok(Some(Listed { items, version }));
            }
            if next == after {
                return Err(garbled("each page of the list leads to itself"));
            }
            after = next;
        }
    }

    /// One object; `None` where there is none of that name.
    pub(super) async fn get(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, ClusterError> {
        let uri = format!("{}/{}", resource.path(Some(namespace)), encoded(name));
        let asked = asked("get", resource, Some(namespace), Some(name));
        let question = Question::get(uri, asked);
        match self.ask_json(&question).await {
            Ok(object) => Ok(Some(received(object, resource))),
            Err(Failure::Status(status)) if status.code == 404 => Ok(None),
            Err(failure) => Err(self.error(&question, failure)),
        }
    }
}

/// An object as a file would hold it: items of a list do not say what they are, and nobody asks who wrote which field.
fn received(mut object: Value, resource: Resource) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), resource.api_version().into());
        members.insert("kind".to_owned(), resource.kind.into());
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
    }
    object
}
