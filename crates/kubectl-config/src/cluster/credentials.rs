//! Credentials of a user.
//!
//! The order of precedence is that of kubectl. As in kubectl, a server without TLS gets no credentials, and no plugin
//! runs for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, Response, StatusCode};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio::sync::Mutex as AsyncMutex;
use tower::BoxError;

use super::certificate;
use super::error::ConfigError;
use super::kubeconfig::model::{Cluster, User};
use super::plugin::{Issued, Plugin, PluginContext};
use super::token::{end_of_token, id_token};
use crate::bounded;
use kubectl_manifest::go_base64;

/// Credentials of requests to a server.
#[derive(Default)]
pub struct Credentials {
    /// Name of the user; may be empty.
    user: String,
    source: Source,
    /// Expiration of the client certificate, if known.
    certificate: Option<Option<Timestamp>>,
    /// True if the server is reached without TLS.
    open: bool,
}

/// Source of the `Authorization` header.
#[derive(Default)]
enum Source {
    #[default]
    Anonymous,
    Fixed(HeaderValue),
    /// Token file that another process refreshes, with the last valid token.
    File(PathBuf, Mutex<HeaderValue>),
    /// Token of a plugin, and its expiration.
    Plugin(Arc<Plugin>, AsyncMutex<(HeaderValue, Option<Timestamp>)>),
}

/// Client certificate and key, in PEM.
pub(super) struct Identity {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
}

/// Error of renewing credentials during a run.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct CredentialsError(pub String);

impl Credentials {
    /// Returns the credentials for a server without TLS: none.
    pub(super) fn open(user: &str) -> Self {
        Credentials {
            user: user.to_owned(),
            open: true,
            ..Credentials::default()
        }
    }

    /// Returns the credentials of a user. Runs the credential plugin, if any.
    pub(super) fn of(
        name: &str,
        user: User,
        cluster: &Cluster,
        attended: &PluginContext<'_>,
    ) -> Result<(Self, Option<Identity>), ConfigError> {
        prove(name, user, cluster, attended)
            .map_err(|problem| ConfigError::Credentials(about(name, &problem)))
    }

    /// Returns a message with advice if the client certificate has expired.
    #[must_use]
    pub fn expired_certificate(&self) -> Option<String> {
        let end = self.certificate.flatten()?;
        let whose = self.whose();
        (end <= Timestamp::now()).then(|| {
            format!("the client certificate{whose} expired on {end}: renew it, or log in again")
        })
    }

    /// Formats ` of user "u"`, if the user has a name.
    fn whose(&self) -> String {
        match self.user.as_str() {
            "" => String::new(),
            user => format!(" of user {user:?}"),
        }
    }

    /// Returns a likely reason why a server does not accept these credentials, with advice.
    #[must_use]
    pub fn doubt(&self) -> String {
        let now = Timestamp::now();
        let whose = self.whose();
        if self.open {
            return "none are sent to a server without TLS: use its https:// address".to_owned();
        }
        if let Some(expired) = self.expired_certificate() {
            return expired;
        }
        let header = match &self.source {
            Source::Anonymous if self.certificate.is_none() => {
                return format!(
                    "none{whose}: log in, or choose a user with --context, --user or --token"
                );
            }
            Source::Fixed(header) => Some(header.clone()),
            Source::File(_, last) => last.lock().ok().map(|last| last.clone()),
            Source::Anonymous | Source::Plugin(..) => None,
        };
        let end = header.as_ref().and_then(|header| {
            let token = header.to_str().ok()?.strip_prefix("Bearer ")?;
            end_of_token(token)
        });
        match end {
            Some(end) if end <= now => format!(
                "the token{whose} expired on {end}: log in again, or pass another with --token"
            ),
            _ => "they may have expired: log in again, or choose others with --context, --user or --token".to_owned(),
        }
    }

