//! kubectl's connection flags.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, Args, ValueHint};

use crate::duration::parse_duration;
use crate::secret::Token;

/// kubectl's connection flags, for a clap command. The kubeconfig supplies the rest.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::duplicated_attributes, reason = "two flags of one form")]
#[command(
    next_help_heading = "Connection",
    mut_arg("insecure_skip_tls_verify", yes_or_no),
    mut_arg("disable_compression", yes_or_no)
)]
pub struct ConfigFlags {
    /// Kubeconfig [default: the files in KUBECONFIG, or ~/.kube/config]
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

    /// CA certificates to verify the API server
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub certificate_authority: Option<PathBuf>,

    /// Client certificate
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub client_certificate: Option<PathBuf>,

    /// Key of the client certificate
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub client_key: Option<PathBuf>,

    /// Server name to expect in the API server's certificate [default: the host in the address]
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub tls_server_name: Option<String>,

    /// Skip verification of the API server's certificate (insecure)
    #[arg(hide_short_help = true, long)]
    pub insecure_skip_tls_verify: bool,

    /// Timeout of each request: 5s, 2m or seconds; 0 means none [default: 2m]
    #[arg(hide_short_help = true, long, value_name = "DURATION", value_parser = parse_timeout)]
    pub request_timeout: Option<Duration>,

    /// Proxy to the API server: http://, https:// or socks5://HOST:PORT
    ///
    /// Overrides proxy-url in the kubeconfig, and HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    #[arg(hide_short_help = true, long, value_name = "URL")]
    pub proxy_url: Option<String>,

    /// Do not request compressed responses
    #[arg(hide_short_help = true, long)]
    pub disable_compression: bool,

    /// Kuberc with the credential plugin policy [default: KUBERC, or ~/.kube/kuberc]
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = any_path())]
    pub kuberc: Option<PathBuf>,
}

impl ConfigFlags {
    /// Unsets flags with an empty value, as kubectl does: scripts pass `--context "$CONTEXT"`.
    #[must_use]
    pub fn without_empty_values(self) -> Self {
        let text = |flag: Option<String>| flag.filter(|text| !text.is_empty());
        let path = |flag: Option<PathBuf>| flag.filter(|path| !path.as_os_str().is_empty());
        ConfigFlags {
            kubeconfig: path(self.kubeconfig),
            context: text(self.context),
            cluster: text(self.cluster),
            user: text(self.user),
            server: text(self.server),
            token: self.token.filter(|token| !token.reveal().is_empty()),
            impersonate: text(self.impersonate),
            as_uid: text(self.as_uid),
            certificate_authority: path(self.certificate_authority),
            client_certificate: path(self.client_certificate),
            client_key: path(self.client_key),
            tls_server_name: text(self.tls_server_name),
            proxy_url: text(self.proxy_url),
            kuberc: path(self.kuberc),
            ..self
        }
    }

    /// Groups the values of each extra field of the impersonated user, in command-line order.
    #[must_use]
    pub fn extra_fields(&self) -> BTreeMap<String, Vec<String>> {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, value) in &self.as_user_extra {
            all.entry(key.clone()).or_default().push(value.clone());
        }
        all
    }
}

/// Lets a flag be written as `--flag`, `--flag=true` or `--flag=false`, as in kubectl.
#[must_use]
pub fn yes_or_no(flag: Arg) -> Arg {
    flag.action(ArgAction::Set)
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
        .default_value("false")
        .hide_default_value(true)
        .hide_possible_values(true)
        .value_name("BOOL")
}

/// Parses a path. An empty one is allowed: to kubectl, the flag is then unset.
#[must_use]
pub fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Parses `scopes=view`. The value may contain `=`.
fn parse_extra(text: &str) -> Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| format!("missing key: {text:?}; expected KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Parses `5s`, `2m` or whole seconds, as kubectl does.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(Duration::from_secs(seconds.into()));
    }
    let duration = parse_duration(text)?;
    duration
        .try_into()
        .map_err(|_| format!("invalid timeout: {text:?}; expected 5s, 2m or seconds"))
}
