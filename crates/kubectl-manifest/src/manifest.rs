//! One object of a file: what is known of it, and its text, from which it is read when it is asked for.

use std::sync::Arc;

use serde_json::Value;

use super::passage::{ReparseMode, TextSlice, of_type};
use super::{Document, Location, Part, PathSegment, Source};
use super::{locate, passage, value};

/// One object: a document, or an item of a list. Cheap to clone as long as it is only known by its text.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The object; null as long as it is only known by its text, after [`crate::scan`]. It has a `kind` and an
    /// `apiVersion`, both texts; nothing else is checked. Take it out with `std::mem::take`; it may be 10,000 levels
    /// deep, which is why a manifest has a way of its own to drop it.
    pub value: Value,
    /// Its `kind`.
    pub kind: Arc<str>,
    /// Its `apiVersion`.
    pub api_version: Arc<str>,
    /// Start of the object.
    pub location: Location,
    pub(super) source: Arc<Source>,
    pub(super) document: Document,
    /// Item of its document; none if its text is its own.
    pub(super) item: Option<usize>,
    pub(super) form: Form,
}

/// State of an object: read, or to be read from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is there, and is dropped by hand if it is deep.
    Held { deep: bool },
    /// From its text. An item may have its type from its list.
    Text { reread: ReparseMode, typeless: bool },
}

impl Manifest {
    /// An object that a server sent. The name is for messages.
    #[must_use]
    pub fn received(value: Value, name: &str) -> Self {
        let file: Arc<str> = name.into();
        let text = |name: &str| Arc::from(value[name].as_str().unwrap_or_default());
        Manifest {
            kind: text("kind"),
            api_version: text("apiVersion"),
            value,
            location: Location {
                file: Arc::clone(&file),
                document: 1,
                line: 0,
                column: 0,
            },
            source: Arc::new(Source {
                file,
                text: String::new(),
            }),
            document: Document {
                range: 0..0,
                line: 0,
                column: 0,
                json: true,
            },
            item: None,
            form: Form::Held { deep: false },
        }
    }

    /// Reads the object from its text into `value`, where it is not there yet.
    pub fn load(&mut self) {
        if let Form::Text { .. } = self.form {
            self.value = self.part(Part::Whole);
            self.form = Form::Held { deep: false };
        }
    }

    /// Returns true if the object itself is in memory, and not only its text.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        matches!(self.form, Form::Held { .. })
    }

    /// Takes in an object that was read from its text and may have been changed since.
    pub fn hold(&mut self, value: Value) {
        self.value = value;
        if let Form::Text { .. } = self.form {
            self.form = Form::Held { deep: false };
        }
    }

    /// Takes the object in, as its text has it.
    pub(super) fn fill_in(&mut self, value: Value) {
        self.value = match self.form {
            Form::Text { typeless: true, .. } => of_type(value, &self.kind, &self.api_version),
            _ => value,
        };
        self.form = Form::Held { deep: false };
    }

    /// Its text, where it is known by that alone.
    #[must_use]
    pub fn passage(&self) -> Option<TextSlice> {
        let Form::Text { reread, typeless } = self.form else {
            return None;
        };
        let inherited = || Arc::new((Arc::clone(&self.kind), Arc::clone(&self.api_version)));
        Some(TextSlice {
            source: Arc::clone(&self.source),
            document: self.document.clone(),
            reread,
            inherited: typeless.then(inherited),
        })
    }

    /// Reads what is wanted of the object. An object that is not what it looks like is read whole, and so is one that is
    /// there already.
    #[must_use]
    pub fn part(&self, wanted: Part) -> Value {
        match self.passage() {
            Some(passage) => passage.part(wanted),
            None => self.value.clone(),
        }
    }

    /// The location of a field: that of its key, or of the list item. Where there is no such field, the location of the
    /// innermost thing around it. Reads the object again, so it is for messages only.
    #[must_use]
    pub fn location_of(&self, path: &[PathSegment<'_>]) -> Location {
        let mut locations = self.locations_of([path]);
        locations.pop().unwrap_or_else(|| self.location.clone())
    }

    /// The locations of several fields, as [`Manifest::location_of`] gives them. Reads the object again once.
    #[must_use]
    pub fn locations_of<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p [PathSegment<'p>]>,
    ) -> Vec<Location> {
        let tree = passage::tree(&self.source, &self.document);
        let mut lists = locate::Lists::new();
        let locate = |path: &[PathSegment<'_>]| {
            let Some(tree) = &tree else {
                return self.location.clone();
            };
            let mut full = Vec::with_capacity(path.len() + 2);
            if let Some(item) = self.item {
                full.extend([PathSegment::Key("items"), PathSegment::Index(item)]);
            }
            full.extend(path);
            let mark = locate::mark(tree, &full, &mut lists);
            self.source
                .location(self.location.document, &self.document, mark)
        };
        paths.into_iter().map(locate).collect()
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        if self.form == (Form::Held { deep: true }) {
            value::dismantle(self.value.take());
        }
    }
}
