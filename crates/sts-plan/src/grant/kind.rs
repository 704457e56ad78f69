//! Kinds of objects that an assumption can provide.

/// A kind of object whose absence blocks pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
pub enum GrantedKind {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
    /// A ServiceAccount.
    ServiceAccount,
    /// A PriorityClass.
    PriorityClass,
    /// A StorageClass.
    StorageClass,
}

sts_controller::named!(GrantedKind);

impl GrantedKind {
    /// All kinds.
    pub const ALL: [GrantedKind; 5] = [
        GrantedKind::Secret,
        GrantedKind::ConfigMap,
        GrantedKind::ServiceAccount,
        GrantedKind::PriorityClass,
        GrantedKind::StorageClass,
    ];

    /// Returns the resource name, as kubectl accepts it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            GrantedKind::Secret => "secret",
            GrantedKind::ConfigMap => "configmap",
            GrantedKind::ServiceAccount => "serviceaccount",
            GrantedKind::PriorityClass => "priorityclass",
            GrantedKind::StorageClass => "storageclass",
        }
    }

    pub(super) fn by_name(word: &str) -> Option<Self> {
        let short = match word {
            "cm" => "configmap",
            "sa" => "serviceaccount",
            "pc" => "priorityclass",
            "sc" => "storageclass",
            word => word,
        };
        let is_it = |kind: &GrantedKind| {
            let rest = short.strip_prefix(kind.word());
            rest.is_some_and(|rest| matches!(rest, "" | "s" | "es"))
        };
        GrantedKind::ALL.into_iter().find(is_it)
    }
}
