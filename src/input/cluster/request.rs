//! One request and its response, with timeouts and retries.
//!
//! kubectl retries when the server says so (`Retry-After` with a 429 or a 5xx), and when a connection is reset during
//! a GET. This program also retries a GET a few times after a 429, 500, 502, 503 or 504 without that header, and
//! after a truncated response, which is useless. A server that cannot be reached is reported at once.

use std::io;
use std::time::Duration;

use http::{HeaderMap, Method, Request, StatusCode};
use kube::client::Body;
use serde_json::Value;

use super::body::{BodyError, OBJECT_BYTES, collect};
use super::connect::ApiClient;
use super::error::ClusterError;
use super::error_chain::{chain, find, innermost, io_kinds};
use super::handshake;
use kubectl_config::{ConfigError, CredentialsError, without_password};

/// Maximum number of attempts if the server sends `Retry-After`.
const MOST_INVITED: u32 = 10;
/// Maximum number of attempts otherwise.
const MOST_TRIES: u32 = 5;
/// Wait before the first retry; doubled before each later one.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Maximum total wait for `Retry-After`.
const MOST_WAITING: Duration = Duration::from_secs(60);

/// A request to the API server.
#[derive(Debug, Clone)]
pub(super) struct ApiRequest {
    pub(super) method: Method,
    /// Path and query.
    pub(super) uri: String,
    pub(super) accept: &'static str,
    /// Content type and body.
    pub(super) body: Option<(&'static str, Vec<u8>)>,
    /// Description, after "cannot".
    pub(super) action: String,
    /// Maximum size of the decompressed response.
    pub(super) most: usize,
}

impl ApiRequest {
    /// Creates a GET for JSON.
    pub(super) fn get(uri: String, action: String) -> Self {
        ApiRequest {
            method: Method::GET,
            uri,
            accept: "application/json",
            body: None,
            action,
            most: OBJECT_BYTES,
        }
    }

    fn request(&self, packed: bool) -> Result<Request<Body>, http::Error> {
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(&self.uri)
            .header(http::header::ACCEPT, self.accept);
        if packed {
            request = request.header(http::header::ACCEPT_ENCODING, "gzip");
        }
        let mut bytes = Vec::new();
        if let Some((kind, body)) = &self.body {
            request = request.header(http::header::CONTENT_TYPE, *kind);
            bytes.clone_from(body);
        }
        request.body(Body::from(bytes))
    }
}

/// A failed request, for the caller to handle.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server answered with an error.
    Status(Status),
    /// There is no usable response.
    Error(ClusterError),
}

/// An error response of the server.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) code: u16,
    /// `message`, or the beginning of the response.
    pub(super) message: String,
    /// `details` of the status.
    pub(super) details: Value,
    /// Warnings in the response.
    pub(super) warnings: Vec<String>,
    pub(super) tries: u32,
}

impl Status {
    /// Reports whether impersonation is forbidden, for any request: `cannot impersonate resource "users"`, or from
    /// 1.36 `cannot impersonate-on:user-info:get resource "users"` (ConstrainedImpersonation).
    pub(super) fn is_about_acting(&self) -> bool {
        let words = ["cannot impersonate resource", "cannot impersonate-on:"];
        self.code == 403 && words.iter().any(|words| self.message.contains(words))
    }
}

/// Outcome of one attempt.
enum Try {
    Answer(StatusCode, HeaderMap, Vec<u8>),
    Truncated(String),
    Failed(ClusterError),
}

impl ApiClient {
    /// Returns the response as JSON.
    pub(super) async fn ask_json(&self, question: &ApiRequest) -> Result<Value, Failure> {
        self.ask(question, |_, bytes| parse(bytes)).await
    }

    /// Returns the response as JSON, and its warnings.
    pub(super) async fn ask_with_warnings(
        &self,
        question: &ApiRequest,
    ) -> Result<(Value, Vec<String>), Failure> {
        self.ask(question, |headers, bytes| {
            Ok((parse(bytes)?, warnings(headers)))
        })
        .await
    }

