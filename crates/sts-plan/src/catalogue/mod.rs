//! Catalogue of the causes of a stuck StatefulSet: how each is reported, what is at fault, and what to do.
//!
//! The engine reads `place`, `reasons`, `words` and `exits` to recognize a cause, `blames` to decide which remedies
//! to try, and `patience` to decide when the set is stuck. The sentences are the page of `explain CAUSE`. The other
//! fields have a default ([`CauseEntry::PLAIN`]), and only the entries that differ set them.

mod admission;
mod containers;
mod controller;
mod failure;
mod handling;
mod images;
mod network;
mod nodes;
mod processes;
mod readiness;
mod recognition;
mod scheduler;
mod scheduling;
mod volumes;

use jiff::SignedDuration;
use sts_controller::object::RelatedKind;

pub use failure::ContainerFailure;
pub(crate) use failure::{
    FailureKind, container_list, failed_container, failed_readiness, of_failure, of_readiness,
    other_failures, worked_for,
};
pub use recognition::Recognized;
pub(crate) use recognition::{
    OF_SANDBOX, changing_owner, classify, events_of_pod, image, is_of_volume, progress, pulling,
    recognized_by,
};
pub(crate) use scheduler::placing;

pub use handling::{ContainerCheck, NamedObject, Rank, TemplatePart};

/// The place where a cause is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The state of a container that exited or is not created.
    Container,
    /// The state of a container whose image is not pulled.
    Image,
    /// The events of a pod whose image is being pulled.
    Pulling,
    /// The containers of a pod that has not started.
    Start,
    /// The readiness of the containers.
    Ready,
    /// The readiness gates of a pod.
    Gate,
    /// The scheduler or an autoscaler.
    Scheduler,
    /// The mounts and attachments of a pod.
    Volume,
    /// A claim.
    Claim,
    /// The sandbox of a pod.
    Sandbox,
    /// A creation that the API server refuses.
    Creation,
    /// A deletion that the API server refuses.
    Deletion,
    /// A node.
    Node,
    /// A pod that the kubelet rejects or evicts.
    Rejected,
    /// A pod that does not terminate.
    Stop,
    /// The status of the set.
    Set,
    /// The owner of the set.
    Owner,
    /// All pods of the set.
    All,
}

/// The component at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Blames {
    /// The pod template.
    Template,
    /// Another pod.
    Pod,
    /// The node.
    Node,
    /// The nodes as a whole, or the autoscaler.
    Cluster,
    /// The volume or its claim.
    Volume,
    /// The storage behind the volumes.
    Storage,
    /// The network.
    Network,
    /// The image registry.
    Registry,
    /// An object that is missing or incomplete: a Secret, a ServiceAccount, a class.
    Object,
    /// A policy or a quota.
    Policy,
    /// The API server, or a service that it calls.
    Server,
    /// The controller manager.
    Controller,
    /// The owner of the set, of a finalizer or of a condition.
    Owner,
    /// A service that the pods depend on.
    Dependency,
    /// Nothing: the wait is temporary.
    Nobody,
    /// Unknown.
    Unknown,
}

impl Blames {
    /// The name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Blames::Template => "template",
            Blames::Pod => "pod",
            Blames::Node => "node",
            Blames::Cluster => "cluster",
            Blames::Volume => "volume",
            Blames::Storage => "storage",
            Blames::Network => "network",
            Blames::Registry => "registry",
            Blames::Object => "object",
            Blames::Policy => "policy",
            Blames::Server => "server",
            Blames::Controller => "controller",
            Blames::Owner => "owner",
            Blames::Dependency => "dependency",
            Blames::Nobody => "nobody",
            Blames::Unknown => "unknown",
        }
    }
}

