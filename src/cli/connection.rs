//! How the cluster is reached, as every kubectl user knows it: docs/contract.md, "Flags of every kubectl user".

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args, ValueHint};

use super::duration::parse_duration;
use crate::request;
use crate::request::Token;

/// How the cluster is reached, where no `-f` gives the objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
    /// Kubeconfig [default: the files of KUBECONFIG, or ~/.kube/config]
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub context: Option<String>,

    /// Cluster of the kubeconfig
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub cluster: Option<String>,

    /// User of the kubeconfig
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub user: Option<String>,

    /// Address of the API server
    #[arg(hide_short_help = true, short, long, value_name = "URL")]
    pub server: Option<String>,

    /// Bearer token
    #[arg(hide_short_help = true, long, value_name = "TOKEN")]
    pub token: Option<Token>,

    /// User to impersonate
    #[arg(hide_short_help = true, long = "as", value_name = "USER")]
    pub impersonate: Option<String>,

    /// Group to impersonate; repeatable
    #[arg(hide_short_help = true, long, value_name = "GROUP")]
    pub as_group: Vec<String>,

    /// UID to impersonate
    #[arg(hide_short_help = true, long, value_name = "UID")]
    pub as_uid: Option<String>,

    /// Extra field of the user to impersonate; repeatable
    #[arg(hide_short_help = true, long, value_name = "KEY=VALUE", value_parser = parse_extra)]
    pub as_user_extra: Vec<(String, String)>,

    /// CA certificates for the API server
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub certificate_authority: Option<PathBuf>,

    /// Client certificate
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub client_certificate: Option<PathBuf>,

    /// Key of the client certificate
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub client_key: Option<PathBuf>,

    /// Name in the API server's certificate, where it is not that of the address
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub tls_server_name: Option<String>,

    /// Do not check the API server's certificate: anyone could pose as it
    #[arg(
        hide_short_help = true,
        long,
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value_t = false,
        hide_default_value = true,
        hide_possible_values = true,
        value_name = "BOOL"
    )]
    pub insecure_skip_tls_verify: bool,

    /// Timeout of each request: 5s, 2m, or seconds; 0 is none [default: 2m]
    #[arg(hide_short_help = true, long, value_name = "DURATION", value_parser = parse_timeout)]
    pub request_timeout: Option<Duration>,

    /// Proxy to the API server: http://, https:// or socks5://HOST:PORT
    ///
    /// Takes the place of the kubeconfig's proxy-url, and of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    #[arg(hide_short_help = true, long, value_name = "URL")]
    pub proxy_url: Option<String>,

    /// Do not request compressed responses
    #[arg(
        hide_short_help = true,
        long,
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value_t = false,
        hide_default_value = true,
        hide_possible_values = true,
        value_name = "BOOL"
    )]
    pub disable_compression: bool,

    /// Kuberc, which says what credential plugins may run [default: KUBERC, or ~/.kube/kuberc]
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub kuberc: Option<PathBuf>,
}

impl From<Connection> for request::Connection {
    /// An empty text is as good as none, as kubectl has it: a script writes `--context "$CONTEXT"`.
    fn from(flags: Connection) -> Self {
        let text = |flag: Option<String>| flag.filter(|text| !text.is_empty());
        let path = |flag: Option<PathBuf>| flag.filter(|path| !path.as_os_str().is_empty());
        request::Connection {
            kubeconfig: path(flags.kubeconfig),
            context: text(flags.context),
            cluster: text(flags.cluster),
            user: text(flags.user),
            server: text(flags.server),
            token: flags.token.filter(|token| !token.reveal().is_empty()),
            impersonate: text(flags.impersonate),
            impersonate_groups: flags.as_group,
            impersonate_uid: text(flags.as_uid),
            impersonate_extra: by_key(flags.as_user_extra),
            certificate_authority: path(flags.certificate_authority),
            client_certificate: path(flags.client_certificate),
            client_key: path(flags.client_key),
            tls_server_name: text(flags.tls_server_name),
            insecure: flags.insecure_skip_tls_verify,
            request_timeout: flags.request_timeout,
            proxy_url: text(flags.proxy_url),
            disable_compression: flags.disable_compression,
            kuberc: path(flags.kuberc),
        }
    }
}

/// A path, or nothing, which kubectl takes for a flag that is not given.
pub(super) fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Reads `scopes=view`; the value may have further signs of equality.
fn parse_extra(text: &str) -> Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| format!("{text:?} has no key: write KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// All values of each key, in the order in which they were given.
fn by_key(pairs: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, value) in pairs {
        all.entry(key).or_default().push(value);
    }
    all
}

/// Reads `5s`, `2m`, or whole seconds, as kubectl does.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(Duration::from_secs(seconds.into()));
    }
    let duration = parse_duration(text)?;
    duration
        .try_into()
        .map_err(|_| format!("{text:?} is not a time to wait: write 5s, 2m, or seconds"))
}
