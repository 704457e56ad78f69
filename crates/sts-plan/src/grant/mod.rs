//! Assumptions about missing objects: an object that does not exist yet, or a larger quota.

mod kind;

use std::fmt;

use strum::IntoEnumIterator;
use thiserror::Error;

use sts_controller::apiserver::quantity::Quantity;
use sts_controller::simulate::Expansion;

pub use kind::GrantedKind;

/// An assumption that something is available.
#[derive(Debug, Clone, PartialEq)]
pub enum Grant {
    /// A missing object exists.
    Exists(GrantedKind, String),
    /// A ResourceQuota allows more.
    Quota {
        /// The quota's name.
        name: String,
        /// The resource; `None` for the only exceeded one.
        resource: Option<String>,
        /// The additional amount.
        more: Quantity,
    },
    /// The storage of a StorageClass expands volumes in this way; used by `--grow`.
    Expands(String, Expansion),
}

/// The resource name of a quota.
pub const QUOTA: &str = "quota";

/// Returns the name of an expansion mode.
fn expansion_word(expansion: Expansion) -> &'static str {
    match expansion {
        Expansion::Online => "expands-online",
        Expansion::OnMount => "expands-on-mount",
        Expansion::Offline => "expands-offline",
    }
}

/// An invalid grant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantError {
    /// The kind is not supported.
    #[error(
        "unsupported kind {0:?} (one of: secret/NAME, configmap/NAME, serviceaccount/NAME, priorityclass/NAME, \
         storageclass/NAME, quota/NAME)"
    )]
    UnknownKind(String),
    /// The object has no name.
    #[error("{0}/: the name of the object is missing")]
    NoName(String),
    /// The only supported assumption is that the object exists.
    #[error("{0}={1}: the only supported value is {0}=exists")]
    NotExists(String, String),
    /// The amount of a quota is missing or invalid.
    #[error(
        "{0}={1}: give the additional amount, such as {0}=+2Gi, or {0}=requests.memory+2Gi for one of several resources"
    )]
    NoAmount(String, String),
    /// The value for a StorageClass is unknown.
    #[error(
        "{0}={1}: unknown value (one of: {0}=exists, expands-online, expands-on-mount or expands-offline)"
    )]
    NoExpansion(String, String),
}

impl Grant {
    /// Parses both sides of `secret/db=exists` or `quota/compute=+2Gi`.
    ///
    /// # Errors
    /// When the object or the value is not supported.
    pub fn parse(object: &str, what: &str) -> Result<Self, GrantError> {
        let (word, name) = object.split_once('/').unwrap_or((object, ""));
        let word = word.to_ascii_lowercase();
        let kind = GrantedKind::by_name(&word);
        let is_quota = matches!(
            &*word,
            "quota" | "resourcequota" | "resourcequotas" | "quotas"
        );
        if kind.is_none() && !is_quota {
            return Err(GrantError::UnknownKind(word));
        }
        if name.is_empty() {
            return Err(GrantError::NoName(word));
        }
        let Some(kind) = kind else {
            let no_amount = || GrantError::NoAmount(object.to_owned(), what.to_owned());
            let (resource, more) = what.split_once('+').ok_or_else(no_amount)?;
            let more = Quantity::parse(more).map_err(|_| no_amount())?;
            if more.is_zero() || more.is_negative() {
                return Err(no_amount());
            }
            return Ok(Grant::Quota {
                name: name.to_owned(),
                resource: (!resource.is_empty()).then(|| resource.to_owned()),
                more,
            });
        };
        if what == "exists" {
            return Ok(Grant::Exists(kind, name.to_owned()));
        }
        if kind != GrantedKind::StorageClass {
            return Err(GrantError::NotExists(object.to_owned(), what.to_owned()));
        }
        let mut ways = Expansion::iter();
        match ways.find(|way| expansion_word(*way) == what) {
            Some(way) => Ok(Grant::Expands(name.to_owned(), way)),
            None => Err(GrantError::NoExpansion(object.to_owned(), what.to_owned())),
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::Exists(kind, name) => write!(out, "{}/{name}=exists", kind.word()),
            Grant::Quota {
                name,
                resource,
                more,
            } => {
                let resource = resource.as_deref().unwrap_or_default();
                write!(out, "{QUOTA}/{name}={resource}+{}", more.canonical())
            }
            Grant::Expands(class, expansion) => {
                write!(
                    out,
                    "{}/{class}={}",
                    GrantedKind::StorageClass.word(),
                    expansion_word(*expansion)
                )
            }
        }
    }
}

/// Reports whether an object, such as `Secret app-credentials`, is assumed to exist.
pub(crate) fn exists(grants: &[Grant], object: &str) -> bool {
    grants.iter().any(|grant| match grant {
        Grant::Exists(kind, name) => object
            .strip_prefix(kind.name())
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|named| named == name),
        Grant::Quota { .. } | Grant::Expands(..) => false,
    })
}

impl Grant {
    /// Returns the resource of a quota that this grant raises, and the amount; `None` if the grant is for another quota or
    /// resource. A grant without a resource is for the only one.
    pub(crate) fn raises<'k>(
        &self,
        quota: &str,
        mut resources: impl Iterator<Item = &'k str>,
    ) -> Option<(&'k str, &Quantity)> {
        let Grant::Quota {
            name,
            resource,
            more,
        } = self
        else {
            return None;
        };
        if *name != *quota {
            return None;
        }
        let raised = match resource {
            Some(resource) => resources.find(|key| *key == *resource),
            None => resources.next().filter(|_| resources.next().is_none()),
        };
        Some((raised?, more))
    }
}

/// Returns the grant that provides an object.
pub(crate) fn grant_of<'g>(grants: &'g [Grant], object: &str) -> Option<&'g Grant> {
    let mut grants = grants.iter();
    grants.find(|grant| exists(std::slice::from_ref(grant), object))
}

#[cfg(test)]
mod tests {
    use super::Grant;

    fn read(text: &str) -> Result<String, String> {
        let (object, what) = text.split_once('=').unwrap();
        Grant::parse(object, what)
            .map(|grant| grant.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn grants_accept_the_resource_names_of_kubectl() {
        for (text, canonical) in [
            ("secret/db=exists", "secret/db=exists"),
            ("secrets/db=exists", "secret/db=exists"),
            ("cm/app=exists", "configmap/app=exists"),
            ("sa/app=exists", "serviceaccount/app=exists"),
            ("priorityclasses/high=exists", "priorityclass/high=exists"),
            ("sc/fast=exists", "storageclass/fast=exists"),
            (
                "sc/fast=expands-offline",
                "storageclass/fast=expands-offline",
            ),
            ("quota/compute=+2Gi", "quota/compute=+2Gi"),
            ("resourcequota/compute=pods+3", "quota/compute=pods+3"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(canonical));
        }
    }

    #[test]
    fn errors_name_the_supported_values() {
        for (text, expected) in [
            ("deployment/x=exists", "one of: secret/NAME"),
            ("secret/=exists", "the name of the object is missing"),
            ("secret/db=gone", "is secret/db=exists"),
            ("sc/fast=offline", "expands-on-mount or expands-offline"),
            ("sc/fast=offline", "one of: sc/fast=exists"),
            ("quota/compute=2Gi", "quota/compute=+2Gi"),
            ("quota/compute=+much", "quota/compute=+2Gi"),
            ("quota/compute=+0", "quota/compute=+2Gi"),
            ("quota/compute=+-1", "quota/compute=+2Gi"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
