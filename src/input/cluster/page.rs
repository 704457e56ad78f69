//! A page of a list, parsed object by object, so that only one is in memory as a tree. managedFields are half of a
//! response, and skipped unparsed where they are not used.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use super::error::ClusterError;
use super::list::PAGE;
use super::resource::Resource;
use kubectl_manifest::excerpt;

/// A page of a list.
pub(super) struct Page<T> {
    /// Kept part of the objects.
    pub(super) items: Vec<T>,
    /// Number of objects.
    pub(super) count: usize,
    /// `resourceVersion` of the list.
    pub(super) version: String,
    /// Token of the next page; empty for the last one.
    pub(super) next: String,
    /// Number of full pages that follow, as far as the server says.
    pub(super) left: usize,
}

pub(super) enum PageError {
    /// The page ends early.
    Truncated,
    /// The page is invalid.
    Malformed(String),
    /// `keep` refuses an object.
    Refused(ClusterError),
}

/// Reads a page of objects of a kind, and keeps the results of `keep`.
pub(super) fn read<T>(
    bytes: &[u8],
    kind: &str,
    keep: &mut impl FnMut(Value) -> Result<Option<T>, ClusterError>,
) -> Result<Page<T>, PageError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut refused = None;
    let mut other = None;
    let list = List {
        kind,
        other: &mut other,
        keep,
        refused: &mut refused,
    };
    let page = list
        .deserialize(&mut reader)
        .and_then(|page| reader.end().map(|()| page));
    if let Some(error) = refused {
        return Err(PageError::Refused(error));
    }
    if let Some(other) = other {
        return Err(PageError::Malformed(format!(
            "expected {kind}List, found {}",
            excerpt(&other)
        )));
    }
    page.map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => PageError::Truncated,
        serde_json::error::Category::Data => PageError::Malformed("not a list".to_owned()),
        _ => PageError::Malformed(format!(
            "invalid JSON at line {}, column {}",
            error.line(),
            error.column()
        )),
    })
}

/// Deserializer of a page.
struct List<'k, K> {
    /// Kind of the objects.
    kind: &'k str,
    /// Kind of the page, if it is another one.
    other: &'k mut Option<String>,
    keep: &'k mut K,
    refused: &'k mut Option<ClusterError>,
}

