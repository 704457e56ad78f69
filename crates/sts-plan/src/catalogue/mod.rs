//! Catalogue of the causes of a stuck StatefulSet: how each is reported, what is at fault, and what to do.
//!
//! `place`, `reasons`, `words` and `exit_codes` recognize a cause, `blames` decides which remedies are tried, and
//! `patience_seconds` when the set is stuck. The sentences are the page of `explain CAUSE`. The other fields have a
//! default, and only the entries that differ set them.

mod address;
mod advised;
mod bystander;
mod bystander_entry;
mod component;
mod component_entry;
mod decisive_line;
mod entry;
mod fact;
mod failure;
mod injected_entry;
mod joined_lines;
mod log_entry;
mod log_line;
mod mounts;
mod names;
mod of_failure;
mod other_nodes;
mod paused;
mod pod_security;
mod recognition;
mod rejected;
mod renamed_entry;
mod scheduler;
mod symptom;
mod terms;
mod trouble;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::SignedDuration;
use strum::IntoEnumIterator as _;
use sts_controller::object::RelatedKind;

pub(crate) use address::{address_in, is_ipv4};
pub(crate) use advised::advised;
pub use bystander::bystander_kind;
pub(crate) use bystander::{kind_order, made_by, maker};
pub use bystander_entry::{BystanderEntry, Concern, Made};
pub(crate) use component::{component, component_behind, is_of_drivers};
pub use component_entry::ComponentEntry;
pub(crate) use decisive_line::{decisive_line, tells_failure};
pub(crate) use entry::Instead;
pub(crate) use entry::SERVER_ACCEPTS;
pub use entry::check;
pub use entry::{Announcement, CauseEntry, Example};
pub(crate) use fact::Fact;
pub use failure::ContainerFailure;
pub(crate) use failure::{
    container_list, failed_container, failed_readiness, other_failures, readiness_failures,
    restarted_container, worked_for,
};
pub(crate) use injected_entry::InjectedEntry;
pub(crate) use mounts::{Mount, container_of, mount_of, mounts, paths};
pub(crate) use names::if_known;
pub use names::{page_text, with_names};
pub use other_nodes::OtherNodes;
pub(crate) use paused::paused;
pub(crate) use pod_security::demanded;
pub use recognition::Recognized;
pub(crate) use recognition::{
    OF_SANDBOX, changing_owner, events_of_node, events_of_pod, events_of_set, failed_attachments,
    is_of_volume, is_over, node_claim_in, pod_of_report, pulling,
};
pub(crate) use rejected::{rejected_names, successor};
pub(crate) use scheduler::{
    about_nodes, has_taint, insufficient, names_taint, wanted_device, with_report,
};
pub use symptom::Symptom;
pub(crate) use symptom::{Advice, SaidIf, SymptomEntry};
pub use terms::{
    Blames, CauseTrait, ContainerCheck, NamedObject, Place, Rank, Situation, TemplatePart,
};
pub(crate) use terms::{Cure, ReadPart};
pub use trouble::keeps;
pub(crate) use trouble::{Trouble, field, reports_of, trouble_of};

// The build script reads its file, and has no names.
sts_controller::named!(Blames);
string_schema!(Blames);

/// The causes, as the build script joins them from the files of `catalogue/`.
static CAUSES: LazyLock<Vec<CauseEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/catalogue.json"));
    // The build script has read the entries into the same types, so there is nothing to report.
    serde_json::from_str(text).unwrap_or_default()
});

/// The symptoms, as the build script has read them.
static SYMPTOMS: LazyLock<BTreeMap<Symptom, SymptomEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/symptoms.json"));
    serde_json::from_str(text).unwrap_or_default()
});

/// A symptom without a declaration, which the build script refuses.
static UNDECLARED: LazyLock<SymptomEntry> = LazyLock::new(SymptomEntry::default);

impl Symptom {
    /// Returns its declaration.
    pub(crate) fn entry(self) -> &'static SymptomEntry {
        SYMPTOMS.get(&self).unwrap_or(&UNDECLARED)
    }
}

impl SaidIf {
    /// Reports whether it is said, by the facts that are known.
    pub(crate) fn is_said(&self, is_known: &dyn Fn(&Fact) -> bool) -> bool {
        self.when.iter().all(is_known) && !self.unless.iter().any(is_known)
    }
}

/// The causes that a run knows: those of a team before those of this program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Catalogue {
    own: &'static [CauseEntry],
}

impl Catalogue {
    /// Puts the causes of a team before those of this program. They live to the end of the process, as the others do,
    /// so read them once.
    ///
    /// # Errors
    /// The id of a cause that is wrong or known already, and the fault.
    pub fn with_own(own: Vec<CauseEntry>) -> Result<Self, String> {
        check(&own)?;
        let known = |entry: &&CauseEntry| cause_by_id(&entry.id).is_some();
        match own.iter().find(known) {
            Some(entry) => Err(format!(
                "{}: this program has a cause with this id",
                entry.id
            )),
            None => Ok(Catalogue { own: own.leak() }),
        }
    }

    /// Returns all causes, the own ones first.
    pub fn causes(self) -> impl Iterator<Item = &'static CauseEntry> {
        self.own.iter().chain(CAUSES.iter())
    }

    /// Returns the cause with this id, ignoring case.
    #[must_use]
    pub fn by_id(self, id: &str) -> Option<&'static CauseEntry> {
        self.causes()
            .find(|entry| entry.id.eq_ignore_ascii_case(id))
    }

    /// Returns the cause of a situation.
    pub(crate) fn of_situation(self, situation: Situation) -> Option<&'static CauseEntry> {
        self.causes()
            .find(|entry| entry.situation == Some(situation))
    }

    /// Returns the causes that a reason announces, such as `CrashLoopBackOff`.
    pub fn announced_by(self, reason: &str) -> impl Iterator<Item = &'static CauseEntry> {
        let reason = reason.to_owned();
        self.causes().filter(move |entry| {
            let mut seen = entry.reasons_seen.iter().chain(&entry.reasons);
            seen.any(|it| it.eq_ignore_ascii_case(&reason))
        })
    }

    /// Returns the most specific cause of a report.
    fn recognize(self, report: &Announcement<'_>) -> Option<&'static CauseEntry> {
        let of_own = entry::recognize_in(self.own, report);
        of_own.or_else(|| entry::recognize_in(&CAUSES, report))
    }
}

