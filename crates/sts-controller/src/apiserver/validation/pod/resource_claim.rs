//! Resource claims of a pod: `validatePodResourceClaims`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::go;
use crate::apiserver::validation::read::{is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, one, rule};

static NAMES: [Rule; 2] = [
    rule("resourceClaimName", Check::GivenSubdomain),
    rule("resourceClaimTemplateName", Check::GivenSubdomain),
];

pub(super) fn check_all(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("resourceClaims");
    let mut names = BTreeSet::new();
    for (at, claim) in at.items(list(spec, "resourceClaims")) {
        let name = text(claim, "name");
        if name.is_empty() {
            out.required(at.member("name"), "");
        } else if names.contains(name) {
            out.duplicate(at.member("name"), name);
        } else {
            one(&claim["name"], &at.member("name"), Check::Label, out);
            names.insert(name);
        }
        let count = ["resourceClaimName", "resourceClaimTemplateName"]
            .iter()
            .filter(|member| is_given(claim, member))
            .count();
        let detail = match count {
            0 => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            1 => "",
            _ => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
        };
        // Until 1.30 both were members of `source`.
        if count != 1 && !is_given(claim, "source") {
            let json = go::internal(claim, go::POD_RESOURCE_CLAIM);
            out.invalid_object(at, claim, &json, &json, detail);
        }
        check_rules(claim, &at, &NAMES, out);
    }
}