    /// Sends a request with the credentials. If the server does not accept the token of a plugin, the plugin runs
    /// once more.
    pub async fn send(
        &self,
        client: Client,
        mut request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        let Some(shown) = self.header().await? else {
            return Ok(client.send(request).await?);
        };
        let mut again = match self.source {
            Source::Plugin(..) => copy(&request),
            _ => None,
        };
        request.headers_mut().insert(AUTHORIZATION, shown.clone());
        let response = client.send(request).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(mut again) = again.take()
            && let Some(fresh) = self.renewed(&shown).await?
        {
            again.headers_mut().insert(AUTHORIZATION, fresh);
            return Ok(client.send(again).await?);
        }
        Ok(response)
    }

    /// Returns the header of the next request.
    async fn header(&self) -> Result<Option<HeaderValue>, CredentialsError> {
        match &self.source {
            Source::Anonymous => Ok(None),
            Source::Fixed(header) => Ok(Some(header.clone())),
            Source::File(file, last) => {
                let fresh = bounded::read_text(file, bounded::SMALL).ok();
                let fresh = fresh.filter(|token| !token.trim().is_empty());
                let fresh = fresh.and_then(|token| bearer(token.trim()).ok());
                let Ok(mut last) = last.lock() else {
                    return Ok(fresh);
                };
                if let Some(fresh) = fresh {
                    *last = fresh;
                }
                Ok(Some(last.clone()))
            }
            Source::Plugin(_, token) => {
                let (header, until) = token.lock().await.clone();
                match until {
                    Some(until) if until <= Timestamp::now() => {
                        let fresh = self.renewed(&header).await?;
                        Ok(Some(fresh.unwrap_or(header)))
                    }
                    _ => Ok(Some(header)),
                }
            }
        }
    }

    /// Returns a token other than `shown`: a concurrent request may have renewed it already.
    async fn renewed(&self, shown: &HeaderValue) -> Result<Option<HeaderValue>, CredentialsError> {
        let Source::Plugin(plugin, token) = &self.source else {
            return Ok(None);
        };
        let mut token = token.lock().await;
        if token.0 == *shown {
            let plugin = Arc::clone(plugin);
            let run = tokio::task::spawn_blocking(move || plugin.run()).await;
            let problem = |problem: String| CredentialsError(about(&self.user, &problem));
            let issued = run.map_err(|error| error.to_string()).flatten();
            let issued = issued.map_err(problem)?;
            if let Some(fresh) = &issued.token {
                *token = (bearer(fresh).map_err(problem)?, issued.until);
            }
        }
        Ok((token.0 != *shown).then(|| token.0.clone()))
    }
}

/// Formats a problem with a user.
pub(super) fn about(user: &str, problem: &str) -> String {
    match user {
        "" => problem.to_owned(),
        user => format!("user {user:?}: {problem}"),
    }
}

