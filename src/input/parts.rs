//! Objects in files: the fields that are parsed eagerly, and the whole object on demand.

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
        ("deletionGracePeriodSeconds", Whole),
        ("finalizers", Whole),
    ]),
);
/// Annotations of an object.
pub(super) const ANNOTATIONS: Part = Members(&[("metadata", Members(&[("annotations", Whole)]))]);
/// Fields of an object that only explains failures.
pub(super) const OF_BYSTANDER: Part = Members(&[
    ("apiVersion", Whole),
    ("kind", Whole),
    ("metadata", Whole),
    ("spec", Whole),
    ("status", Whole),
    ("state", Whole),
    ("stateReason", Whole),
    ("storageClassName", Whole),
    ("capacity", Whole),
    ("maximumVolumeSize", Whole),
    ("nodeTopology", Whole),
    ("data", Whole),
    ("binaryData", Whole),
    ("stringData", Whole),
]);
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
            ("startTime", Whole),
            ("conditions", Whole),
            ("initContainerStatuses", OF_CONTAINERS),
            ("containerStatuses", OF_CONTAINERS),
        ]),
    ),
]);
const OF_CONTAINERS: Part = Items(&Members(&[
    ("name", Whole),
    ("state", Whole),
    ("lastState", Whole),
]));
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

/// Returns the fields that are parsed eagerly. StatefulSets are validated, and related objects are small: these are
/// parsed whole.
pub(super) fn eager_part(kind: Kind) -> Part {
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
    /// Namespace of the object if it names none.
    namespace: Arc<str>,
}

impl Original for InFile {
    fn open(&self) -> Value {
        let mut object = self.passage.part(Whole);
        set_namespace(&mut object, &self.namespace);
        object
    }
}

/// Data of a revision in the text of a file.
#[derive(Debug)]
struct DataInFile(TextSlice);

impl Original for DataInFile {
    fn open(&self) -> Value {
        let mut object = self.0.part(Members(&[("data", Whole)]));
        object.get_mut("data").map(Value::take).unwrap_or_default()
    }
}

/// Returns a whole object, parsed from its text on demand.
pub(super) fn in_file(passage: TextSlice, namespace: &Arc<str>) -> Packed {
    Packed::elsewhere(Arc::new(InFile {
        passage,
        namespace: Arc::clone(namespace),
    }))
}

/// Returns the data of a revision, parsed from its text on demand.
pub(super) fn data_in_file(passage: TextSlice) -> Packed {
    Packed::elsewhere(Arc::new(DataInFile(passage)))
}
