//! Entry of the catalogue, as its files declare it, and its recognition.
//!
//! The build script compiles this file too, so that it can check the catalogue: it names nothing of the crate.

use serde::Deserialize;

use super::terms::{
    Blames, CauseTrait, ContainerCheck, NamedObject, Place, Rank, Situation, TemplatePart,
};

/// A cause of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CauseEntry {
    /// The id, such as `image-not-found`.
    pub id: String,
    /// The cause in one clause.
    pub title: String,
    /// The place where it is reported.
    pub place: Place,
    /// The reasons that identify it; empty for any. One that ends in `*` identifies all that begin so.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The words that identify it, all of one group, in lower case; empty for any message.
    #[serde(default)]
    pub words: Vec<Vec<String>>,
    /// The words with which a report is of another cause, all of one group, in lower case.
    #[serde(default)]
    pub except: Vec<Vec<String>>,
    /// True if the words of a group must be in one line of the message.
    #[serde(default)]
    pub in_one_line: bool,
    /// The families of terms that identify a message that no cause has words for: of each combination, one term of every
    /// family, close together in one line, in lower case. A term is whole words; one that ends in `*` is their beginning.
    #[serde(default)]
    pub terms: Vec<Vec<Vec<String>>>,
    /// The state of the objects that identifies it, in words for its page, if no message does: the program knows that
    /// state.
    #[serde(default)]
    pub state: String,
    /// That state, if the program asks for its cause. Others are named by the symptom with the state.
    #[serde(default)]
    pub situation: Option<Situation>,
    /// The id of the cause instead of this one for a process that writes to no claim.
    #[serde(default)]
    pub on_no_claim: String,
    /// The causes instead of this one, if other reports on the pod or its node tell more.
    #[serde(default)]
    pub instead: Vec<Instead>,
    /// The exit codes that identify it without words; empty for none.
    #[serde(default)]
    pub exit_codes: Vec<i64>,
    /// The exit codes that a report must have beside the words; empty for any.
    #[serde(default)]
    pub only_exit_codes: Vec<i64>,
    /// The names of the containers that it is about; empty for any.
    #[serde(default)]
    pub containers: Vec<String>,
    /// The component that reports it.
    #[serde(default)]
    pub component: String,
    /// The source file and function that report it.
    #[serde(default)]
    pub source: String,
    /// The component at fault.
    #[serde(default)]
    pub blames: Blames,
    /// The seconds before the set counts as stuck.
    #[serde(default)]
    pub patience_seconds: u32,
    /// Advice in the imperative.
    pub helps: String,
    /// Actions that do not help.
    #[serde(default)]
    pub useless: String,
    /// Actions to avoid.
    #[serde(default)]
    pub avoid: String,
    /// Commands and places that show more.
    #[serde(default)]
    pub look: String,
    /// The check of the container that fails, if one does.
    #[serde(default)]
    pub check: Option<ContainerCheck>,
    /// The part of the template whose change can end the failure.
    #[serde(default)]
    pub fixed_by: TemplatePart,
    /// The precedence among the reports on one pod.
    #[serde(default)]
    pub rank: Rank,
    /// The traits that few causes have.
    #[serde(default)]
    pub traits: Vec<CauseTrait>,
    /// The condition under which a refused pod is created. `{pod}` stands for its name.
    #[serde(default = "server_accepts")]
    pub admitted_once: String,
    /// The kind of object that its message names as missing.
    #[serde(default)]
    pub names: Option<NamedObject>,
    /// The texts after which a message names the object at fault, in lower case: `{name}` in the texts of the page.
    #[serde(default)]
    pub named_after: Vec<String>,
    /// The component that has to work again, by its id in `components.yaml`: its pods in the input are looked at.
    #[serde(default)]
    pub served_by: String,
    /// The kinds of objects to read for evidence.
    #[serde(default)]
    pub reads: Vec<String>,
    /// The team to ask, for a cause that a team has added.
    #[serde(default)]
    pub owner: String,
    /// The link to the team's instructions.
    #[serde(default)]
    pub runbook: String,
    /// The file of a cause that a team has added; empty for the causes of this program.
    #[serde(skip)]
    pub file: String,
    /// Reports of it, for tests.
    #[serde(default)]
    pub examples: Vec<Example>,
    /// The reasons of its examples. The build collects them, and leaves out the examples.
    #[serde(default)]
    pub reasons_seen: Vec<String>,
}

/// A cause that other reports on the pod or its node tell, instead of one that its own report tells.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Instead {
    /// The conditions that the node has, and the reasons of events of the pod or its node: one of them is enough.
    #[serde(default)]
    pub shown: Vec<String>,
    /// The words of an event of the node that show it, such as a line of its kernel's log; all of one group, in lower case.
    #[serde(default)]
    pub words: Vec<Vec<String>>,
    /// The id of the component whose pods on the node report such events too.
    #[serde(default)]
    pub of_component: String,
    /// The minimum number of such events.
    #[serde(default = "once")]
    pub times: i64,
    /// The id of the cause.
    pub cause: String,
}

