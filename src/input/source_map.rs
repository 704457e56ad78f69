//! Source locations of the objects of plans.

use std::sync::Arc;

use crate::input::files::{DEMO, STANDARD_INPUT};
use crate::input::locations::Locations;
use crate::input::{Loaded, SetManifest};
use kubectl_manifest::Location;
use sts_plan::plan::Plan;
use sts_plan::report::{FieldPlace, Report, ReportSource};

/// Locations of all objects in files.
#[derive(Debug, Default)]
pub struct SourceMap {
    there: Vec<Arc<Locations>>,
    applied: Vec<Arc<Locations>>,
}

impl SourceMap {
    /// Adds the stored objects and those to apply.
    pub fn take(&mut self, loaded: &Loaded, applied: &Loaded) {
        self.there.push(Arc::clone(&loaded.locations));
        self.applied.push(Arc::clone(&applied.locations));
    }

    /// Fills in the locations of the set and of its findings and obstacles. A manifest to apply takes precedence: it
    /// is what its author edits, unlike a dump.
    pub fn fill_in(&self, report: &mut Report) {
        let namespace = report.metadata.namespace.clone();
        let find = |places: &[Arc<Locations>], object: &str| {
            let places = places.iter().rev();
            let mut found = places.filter_map(|places| places.get(&namespace, object));
            found.find_map(|location| source(&location))
        };
        let set = format!("statefulset/{}", report.metadata.name);
        let is_applied = find(&self.applied, &set).is_some();
        report.place(|object| {
            find(&self.applied, object).or_else(|| match is_applied {
                true => None,
                false => find(&self.there, object),
            })
        });
    }
}

/// Returns the location in a file; `None` for a server, standard input or a demo.
fn source(location: &Location) -> Option<ReportSource> {
    let is_file = ![STANDARD_INPUT, DEMO].contains(&&*location.file);
    (location.line > 0 && is_file).then(|| ReportSource {
        file: location.file.to_string(),
        line: location.line,
        column: None,
    })
}

/// Returns the location of each of these fields, in the order of the paths. The manifest to apply takes precedence over
/// the stored one.
pub fn of_fields(
    plan: &Plan,
    paths: &[&str],
    applied: &Loaded,
    there: &Loaded,
) -> Vec<Option<FieldPlace>> {
    if paths.is_empty() {
        return Vec::new();
    }
    let meta = &plan.snapshot.set.meta;
    let is_it = |manifest: &&SetManifest| {
        manifest.namespace == *meta.namespace && manifest.name == *meta.name
    };
    let mut manifests = applied.manifests.iter().chain(&there.manifests);
    let Some(manifest) = manifests.find(is_it) else {
        return vec![None; paths.len()];
    };
    let locations = manifest.locations_of(paths.iter().copied()).into_iter();
    let place = |location: Location| {
        (location.line > 0).then(|| FieldPlace {
            source: source(&location).map(|source| ReportSource {
                column: Some(location.column),
                ..source
            }),
            words: location.to_string(),
        })
    };
    locations.map(place).collect()
}
