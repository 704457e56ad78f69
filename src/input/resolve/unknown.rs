//! Fields of a manifest that the API server does not know: `--validate`.

use super::Target;
use crate::request::Validate;
use sts_controller::apiserver::apply::Outcome;
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::validation::{Refused, RefusedKind, Rejection};
use sts_plan::plan::Conditions;

/// The fields that are findings. Where they are validated strictly, what is applied is refused for them, and for
/// nothing else, since the server looks no further; otherwise each is a warning as well.
pub(super) fn unknown_fields(
    target: &Target<'_>,
    validate: Validate,
    conditions: &Conditions,
    outcome: &mut Outcome,
    warnings: &mut Vec<String>,
) -> Vec<UnknownField> {
    let unknown = std::mem::take(&mut outcome.unknown);
    if validate == Validate::Ignore || unknown.is_empty() {
        return Vec::new();
    }
    let version = conditions.behaviour.version;
    // A server of a version that is not known yet may know more fields.
    let is_known = version.or_newest() == version;
    if validate == Validate::Strict && target.applied && is_known {
        outcome.refused = unknown.iter().map(refused).collect();
        return Vec::new();
    }
    warnings.extend(unknown.iter().map(|unknown| {
        let place = target
            .manifest
            .map(|manifest| format!("{}: ", manifest.location_of(&unknown.path)))
            .unwrap_or_default();
        format!("{place}field dropped, as the API server drops it: {unknown}")
    }));
    unknown
}

fn refused(unknown: &UnknownField) -> Refused {
    // The path stands before it.
    let text = unknown.to_string();
    let told = text.strip_prefix(&unknown.path).unwrap_or(&text);
    let told = told.trim_start_matches(": ");
    Refused {
        path: unknown.path.clone(),
        field: unknown.path.clone(),
        kind: RefusedKind::UnknownField,
        rejection: Rejection::Invalid,
        message: match told.strip_prefix("unknown") {
            Some(rest) => format!("unknown field{rest}"),
            None => format!("unknown field, {told}"),
        },
        old: None,
        new: None,
        owner: None,
    }
}
