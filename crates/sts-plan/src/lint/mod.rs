//! Findings on a plan, one rule per file.
//!
//! A rule reads the plan, its simulation and the objects around the set. It never repeats the algorithm: what it predicts,
//! it has simulated. The page of a rule (`kubectl sts-plan explain STS001`) is next to its code, and the documentation is
//! generated from it.

mod cross_set;
mod finding;
mod page;
mod rule;
mod suppressions;

mod blocked;
mod budget_shared;
mod claim_pending;
mod claim_resize;
mod claim_template_version;
mod claim_terminating;
mod data_loss;
mod dead_node;
mod downtime;
mod drain_blocked;
mod field_owner;
mod finished_pod;
mod forced_rollback;
mod foreseen;
mod held_pod_moves;
mod history;
mod id;
mod ignored_field;
mod incomplete_input;
mod kept_field;
mod long_name;
mod managed;
mod max_unavailable;
mod members_together;
mod min_ready_seconds;
mod missing_config;
mod missing_volume;
mod name_taken;
mod near_duplicates;
mod never_ready_for_tools;
mod no_budget;
mod no_node;
mod no_readiness_probe;
mod on_delete;
mod overlapping_selectors;
mod partition_above_replicas;
mod partition_at_zero;
mod partition_from_start;
mod pdb_exceeded;
mod pinned_volume;
mod pod_resize;
mod pvc_drift;
mod quorum;
mod quorum_at_risk;
mod recently_refused;
mod rejected;
mod replicas_contested;
mod restart_by_hand;
mod service;
mod short_grace;
mod spread_misses_pods;
mod spurious_rollout;
mod stale_claim;
mod storage_class;
mod too_few_nodes;
mod unknown_field;
mod volume_class;

pub use crate::scope::Scope;
pub use cross_set::{SetSummary, cross_set_findings};
pub use finding::Finding;
pub use id::RuleId;
pub use page::{page, severities, versions};
pub use rule::{Rule, Severity};
pub use suppressions::{
    ANNOTATION, Excuse, IgnoredBy, Suppressions, known_ids, named_by_annotation, unknown_id,
};

use crate::input_check::InputCheck;
use crate::plan::Plan;
use rule::Check;

/// Every rule, by id.
pub const RULES: [&Rule; 55] = [
    &blocked::RULE,
    &forced_rollback::RULE,
    &data_loss::RULE,
    &rejected::RULE,
    &pvc_drift::RULE,
    &claim_terminating::RULE,
    &stale_claim::RULE,
    &name_taken::RULE,
    &long_name::RULE,
    &partition_above_replicas::RULE,
    &partition_from_start::RULE,
    &on_delete::RULE,
    &max_unavailable::RULE,
    &min_ready_seconds::RULE,
    &pdb_exceeded::RULE,
    &budget_shared::RULE,
    &spurious_rollout::RULE,
    &history::RULE,
    &near_duplicates::RULE,
    &managed::RULE,
    &overlapping_selectors::RULE,
    &service::RULE,
    &downtime::RULE,
    &dead_node::RULE,
    &pinned_volume::RULE,
    &restart_by_hand::RULE,
    &never_ready_for_tools::RULE,
    &partition_at_zero::RULE,
    &missing_volume::RULE,
    &ignored_field::RULE,
    &finished_pod::RULE,
    &recently_refused::RULE,
    &incomplete_input::RULE,
    &unknown_field::RULE,
    &storage_class::RULE,
    &claim_pending::RULE,
    &no_node::RULE,
    &too_few_nodes::RULE,
    &missing_config::RULE,
    &no_readiness_probe::RULE,
    &short_grace::RULE,
    &quorum::RULE,
    &no_budget::RULE,
    &claim_template_version::RULE,
    &field_owner::RULE,
    &kept_field::RULE,
    &quorum_at_risk::RULE,
    &members_together::RULE,
    &drain_blocked::RULE,
    &claim_resize::RULE,
    &volume_class::RULE,
    &pod_resize::RULE,
    &held_pod_moves::RULE,
    &spread_misses_pods::RULE,
    &replicas_contested::RULE,
];

/// Returns the rule with that id, ignoring case.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    let mut rules = RULES.into_iter();
    rules.find(|rule| rule.id.name().eq_ignore_ascii_case(id))
}

/// Earlier names of rules, still accepted.
const ALIASES: [(&str, &Rule); 5] = [
    ("budget-passed-by", &pdb_exceeded::RULE),
    ("claim-drift", &pvc_drift::RULE),
    ("managed-by-someone-else", &managed::RULE),
    ("pod-lacks-volume", &missing_volume::RULE),
    ("refused-before", &recently_refused::RULE),
];

/// Returns the rules of a word, ignoring case: an id, a name or an earlier name, or `pdb` for the rules on budgets and
/// `quorum` for those on majorities. Empty if there is none.
#[must_use]
pub fn rules_by_name(word: &str) -> Vec<&'static Rule> {
    if word.eq_ignore_ascii_case("pdb") {
        return vec![&pdb_exceeded::RULE, &budget_shared::RULE];
    }
    if word.eq_ignore_ascii_case("quorum") {
        return vec![&quorum::RULE, &quorum_at_risk::RULE];
    }
    let alias = ALIASES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word));
    if let Some((_, rule)) = alias {
        return vec![rule];
    }
    let has_name = |rule: &&Rule| {
        rule.id.name().eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word)
    };
    RULES.into_iter().filter(has_name).collect()
}

/// Returns the findings on one plan, by id. [`cross_set_findings`] returns those across sets.
#[must_use]
pub fn findings(plan: &Plan, input: &InputCheck, scope: Scope) -> Vec<Finding> {
    let is_in_scope =
        |rule: &&Rule| scope > Scope::Errors || rule.severities.contains(&Severity::Error);
    let found = |rule: &'static Rule| {
        let found = match rule.check {
            Check::Plan(check) => check(plan),
            Check::Scoped(check) => check(plan, scope),
            Check::Input(check) => check(plan, input),
            Check::Across(_) => Vec::new(),
        };
        found.into_iter().map(|found| rule.finding(found))
    };
    RULES
        .into_iter()
        .filter(is_in_scope)
        .flat_map(found)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_names_of_rules_are_accepted() {
        for (alias, id) in [
            ("claim-drift", RuleId::PvcDrift),
            ("Budget-Passed-By", RuleId::PdbExceeded),
            ("managed-by-someone-else", RuleId::Managed),
            ("pod-lacks-volume", RuleId::MissingVolume),
            ("refused-before", RuleId::RecentlyRefused),
        ] {
            let rules = rules_by_name(alias);
            assert!(
                matches!(rules.as_slice(), [rule] if rule.id == id),
                "{alias}"
            );
            assert!(RULES.iter().all(|rule| rule.name != alias), "{alias}");
        }
    }
}