/// Returns the causes of this program.
pub fn causes() -> impl Iterator<Item = &'static CauseEntry> {
    CAUSES.iter()
}

/// Returns the cause of this program with this id, ignoring case.
#[must_use]
pub fn cause_by_id(id: &str) -> Option<&'static CauseEntry> {
    Catalogue::default().by_id(id)
}

impl CauseEntry {
    /// Returns the time before the set counts as stuck.
    #[must_use]
    pub fn patience(&self) -> SignedDuration {
        SignedDuration::from_secs(i64::from(self.patience_seconds))
    }

    /// Returns the kinds of objects to read for evidence.
    pub fn kinds_to_read(&self) -> impl Iterator<Item = RelatedKind> {
        let kind = |name: &String| RelatedKind::iter().find(|kind| kind.name() == name);
        self.reads.iter().filter_map(kind)
    }
}

/// Returns the page of a cause, as `kubectl sts-plan explain CAUSE` prints it.
#[must_use]
pub fn cause_page(entry: &CauseEntry) -> String {
    let texts = [
        &entry.title,
        &entry.helps,
        &entry.useless,
        &entry.avoid,
        &entry.look,
    ];
    let [title, helps, useless, avoid, look] = texts.map(|text| page_text(text));
    let mut text = format!("{}: {title}\n\n", entry.id);
    let mut section = |title: &str, body: &str| {
        if body.is_empty() {
            return;
        }
        text.push_str(&format!("{title}\n{}\n\n", crate::wrap::paragraphs(body)));
    };
    let mut reported = Vec::new();
    if !entry.component.is_empty() {
        reported.push(format!("Component: {}", entry.component));
    }
    if !entry.reasons.is_empty() {
        reported.push(format!("Reason: {}", entry.reasons.join(", ")));
    }
    let groups: Vec<String> = entry
        .words
        .iter()
        .map(|group| group.join(" ... "))
        .collect();
    if !groups.is_empty() {
        reported.push(format!(
            "Message contains, in any case: {}",
            groups.join(" | ")
        ));
    }
    let terms: Vec<String> = entry.terms.iter().map(|it| families(it)).collect();
    if !terms.is_empty() {
        let terms = terms.join(" | ");
        reported.push(format!(
            "Or, if no cause has words for it, one line contains: {terms}"
        ));
    }
    if !entry.exit_codes.is_empty() {
        reported.push(format!("Exit code: {}", joined(&entry.exit_codes)));
    }
    if !entry.only_exit_codes.is_empty() {
        let codes = joined(&entry.only_exit_codes);
        reported.push(format!("Only with exit code: {codes}"));
    }
    if !entry.state.is_empty() {
        reported.push(format!("State: {}", entry.state));
    }
    if !entry.source.is_empty() {
        reported.push(format!("Source: {}", entry.source));
    }
    section("Reported by", &reported.join("\n"));
    section("At fault", entry.blames.name());
    let stuck = match entry.patience() {
        SignedDuration::ZERO => "immediately".to_owned(),
        patience => format!("after {}", crate::duration::spell(patience)),
    };
    section("Counts as stuck", &stuck);
    section("What to do", &helps);
    section("What does not help", &useless);
    section("What to avoid", &avoid);
    section("Where to look", &look);
    section("Whom to ask", &entry.owner);
    section("Runbook", &entry.runbook);
    section("Added by", &entry.file);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// `(database, schema) and (version) and (newer, ahead of)`.
fn families(families: &[Vec<String>]) -> String {
    let each: Vec<String> = families
        .iter()
        .map(|family| format!("({})", family.join(", ")))
        .collect();
    each.join(" and ")
}

fn joined(codes: &[i64]) -> String {
    let codes: Vec<String> = codes.iter().map(i64::to_string).collect();
    codes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symptoms_are_read_whole() {
        for symptom in Symptom::iter() {
            assert!(!symptom.entry().sentence.is_empty(), "{symptom:?}");
        }
        assert_eq!(Symptom::NodeGone.entry().cure, Cure::LeaveNode);
        let first = &Symptom::DeletionRefused.entry().cautions[0];
        assert!(first.say.starts_with("{timedretry}"));
    }

    #[test]
    fn a_sentence_is_said_by_the_facts_that_are_known() {
        let mut of_lost = Symptom::NodeLost.entry().cautions.iter();
        let lost = of_lost.find(|it| it.unless == [Fact::SeveralZones, Fact::LocalClaim]);
        let lost = lost.unwrap();
        assert!(lost.is_said(&|fact| *fact == Fact::Zones));
        assert!(!lost.is_said(&|fact| *fact == Fact::LocalClaim));
        let terminating = &Symptom::NodeNotReady.entry().cautions[0];
        assert!(terminating.is_said(&|fact| *fact == Fact::Terminating));
        assert!(!terminating.is_said(&|_| false));
    }

    #[test]
    fn the_catalogue_is_read_whole() {
        assert!(causes().count() >= 190);
        for entry in causes() {
            assert_eq!(
                entry.kinds_to_read().count(),
                entry.reads.len(),
                "{}",
                entry.id
            );
        }
    }
}
