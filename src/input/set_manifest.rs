//! Manifest of a set to apply.

use serde_json::Value;

use super::kind::Kind;
use super::objects::LoadError;
use super::wrong::{location_of, segments, wrong, wrong_field};
use kubectl_manifest::{Location, Manifest};
use sts_controller::apiserver::apply::Verdict;
use sts_controller::object::{FieldError, Labels};

/// Manifest of a set to apply.
#[derive(Debug)]
pub struct SetManifest {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// Labels of the set.
    pub labels: Labels,
    /// Verdict of the live server, after a dry run.
    pub verdict: Option<Verdict>,
    pub(super) manifest: Manifest,
}

impl SetManifest {
    /// Returns the manifest.
    pub fn value(&self) -> &Value {
        &self.manifest.value
    }

    /// Returns the location of the field at a path.
    pub fn location_of(&self, path: &str) -> Location {
        location_of(&self.manifest, path)
    }

    /// Returns the locations of the fields at these paths.
    pub fn locations_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Vec<Location> {
        let paths: Vec<_> = paths.map(segments).collect();
        self.manifest.locations_of(paths.iter().map(Vec::as_slice))
    }

    /// Returns the error for an invalid manifest, with the location of the first invalid field.
    pub fn wrong_fields(&self, errors: &[FieldError]) -> LoadError {
        wrong_field(&self.manifest, &self.manifest.value, Kind::Set, errors)
    }

    /// Returns another error for the field at a path.
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
