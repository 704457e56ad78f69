//! Errors of `--grow`.

use thiserror::Error;

/// An invalid growth.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrowthError {
    /// The claim template or the size is missing.
    #[error("use CLAIM_TEMPLATE=SIZE, such as data=20Gi")]
    NoSize,
    /// The size is not a quantity.
    #[error("invalid size {0:?}: use a quantity, such as data=20Gi")]
    NoQuantity(String),
    /// The size is zero or less.
    #[error("invalid size {0}: it must be positive, such as data=20Gi")]
    NoStorage(String),
}

/// The reason that the claims of a set cannot grow as requested.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrowError {
    /// The set is not stored.
    #[error("the set does not exist, so it has no claims: change the size in its manifest")]
    NotStored,
    /// The set has no claim template of that name.
    #[error("unknown claim template {wanted:?} (one of: {known})")]
    NoTemplate {
        /// Requested name.
        wanted: String,
        /// Existing names.
        known: String,
    },
    /// A claim template is given twice.
    #[error("claim template {0:?} is given twice")]
    Twice(String),
    /// A claim template or claim already requests more storage.
    #[error("{what} already requests {asks}, and storage cannot shrink: use {asks} or more")]
    Smaller {
        /// The claim template or the claim.
        what: String,
        /// Its storage request.
        asks: String,
    },
    /// Everything has the requested size.
    #[error("nothing to grow: claim template {template} and its claims already request {size}")]
    Nothing {
        /// The claim template.
        template: String,
        /// The size.
        size: String,
    },
    /// A claim is not bound.
    #[error("{0} is not bound, and only bound claims can grow: plan again once it has a volume")]
    Unbound(String),
    /// A claim has no class.
    #[error("{0} has no StorageClass, which expansion requires: copy its data to a larger volume")]
    NoClass(String),
    /// The class of a claim does not allow expansion.
    #[error(
        "StorageClass {class} of {claim} does not allow expansion: if its driver supports it, kubectl patch storageclass \
         {class} -p '{{\"allowVolumeExpansion\":true}}' first"
    )]
    Class {
        /// The claim.
        claim: String,
        /// The class.
        class: String,
    },
    /// The class of a claim does not exist.
    #[error(
        "StorageClass {class} of {claim} does not exist, but the API server checks it: create it first"
    )]
    ClassMissing {
        /// The claim.
        claim: String,
        /// The class.
        class: String,
    },
    /// The API server refuses the patch of a claim.
    #[error("the API server refuses it: {0}")]
    Refused(String),
    /// The scale-down for an offline expansion would delete the claims.
    #[error(
        "the storage expands volumes only while no pod uses them, but persistentVolumeClaimRetentionPolicy.whenScaled \
         deletes the claims on scale-down: set it to Retain first \
         (--set spec.persistentVolumeClaimRetentionPolicy.whenScaled=Retain)"
    )]
    DeletesClaims,
    /// The set has finalizers.
    #[error("the set has finalizers, so it cannot be recreated immediately: remove them first")]
    Finalizers,
    /// The set is being deleted.
    #[error("the set is being deleted: plan again once it is gone or recreated")]
    Terminating,
}