fn once() -> i64 {
    1
}

/// The condition under which a refused pod is created, if nothing more is known.
pub(crate) const SERVER_ACCEPTS: &str = "once the API server accepts {pod}";

fn server_accepts() -> String {
    SERVER_ACCEPTS.to_owned()
}

/// A report of a cause, as its component made it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Example {
    /// The reason, if it has one.
    #[serde(default)]
    pub reason: String,
    /// The message.
    #[serde(default)]
    pub message: String,
    /// The exit code of the container, if it has exited.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// The message of the probe that failed, if the kubelet killed the container for it.
    #[serde(default)]
    pub probe: String,
    /// True if undoing the rollout can end the failure.
    #[serde(default)]
    pub may_undo: bool,
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
    /// The name of the container; empty if it is about another object.
    pub container: &'a str,
}

impl CauseEntry {
    /// Reports whether it has a trait.
    #[must_use]
    pub fn has(&self, it: CauseTrait) -> bool {
        self.traits.contains(&it)
    }

    /// Returns where the words of one group, or the terms of one combination, end in a text, in any case.
    pub(crate) fn end_of_words(&self, text: &str) -> Option<usize> {
        let text = text.to_ascii_lowercase();
        self.end_of_groups(&text)
            .or_else(|| self.end_of_terms(&text))
    }

    /// Returns the first group of words that a text has, in any case.
    pub(crate) fn words_in(&self, text: &str) -> Option<&[String]> {
        let text = text.to_ascii_lowercase();
        let mut groups = self.words.iter();
        let found = groups.find(|group| group.iter().all(|word| text.contains(word)));
        found.map(Vec::as_slice)
    }

    /// Returns where the words of one group end in a text in lower case.
    fn end_of_groups(&self, text: &str) -> Option<usize> {
        let end = |word: &String| text.find(word).map(|at| at + word.len());
        let ends = |group: &Vec<String>| group.iter().map(end).collect::<Option<Vec<_>>>();
        self.words.iter().find_map(ends)?.into_iter().max()
    }

    /// Returns where the terms of one combination end in a text in lower case.
    fn end_of_terms(&self, text: &str) -> Option<usize> {
        let mut start = 0;
        text.split_inclusive('\n').find_map(|line| {
            let begin = start;
            start += line.len();
            let mut ends = self
                .terms
                .iter()
                .filter_map(|families| end_of_families(line, families));
            ends.next().map(|end| begin + end)
        })
    }

    /// Returns the name of the object at fault in a message: up to a quote, if the text before it ends with one, the host
    /// of an address, if that text ends with a slash, and a word otherwise.
    pub(crate) fn name_in<'m>(&self, message: &'m str) -> Option<&'m str> {
        let lower = message.to_ascii_lowercase();
        let mut found = self.named_after.iter().filter_map(|start| {
            let at = lower.find(start.as_str())? + start.len();
            let rest = &message[at..];
            let is_end = |c: char| match start.chars().next_back() {
                Some(quote @ ('"' | '\'' | '`')) => c == quote,
                Some('/') => c.is_whitespace() || "\"':/?)".contains(c),
                _ => c.is_whitespace() || "\"'`,;(){}".contains(c),
            };
            let name = rest.split(is_end).next()?.trim_end_matches(['.', ':']);
            // It may stand in a command.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_:/@".contains(c);
            let is_name = name.starts_with(|c: char| c != '-') && name.chars().all(is_plain);
            // A word of the sentence names nothing, and neither does a type of Go: `lookup for host`, `range: net.IPNet{`.
            let words = ["for", "of", "on", "the", "host", "failed", "net.IPNet"];
            let is_word = words.contains(&name);
            (is_name && !is_word).then_some(name)
        });
        found.next()
    }

    /// Reports whether a report with a message in lower case is of this cause, by the parts that count.
    fn is_announced_by(&self, report: &Announcement<'_>, by: Mark) -> bool {
        let is_any = self.words.is_empty() && self.terms.is_empty() && self.exit_codes.is_empty();
        let exits_with = |codes: &[i64]| report.exit_code.is_some_and(|code| codes.contains(&code));
        let has_all = |group: &Vec<String>| {
            let is_in = |text: &str| group.iter().all(|word| text.contains(word));
            match self.in_one_line {
                true => report.message.lines().any(is_in),
                false => is_in(report.message),
            }
        };
        let has_reason = |reason: &String| match reason.strip_suffix('*') {
            Some(start) => report.reason.starts_with(start),
            None => *reason == report.reason,
        };
        let is_about = |name: &String| *name == report.container;
        let is_of_another = self.except.iter().any(has_all);
        self.state.is_empty()
            && self.place == report.place
            && (self.containers.is_empty() || self.containers.iter().any(is_about))
            && (self.reasons.is_empty() || self.reasons.iter().any(has_reason))
            && (self.only_exit_codes.is_empty() || exits_with(&self.only_exit_codes))
            && !is_of_another
            && match by {
                Mark::Words => is_any || self.words.iter().any(has_all),
                Mark::Terms => self.end_of_terms(report.message).is_some(),
                Mark::ExitCode => is_any || exits_with(&self.exit_codes),
            }
    }
}

