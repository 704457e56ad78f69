//! Objects of files: which members of them are read at once, and a whole object again from its text on demand.

use std::sync::Arc;

use serde_json::Value;

use kubectl_manifest::{Part, TextSlice};
use sts_controller::object::{Original, Packed};

use super::entry::set_namespace;
use super::kind::Kind;

use Part::{Items, Members, Whole};

const METADATA: (&str, Part) = (
    "metadata",
    Members(&[
        ("name", Whole),
        ("namespace", Whole),
        ("uid", Whole),
        ("resourceVersion", Whole),
        ("labels", Whole),
        ("ownerReferences", Whole),
        ("creationTimestamp", Whole),
        ("deletionTimestamp", Whole),
        ("finalizers", Whole),
    ]),
);
/// The annotations of an object.
pub(super) const ANNOTATIONS: Part = Members(&[("metadata", Members(&[("annotations", Whole)]))]);
const OF_POD: Part = Members(&[
    METADATA,
    (
        "spec",
        Members(&[
            ("nodeName", Whole),
            ("terminationGracePeriodSeconds", Whole),
            (
                "volumes",
                Items(&Members(&[
                    ("name", Whole),
                    ("persistentVolumeClaim", Whole),
                ])),
            ),
        ]),
    ),
    (
        "status",
        Members(&[
            ("phase", Whole),
            ("conditions", Whole),
            ("initContainerStatuses", OF_CONTAINERS),
            ("containerStatuses", OF_CONTAINERS),
        ]),
    ),
]);
const OF_CONTAINERS: Part = Items(&Members(&[("name", Whole), ("state", Whole)]));
const OF_CLAIM: Part = Members(&[
    METADATA,
    (
        "spec",
        Members(&[
            ("storageClassName", Whole),
            (
                "resources",
                Members(&[("requests", Members(&[("storage", Whole)]))]),
            ),
        ]),
    ),
]);
const OF_REVISION: Part = Members(&[("metadata", Whole), ("revision", Whole)]);

/// Returns the part of an object that is read at once; of a set and of what is around the sets it is all, since it is
/// checked or small.
pub(super) fn wanted(kind: Kind) -> Part {
    match kind {
        Kind::Pod => OF_POD,
        Kind::Claim => OF_CLAIM,
        Kind::Revision => OF_REVISION,
        Kind::Set | Kind::Related(_) => Whole,
    }
}

/// An object in the text of a file.
#[derive(Debug)]
struct InFile {
    passage: TextSlice,
    /// The namespace that it belongs to, where it names none.
    namespace: Arc<str>,
}

impl Original for InFile {
    fn open(&self) -> Value {
        let mut object = self.passage.part(Whole);
        set_namespace(&mut object, &self.namespace);
        object
    }
}

/// The data of a revision in the text of a file.
#[derive(Debug)]
struct DataInFile(TextSlice);

impl Original for DataInFile {
    fn open(&self) -> Value {
        let mut object = self.0.part(Members(&[("data", Whole)]));
        object.get_mut("data").map(Value::take).unwrap_or_default()
    }
}

/// All of an object, from its text.
pub(super) fn in_file(passage: TextSlice, namespace: &Arc<str>) -> Packed {
    Packed::elsewhere(Arc::new(InFile {
        passage,
        namespace: Arc::clone(namespace),
    }))
}

/// The data of a revision, from its text.
pub(super) fn data_in_file(passage: TextSlice) -> Packed {
    Packed::elsewhere(Arc::new(DataInFile(passage)))
}
