//! Differences between a set's template and the templates of its outdated pods.

use super::{FieldDiff, Report};

impl Report {
    /// Returns the fields that differ between the first outdated revision and the template, except those
    /// already listed in the user's change.
    #[must_use]
    pub fn further_template_differences(&self) -> Vec<&FieldDiff> {
        let is_in_change = |field: &&FieldDiff| self.change.iter().any(|it| it.path == field.path);
        let first = self.template_diff.first();
        let fields = first.into_iter().flat_map(|diff| &diff.fields);
        fields.filter(|field| !is_in_change(field)).collect()
    }
}