/// The part of an entry by which a report is recognized, the part that tells most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Words,
    Terms,
    ExitCode,
}

/// Maximum number of bytes between the terms of a combination: a line can be a whole trace.
const CLOSE: usize = 120;

/// Returns where the last of these families begins in a line, plus the length of its term, if each has a term close to
/// the others.
fn end_of_families(line: &str, families: &[Vec<String>]) -> Option<usize> {
    let places = |family: &Vec<String>| -> Vec<(usize, usize)> {
        let of_term = |term: &String| {
            let stem = term.strip_suffix('*');
            let found = line.match_indices(stem.unwrap_or(term));
            let places = found.map(|(at, found)| (at, at + found.len()));
            let is_whole = |(start, end): &(usize, usize)| {
                is_border(line, *start) && (stem.is_some() || is_border(line, *end))
            };
            places.filter(is_whole).collect::<Vec<_>>()
        };
        family.iter().flat_map(of_term).collect()
    };
    let families: Vec<Vec<(usize, usize)>> = families.iter().map(places).collect();
    let starts = families.iter().flatten().map(|(start, _)| *start);
    let ends = starts.filter_map(|first| {
        let near = |family: &Vec<(usize, usize)>| {
            let near = family
                .iter()
                .filter(|(start, _)| (first..=first + CLOSE).contains(start));
            near.map(|(_, end)| *end).min()
        };
        families
            .iter()
            .map(near)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .max()
    });
    ends.min()
}

/// Reports whether a place in a text is not within a word.
fn is_border(text: &str, at: usize) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    !(before.is_some_and(is_part) && after.is_some_and(is_part))
}

/// Returns the most specific of these causes for a report. A message tells more than an exit code.
pub(crate) fn recognize_in<'e>(
    entries: &'e [CauseEntry],
    report: &Announcement<'_>,
) -> Option<&'e CauseEntry> {
    let report = Announcement {
        message: &report.message.to_ascii_lowercase(),
        ..*report
    };
    let first = |by| {
        let mut entries = entries.iter();
        entries.find(|it| it.is_announced_by(&report, by))
    };
    first(Mark::Words)
        .filter(|entry| !entry.words.is_empty())
        .or_else(|| first(Mark::Terms))
        .or_else(|| first(Mark::ExitCode))
}

/// Checks causes in their order: each has an id of its own, words in lower case, and is recognized by the report that
/// its conditions describe.
///
/// # Errors
///
/// The id of the first wrong cause, and the fault.
pub fn check(entries: &[CauseEntry]) -> Result<(), String> {
    for (at, entry) in entries.iter().enumerate() {
        let id = &entry.id;
        if entries[..at].iter().any(|other| other.id == *id) {
            return Err(format!("{id}: another cause has this id"));
        }
        let terms = entry.terms.iter().flatten().flatten();
        let words = entry.words.iter().chain(&entry.except).flatten();
        let mut words = words.chain(terms);
        if let Some(word) = words.find(|word| **word != word.to_ascii_lowercase()) {
            return Err(format!(
                "{id}: words are compared in lower case: write {:?}",
                word.to_ascii_lowercase()
            ));
        }
        let mut starts = entry.named_after.iter();
        if let Some(start) = starts.find(|start| **start != start.to_ascii_lowercase()) {
            return Err(format!(
                "{id}: namedAfter is compared in lower case: write {:?}",
                start.to_ascii_lowercase()
            ));
        }
        let of_families = |families: &Vec<Vec<String>>| {
            let first = families.iter().filter_map(|family| family.first());
            let words = first.map(|term| term.trim_end_matches('*'));
            words.collect::<Vec<_>>().join(" ")
        };
        let words = match entry.words.first() {
            Some(group) => group.join(" "),
            None => entry.terms.first().map_or(String::new(), of_families),
        };
        let report = Announcement {
            place: entry.place,
            reason: entry.reasons.first().map_or("", String::as_str),
            message: &words,
            exit_code: match entry.only_exit_codes.first() {
                Some(code) => Some(*code),
                None => entry
                    .exit_codes
                    .first()
                    .copied()
                    .filter(|_| words.is_empty()),
            },
            container: entry.containers.first().map_or("", String::as_str),
        };
        let hidden_by = recognize_in(entries, &report).filter(|other| other.id != *id);
        if let Some(other) = hidden_by.filter(|_| entry.state.is_empty()) {
            return Err(format!(
                "{id}: {} comes first and is recognized by the same report: put {id} before it",
                other.id
            ));
        }
    }
    Ok(())
}
