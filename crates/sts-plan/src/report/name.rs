//! Enums serialized by their display names, with `#[serde(with = "name")]`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serializer, de};

/// Serializes a value by its display name.
pub(super) fn serialize<T: Display, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(value)
}

/// Parses a value from its display name.
pub(super) fn deserialize<'de, T, D>(input: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let name = String::deserialize(input)?;
    name.parse().map_err(de::Error::custom)
}

/// Variant for optional values, for `#[serde(default, with = "name::optional")]`.
pub(super) mod optional {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "signature required by serde")]
    pub(in super::super) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => out.collect_str(value),
            None => out.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, T, D>(input: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        super::deserialize(input).map(Some)
    }
}

/// Variant for the keys of a map.
pub(super) mod keys {
    use super::{BTreeMap, Deserialize, Deserializer, Display, FromStr, Serializer, de};

    pub(in super::super) fn serialize<K: Display, S: Serializer>(
        map: &BTreeMap<K, bool>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_map(map.iter().map(|(key, value)| (key.to_string(), value)))
    }

    pub(in super::super) fn deserialize<'de, K, D>(input: D) -> Result<BTreeMap<K, bool>, D::Error>
    where
        K: FromStr<Err: Display> + Ord,
        D: Deserializer<'de>,
    {
        let named = BTreeMap::<String, bool>::deserialize(input)?;
        let parse = |(name, value): (String, bool)| {
            let key = name.parse().map_err(de::Error::custom)?;
            Ok((key, value))
        };
        named.into_iter().map(parse).collect()
    }
}