    /// Returns the parsed response. `read` returns `None` for a truncated response, else the problem.
    pub(super) async fn ask<T>(
        &self,
        question: &ApiRequest,
        mut read: impl FnMut(&HeaderMap, &[u8]) -> Result<T, Option<String>>,
    ) -> Result<T, Failure> {
        let repeatable = question.method == Method::GET;
        let (mut tries, mut waited, mut wait) = (0, Duration::ZERO, FIRST_WAIT);
        loop {
            tries += 1;
            let invitation;
            let failure = match self.try_once(question).await {
                Try::Answer(status, headers, bytes) if status.is_success() => {
                    match read(&headers, &bytes) {
                        Ok(answer) => return Ok(answer),
                        Err(Some(problem)) => {
                            return Err(Failure::Error(self.malformed(question, problem)));
                        }
                        Err(None) => {
                            invitation = None;
                            Failure::Error(self.truncated(
                                question,
                                tries,
                                "truncated response".to_owned(),
                            ))
                        }
                    }
                }
                Try::Answer(status, headers, bytes) => {
                    invitation = invited(status, &headers);
                    let again = invitation.is_some() || (repeatable && passes(status));
                    let failure = Failure::Status(status_of(status, &headers, &bytes, tries));
                    if !again {
                        return Err(failure);
                    }
                    failure
                }
                Try::Truncated(problem) => {
                    invitation = None;
                    let failure = Failure::Error(self.truncated(question, tries, problem));
                    if !repeatable {
                        return Err(failure);
                    }
                    failure
                }
                Try::Failed(error) => return Err(Failure::Error(error)),
            };
            let (pause, most) = match invitation {
                Some(pause) => (pause, MOST_INVITED),
                None => (wait, MOST_TRIES),
            };
            if tries >= most || waited + pause > MOST_WAITING {
                return Err(failure);
            }
            let what = || {
                format!(
                    "{} to accept requests again, to {}",
                    self.route(),
                    question.action
                )
            };
            let pausing = tokio::time::sleep(pause);
            self.notice().during(what, pausing).await;
            waited += pause;
            wait *= 2;
        }
    }

    /// Sends a request whose response is not read, and never again: a refusal is an answer.
    pub(super) async fn ask_once(&self, question: &ApiRequest) -> Result<(), Failure> {
        match self.try_once(question).await {
            Try::Answer(status, ..) if status.is_success() => Ok(()),
            Try::Answer(status, headers, bytes) => {
                Err(Failure::Status(status_of(status, &headers, &bytes, 1)))
            }
            Try::Truncated(problem) => Err(Failure::Error(self.truncated(question, 1, problem))),
            Try::Failed(error) => Err(Failure::Error(error)),
        }
    }

    async fn try_once(&self, question: &ApiRequest) -> Try {
        let request = match question.request(self.takes_gzip()) {
            Ok(request) => request,
            Err(error) => {
                let problem = format!("cannot {}: {error}", question.action);
                return Try::Failed(ConfigError::Access(problem).into());
            }
        };
        let exchange = async {
            let response = match self.client().send(request).await {
                Ok(response) => response,
                Err(error) => return self.no_response(&error),
            };
            let (parts, body) = response.into_parts();
            match collect(&parts.headers, body, question.most).await {
                Ok(bytes) => Try::Answer(parts.status, parts.headers, bytes),
                Err(BodyError::TooLarge(problem) | BodyError::Malformed(problem)) => {
                    Try::Failed(self.malformed(question, problem))
                }
                Err(BodyError::Truncated(problem)) => Try::Truncated(problem),
            }
        };
        let what = || format!("the API server {}, to {}", self.route(), question.action);
        let exchange = self.notice().during(what, exchange);
        match self.patience() {
            None => exchange.await,
            Some(patience) => match tokio::time::timeout(patience, exchange).await {
                Ok(ended) => ended,
                Err(_) => Try::Failed(ClusterError::Late {
                    server: self.server().to_owned(),
                    action: question.action.clone(),
                    after: patience,
                }),
            },
        }
    }