impl<'de, T, K> DeserializeSeed<'de> for List<'_, K>
where
    K: FnMut(Value) -> Result<Option<T>, ClusterError>,
{
    type Value = Page<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Page<T>, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, T, K> Visitor<'de> for List<'_, K>
where
    K: FnMut(Value) -> Result<Option<T>, ClusterError>,
{
    type Value = Page<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Page<T>, A::Error> {
        let (mut kind, mut metadata, mut items) = (Value::Null, Value::Null, None);
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "kind" => kind = members.next_value()?,
                "metadata" => metadata = members.next_value()?,
                "items" => {
                    items = members.next_value_seed(Items {
                        keeps_managers: keeps_managers(self.kind),
                        keep: &mut *self.keep,
                        refused: &mut *self.refused,
                    })?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        let of_kind = |kind: &str| kind.strip_suffix("List") == Some(self.kind);
        let is_list = kind.as_str().is_some_and(of_kind);
        if let Some(other) = kind.as_str().filter(|other| !other.is_empty() && !is_list) {
            *self.other = Some(other.to_owned());
            return Err(A::Error::custom("another kind"));
        }
        if !is_list {
            return Err(A::Error::custom("no kind"));
        }
        // The items of an empty list may be null.
        let (items, count) = items.unwrap_or_default();
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        Ok(Page {
            items,
            count,
            version: text("resourceVersion"),
            next: text("continue"),
            left: metadata["remainingItemCount"]
                .as_u64()
                .and_then(|objects| usize::try_from(objects).ok())
                .map_or(0, |objects| objects.div_ceil(PAGE)),
        })
    }
}

/// Reports whether managedFields of a kind are kept: server-side apply needs them.
pub(super) fn keeps_managers(kind: &str) -> bool {
    kind == Resource::SETS.kind
}

/// Objects of a page: the kept ones, and their number.
struct Items<'k, K> {
    keeps_managers: bool,
    keep: &'k mut K,
    refused: &'k mut Option<ClusterError>,
}

impl<'de, T, K> DeserializeSeed<'de> for Items<'_, K>
where
    K: FnMut(Value) -> Result<Option<T>, ClusterError>,
{
    type Value = Option<(Vec<T>, usize)>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T, K> Visitor<'de> for Items<'_, K>
where
    K: FnMut(Value) -> Result<Option<T>, ClusterError>,
{
    type Value = Option<(Vec<T>, usize)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("objects")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut objects: A) -> Result<Self::Value, A::Error> {
        let (mut items, mut count) = (Vec::new(), 0);
        while let Some(object) = objects.next_element_seed(Object {
            skips: None,
            metadata_skips: (!self.keeps_managers).then_some("managedFields"),
        })? {
            count += 1;
            match (self.keep)(object) {
                Ok(kept) => items.extend(kept),
                Err(error) => {
                    *self.refused = Some(error);
                    return Err(A::Error::custom("refused"));
                }
            }
        }
        Ok(Some((items, count)))
    }
}

/// An object of a list, or its metadata, without the skipped field.
struct Object {
    skips: Option<&'static str>,
    metadata_skips: Option<&'static str>,
}

impl<'de> DeserializeSeed<'de> for Object {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    /// Metadata may be null, which the parser of the object checks.
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = match name.as_str() {
                name if self.skips == Some(name) => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
                "metadata" if self.metadata_skips.is_some() => members.next_value_seed(Object {
                    skips: self.metadata_skips,
                    metadata_skips: None,
                })?,
                _ => members.next_value()?,
            };
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(text: &str) -> Result<Page<Value>, PageError> {
        read(text.as_bytes(), "Pod", &mut |value| Ok(Some(value)))
    }

    #[test]
    fn objects_come_without_who_wrote_them() {
        let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "7", "continue": "next"}, "items": [
            {"metadata": {"name": "a", "managedFields": [{"a": [1, {}]}]}, "spec": {"managedFields": 1}},
            {"metadata": null}]});
        let Ok(page) = page(&list.to_string()) else {
            panic!("it is a page");
        };
        let first = json!({"metadata": {"name": "a"}, "spec": {"managedFields": 1}});
        assert_eq!(page.items, [first, json!({"metadata": null})]);
        assert_eq!(
            (page.count, page.version.as_str(), page.next.as_str()),
            (2, "7", "next")
        );
    }

    #[test]
    fn sets_come_with_who_wrote_them() {
        let set = json!({"metadata": {"name": "a", "managedFields": [{"a": 1}]}});
        let list = json!({"kind": "StatefulSetList", "items": [set]});
        let mut keep = |value| Ok(Some(value));
        let page = read(list.to_string().as_bytes(), "StatefulSet", &mut keep);
        assert!(matches!(page, Ok(page) if page.items == [set]));
    }

    #[test]
    fn invalid_and_truncated_pages_differ() {
        for text in ["", "{\"items\": [{}", "{\"items\": [{}]", "{\"ki"] {
            assert!(matches!(page(text), Err(PageError::Truncated)), "{text}");
        }
        for text in [
            "[]",
            "3",
            "{}",
            "{\"items\": []}",
            "{\"kind\": \"\", \"items\": []}",
            "{\"items\": 1}",
            "{\"items\": [1]}",
            "{\"items\": [[]]}",
            "{\"kind\": \"Pod\"}",
            "{\"kind\": \"Pod\", \"items\": []}",
            "{\"items\": [], \"kind\": \"ServiceList\"}",
            "{\"kind\": \"List\", \"items\": []}",
            "{\"items\": []} x",
        ] {
            assert!(matches!(page(text), Err(PageError::Malformed(_))), "{text}");
        }
        assert!(
            matches!(page("{\"kind\": \"PodList\", \"items\": null}"), Ok(page) if page.count == 0)
        );
        let mut refuse = |_| -> Result<Option<Value>, ClusterError> {
            Err(kubectl_config::ConfigError::Access("no".to_owned()).into())
        };
        let refused = read(
            b"{\"kind\": \"PodList\", \"items\": [{}]}",
            "Pod",
            &mut refuse,
        );
        assert!(matches!(refused, Err(PageError::Refused(_))));
    }
}
