//! One object of a file: what is known of it, and its text, from which it is read when it is asked for.

use std::sync::Arc;

use serde_json::Value;

use super::locate;
use super::tree::Tree;
use super::{Document, Location, Part, PathSegment, Source};
use super::{json, plain, value, yaml};

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
    /// Where it starts.
    pub location: Location,
    pub(super) source: Arc<Source>,
    pub(super) document: Document,
    /// Which item of its document it is; none where its text is its own.
    pub(super) item: Option<usize>,
    pub(super) form: Form,
}

/// How the object is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is there, and is dropped by hand if it is deep.
    Held { deep: bool },
    /// From its text. An item may have its type from its list.
    Text { reread: Reread, typeless: bool },
}

/// The quickest way in which a text can be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reread {
    /// Without a tree.
    Simple,
    /// By a tree whose values are what they look like.
    Plain,
    /// With all that a tree may have.
    Exact,
}

impl Reread {
    /// Of a text that is what it looks like. Plain JSON is simple; plain YAML need not be.
    pub(super) fn of_plain(json: bool) -> Self {
        match json {
            true => Reread::Simple,
            false => Reread::Plain,
        }
    }
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

    /// Whether the object is there, and not only its text.
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
        self.value = self.with_type(value);
        self.form = Form::Held { deep: false };
    }

    /// Reads what is wanted of the object. An object that is not what it looks like is read whole, and so is one that is
    /// there already.
    #[must_use]
    pub fn part(&self, wanted: Part) -> Value {
        let Form::Text { reread, .. } = self.form else {
            return self.value.clone();
        };
        if reread == Reread::Simple {
            let text = self.source.text.get(self.document.range.clone());
            let part = text.and_then(|text| match self.document.json {
                true => json::part(text, wanted),
                false => yaml::part(text, self.document.column, wanted),
            });
            if let Some(value) = part {
                return self.with_type(value);
            }
        }
        // It was read once, so that it can be read again.
        let Some(tree) = self.tree() else {
            return Value::Null;
        };
        self.with_type(match reread {
            Reread::Simple | Reread::Plain => plain::value(&tree, 0, wanted),
            Reread::Exact => value::decode(&tree).map_or(Value::Null, |decoded| decoded.value),
        })
    }

    /// An item that says nothing of what it is, with what its list says.
    fn with_type(&self, mut object: Value) -> Value {
        if let (Form::Text { typeless: true, .. }, Value::Object(members)) =
            (self.form, &mut object)
        {
            members.insert("kind".into(), (&*self.kind).into());
            members.insert("apiVersion".into(), (&*self.api_version).into());
        }
        object
    }

    /// Its text, once more as a tree.
    fn tree(&self) -> Option<Tree<'_>> {
        let text = self.source.text.get(self.document.range.clone())?;
        if text.is_empty() {
            return None;
        }
        if self.document.json {
            return json::next(text, None).ok().flatten().map(|(tree, _)| tree);
        }
        let composed = match self.document.column {
            0 => yaml::compose(text, None),
            column => yaml::compose_item(text, column),
        };
        composed.ok().map(|composed| composed.tree)
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
        let tree = self.tree();
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