/// A cause of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct CauseEntry {
    /// The id, such as `image-not-found`.
    pub id: &'static str,
    /// The cause in one clause.
    pub title: &'static str,
    /// The place where it is reported.
    pub place: Place,
    /// The reasons that identify it; empty for any. One that ends in `*` identifies all that begin so.
    pub reasons: &'static [&'static str],
    /// The words that identify it, all of one group, in lower case; empty for any message.
    pub words: &'static [&'static [&'static str]],
    /// The exit codes that identify it without words; empty for none.
    pub exits: &'static [i64],
    /// The component that reports it.
    pub component: &'static str,
    /// The source file and function that report it.
    pub source: &'static str,
    /// The component at fault.
    pub blames: Blames,
    /// The seconds before the set counts as stuck.
    pub patience: i64,
    /// Advice in the imperative.
    pub helps: &'static str,
    /// Actions that do not help.
    pub useless: &'static str,
    /// Actions to avoid.
    pub avoid: &'static str,
    /// Commands and places that show more.
    pub look: &'static str,
    /// The check of the container that fails, if one does.
    pub check: Option<ContainerCheck>,
    /// The part of the template whose change can end the failure.
    pub fixed_by: TemplatePart,
    /// The precedence among the reports on one pod.
    pub rank: Rank,
    /// True if its words are the keys of taints, which nodes also report.
    pub words_are_taints: bool,
    /// True if it stands for a taint that the message may not name.
    pub names_no_taint: bool,
    /// True if the node is out of the question, whatever happens to it.
    pub excludes_node: bool,
    /// True if the pod waits for room, which a preemption can have taken.
    pub lacks_room: bool,
    /// True if the registry fails for every image.
    pub concerns_registry: bool,
    /// True if the process ends before it can change the data on its volumes.
    pub leaves_data: bool,
    /// True if the headline names the pod that uses the volume.
    pub names_holder: bool,
    /// The condition under which a refused pod is created. `{pod}` stands for its name.
    pub admitted_once: &'static str,
    /// The kind of object that its message names as missing.
    pub names: Option<NamedObject>,
    /// The kinds of objects to read for evidence.
    pub reads: &'static [RelatedKind],
}

/// A report by a component.
#[derive(Debug, Clone, Copy)]
pub struct Announcement<'a> {
    /// The place of the report.
    pub place: Place,
    /// The reason.
    pub reason: &'a str,
    /// The message.
    pub message: &'a str,
    /// The exit code of a container.
    pub exit_code: Option<i64>,
}

impl CauseEntry {
    /// The defaults of an entry.
    pub(crate) const PLAIN: CauseEntry = CauseEntry {
        id: "",
        title: "",
        place: Place::Container,
        reasons: &[],
        words: &[],
        exits: &[],
        component: "",
        source: "",
        blames: Blames::Unknown,
        patience: 0,
        helps: "",
        useless: "",
        avoid: "",
        look: "",
        check: None,
        fixed_by: TemplatePart::AtFault,
        rank: Rank::Specific,
        words_are_taints: false,
        names_no_taint: false,
        excludes_node: false,
        lacks_room: false,
        concerns_registry: false,
        leaves_data: false,
        names_holder: false,
        admitted_once: "once the policy admits {pod}",
        names: None,
        reads: &[],
    };

    /// Returns the time before the set counts as stuck.
    #[must_use]
    pub fn patience(&self) -> SignedDuration {
        SignedDuration::from_secs(self.patience)
    }

    /// Returns where the words of one group end in a text, in any case.
    pub(crate) fn end_of_words(&self, text: &str) -> Option<usize> {
        let text = text.to_ascii_lowercase();
        let end = |word: &&str| text.find(word).map(|at| at + word.len());
        let ends = |group: &&[&str]| group.iter().map(end).collect::<Option<Vec<_>>>();
        self.words.iter().find_map(ends)?.into_iter().max()
    }

    /// Reports whether a report with a message in lower case is of this cause.
    fn is_announced_by(&self, report: &Announcement<'_>) -> bool {
        let is_any = self.words.is_empty() && self.exits.is_empty();
        let exits = |code| self.exits.contains(&code);
        let has_all = |group: &&[&str]| group.iter().all(|word| report.message.contains(word));
        let has_reason = |reason: &&str| match reason.strip_suffix('*') {
            Some(start) => report.reason.starts_with(start),
            None => *reason == report.reason,
        };
        self.place == report.place
            && (self.reasons.is_empty() || self.reasons.iter().any(has_reason))
            && (is_any || report.exit_code.is_some_and(exits) || self.words.iter().any(has_all))
    }
}

