//! Types of the schema in terms of ownership: scalars, lists and maps, atomic or granular.

use serde_json::{Map, Value};

use super::element::{KeyValue, PathElement};
use crate::apiserver::schema::{Kind, ListOwnership, Shape, stateful_set};

/// A type, with the ownership of its position in the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    kind: Kind,
    /// The ownership of its elements, if it is a list.
    ownership: ListOwnership,
    /// True if it is a map that is owned as a whole.
    is_atomic_map: bool,
    minor: u32,
}

/// Structure of a type.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Scalar(Scalar),
    /// A list, its ownership, and the type of its elements.
    List(ListOwnership, Type),
    /// An object or a map, and whether it is owned as a whole.
    Map {
        atomic: bool,
    },
    /// Any value.
    Untyped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Text,
    Number,
    Bool,
    Any,
}

impl Type {
    /// Returns the type of a StatefulSet in that minor.
    pub(super) fn stateful_set(minor: u32) -> Self {
        Self {
            kind: Kind::Object(stateful_set()),
            ownership: ListOwnership::Atomic,
            is_atomic_map: false,
            minor,
        }
    }

    fn of(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub(super) fn form(self) -> Form {
        let list = |element: Kind| Form::List(self.ownership, self.of(element));
        match self.kind {
            Kind::Text => Form::Scalar(Scalar::Text),
            Kind::Bool => Form::Scalar(Scalar::Bool),
            Kind::Int32 | Kind::Int64 => Form::Scalar(Scalar::Number),
            Kind::Quantity | Kind::IntOrString | Kind::Time => Form::Scalar(Scalar::Any),
            Kind::Raw => Form::Untyped,
            Kind::Texts => list(Kind::Text),
            Kind::Int32s => list(Kind::Int32),
            Kind::Int64s => list(Kind::Int64),
            Kind::Objects(shape) => list(Kind::Object(shape)),
            Kind::TextMap | Kind::QuantityMap => Form::Map {
                atomic: self.is_atomic_map,
            },
            Kind::Object(shape) => Form::Map {
                atomic: shape.is_atomic(self.minor),
            },
        }
    }

    fn shape(self) -> Option<&'static Shape> {
        match self.kind {
            Kind::Object(shape) => Some(shape),
            _ => None,
        }
    }

    /// Reports whether the type is an object with a field of that name. Entries of a map are not declared.
    pub(super) fn declares(self, name: &str) -> bool {
        self.shape()
            .is_some_and(|shape| shape.field(name, self.minor).is_some())
    }

    /// Returns the type of a member or entry; `None` if the schema has none.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        match self.kind {
            Kind::TextMap => Some(self.of(Kind::Text)),
            Kind::QuantityMap => Some(self.of(Kind::Quantity)),
            Kind::Object(shape) => {
                let field = shape.field(name, self.minor)?;
                Some(Self {
                    kind: field.kind,
                    ownership: field.ownership,
                    is_atomic_map: field.is_atomic_map,
                    minor: self.minor,
                })
            }
            _ => None,
        }
    }

    /// Returns the type below a path element.
    pub(super) fn below(self, element: &PathElement) -> Option<Self> {
        match (element, self.form()) {
            (PathElement::Field(name), Form::Map { .. }) => self.member(name),
            (PathElement::Field(_), _) => None,
            (_, Form::List(_, element)) => Some(element),
            _ => None,
        }
    }

    /// Returns the path element of an element of a list of this type.
    pub(super) fn element_of(
        self,
        ownership: ListOwnership,
        element: &Value,
    ) -> Result<PathElement, String> {
        match ownership {
            ListOwnership::Atomic => Err("invalid indexing of non-associative list".to_owned()),
            ListOwnership::Set => match element {
                Value::Object(_) => {
                    Err("associative list without keys has an element that's a map type".to_owned())
                }
                Value::Array(_) => {
                    Err("not supported: associative list with lists as elements".to_owned())
                }
                Value::Null => Err(
                    "associative list without keys has an element that's an explicit null"
                        .to_owned(),
                ),
                value => Ok(PathElement::Value(KeyValue(value.clone()))),
            },
            ListOwnership::ByKeys(keys) => match element {
                Value::Null => {
                    Err("associative list with keys may not have a null element".to_owned())
                }
                Value::Object(members) => self.keyed(keys, members),
                _ => Err("associative list with keys may not have non-map elements".to_owned()),
            },
        }
    }

    fn keyed(self, keys: &[&str], members: &Map<String, Value>) -> Result<PathElement, String> {
        let mut found = Vec::new();
        for key in keys {
            let default = || {
                let field = self.shape()?.field(key, self.minor)?;
                serde_json::from_str(field.key_default()?).ok()
            };
            if let Some(value) = members.get(*key).cloned().or_else(default) {
                found.push(((*key).to_owned(), KeyValue(value)));
            }
        }
        if found.is_empty() {
            let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
                keys.join(" ")
            ));
        }
        Ok(PathElement::key(found))
    }
}
