//! List of warnings that a check adds to.

use crate::apiserver::schema::{Era, Path};
use crate::version::Validation;

pub(super) struct Warnings<'r> {
    pub(super) rules: &'r Validation,
    pub(super) list: Vec<String>,
}

impl Warnings<'_> {
    pub(super) fn since(&self, minor: u32) -> bool {
        Era::since(minor).has(self.rules.minor)
    }

    pub(super) fn warn(&mut self, at: Path<'_>, what: &str) {
        self.list.push(format!("{at}: {what}"));
    }
}
