//! Ignored findings: by flag, by a policy with a reason and an end date, or by an annotation of the set. The report keeps
//! them with the reason, so that none is forgotten.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{RULES, RuleId, Severity, rules_by_name};
use sts_controller::object::Set;

/// The annotation with the rules to ignore for a set.
pub const ANNOTATION: &str = "sts-plan/ignore";

/// The source of a suppression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum IgnoredBy {
    /// The flag `--ignore`.
    #[default]
    Flag,
    /// A policy file.
    Policy,
    /// The annotation of the set.
    Annotation,
}

serialized!(by_name: IgnoredBy);

/// The source, reason and end of a suppression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excuse {
    /// Source of the suppression.
    pub by: IgnoredBy,
    /// Reason, if given.
    pub reason: Option<String>,
    /// Last day, if any.
    pub until: Option<Date>,
}

impl Excuse {
    fn holds(&self, today: Option<Date>) -> bool {
        match (self.until, today) {
            (Some(until), Some(today)) => today <= until,
            _ => true,
        }
    }
}

/// Ignored findings, by rule and by severity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suppressions {
    rules: BTreeMap<RuleId, Excuse>,
    severities: BTreeMap<Severity, Excuse>,
}

impl Suppressions {
    /// Parses a list of rule ids, rule names and severities. A severity includes those below it.
    ///
    /// # Errors
    /// When a word is unknown.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (silence, unknown) = split(text);
        match unknown.first() {
            None => Ok(silence),
            Some(unknown) => Err(unknown_id(unknown)),
        }
    }

    /// Returns the suppressions with this excuse.
    #[must_use]
    pub fn because(mut self, excuse: &Excuse) -> Self {
        let all = self.rules.values_mut().chain(self.severities.values_mut());
        all.for_each(|place| place.clone_from(excuse));
        self
    }

    /// Reports whether a whole rule is ignored.
    #[must_use]
    pub fn covers(&self, id: RuleId) -> bool {
        self.rules.contains_key(&id)
    }

    /// Returns the excuse for a finding on that day; `None` if it is not ignored. Without a day, no excuse has expired.
    pub(crate) fn excuse(
        &self,
        id: RuleId,
        severity: Severity,
        today: Option<Date>,
    ) -> Option<&Excuse> {
        let of_rule = self.rules.get(&id);
        let of_severity = self.severities.get(&severity);
        let mut excuses = of_rule.into_iter().chain(of_severity);
        excuses.find(|excuse| excuse.holds(today))
    }

    /// Describes the suppressions that have expired by that day.
    #[must_use]
    pub fn ended(&self, today: Date) -> Vec<String> {
        let rules = self.rules.iter().map(|(id, it)| (id.name(), it));
        let severities = self.severities.iter().map(|(of, it)| (of.name(), it));
        let ended = rules.chain(severities);
        ended
            .filter(|(_, excuse)| !excuse.holds(Some(today)))
            .filter_map(|(word, excuse)| {
                let until = excuse.until?;
                Some(format!(
                    "{word} is no longer ignored: the policy ignored it until {until}"
                ))
            })
            .collect()
    }

    /// Returns the union of both. A suppression without an end date outlasts one with an end date.
    #[must_use]
    pub fn and(&self, other: &Suppressions) -> Self {
        fn merge<K: Ord + Copy>(into: &mut BTreeMap<K, Excuse>, other: &BTreeMap<K, Excuse>) {
            for (key, excuse) in other {
                match into.get(key) {
                    Some(before) if before.until.is_none() => {}
                    Some(before) if excuse.until.is_some() && before.until >= excuse.until => {}
                    _ => {
                        into.insert(*key, excuse.clone());
                    }
                }
            }
        }
        let mut all = self.clone();
        merge(&mut all.rules, &other.rules);
        merge(&mut all.severities, &other.severities);
        all
    }
}

/// Returns the suppressions in the annotation of a set, and an error for each unknown id in it.
#[must_use]
pub fn named_by_annotation(set: &Set) -> (Suppressions, Vec<String>) {
    let text = set.annotations.as_ref();
    let text = text.and_then(|annotations| annotations.get(ANNOTATION)?.as_str());
    let (silence, unknown) = split(text.unwrap_or_default());
    let silence = silence.because(&Excuse {
        by: IgnoredBy::Annotation,
        ..Excuse::default()
    });
    let name = &set.meta.name;
    let unknown = unknown.iter().map(|id| {
        format!("StatefulSet {name}: annotation {ANNOTATION} has unknown finding {id:?}: see kubectl sts-plan explain")
    });
    (silence, unknown.collect())
}

fn split(text: &str) -> (Suppressions, Vec<&str>) {
    let mut silence = Suppressions::default();
    let mut unknown = Vec::new();
    for id in text.split(',').map(str::trim).filter(|id| !id.is_empty()) {
        if let Some(most) = Severity::by_name(id) {
            let below = Severity::ALL.into_iter().filter(|it| *it <= most);
            silence
                .severities
                .extend(below.map(|it| (it, Excuse::default())));
            continue;
        }
        let rules = rules_by_name(id);
        if rules.is_empty() {
            unknown.push(id);
        }
        let excuses = rules.iter().map(|rule| (rule.id, Excuse::default()));
        silence.rules.extend(excuses);
    }
    (silence, unknown)
}

/// Returns the error for an unknown id.
#[must_use]
pub fn unknown_id(id: &str) -> String {
    format!("unknown finding {id:?}: {}", known_ids())
}

/// Describes valid ids, with the command that lists them.
#[must_use]
pub fn known_ids() -> String {
    format!(
        "expected an id ({} to {}) or a name such as data-loss (kubectl sts-plan explain lists them)",
        RULES[0].id,
        RULES[RULES.len() - 1].id,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(text: &str) -> Excuse {
        Excuse {
            by: IgnoredBy::Policy,
            reason: Some("scratch".to_owned()),
            until: Some(text.parse().unwrap()),
        }
    }

    #[test]
    fn an_excuse_holds_to_the_end_of_its_day() {
        let silence = Suppressions::parse("data-loss").unwrap();
        let silence = silence.because(&until("2026-11-21"));
        let on = |day: &str| {
            silence.excuse(
                RuleId::DataLoss,
                Severity::Error,
                Some(day.parse().unwrap()),
            )
        };
        assert!(on("2026-11-21").is_some() && on("2026-11-22").is_none());
        assert!(silence.ended("2026-11-21".parse().unwrap()).is_empty());
        assert_eq!(
            silence.ended("2026-11-22".parse().unwrap()),
            ["STS003 is no longer ignored: the policy ignored it until 2026-11-21"]
        );
        // A suppression without an end date outlasts it.
        let longer = silence.and(&Suppressions::parse("STS003").unwrap());
        assert_eq!(longer, Suppressions::parse("STS003").unwrap());
    }

    #[test]
    fn a_severity_stands_for_those_below() {
        let silence = Suppressions::parse("warning").unwrap();
        let ignored = |severity| {
            silence
                .excuse(RuleId::ForcedRollback, severity, None)
                .is_some()
        };
        assert!(ignored(Severity::Info) && ignored(Severity::Warning) && !ignored(Severity::Error));
    }
}
