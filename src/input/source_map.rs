//! The source locations of the objects of plans, so that problems are shown where they are.

use std::collections::BTreeMap;

use crate::input::files::STANDARD_INPUT;
use crate::input::{Loaded, SetManifest};
use kubectl_manifest::Location;
use sts_plan::plan::{Outcome, Plan};
use sts_plan::report::{Report, ReportSource};

/// The places of all objects that files hold, by namespace and what they are, such as `pod/web-0`.
#[derive(Debug, Default)]
pub struct SourceMap {
    there: BTreeMap<(String, String), ReportSource>,
    applied: BTreeMap<(String, String), ReportSource>,
}

impl SourceMap {
    /// Takes in what is there, and what is about to be applied.
    pub fn take(&mut self, loaded: &Loaded, applied: &Loaded) {
        self.there.extend(in_files(loaded));
        self.applied.extend(in_files(applied));
    }

    /// Fills in where the set stands, and what its findings and obstacles are about. What is applied counts before
    /// what is there: it is what its author looks at. A dump beside it is no place to mend anything.
    pub fn fill_in(&self, report: &mut Report) {
        let namespace = report.metadata.namespace.clone();
        let set = (
            namespace.clone(),
            format!("statefulset/{}", report.metadata.name),
        );
        let is_applied = self.applied.contains_key(&set);
        report.place(|object| {
            let key = (namespace.clone(), object.to_owned());
            let there = self.there.get(&key).filter(|_| !is_applied);
            self.applied.get(&key).or(there).cloned()
        });
    }
}

fn in_files(loaded: &Loaded) -> impl Iterator<Item = ((String, String), ReportSource)> {
    let locations = loaded.locations.iter();
    locations.filter_map(|(key, location)| Some((key.clone(), source(location)?)))
}

/// A location in a file; `None` for what came from a server or standard input.
fn source(location: &Location) -> Option<ReportSource> {
    (location.line > 0 && &*location.file != STANDARD_INPUT).then(|| ReportSource {
        file: location.file.to_string(),
        line: location.line,
    })
}

/// Where each field that is refused stands in the manifest of the set that is applied, in the order of the
/// refusals; empty where no field is refused.
#[must_use]
pub fn of_refusals(plan: &Plan, applied: &Loaded) -> Vec<Option<ReportSource>> {
    let Outcome::Rejected(refused) = &plan.outcome else {
        return Vec::new();
    };
    let meta = &plan.snapshot.set.meta;
    let is_it = |manifest: &&SetManifest| {
        manifest.namespace == *meta.namespace && manifest.name == *meta.name
    };
    let manifest = applied.manifests.iter().find(is_it);
    let place = |path: &str| source(&manifest?.location_of(path));
    refused.iter().map(|refused| place(&refused.path)).collect()
}
