//! The parts of a spec that a request validates.

use crate::version::Validation;

/// The parts of a spec to validate. Newer rules do not apply to values that were stored before them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    pub(super) service_name: bool,
    /// The whole pod template.
    pub(super) template: bool,
    pub(super) claim_templates: bool,
    /// True if values of the selector's expressions need not be label values.
    pub(super) any_selector_value: bool,
    /// True if the strategy may be `Recreate`.
    pub(super) recreate: bool,
}

impl Depth {
    /// Returns everything that this version validates in a new set.
    pub(super) fn of_new(rules: &Validation) -> Self {
        Self {
            service_name: rules.service_name_is_label,
            template: rules.template_checked,
            claim_templates: rules.claim_templates_checked,
            any_selector_value: false,
            recreate: rules.recreate_allowed,
        }
    }
}
