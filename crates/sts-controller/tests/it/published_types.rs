//! Comparison of the newest minor of `schema/types.txt` with the published types of k8s-openapi: same fields, same types.
//! For a new minor of k8s-openapi, this names each field that the file lacks.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use sts_controller::apiserver::schema::{Kind, Shape, pod_template, stateful_set};

/// The minor of k8s-openapi, from its feature in Cargo.toml.
const MINOR: u32 = 37;

/// A type as requested by its `Deserialize`.
#[derive(Debug, Clone, PartialEq)]
enum Type {
    /// Nothing was requested yet.
    Unknown,
    /// Any value, as in `FieldsV1`.
    Any,
    Bool,
    Int32,
    Int64,
    Text,
    IntOrString,
    /// A string with a type of its own, such as `Quantity`.
    Named(&'static str),
    List(Box<Type>),
    Map(Box<Type>),
    Object(Vec<(&'static str, Type)>),
}

/// Returns the type that `T` deserializes.
fn published<'de, T: Deserialize<'de>>() -> Result<Type, Error> {
    let mut found = Type::Unknown;
    T::deserialize(Probe {
        found: &mut found,
        text: EXAMPLE,
    })?;
    Ok(found)
}

/// A string that passes as a time, a quantity and anything else.
const EXAMPLE: &str = "2026-01-01T00:00:00Z";

/// Gives every `Deserialize` an example, and records the requested type.
struct Probe<'f> {
    found: &'f mut Type,
    text: &'static str,
}

impl<'f> Probe<'f> {
    fn of(found: &'f mut Type) -> Self {
        Probe {
            found,
            text: EXAMPLE,
        }
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    /// Only `IntOrString` and raw values request any type.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::IntOrString;
        visitor.visit_str(self.text)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Bool;
        visitor.visit_bool(true)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Int32;
        visitor.visit_i32(1)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Int64;
        visitor.visit_i64(1)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.found = Type::Text;
        visitor.visit_str(self.text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut inner = Type::Unknown;
        // A quantity may be a number, other strings with a type of their own may not.
        let read = visitor.visit_newtype_struct(Probe::of(&mut inner));
        *self.found = match inner {
            Type::Text => Type::Named(name),
            _ if name == "Quantity" => Type::Named(name),
            _ => Type::Any,
        };
        read
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut element = Type::Unknown;
        let read = visitor.visit_seq(One(Some(&mut element)));
        *self.found = Type::List(Box::new(element));
        read
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut value = Type::Unknown;
        let read = visitor.visit_map(One(Some(&mut value)));
        *self.found = Type::Map(Box::new(value));
        read
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut found = Vec::new();
        let read = visitor.visit_map(Members {
            of: name,
            left: fields,
            found: &mut found,
        });
        *self.found = Type::Object(found);
        read
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

/// A list of one element, or a map with one value.
struct One<'f>(Option<&'f mut Type>);

impl<'de> SeqAccess<'de> for One<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let found = self.0.take();
        found
            .map(|found| seed.deserialize(Probe::of(found)))
            .transpose()
    }
}

impl<'de> MapAccess<'de> for One<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if self.0.is_none() {
            return Ok(None);
        }
        let key: StrDeserializer<'_, Error> = "key".into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let found = self.0.take().ok_or_else(|| Error::custom("one value"))?;
        seed.deserialize(Probe::of(found))
    }
}

/// The members of a struct, each with an example.
struct Members<'f> {
    of: &'static str,
    left: &'static [&'static str],
    found: &'f mut Vec<(&'static str, Type)>,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((name, left)) = self.left.split_first() else {
            return Ok(None);
        };
        self.left = left;
        self.found.push((name, Type::Unknown));
        let key: StrDeserializer<'_, Error> = (*name).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some((name, found)) = self.found.last_mut() else {
            return Err(Error::custom("a key comes first"));
        };
        // An object checks its own kind.
        let text = match (*name, self.of) {
            ("kind", of) => of,
            ("apiVersion", "StatefulSet") => "apps/v1",
            ("apiVersion", _) => "v1",
            _ => EXAMPLE,
        };
        seed.deserialize(Probe { found, text })
    }
}

/// Records every difference between a type of the file and a published type.
fn compare(path: &str, shape: &Shape, published: &Type, differences: &mut Vec<String>) {
    let Type::Object(fields) = published else {
        differences.push(format!("{path}: is not an object but {published:?}"));
        return;
    };
    for field in shape.fields.iter().filter(|field| field.exists_in(MINOR)) {
        if !fields.iter().any(|(name, _)| *name == field.name) {
            differences.push(format!("{path}.{}: only the file has it", field.name));
        }
    }
    for (name, published) in fields {
        let path = format!("{path}.{name}");
        let Some(field) = shape.field(name, MINOR) else {
            differences.push(format!("{path}: the file lacks it"));
            continue;
        };
        let list = |of: Type| Type::List(Box::new(of));
        let map = |of: Type| Type::Map(Box::new(of));
        let expected = match (field.kind, published) {
            (Kind::Object(shape), _) => {
                compare(&path, shape, published, differences);
                continue;
            }
            (Kind::Objects(shape), Type::List(element)) => {
                compare(&path, shape, element, differences);
                continue;
            }
            (Kind::Objects(_), _) => list(Type::Object(Vec::new())),
            (Kind::Text, _) => Type::Text,
            (Kind::Bool, _) => Type::Bool,
            (Kind::Int32, _) => Type::Int32,
            (Kind::Int64, _) => Type::Int64,
            (Kind::Quantity, _) => Type::Named("Quantity"),
            (Kind::IntOrString, _) => Type::IntOrString,
            (Kind::Time, _) => Type::Named("Time"),
            (Kind::Raw, _) => Type::Any,
            (Kind::Texts, _) => list(Type::Text),
            (Kind::Int32s, _) => list(Type::Int32),
            (Kind::Int64s, _) => list(Type::Int64),
            (Kind::TextMap, _) => map(Type::Text),
            (Kind::QuantityMap, _) => map(Type::Named("Quantity")),
        };
        if *published != expected {
            differences.push(format!("{path}: {published:?}, not {expected:?}"));
        }
    }
}

#[test]
fn the_newest_minor_matches_the_published_types() {
    let mut differences = Vec::new();
    compare(
        "StatefulSet",
        stateful_set(),
        &published::<StatefulSet>().unwrap(),
        &mut differences,
    );
    compare(
        "PodTemplateSpec",
        pod_template(),
        &published::<PodTemplateSpec>().unwrap(),
        &mut differences,
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