    /// Returns the outcome of an attempt without a response.
    fn no_response(&self, error: &kube::Error) -> Try {
        if let Some(CredentialsError(problem)) = find(error) {
            return Try::Failed(ConfigError::Credentials(problem.clone()).into());
        }
        if let Some(error) = find(error) {
            let expired = self.credentials().expired_certificate();
            return Try::Failed(ClusterError::Unreachable {
                server: self.route(),
                problem: expired
                    .filter(|_| matches!(error, rustls::Error::AlertReceived(_)))
                    .unwrap_or_else(|| handshake::problem(error)),
            });
        }
        let chain = chain(error);
        let resets = [
            io::ErrorKind::ConnectionReset,
            io::ErrorKind::ConnectionAborted,
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::UnexpectedEof,
        ];
        let kinds = io_kinds(error);
        // Retrying an aborted TLS handshake would fail again.
        let connecting = chain.iter().any(|text| text.contains("(Connect)"));
        let reset = kinds.iter().any(|kind| resets.contains(kind))
            || chain
                .iter()
                .any(|text| text.contains("connection closed before message completed"));
        if reset && !connecting {
            return Try::Truncated(innermost(error));
        }
        Try::Failed(ClusterError::Unreachable {
            server: self.route(),
            problem: handshake::unreachable_because(&kinds, &chain),
        })
    }

    fn malformed(&self, question: &ApiRequest, problem: String) -> ClusterError {
        ClusterError::Malformed {
            server: self.server().to_owned(),
            action: question.action.clone(),
            problem,
        }
    }

    fn truncated(&self, question: &ApiRequest, tries: u32, problem: String) -> ClusterError {
        ClusterError::Truncated {
            server: self.server().to_owned(),
            action: question.action.clone(),
            tries,
            problem,
        }
    }

    /// Converts a failure that the caller does not handle.
    pub(super) fn error(&self, question: &ApiRequest, failure: Failure) -> ClusterError {
        let status = match failure {
            Failure::Error(error) => return error,
            Failure::Status(status) => status,
        };
        match status.code {
            401 => self.unauthorized(),
            403 if status.is_about_acting() => ClusterError::NotAnother {
                message: status.message,
            },
            403 => ClusterError::Forbidden {
                action: question.action.clone(),
                message: status.message,
            },
            code => ClusterError::Refused {
                action: question.action.clone(),
                code,
                message: status.message,
                tries: status.tries,
            },
        }
    }
}

/// Returns the delay of `Retry-After`, if the server sends it.
fn invited(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    let after = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(after.trim().parse().ok()?))
}

/// Reports whether a status is transient.
fn passes(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 500 | 502 | 503 | 504)
}

/// Parses JSON; `None` if it is truncated.
fn parse(bytes: &[u8]) -> Result<Value, Option<String>> {
    serde_json::from_slice(bytes).map_err(|error| {
        (!error.is_eof()).then(|| {
            let (line, column) = (error.line(), error.column());
            format!("invalid JSON at line {line}, column {column}")
        })
    })
}

/// Parses the messages of `Warning: 299 - "text"`.
fn warnings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(http::header::WARNING).iter();
    let texts = values.filter_map(|value| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let (_, quoted) = value.split_once('"')?;
        let (text, _) = quoted.rsplit_once('"')?;
        Some(text.replace("\\\"", "\"").replace("\\\\", "\\"))
    });
    texts.collect()
}

pub(super) fn status_of(
    status: StatusCode,
    headers: &HeaderMap,
    bytes: &[u8],
    tries: u32,
) -> Status {
    let object: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let message = match object["message"].as_str() {
        _ if status.is_redirection() => redirect(headers),
        Some(message) if !message.is_empty() => message.to_owned(),
        // The error page of a proxy, or nothing.
        _ => {
            let sent = String::from_utf8_lossy(bytes);
            let sent: String = sent.trim().chars().take(200).collect();
            match (sent.is_empty(), status.canonical_reason()) {
                (true, Some(reason)) => reason.to_owned(),
                (true, None) => "no message".to_owned(),
                (false, _) => sent,
            }
        }
    };
    Status {
        code: status.as_u16(),
        message,
        details: object["details"].clone(),
        warnings: warnings(headers),
        tries,
    }
}

/// Describes a redirect, which is not followed: the credentials are not for its target.
fn redirect(headers: &HeaderMap) -> String {
    let to = headers.get(http::header::LOCATION);
    let to = to.map(|to| String::from_utf8_lossy(to.as_bytes()));
    let to = to.map_or_else(String::new, |to| format!(" to {}", without_password(&to)));
    format!(
        "it redirects{to}; redirects are not followed: set the address of the API server in the kubeconfig or with --server"
    )
}
