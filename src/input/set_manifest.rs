//! The manifest of a set that is about to be applied.

use serde_json::Value;

use super::kind::Kind;
use super::objects::LoadError;
use super::wrong::{location_of, segments, wrong, wrong_field};
use kubectl_manifest::{Location, Manifest};
use sts_controller::apiserver::apply::Verdict;
use sts_controller::object::{FieldError, Labels};

/// The manifest of a set that is about to be applied.
#[derive(Debug)]
pub struct SetManifest {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The set's labels.
    pub labels: Labels,
    /// The verdict of a live server, where one was asked.
    pub verdict: Option<Verdict>,
    pub(super) manifest: Manifest,
}

impl SetManifest {
    /// The manifest itself.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.manifest.value
    }

    /// Returns the location of the field with that path.
    #[must_use]
    pub fn location_of(&self, path: &str) -> Location {
        location_of(&self.manifest, path)
    }

    /// Returns the locations of the fields with those paths.
    pub fn locations_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Vec<Location> {
        let paths: Vec<_> = paths.map(segments).collect();
        self.manifest.locations_of(paths.iter().map(Vec::as_slice))
    }

    /// Returns the error of a wrong manifest, with the place of the first wrong field.
    #[must_use]
    pub fn wrong_fields(&self, errors: &[FieldError]) -> LoadError {
        wrong_field(&self.manifest, &self.manifest.value, Kind::Set, errors)
    }

    /// Something else that is wrong with the field with that path.
    #[must_use]
    pub fn wrong_at(&self, path: &str, problem: String) -> LoadError {
        wrong(
            &self.manifest,
            &self.manifest.value,
            Kind::Set,
            problem,
            &segments(path),
        )
    }
}
