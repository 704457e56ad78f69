//! Tokens that tell their own end, and those that an OpenID login keeps.

use jiff::Timestamp;

use super::kubeconfig::model::{Provider, User};
use kubectl_manifest::go_base64;

/// Reports whether a user logs in with an OpenID token that has expired, and that kubectl could renew.
pub(super) fn is_outdated(user: &User) -> bool {
    let other = [
        &user.token,
        &user.token_file,
        &user.username,
        &user.password,
    ];
    other.iter().all(|way| way.is_empty())
        && user.provider.as_ref().is_some_and(|provider| {
            let refresh = provider.config.get("refresh-token");
            provider.name == "oidc"
                && refresh.is_some_and(|token| !token.is_empty())
                && id_token(provider).is_err()
        })
}

/// The token of an `auth-provider`, of which kubectl has kept one.
pub(super) fn id_token(provider: &Provider) -> Result<String, String> {
    let instead = match provider.name.as_str() {
        "oidc" => None,
        "gcp" => Some("the plugin gke-gcloud-auth-plugin"),
        "azure" => Some("the plugin kubelogin"),
        _ => Some("a plugin (exec)"),
    };
    if let Some(instead) = instead {
        return Err(format!(
            "kubectl has no auth-provider {:?} any more: have your kubeconfig written anew for {instead}, or give a token with --token",
            provider.name
        ));
    }
    let token = provider
        .config
        .get("id-token")
        .filter(|token| !token.is_empty());
    let Some(token) = token else {
        return Err("its OpenID auth-provider has no id-token: log in again".to_owned());
    };
    match end_of_token(token) {
        None => Err(
            "the id-token of its OpenID auth-provider is none (it tells no end): log in again"
                .to_owned(),
        ),
        Some(end) if end <= Timestamp::now() => Err(format!(
            "the id-token of its OpenID auth-provider expired on {end}: log in again"
        )),
        Some(_) => Ok(token.clone()),
    }
}

/// When a token ends that says so, as those of OpenID and of service accounts do.
pub(super) fn end_of_token(token: &str) -> Option<Timestamp> {
    let claims = token.split('.').nth(1)?.replace('-', "+").replace('_', "/");
    let claims = claims.trim_end_matches('=');
    let padding = "=".repeat((4 - claims.len() % 4) % 4);
    let claims = go_base64::decode(&format!("{claims}{padding}"))?;
    let claims: serde_json::Value = serde_json::from_slice(&claims).ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "a time in whole seconds")]
    let end = claims["exp"]
        .as_i64()
        .or_else(|| Some(claims["exp"].as_f64()? as i64))?;
    Timestamp::from_second(end).ok()
}
