//! One request and its answer: how long it is waited for, and when it is asked again.
//!
//! kubectl asks again when the server says when to (`Retry-After` with a 429 or a 5xx), and where a connection is
//! reset under a GET. Here a GET is also repeated, a few times and soon, after a 429, 500, 502, 503 or 504 without
//! that header, and after an answer that is cut off in the middle, since half an answer is worth nothing. A server
//! that is not there is said to be not there at once.

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

/// The most tries of one request where the server says when to come back.
const MOST_INVITED: u32 = 10;
/// The most tries otherwise.
const MOST_TRIES: u32 = 5;
/// The wait before the second try; doubled before each later one.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The most time that `Retry-After` is honored for, over all tries.
const MOST_WAITING: Duration = Duration::from_secs(60);

/// A request to the API server.
#[derive(Debug, Clone)]
pub(super) struct ApiRequest {
    pub(super) method: Method,
    /// Path and query.
    pub(super) uri: String,
    pub(super) accept: &'static str,
    /// The type and the text of what is sent along.
    pub(super) body: Option<(&'static str, Vec<u8>)>,
    /// The purpose, in words that follow "cannot".
    pub(super) asked: String,
    /// The most bytes that the answer may have, unpacked.
    pub(super) most: usize,
}

impl ApiRequest {
    /// A GET of something in JSON.
    pub(super) fn get(uri: String, asked: String) -> Self {
        ApiRequest {
            method: Method::GET,
            uri,
            accept: "application/json",
            body: None,
            asked,
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

/// A failed request, for the caller to judge.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server answered, with an error.
    Status(Status),
    /// There is no answer to speak of.
    Error(ClusterError),
}

/// An error that the server answered.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) code: u16,
    /// Its `message`, or the beginning of what it sent instead.
    pub(super) message: String,
    /// Its `details`.
    pub(super) details: Value,
    /// The warnings that came with it.
    pub(super) warnings: Vec<String>,
    pub(super) tries: u32,
}

impl Status {
    /// Reports whether impersonation is what is forbidden, whatever the request: `cannot impersonate resource "users"`,
    /// or from 1.36 on `cannot impersonate-on:user-info:get resource "users"` (ConstrainedImpersonation).
    pub(super) fn is_about_acting(&self) -> bool {
        let words = ["cannot impersonate resource", "cannot impersonate-on:"];
        self.code == 403 && words.iter().any(|words| self.message.contains(words))
    }
}

/// The outcome of one try.
enum Try {
    Answer(StatusCode, HeaderMap, Vec<u8>),
    Truncated(String),
    Failed(ClusterError),
}

impl ApiClient {
    /// The answer's JSON.
    pub(super) async fn ask_json(&self, question: &ApiRequest) -> Result<Value, Failure> {
        self.ask(question, |_, bytes| parse(bytes)).await
    }

    /// The answer's JSON, and the warnings that came with it.
    pub(super) async fn ask_with_warnings(
        &self,
        question: &ApiRequest,
    ) -> Result<(Value, Vec<String>), Failure> {
        self.ask(question, |headers, bytes| {
            Ok((parse(bytes)?, warnings(headers)))
        })
        .await
    }

    /// The answer, read. `read` gives `None` for one that ends too early, else what is wrong with it.
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
                                "it ends in the middle".to_owned(),
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
                    "{} to take requests again, to {}",
                    self.route(),
                    question.asked
                )
            };
            let pausing = tokio::time::sleep(pause);
            self.notice().during(what, pausing).await;
            waited += pause;
            wait *= 2;
        }
    }

    async fn try_once(&self, question: &ApiRequest) -> Try {
        let request = match question.request(self.takes_gzip()) {
            Ok(request) => request,
            Err(error) => {
                let problem = format!("cannot {}: {error}", question.asked);
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
        let what = || format!("the API server {}, to {}", self.route(), question.asked);
        let exchange = self.notice().during(what, exchange);
        match self.patience() {
            None => exchange.await,
            Some(patience) => match tokio::time::timeout(patience, exchange).await {
                Ok(ended) => ended,
                Err(_) => Try::Failed(ClusterError::Late {
                    server: self.server().to_owned(),
                    asked: question.asked.clone(),
                    after: patience,
                }),
            },
        }
    }

    /// Returns the outcome of a try without a response.
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
        // A TLS handshake that is broken off would be broken off again.
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
            asked: question.asked.clone(),
            problem,
        }
    }

    fn truncated(&self, question: &ApiRequest, tries: u32, problem: String) -> ClusterError {
        ClusterError::Truncated {
            server: self.server().to_owned(),
            asked: question.asked.clone(),
            tries,
            problem,
        }
    }

    /// The error for a failure that the caller does not handle.
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
                asked: question.asked.clone(),
                message: status.message,
            },
            code => ClusterError::Refused {
                asked: question.asked.clone(),
                code,
                message: status.message,
                tries: status.tries,
            },
        }
    }
}

/// When the server wants to be asked again, if it says so.
fn invited(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    let after = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(after.trim().parse().ok()?))
}

/// Reports whether a status is transient, so that the next answer may be another one.
fn passes(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 500 | 502 | 503 | 504)
}

/// Reads JSON; `None` for what ends too early.
fn parse(bytes: &[u8]) -> Result<Value, Option<String>> {
    serde_json::from_slice(bytes).map_err(|error| {
        (!error.is_eof()).then(|| {
            let (line, column) = (error.line(), error.column());
            format!("it is not JSON at line {line}, column {column}")
        })
    })
}

/// The texts of `Warning: 299 - "text"`.
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
        _ if status.is_redirection() => elsewhere(headers),
        Some(message) if !message.is_empty() => message.to_owned(),
        // A proxy's page, or nothing at all.
        _ => {
            let sent = String::from_utf8_lossy(bytes);
            let sent: String = sent.trim().chars().take(200).collect();
            match (sent.is_empty(), status.canonical_reason()) {
                (true, Some(reason)) => reason.to_owned(),
                (true, None) => "nothing else".to_owned(),
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

/// Describes the redirect of a server that answers for another: the credentials are not for its target.
fn elsewhere(headers: &HeaderMap) -> String {
    let to = headers.get(http::header::LOCATION);
    let to = to.map(|to| String::from_utf8_lossy(to.as_bytes()));
    let to = to.map_or_else(String::new, |to| format!(", to {}", without_password(&to)));
    format!(
        "it sends elsewhere{to}, which is not followed: name the API server itself in the kubeconfig or with --server"
    )
}
