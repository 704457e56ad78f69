//! Filter for all requests: blocks everything that could change a cluster.

use std::task::{Context, Poll};

use futures::future::{Either, MapErr, Ready, TryFutureExt as _, ready};
use http::{Method, Request};
use tower::{BoxError, Layer, Service};

/// Subresources that connect to a pod or service on GET, and could make it do anything.
const CONNECTED: [&str; 4] = ["attach", "exec", "portforward", "proxy"];

/// Layer that blocks all requests other than GET and dry runs of a StatefulSet.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOnly;

impl<S> Layer<S> for ReadOnly {
    type Service = ReadOnlyService<S>;

    fn layer(&self, inner: S) -> ReadOnlyService<S> {
        ReadOnlyService { inner }
    }
}

/// Service with the filter.
#[derive(Debug, Clone)]
pub struct ReadOnlyService<S> {
    inner: S,
}

impl<S, B> Service<Request<B>> for ReadOnlyService<S>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future =
        Either<MapErr<S::Future, fn(S::Error) -> BoxError>, Ready<Result<S::Response, BoxError>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if is_read_only(
            request.method(),
            request.uri().path(),
            request.uri().query(),
        ) {
            return Either::Left(self.inner.call(request).map_err(Into::into));
        }
        let problem = format!(
            "blocked {} {}: this program only sends reads and dry runs",
            request.method(),
            request.uri().path()
        );
        Either::Right(ready(Err(problem.into())))
    }
}

/// Reports whether a request changes nothing: a GET that does not connect to a pod, or the creation or patch of a
/// StatefulSet with `dryRun=All` and no other value of it.
#[must_use]
pub fn is_read_only(method: &Method, path: &str, query: Option<&str>) -> bool {
    if subresource(path).is_some_and(|name| CONNECTED.contains(&name) || name.contains('%')) {
        return false;
    }
    if *method == Method::GET {
        return true;
    }
    if !is_of_set(method, path) {
        return false;
    }
    let mut runs = query
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            name.eq_ignore_ascii_case("dryRun").then_some((name, value))
        })
        .peekable();
    runs.peek().is_some() && runs.all(|run| run == ("dryRun", "All"))
}

/// Reports whether a request creates or patches a StatefulSet.
fn is_of_set(method: &Method, path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/apis/apps/v1/namespaces/") else {
        return false;
    };
    let parts: Vec<&str> = rest.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, [_, "statefulsets"]) => true,
        (&Method::PATCH, [_, "statefulsets", name]) => !name.is_empty(),
        _ => false,
    }
}

/// Returns the subresource of a path, such as `status` in `/api/v1/namespaces/a/pods/b/status`.
fn subresource(path: &str) -> Option<&str> {
    let mut rest: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let root = match rest.first() {
        Some(&"api") => 2,
        Some(&"apis") => 3,
        _ => return None,
    };
    rest.drain(..root.min(rest.len()));
    if rest.first() == Some(&"namespaces") && rest.len() > 3 {
        rest.drain(..2);
    }
    rest.get(2).copied()
}
