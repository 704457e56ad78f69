//! Policy rules of one set; later ones take precedence.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::input::resolve::Target;
use crate::request::{PlanRequest, SetRule};
use sts_plan::fleet::FailOn;
use sts_plan::lint::Suppressions;
use sts_plan::plan::Conditions;
use sts_plan::what_if::Questions;

/// Rules of a request that match a set.
pub(in crate::commands) struct SetRules<'r> {
    request: &'r PlanRequest,
    rules: Vec<&'r SetRule>,
}

impl<'r> SetRules<'r> {
    pub(in crate::commands) fn of(request: &'r PlanRequest, target: &Target<'_>) -> Self {
        let (namespace, name) = (target.namespace(), target.name());
        let rules = request.gates.for_sets.iter();
        let rules = rules.filter(|rule| rule.sets.is(namespace, name, target.labels()));
        SetRules {
            request,
            rules: rules.collect(),
        }
    }

    /// Returns the conditions for planning the set.
    pub(in crate::commands) fn conditions(&self, of_all: &Conditions) -> Conditions {
        let mut conditions = of_all.clone();
        for rule in &self.rules {
            conditions.ready_after = rule.ready_after.or(conditions.ready_after);
            conditions.gone_after = rule.gone_after.or(conditions.gone_after);
            let by_pod = rule.by_pod.iter();
            let by_pod = by_pod.map(|(pod, assumption)| (pod.clone(), assumption.clone()));
            conditions.assumptions.extend(by_pod);
            conditions.working.extend(rule.working.iter().cloned());
        }
        conditions
    }

    /// Returns the questions about the set.
    pub(in crate::commands) fn questions(&self, of_all: &Questions) -> Questions {
        let mut own = self.rules.iter().rev();
        let requirements = own.find_map(|rule| rule.requirements.clone());
        Questions {
            requirements: requirements.unwrap_or_else(|| of_all.requirements.clone()),
            ..of_all.clone()
        }
    }

    /// Returns the gates of the set.
    pub(in crate::commands) fn fail_on(&self) -> Vec<FailOn> {
        let mut own = self.rules.iter().rev();
        let words = own.find_map(|rule| rule.fail_on.clone());
        words.unwrap_or_else(|| self.request.gates.fail_on.clone())
    }

    /// Returns the findings to ignore for this set, in addition to the general ones.
    pub(in crate::commands) fn suppress(&self) -> Suppressions {
        let rules = self.rules.iter();
        rules.fold(Suppressions::default(), |all, rule| all.and(&rule.silence))
    }
}

/// Returns a sentence for each ignore rule that has expired.
pub(super) fn ended(request: &PlanRequest, now: Timestamp) -> Vec<String> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let rules = request.gates.for_sets.iter().map(|rule| &rule.silence);
    let suppressions = std::iter::once(&request.gates.silence).chain(rules);
    let mut ended: Vec<String> = suppressions
        .flat_map(|silence| silence.ended(today))
        .collect();
    ended.sort();
    ended.dedup();
    ended
}
