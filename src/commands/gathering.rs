//! Collects everything plans read, for a dump.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::input::dump::{Completeness, Dump, Read};
use crate::input::originals::Originals;
use crate::input::read::Input;
use crate::output::{Format, render_list};
use sts_plan::plan::Conditions;

/// Input collected so far.
#[derive(Default)]
pub(super) struct Gathering {
    originals: Originals,
    dump: Option<Dump>,
}

impl Gathering {
    /// Adds the original objects of a part of the input, for these sets.
    pub(super) fn take(&mut self, sets: BTreeSet<(String, String)>, input: &mut Input) {
        let originals = std::mem::take(&mut input.loaded.originals);
        self.originals.extend(originals);
        let conditions = &input.conditions;
        let first = self.dump.is_none();
        let dump = self.dump.get_or_insert_with(|| empty(conditions));
        for (namespace, _) in &sets {
            let source = input.read.of(namespace);
            dump.read
                .insert(std::iter::once(namespace.as_str()), source);
        }
        dump.sets.extend(sets);
        let (all, part) = (&mut dump.completeness, &input.completeness);
        all.complete = part.complete && (first || all.complete);
        all.not_read.extend(part.not_read.iter().cloned());
    }

    /// Writes the dump; `None` if it is empty.
    pub(super) fn write(&self, format: Format, out: &mut dyn Write) -> Option<io::Result<()>> {
        let annotations = self.dump.as_ref()?.annotations();
        let objects = self.originals.values();
        Some(render_list(format, &annotations, objects, out))
    }
}

/// Returns an empty dump for these conditions.
fn empty(conditions: &Conditions) -> Dump {
    Dump {
        completeness: Completeness::default(),
        now: conditions.now,
        sets: BTreeSet::new(),
        version: (conditions.behaviour.version, conditions.version_source),
        gates: gates_set(conditions),
        read: Read::default(),
    }
}

/// Returns the gates that differ from the defaults of their version.
fn gates_set(conditions: &Conditions) -> BTreeMap<String, bool> {
    let set = conditions.gates.overridden();
    set.map(|(gate, on)| (gate.name().to_owned(), on)).collect()
}
