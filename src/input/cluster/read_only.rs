//! Filter for all requests: blocks everything that could change a cluster.

use http::{Method, Request};
use tower::BoxError;

/// Subresources that connect to a pod or service on GET, and could make it do anything.
const CONNECTED: [&str; 4] = ["attach", "exec", "portforward", "proxy"];

/// Returns an error for a request that could change something.
///
/// # Errors
/// For all requests other than GET, and dry runs of a StatefulSet or an eviction.
pub(super) fn refuse_writes<B>(request: &Request<B>) -> Result<(), BoxError> {
    let (method, uri) = (request.method(), request.uri());
    match is_read_only(method, uri.path(), uri.query()) {
        true => Ok(()),
        false => Err(format!(
            "blocked {method} {}: this program only sends reads and dry runs",
            uri.path()
        )
        .into()),
    }
}

/// Reports whether a request changes nothing: a GET that does not connect to a pod, or the creation or patch of a
/// StatefulSet or the eviction of a pod with `dryRun=All` and no other value of it.
pub fn is_read_only(method: &Method, path: &str, query: Option<&str>) -> bool {
    if subresource(path).is_some_and(|name| CONNECTED.contains(&name) || name.contains('%')) {
        return false;
    }
    if *method == Method::GET {
        return true;
    }
    if !is_of_set(method, path) && !is_eviction(method, path) {
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

/// Reports whether a request evicts a pod.
fn is_eviction(method: &Method, path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/api/v1/namespaces/") else {
        return false;
    };
    let parts: Vec<&str> = rest.split('/').collect();
    *method == Method::POST
        && matches!(parts.as_slice(), [namespace, "pods", name, "eviction"]
            if !namespace.is_empty() && !name.is_empty())
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
