//! Where the objects of files stand, by what they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubectl_manifest::Location;

use super::originals::KINDS;

/// Namespace, kind and name.
type Key = (Arc<str>, &'static str, Arc<str>);

/// The locations of objects. Small, since it may be of all objects of a cluster: names are shared with the objects.
#[derive(Debug, Clone, Default)]
pub struct Locations(BTreeMap<Key, Location>);

impl Locations {
    /// Takes in where an object stands; gives where one of its kind and name stood before.
    pub(super) fn insert(
        &mut self,
        namespace: Arc<str>,
        kind: &'static str,
        name: Arc<str>,
        location: Location,
    ) -> Option<Location> {
        self.0.insert((namespace, kind, name), location)
    }

    /// Forgets the objects of a file.
    pub(super) fn leave_out(&mut self, file: &str) {
        self.0.retain(|_, location| &*location.file != file);
    }

    /// Where an object stands, that findings name so: `pod/web-0`.
    #[must_use]
    pub fn get(&self, namespace: &str, object: &str) -> Option<&Location> {
        let (kind, name) = object.split_once('/')?;
        let kinds = KINDS.iter().copied();
        let kind = kinds
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(kind))?;
        self.0.get(&(Arc::from(namespace), kind, Arc::from(name)))
    }
}
