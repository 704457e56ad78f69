//! The objects of a file that were read so far: each is kept with its location and its text.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::{Fault, Mark};
use super::manifest::Form;
use super::{Document, List, Manifest, ReadError, Reading, Source, Warning};

/// Maximum number of warnings; the rest is only counted.
const MAX_WARNINGS: usize = 100;

/// Ways to read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadMode {
    /// Lists item by item, keeping locations.
    Scan,
    /// Lists item by item, keeping objects.
    Read,
    /// Whole documents, keeping objects.
    ReadWhole,
}

/// Kinds and apiVersions, shared by consecutive objects.
#[derive(Default)]
struct Types {
    kind: Arc<str>,
    api_version: Arc<str>,
}

/// The objects of a file that were read so far, with their warnings.
pub(super) struct Stream<'s> {
    pub(super) source: &'s Arc<Source>,
    pub(super) reading: Reading,
    /// Number of the current document, from 1.
    pub(super) document: usize,
    /// Number of warnings above the limit.
    omitted: usize,
    pub(super) way: ReadMode,
    types: Types,
}

/// Position in a stream, to return to.
#[derive(Clone, Copy)]
pub(super) struct Progress {
    manifests: usize,
    warnings: usize,
    omitted: usize,
}

impl<'s> Stream<'s> {
    pub(super) fn new(source: &'s Arc<Source>, way: ReadMode) -> Self {
        Stream {
            source,
            reading: Reading::default(),
            document: 1,
            omitted: 0,
            way,
            types: Types::default(),
        }
    }

    /// Keeps an object that was read.
    pub(super) fn hold(
        &mut self,
        (at, value, item): (Mark, Value, Option<usize>),
        document: &Document,
        deep: bool,
    ) {
        let form = Form::Held { deep };
        self.keep(&value, at, document, document.clone(), form);
        if let Some(kept) = self.reading.manifests.last_mut() {
            (kept.value, kept.item) = (value, item);
        }
    }

    /// Keeps an object: its kind and apiVersion, its start in the document, and its text.
    pub(super) fn keep(
        &mut self,
        head: &Value,
        at: Mark,
        document: &Document,
        own: Document,
        form: Form,
    ) {
        let types = &mut self.types;
        for (known, name) in [
            (&mut types.kind, "kind"),
            (&mut types.api_version, "apiVersion"),
        ] {
            let text = head[name].as_str().unwrap_or_default();
            if **known != *text {
                *known = text.into();
            }
        }
        self.reading.manifests.push(Manifest {
            value: Value::Null,
            kind: Arc::clone(&self.types.kind),
            api_version: Arc::clone(&self.types.api_version),
            location: self.source.location(self.document, document, at),
            source: Arc::clone(self.source),
            document: own,
            item: None,
            form,
        });
    }

    /// Adds the value of the object that was just kept, if values are kept.
    pub(super) fn fill_in(&mut self, value: impl FnOnce() -> Value) {
        if let (ReadMode::Read, Some(last)) = (self.way, self.reading.manifests.last_mut()) {
            last.fill_in(value());
        }
    }

    pub(super) fn keep_metadata(&mut self, list: &mut Value) {
        let metadata = list.get_mut("metadata").map(Value::take);
        let metadata = metadata.unwrap_or_default();
        let is_not_empty = |members: &Map<String, Value>| !members.is_empty();
        if metadata.as_object().is_some_and(is_not_empty) {
            let file = Arc::clone(&self.source.file);
            self.reading.lists.push(List { file, metadata });
        }
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            manifests: self.reading.manifests.len(),
            warnings: self.reading.warnings.len(),
            omitted: self.omitted,
        }
    }

    pub(super) fn go_back(&mut self, to: Progress) {
        self.reading.manifests.truncate(to.manifests);
        self.reading.warnings.truncate(to.warnings);
        self.omitted = to.omitted;
    }

    pub(super) fn warn(&mut self, document: &Document, at: Mark, message: String) {
        if self.reading.warnings.len() == MAX_WARNINGS {
            self.omitted += 1;
            return;
        }
        let location = self.source.location(self.document, document, at);
        self.reading.warnings.push(Warning { location, message });
    }

    /// Adds a warning with the number of omitted warnings.
    pub(super) fn close(&mut self) {
        if self.omitted > 0
            && let Some(last) = self.reading.warnings.last_mut()
        {
            last.message = format!("{} more values are not read as written", self.omitted + 1);
        }
    }

    pub(super) fn error(&self, document: &Document, fault: &Fault) -> ReadError {
        ReadError::Text {
            location: self.source.location(self.document, document, fault.at),
            problem: fault.problem.to_string(),
        }
    }
}
