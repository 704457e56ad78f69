//! Locations of the objects in files, by kind, namespace and name.

use std::sync::Arc;

use super::originals::KINDS;
use kubectl_manifest::Location;

/// An object and its location. Small, since there is one for every object; the strings are shared with the object.
#[derive(Debug, Clone)]
struct Entry {
    namespace: Arc<str>,
    name: Arc<str>,
    kind: &'static str,
    /// Index of the file in [`Locations::files`].
    file: u32,
    document: u32,
    line: u32,
    column: u32,
}

/// Locations of objects.
#[derive(Debug, Clone, Default)]
pub struct Locations {
    /// Names of the files, in the order of reading.
    files: Vec<Arc<str>>,
    /// Sorted by object once complete.
    entries: Vec<Entry>,
}

/// Two objects with the same kind and name.
#[derive(Debug)]
pub(super) struct Repeated<'l> {
    pub(super) kind: &'static str,
    pub(super) name: &'l str,
    pub(super) first: Location,
    pub(super) second: Location,
}

impl Entry {
    fn key(&self) -> (&str, &str, &str) {
        (&self.namespace, self.kind, &self.name)
    }
}

impl Locations {
    /// Adds the location of an object.
    pub(super) fn push(
        &mut self,
        namespace: Arc<str>,
        kind: &'static str,
        name: Arc<str>,
        location: &Location,
    ) {
        // Objects of one file are consecutive.
        if self.files.last() != Some(&location.file) {
            self.files.push(Arc::clone(&location.file));
        }
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.entries.push(Entry {
            namespace,
            name,
            kind,
            file: small(self.files.len() - 1),
            document: small(location.document),
            line: small(location.line),
            column: small(location.column),
        });
    }

    /// Sorts the objects for lookup. Returns the first duplicate, in the order of reading.
    pub(super) fn sort(&mut self) -> Option<Repeated<'_>> {
        self.entries.shrink_to_fit();
        // Entries with the same key keep the order of reading.
        self.entries.sort_by(|a, b| a.key().cmp(&b.key()));
        let pairs = self.entries.windows(2).filter_map(|pair| match pair {
            [first, second] if first.key() == second.key() => Some((first, second)),
            _ => None,
        });
        let (first, second) = pairs
            .min_by_key(|(_, second)| (second.file, second.document, second.line, second.column))?;
        Some(Repeated {
            kind: second.kind,
            name: &second.name,
            first: self.location(first),
            second: self.location(second),
        })
    }

    /// Removes the objects of a file.
    pub(super) fn leave_out(&mut self, file: &str) {
        let files = &self.files;
        let is_of = |entry: &Entry| {
            files
                .get(entry.file as usize)
                .is_some_and(|it| **it == *file)
        };
        self.entries.retain(|entry| !is_of(entry));
    }

    /// Returns the location of an object by its name in findings: `pod/web-0`.
    pub fn get(&self, namespace: &str, object: &str) -> Option<Location> {
        let (kind, name) = object.split_once('/')?;
        let kinds = KINDS.iter().copied();
        let kind = kinds
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(kind))?;
        let key = (namespace, kind, name);
        let at = self.entries.binary_search_by(|entry| entry.key().cmp(&key));
        at.ok().map(|at| self.location(&self.entries[at]))
    }

    fn location(&self, entry: &Entry) -> Location {
        let file = self.files.get(entry.file as usize);
        Location {
            file: file.map_or_else(|| Arc::from(""), Arc::clone),
            document: entry.document as usize,
            line: entry.line as usize,
            column: entry.column as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str, line: usize) -> Location {
        Location {
            file: file.into(),
            document: line,
            line,
            column: 1,
        }
    }

    #[test]
    fn the_first_duplicate_is_reported() {
        let mut all = Locations::default();
        let mut push = |kind, name: &str, location: Location| {
            all.push("prod".into(), kind, name.into(), &location);
        };
        push("Pod", "b", at("one", 1));
        push("StatefulSet", "a", at("one", 2));
        push("Pod", "a", at("two", 1));
        assert!(all.sort().is_none());
        assert_eq!(all.get("prod", "pod/a"), Some(at("two", 1)));
        assert_eq!(all.get("prod", "statefulset/b"), None);
        assert_eq!(all.get("test", "pod/a"), None);

        let mut push = |kind, name: &str, location: Location| {
            all.push("prod".into(), kind, name.into(), &location);
        };
        push("Pod", "b", at("two", 5));
        push("Pod", "a", at("two", 3));
        push("Pod", "b", at("two", 4));
        let repeated = all.sort().unwrap();
        assert_eq!((repeated.kind, repeated.name), ("Pod", "a"));
        assert_eq!(
            (repeated.first, repeated.second),
            (at("two", 1), at("two", 3))
        );

        all.leave_out("two");
        assert!(all.sort().is_none());
        assert_eq!(all.get("prod", "pod/a"), None);
        assert_eq!(all.get("prod", "pod/b"), Some(at("one", 1)));
    }
}
