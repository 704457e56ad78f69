//! The reasons that claims cannot grow as asked.

use thiserror::Error;

/// The reason that a text is no growth.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrowthError {
    /// The claim template or the size is missing.
    #[error("write CLAIM_TEMPLATE=SIZE, such as data=20Gi")]
    NoSize,
    /// The size is no quantity.
    #[error("{0:?} is no quantity: write the size as data=20Gi")]
    NoQuantity(String),
    /// The size is zero or less.
    #[error("{0} is no storage: write the size as data=20Gi")]
    NoStorage(String),
}

/// The reason that the claims of a set cannot grow as asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrowError {
    /// The set is not stored.
    #[error("it is not stored, so no claims are there to grow: change the size in its manifest")]
    NotStored,
    /// The set has no claim template of that name.
    #[error("there is no claim template {wanted:?}; there are: {known}")]
    NoTemplate {
        /// The name that was given.
        wanted: String,
        /// The names that there are.
        known: String,
    },
    /// One claim template is named twice.
    #[error("claim template {0:?} is named twice: give one size")]
    Twice(String),
    /// Something asks for more storage already.
    #[error("{what} asks for {asks}, and storage never shrinks: write {asks} or more")]
    Smaller {
        /// The claim template or the claim.
        what: String,
        /// The storage that it asks for.
        asks: String,
    },
    /// Everything has the size that is asked for.
    #[error(
        "claim template {template} and its claims ask for {size} already: there is nothing to grow"
    )]
    Nothing {
        /// The claim template.
        template: String,
        /// The size.
        size: String,
    },
    /// A claim is not bound.
    #[error("{0} is not bound, and only a bound claim can grow: plan again once it has a volume")]
    Unbound(String),
    /// A claim has no class.
    #[error(
        "{0} has no StorageClass, and only claims of a class that allows it can grow: copy its data to a larger volume"
    )]
    NoClass(String),
    /// The class of a claim does not allow it.
    #[error(
        "StorageClass {class} does not let {claim} grow: if its driver can expand volumes, kubectl patch storageclass \
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
        "StorageClass {class} of {claim} does not exist, and the API server asks it whether the claim may grow: create it first"
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
    /// Pods have to make way, and their claims would be deleted with them.
    #[error(
        "the storage expands volumes only while no pod uses them, and persistentVolumeClaimRetentionPolicy.whenScaled \
         deletes the claims of pods that are scaled away: set it to Retain first \
         (--set spec.persistentVolumeClaimRetentionPolicy.whenScaled=Retain)"
    )]
    DeletesClaims,
    /// The set has finalizers.
    #[error(
        "it has finalizers of its own, so its name is not free when it is deleted: remove them first"
    )]
    Finalizers,
    /// The set is being deleted.
    #[error("it is being deleted: plan again once it is gone or there again")]
    Terminating,
}
