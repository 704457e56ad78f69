//! Tokens with an expiration, and those of an OpenID Connect login.

use jiff::Timestamp;

use super::kubeconfig::model::{Provider, User};
use kubectl_manifest::go_base64;

/// Reports whether a user has an expired OpenID Connect token that kubectl could renew.
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

/// Returns the token of an `auth-provider` that kubectl still supports.
pub(super) fn id_token(provider: &Provider) -> Result<String, String> {
    let instead = match provider.name.as_str() {
        "oidc" => None,
        "gcp" => Some("the plugin gke-gcloud-auth-plugin"),
        "azure" => Some("the plugin kubelogin"),
        _ => Some("a plugin (exec)"),
    };
    if let Some(instead) = instead {
        return Err(format!(
            "kubectl no longer supports the auth-provider {:?}: regenerate your kubeconfig for {instead}, or pass a token with --token",
            provider.name
        ));
    }
    let token = provider
        .config
        .get("id-token")
        .filter(|token| !token.is_empty());
    let Some(token) = token else {
        return Err("its OpenID Connect auth-provider has no id-token: log in again".to_owned());
    };
    match end_of_token(token) {
        None => Err(
            "the id-token of its OpenID Connect auth-provider is not a JWT with an expiration: log in again"
                .to_owned(),
        ),
        Some(end) if end <= Timestamp::now() => Err(format!(
            "the id-token of its OpenID Connect auth-provider expired on {end}: log in again"
        )),
        Some(_) => Ok(token.clone()),
    }
}

/// Returns the expiration of a token that has one, as for OpenID Connect and service accounts.
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
