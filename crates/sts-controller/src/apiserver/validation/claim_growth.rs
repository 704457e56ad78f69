//! Validation of a larger storage request: `ValidatePersistentVolumeClaimUpdate`, and the part of the admission plugin
//! `PersistentVolumeClaimResize` that depends only on the claim. All supported minors behave the same. From 1.23 on, a
//! gate allows smaller requests, down to `status.capacity`, after a failed expansion (`RecoverVolumeExpansionFailure`,
//! on since 1.32). That is not an expansion.

use crate::apiserver::quantity::Quantity;
use crate::object::Claim;

/// Returns the server's message if it refuses a larger storage request; `None` if it accepts it.
#[must_use]
pub fn claim_growth_refusal(claim: &Claim, size: &str) -> Option<String> {
    let name = &claim.meta.name;
    let forbidden = |why: &str| {
        Some(format!(
            "persistentvolumeclaims \"{name}\" is forbidden: {why}"
        ))
    };
    let invalid = |why: &str| {
        Some(format!(
            "PersistentVolumeClaim \"{name}\" is invalid: spec.resources.requests.storage: {why}"
        ))
    };
    let Ok(wanted) = Quantity::parse(size) else {
        return invalid(&format!(
            "Invalid value: \"{size}\": quantities must match the regular expression"
        ));
    };
    if wanted.is_zero() || wanted.is_negative() {
        return invalid(&format!(
            "Invalid value: \"{}\": must be greater than zero",
            wanted.canonical()
        ));
    }
    let asked = claim.storage.as_deref();
    if let Some(asked) = asked.and_then(|text| Quantity::parse(text).ok())
        && wanted < asked
    {
        return invalid("Forbidden: field can not be less than previous value");
    }
    if !claim.can_be_resized() {
        return forbidden("Only bound persistent volume claims can be expanded");
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::claim_growth_refusal;
    use crate::object::Claim;

    fn refusal(phase: &str, size: &str) -> Option<String> {
        let claim = json!({
            "metadata": {"name": "data-web-0"},
            "spec": {"resources": {"requests": {"storage": "10Gi"}}},
            "status": {"phase": phase},
        });
        claim_growth_refusal(&Claim::from_json(claim).unwrap(), size)
    }

    #[test]
    fn a_bound_claim_may_request_more() {
        assert_eq!(refusal("Bound", "20Gi"), None);
        assert_eq!(refusal("Bound", "10Gi"), None);
        for (phase, size, message) in [
            ("Bound", "9Gi", "field can not be less than previous value"),
            ("Bound", "0", "must be greater than zero"),
            ("Bound", "-1Gi", "must be greater than zero"),
            ("Bound", "much", "Invalid value: \"much\""),
            (
                "Pending",
                "20Gi",
                "Only bound persistent volume claims can be expanded",
            ),
        ] {
            let refusal = refusal(phase, size).unwrap_or_default();
            assert!(refusal.contains(message), "{phase} {size}: {refusal}");
        }
    }
}
