//! An object of a file: its type and its text, from which it is parsed on demand.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::passage::{ReparseMode, TextSlice, of_type};
use super::{Document, Location, Part, PathSegment, Source};
use super::{locate, passage, value};

/// An object: a document, or an item of a list. Cheap to clone while only its text is loaded.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The object; null while only its text is loaded, after [`crate::scan`]. `kind` and `apiVersion` are strings;
    /// nothing else is checked. [`Manifest::into_value`] takes it out: it may be 10,000 levels deep, so that a
    /// manifest has its own `Drop`.
    pub value: Value,
    /// `kind` of the object.
    pub kind: Arc<str>,
    /// `apiVersion` of the object.
    pub api_version: Arc<str>,
    /// Start of the object.
    pub location: Location,
    pub(super) source: Arc<Source>,
    pub(super) document: Document,
    /// Index in its document; `None` if the text is its own.
    pub(super) item: Option<usize>,
    pub(super) form: Form,
}

/// State of an object: loaded, or to be parsed from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Loaded; dropped without recursion if deep.
    Held { deep: bool },
    /// Only the text. An item may have its type from its list.
    Text { reread: ReparseMode, typeless: bool },
}

impl Manifest {
    /// Wraps an object from a server. The name is for messages.
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

    /// Parses the object from its text into `value`, unless it is loaded.
    pub fn load(&mut self) {
        if let Form::Text { .. } = self.form {
            self.value = self.part(Part::Whole).into_owned();
            self.form = Form::Held { deep: false };
        }
    }

    /// Returns the object, parsed from its text unless it is loaded. It may be 10,000 levels deep, and then takes as much
    /// of the stack when it is dropped.
    #[must_use]
    pub fn into_value(mut self) -> Value {
        self.load();
        self.value.take()
    }

    /// Reports whether the object itself is loaded, and not only its text.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        matches!(self.form, Form::Held { .. })
    }

    /// Stores an object that was parsed from the text and may have been changed.
    pub fn hold(&mut self, value: Value) {
        self.value = value;
        if let Form::Text { .. } = self.form {
            self.form = Form::Held { deep: false };
        }
    }

    /// Stores the object as parsed from the text.
    pub(super) fn fill_in(&mut self, value: Value) {
        self.value = match self.form {
            Form::Text { typeless: true, .. } => of_type(value, &self.kind, &self.api_version),
            _ => value,
        };
        self.form = Form::Held { deep: false };
    }

    /// Returns the text, if only the text is loaded.
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

    /// Returns the requested part of the object. An object that is not plain is parsed whole, and so is a loaded one.
    #[must_use]
    pub fn part(&self, wanted: Part) -> Cow<'_, Value> {
        match self.passage() {
            Some(passage) => Cow::Owned(passage.part(wanted)),
            None => Cow::Borrowed(&self.value),
        }
    }

    /// Returns the location of a field: its key, or the list item. For a missing field, that of the innermost
    /// existing parent. Parses the object again, so use it only for messages.
    #[must_use]
    pub fn location_of(&self, path: &[PathSegment<'_>]) -> Location {
        let mut locations = self.locations_of([path]);
        locations.pop().unwrap_or_else(|| self.location.clone())
    }

    /// Returns the locations of several fields, as [`Manifest::location_of`]. Parses the object again once.
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
