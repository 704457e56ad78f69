//! The ids of the rules.

use super::RULES;
use super::rule::Rule;

/// The id of a rule, in the order of [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
#[expect(missing_docs, reason = "each rule has a page of its own")]
pub enum RuleId {
    Blocked,
    ForcedRollback,
    DataLoss,
    Rejected,
    PvcDrift,
    ClaimTerminating,
    StaleClaim,
    NameTaken,
    LongName,
    PartitionAboveReplicas,
    PartitionFromStart,
    OnDelete,
    MaxUnavailable,
    MinReadySeconds,
    PdbExceeded,
    BudgetShared,
    SpuriousRollout,
    History,
    NearDuplicates,
    Managed,
    OverlappingSelectors,
    Service,
    Downtime,
    DeadNode,
    PinnedVolume,
    RestartByHand,
    NeverReadyForTools,
    PartitionAtZero,
    MissingVolume,
    IgnoredField,
    FinishedPod,
    RecentlyRefused,
    IncompleteInput,
    UnknownField,
    StorageClass,
    ClaimPending,
    NoNode,
    TooFewNodes,
    MissingConfig,
    NoReadinessProbe,
    ShortGrace,
    Quorum,
    NoBudget,
    ClaimTemplateVersion,
    FieldOwner,
    KeptField,
    QuorumAtRisk,
    MembersTogether,
    DrainBlocked,
    ClaimResize,
    VolumeClass,
    PodResize,
    HeldPodMoves,
    SpreadMissesPods,
    ReplicasContested,
}

serialized!(text_by_name: RuleId);

impl RuleId {
    /// Returns the id, such as `STS017`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleId::Blocked => "STS001",
            RuleId::ForcedRollback => "STS002",
            RuleId::DataLoss => "STS003",
            RuleId::Rejected => "STS004",
            RuleId::PvcDrift => "STS005",
            RuleId::ClaimTerminating => "STS006",
            RuleId::StaleClaim => "STS007",
            RuleId::NameTaken => "STS008",
            RuleId::LongName => "STS009",
            RuleId::PartitionAboveReplicas => "STS010",
            RuleId::PartitionFromStart => "STS011",
            RuleId::OnDelete => "STS012",
            RuleId::MaxUnavailable => "STS013",
            RuleId::MinReadySeconds => "STS014",
            RuleId::PdbExceeded => "STS015",
            RuleId::BudgetShared => "STS016",
            RuleId::SpuriousRollout => "STS017",
            RuleId::History => "STS018",
            RuleId::NearDuplicates => "STS019",
            RuleId::Managed => "STS020",
            RuleId::OverlappingSelectors => "STS021",
            RuleId::Service => "STS022",
            RuleId::Downtime => "STS023",
            RuleId::DeadNode => "STS024",
            RuleId::PinnedVolume => "STS025",
            RuleId::RestartByHand => "STS026",
            RuleId::NeverReadyForTools => "STS027",
            RuleId::PartitionAtZero => "STS028",
            RuleId::MissingVolume => "STS029",
            RuleId::IgnoredField => "STS030",
            RuleId::FinishedPod => "STS031",
            RuleId::RecentlyRefused => "STS032",
            RuleId::IncompleteInput => "STS033",
            RuleId::UnknownField => "STS034",
            RuleId::StorageClass => "STS035",
            RuleId::ClaimPending => "STS036",
            RuleId::NoNode => "STS037",
            RuleId::TooFewNodes => "STS038",
            RuleId::MissingConfig => "STS039",
            RuleId::NoReadinessProbe => "STS040",
            RuleId::ShortGrace => "STS041",
            RuleId::Quorum => "STS042",
            RuleId::NoBudget => "STS043",
            RuleId::ClaimTemplateVersion => "STS044",
            RuleId::FieldOwner => "STS045",
            RuleId::KeptField => "STS046",
            RuleId::QuorumAtRisk => "STS047",
            RuleId::MembersTogether => "STS048",
            RuleId::DrainBlocked => "STS049",
            RuleId::ClaimResize => "STS050",
            RuleId::VolumeClass => "STS051",
            RuleId::PodResize => "STS052",
            RuleId::HeldPodMoves => "STS053",
            RuleId::SpreadMissesPods => "STS054",
            RuleId::ReplicasContested => "STS055",
        }
    }

    /// Returns the rule with this id.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        RULES[self as usize]
    }
}
