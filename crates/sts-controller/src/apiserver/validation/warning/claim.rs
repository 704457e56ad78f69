//! Fractional bytes in claims.

use serde_json::Value;

use super::list::Warnings;
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::go::quoted;

/// `GetWarningsForPersistentVolumeClaimSpec`.
pub(super) fn of_claim(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let at = at.member("resources");
    for member in ["requests", "limits"] {
        fractional(&spec["resources"], member, "storage", &at, out);
    }
}

/// Warns about fractional bytes.
pub(super) fn fractional(
    owner: &Value,
    member: &str,
    resource: &str,
    at: &Path<'_>,
    out: &mut Warnings<'_>,
) {
    let amount = owner[member][resource].as_str();
    if let Some(amount) = amount.and_then(|text| Quantity::parse(text).ok())
        && !amount.is_integer()
    {
        let shown = quoted(&amount.canonical());
        let what = format!("fractional byte value {shown} is invalid, must be an integer");
        out.warn(at.member(member).key(resource), &what);
    }
}