/// The families of causes, in the order of the documentation.
const FAMILIES: [&[CauseEntry]; 10] = [
    containers::ENTRIES,
    processes::ENTRIES,
    readiness::ENTRIES,
    images::ENTRIES,
    scheduling::ENTRIES,
    volumes::ENTRIES,
    network::ENTRIES,
    admission::ENTRIES,
    nodes::ENTRIES,
    controller::ENTRIES,
];

/// Returns all causes.
pub fn causes() -> impl Iterator<Item = &'static CauseEntry> {
    FAMILIES.into_iter().flatten()
}

/// Returns the cause with this id, ignoring case.
#[must_use]
pub fn cause_by_id(id: &str) -> Option<&'static CauseEntry> {
    causes().find(|entry| entry.id.eq_ignore_ascii_case(id))
}

/// Returns the most specific cause of a report.
pub(crate) fn recognize(report: &Announcement<'_>) -> Option<&'static CauseEntry> {
    let report = Announcement {
        message: &report.message.to_ascii_lowercase(),
        ..*report
    };
    // A message tells more than an exit code.
    let message = Announcement {
        exit_code: None,
        ..report
    };
    causes()
        .find(|entry| entry.is_announced_by(&message))
        .filter(|entry| !entry.words.is_empty())
        .or_else(|| causes().find(|entry| entry.is_announced_by(&report)))
}

/// Returns the page of a cause, as `kubectl sts-plan explain CAUSE` prints it.
#[must_use]
pub fn cause_page(entry: &CauseEntry) -> String {
    let mut text = format!("{}: {}\n\n", entry.id, entry.title);
    let mut section = |title: &str, body: &str| {
        text.push_str(&format!("{title}\n{}\n\n", crate::wrap::paragraphs(body)));
    };
    let mut report = format!("Component: {}", entry.component);
    if !entry.reasons.is_empty() {
        report.push_str(&format!("\nReason: {}", entry.reasons.join(", ")));
    }
    let groups: Vec<String> = entry
        .words
        .iter()
        .map(|group| group.join(" ... "))
        .collect();
    if !groups.is_empty() {
        report.push_str(&format!(
            "\nMessage contains, in any case: {}",
            groups.join(" | ")
        ));
    }
    if !entry.exits.is_empty() {
        let codes: Vec<String> = entry.exits.iter().map(i64::to_string).collect();
        report.push_str(&format!("\nExit code: {}", codes.join(", ")));
    }
    report.push_str(&format!("\nSource: {}", entry.source));
    section("Reported by", &report);
    section("At fault", entry.blames.name());
    let stuck = match entry.patience {
        0 => "immediately".to_owned(),
        seconds => format!(
            "after {}",
            crate::duration::spell(SignedDuration::from_secs(seconds))
        ),
    };
    section("Counts as stuck", &stuck);
    section("What to do", entry.helps);
    section("What does not help", entry.useless);
    section("What to avoid", entry.avoid);
    section("Where to look", entry.look);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_pages_are_whole() {
        let ids: BTreeSet<&str> = causes().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), causes().count());
        assert!(ids.len() >= 60);
        for entry in causes() {
            for word in entry.words.iter().copied().flatten() {
                assert_eq!(*word, word.to_ascii_lowercase(), "{}", entry.id);
            }
            for text in [
                entry.title,
                entry.component,
                entry.source,
                entry.helps,
                entry.useless,
                entry.avoid,
                entry.look,
            ] {
                assert!(text.len() > 4, "{}", entry.id);
            }
        }
    }

    #[test]
    fn no_entry_is_hidden_by_one_before_it() {
        // A report that meets all conditions of an entry is recognized as that entry.
        for entry in causes() {
            let words = entry
                .words
                .first()
                .map_or(String::new(), |group| group.join(" "));
            let report = Announcement {
                place: entry.place,
                reason: entry.reasons.first().copied().unwrap_or(""),
                message: &words,
                exit_code: entry.exits.first().copied().filter(|_| words.is_empty()),
            };
            assert_eq!(recognize(&report).map(|it| it.id), Some(entry.id));
        }
    }
}
