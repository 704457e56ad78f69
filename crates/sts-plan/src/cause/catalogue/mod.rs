//! Causes of trouble around a StatefulSet: one entry a cause, with what announces it, whom it blames and what helps.
//!
//! The engine reads `place`, `reasons`, `words` and `exits` to recognize a cause, `blames` to decide which remedies
//! may be tried, and `patience` to decide when it counts. The sentences are the page of `explain CAUSE`.

mod admission;
mod containers;
mod controller;
mod images;
mod network;
mod nodes;
mod scheduling;
mod volumes;

use jiff::SignedDuration;

/// The place where a cause is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The state of a container that ended or is not created.
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

/// Whom a cause blames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Blames {
    /// The pod template.
    Template,
    /// Another pod.
    Pod,
    /// The node.
    Node,
    /// The nodes as a whole, and what adds nodes.
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
    /// The API server and what it calls.
    Server,
    /// The controller manager.
    Controller,
    /// Whoever owns the set, a finalizer or a condition.
    Owner,
    /// A service that the pods depend on.
    Dependency,
    /// Nobody: it passes.
    Nobody,
    /// Nothing tells.
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
    /// Its id, such as `image-not-found`.
    pub id: &'static str,
    /// The cause in one clause.
    pub title: &'static str,
    /// The place where it is announced.
    pub place: Place,
    /// The reasons that announce it; any where empty.
    pub reasons: &'static [&'static str],
    /// The words that announce it: all of one group; any message where empty.
    pub words: &'static [&'static [&'static str]],
    /// The exit codes that announce it instead of words; none where empty.
    pub exits: &'static [i64],
    /// The component that announces it.
    pub component: &'static str,
    /// The file and the function that announce it.
    pub source: &'static str,
    /// Whom it blames.
    pub blames: Blames,
    /// The seconds that it may last before it counts.
    pub patience: i64,
    /// Advice that helps.
    pub helps: &'static str,
    /// Attempts that do not help.
    pub useless: &'static str,
    /// Actions to avoid.
    pub avoid: &'static str,
    /// The place to look for more.
    pub look: &'static str,
}

/// A component's announcement.
#[derive(Debug, Clone, Copy)]
pub struct Announcement<'a> {
    /// The place of the announcement.
    pub place: Place,
    /// The reason.
    pub reason: &'a str,
    /// The message.
    pub message: &'a str,
    /// The exit code of a container.
    pub exit_code: Option<i64>,
}

impl CauseEntry {
    /// Returns the time that it may last before it counts.
    #[must_use]
    pub fn patience(&self) -> SignedDuration {
        SignedDuration::from_secs(self.patience)
    }

    fn is_announced_by(&self, said: &Announcement<'_>) -> bool {
        let told = |group: &&[&str]| group.iter().all(|word| said.message.contains(word));
        let words = self.words.iter().any(told);
        let exits = said
            .exit_code
            .is_some_and(|code| self.exits.contains(&code));
        self.place == said.place
            && (self.reasons.is_empty() || self.reasons.contains(&said.reason))
            && (words || exits || (self.words.is_empty() && self.exits.is_empty()))
    }
}

/// The families of causes, in the order of the documentation.
const FAMILIES: [&[CauseEntry]; 8] = [
    containers::ENTRIES,
    images::ENTRIES,
    scheduling::ENTRIES,
    volumes::ENTRIES,
    network::ENTRIES,
    admission::ENTRIES,
    nodes::ENTRIES,
    controller::ENTRIES,
];

/// All causes.
pub fn causes() -> impl Iterator<Item = &'static CauseEntry> {
    FAMILIES.into_iter().flatten()
}

/// The cause with this id.
#[must_use]
pub fn cause_called(id: &str) -> Option<&'static CauseEntry> {
    causes().find(|entry| entry.id.eq_ignore_ascii_case(id))
}

/// The most specific cause that something announces.
pub(crate) fn recognize(said: &Announcement<'_>) -> Option<&'static CauseEntry> {
    causes().find(|entry| entry.is_announced_by(said))
}

/// The page of a cause: `kubectl sts-plan explain CAUSE`.
#[must_use]
pub fn cause_page(entry: &CauseEntry) -> String {
    let mut text = format!("{}: {}\n\n", entry.id, entry.title);
    let mut section = |title: &str, body: &str| {
        text.push_str(&format!("{title}\n{}\n\n", crate::lint::paragraphs(body)));
    };
    let mut said = format!("Component: {}", entry.component);
    if !entry.reasons.is_empty() {
        said.push_str(&format!("\nReason: {}", entry.reasons.join(", ")));
    }
    let groups: Vec<String> = entry
        .words
        .iter()
        .map(|group| group.join(" ... "))
        .collect();
    if !groups.is_empty() {
        said.push_str(&format!("\nMessage with: {}", groups.join(" | ")));
    }
    if !entry.exits.is_empty() {
        let codes: Vec<String> = entry.exits.iter().map(i64::to_string).collect();
        said.push_str(&format!("\nExit code: {}", codes.join(", ")));
    }
    said.push_str(&format!("\nSource: {}", entry.source));
    section("Announced by", &said);
    section("Blames", entry.blames.name());
    let counts = match entry.patience {
        0 => "at once".to_owned(),
        seconds => format!(
            "after {}",
            crate::duration::spell(SignedDuration::from_secs(seconds))
        ),
    };
    section("Counts", &counts);
    section("What helps", entry.helps);
    section("What does not help", entry.useless);
    section("What not to do", entry.avoid);
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
        // Something that says all that an entry asks for is recognized as that entry.
        for entry in causes() {
            let words = entry
                .words
                .first()
                .map_or(String::new(), |group| group.join(" "));
            let said = Announcement {
                place: entry.place,
                reason: entry.reasons.first().copied().unwrap_or(""),
                message: &words,
                exit_code: entry.exits.first().copied().filter(|_| words.is_empty()),
            };
            assert_eq!(recognize(&said).map(|it| it.id), Some(entry.id));
        }
    }
}