fn prove(
    name: &str,
    user: User,
    cluster: &Cluster,
    attended: &PluginContext<'_>,
) -> Result<(Credentials, Option<Identity>), String> {
    let token = !user.token.is_empty() || !user.token_file.is_empty();
    let password = !user.username.is_empty() || !user.password.is_empty();
    if token && password {
        return Err(
            "it has both a token and a password, but kubectl accepts only one: remove the other"
                .to_owned(),
        );
    }
    if user.exec.is_some() && user.provider.is_some() {
        return Err("it has both a plugin (exec) and an auth-provider, but kubectl accepts only one: remove the other".to_owned());
    }
    let mut certificate = None;
    let mut identity = None;
    if user.certificate.is_given() {
        let (end, read) = identify(&user)?;
        (certificate, identity) = (Some(end), Some(read));
    }
    let source = if let Some(user) = of_address(&cluster.server)? {
        Source::Fixed(user)
    } else if !user.token_file.is_empty() {
        token_file(&user)?
    } else if token {
        Source::Fixed(bearer(&user.token)?)
    } else if password {
        let both = format!("{}:{}", user.username, user.password);
        Source::Fixed(header("Basic", &go_base64::encode(both.as_bytes()))?)
    } else if let Some(provider) = &user.provider {
        Source::Fixed(bearer(&id_token(provider)?)?)
    } else if let Some(exec) = user.exec.filter(|_| identity.is_none()) {
        let plugin = Plugin::new(exec, cluster, attended)?;
        let Issued {
            token,
            certificate: issued,
            until,
        } = plugin.run()?;
        if let Some((text, key)) = issued {
            let what = "the client certificate from the plugin";
            let end =
                certificate::client(text.as_bytes()).map_err(|why| format!("{what} {why}"))?;
            certificate::key(key.as_bytes())
                .map_err(|why| format!("the client key from the plugin {why}"))?;
            certificate = Some(end);
            identity = Some(Identity {
                certificate: text.into_bytes(),
                key: key.into_bytes(),
            });
        }
        match token {
            Some(token) => {
                let token = (bearer(&token)?, until);
                Source::Plugin(Arc::new(plugin), AsyncMutex::new(token))
            }
            None => Source::Anonymous,
        }
    } else {
        Source::Anonymous
    };
    let credentials = Credentials {
        user: name.to_owned(),
        source,
        certificate,
        open: false,
    };
    Ok((credentials, identity))
}

/// Decodes percent-encoding in a part of an address.
fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// Returns the user, and the password if any, before the `@` of an address.
pub(super) fn user_of_address(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let at = rest[..authority].rfind('@')?;
    Some(&rest[..at])
}

/// Returns the user and password in a server's address, which kubectl prefers to all other credentials.
fn of_address(server: &str) -> Result<Option<HeaderValue>, String> {
    let Some(user) = user_of_address(server) else {
        return Ok(None);
    };
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let both = [&decoded(name)[..], b":", &decoded(password)].concat();
    header("Basic", &go_base64::encode(&both)).map(Some)
}

/// Returns the client certificate with its key and expiration.
fn identify(user: &User) -> Result<(Option<Timestamp>, Identity), String> {
    const CERTIFICATE: &str = "client certificate";
    const KEY: &str = "client key";
    if !user.key.is_given() {
        let place = certificate::place(&user.certificate, CERTIFICATE);
        return Err(format!(
            "{place} requires its key: set --client-key, or add it to the kubeconfig"
        ));
    }
    let identity = Identity {
        certificate: certificate::read(&user.certificate, CERTIFICATE)?,
        key: certificate::read(&user.key, KEY)?,
    };
    let end = certificate::client(&identity.certificate).map_err(|why| {
        format!(
            "{} {why}",
            certificate::place(&user.certificate, CERTIFICATE)
        )
    })?;
    certificate::key(&identity.key)
        .map_err(|why| format!("{} {why}", certificate::place(&user.key, KEY)))?;
    Ok((end, identity))
}

/// Reads a token file; `token` is used until the file has one.
fn token_file(user: &User) -> Result<Source, String> {
    let file = &user.token_file;
    let token = match bounded::read_text(file.as_ref(), bounded::SMALL) {
        Ok(token) if !token.trim().is_empty() => token.trim().to_owned(),
        _ if !user.token.is_empty() => user.token.clone(),
        Ok(_) => return Err(format!("the token file {file} is empty: log in again")),
        Err(error) => {
            return Err(format!(
                "cannot read the token file {file} ({error}): log in again, or pass a token with --token"
            ));
        }
    };
    Ok(Source::File(file.into(), Mutex::new(bearer(&token)?)))
}

fn bearer(token: &str) -> Result<HeaderValue, String> {
    header("Bearer", token)
}

fn header(scheme: &str, secret: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(format!("{scheme} {secret}"))
        .map_err(|_| "its token has invalid characters: check it for line breaks".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Copies a request, if its body can be copied.
fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}
