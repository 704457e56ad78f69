//! Settings that the message of a process is about, as the template of its pod has them, or as another revision had them.

use std::sync::Arc;

use serde_json::Value;

use super::lacked::lacked_variables;
use crate::catalogue::{
    CauseEntry, CauseTrait, ContainerFailure, Rank, container_of, decisive_line, rejected_names,
    successor,
};
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Pod, Revision};

/// Maximum number of settings to name.
const MOST: usize = 3;

/// The settings that a message is about. Each is empty if the input does not show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The option or variable that the message names, with its place: `--retention in args of container db`.
    pub named: String,
    /// The option that sets the heap of the process, with its place.
    pub heap: String,
    /// True if the process asks for more memory than it gets; false if it uses up what it may have.
    pub is_refused: bool,
    /// The variable that the message names and another revision has, and that revision.
    pub lost: Option<(String, Arc<str>)>,
    /// The variables that the message misses, and that the container does not set.
    pub lacked: String,
    /// The port in the message, and another container of the pod that has it too.
    pub port: Option<(String, String)>,
}

impl Settings {
    /// Reads the template of a pod whose process fails with a message.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        failure: &ContainerFailure,
        entry: Option<&CauseEntry>,
    ) -> Option<Self> {
        let given = pod.given()?;
        let container = container_of(&given["spec"], failure)?;
        let has = |it: CauseTrait| entry.is_some_and(|entry| entry.has(it));
        let line = decisive_line(&failure.last_words, entry);
        let is_open = entry.is_none_or(|entry| entry.rank == Rank::Generic);
        let is_refused = has(CauseTrait::ReservesMemory);
        let told = |found: Vec<Named>| {
            let mut texts: Vec<String> = Vec::new();
            for text in found.iter().map(|it| it.text(&failure.image)) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            match texts.is_empty() {
                true => String::new(),
                false => format!("{} of container {}", list(&texts, MOST), failure.container),
            }
        };
        Some(Settings {
            named: match has(CauseTrait::NamesSetting) {
                true => {
                    let names = rejected_names(&failure.last_words).join(" ");
                    told(named_options(container, &format!("{line} {names}")))
                }
                false => String::new(),
            },
            heap: match is_refused || has(CauseTrait::SetsHeap) {
                true => told(heap_option(container, is_refused).into_iter().collect()),
                false => String::new(),
            },
            is_refused,
            lost: match is_open || has(CauseTrait::NamesVariable) {
                true => lost_variable(plan, pod, container, failure),
                false => None,
            },
            lacked: match has(CauseTrait::LacksVariable) {
                true => list(
                    &lacked_variables(container, &line, &failure.last_words),
                    MOST,
                ),
                false => String::new(),
            },
            port: match has(CauseTrait::NamesPort) {
                true => shared_port(&given["spec"], &line, failure),
                false => None,
            },
        })
    }
}

impl Settings {
    /// Reports whether the template has a setting that is at fault, or lacks one.
    pub(crate) fn is_known(&self) -> bool {
        !self.named.is_empty()
            || !self.heap.is_empty()
            || self.lost.is_some()
            || self.port.is_some()
    }
}

/// A setting of a container.
struct Named {
    /// The option as the container has it, or the variable.
    name: String,
    /// The place of an option: `args`, `env JAVA_OPTS`. A variable is a place itself.
    place: Option<String>,
}

impl Named {
    /// Returns its name with what replaces it, and its place.
    fn text(&self, image: &str) -> String {
        let name = match successor(image, self.name.trim_start_matches('-')) {
            Some(now) => format!("{} ({now})", self.name),
            None => self.name.clone(),
        };
        match &self.place {
            Some(place) => format!("{name} in {place}"),
            None => format!("env {name}"),
        }
    }
}

/// Returns the texts of a container that have options, with their places.
fn texts(container: &Value) -> Vec<(String, &str)> {
    let list = |member: &'static str| {
        let values = container[member].as_array().into_iter().flatten();
        values.filter_map(move |it| Some((member.to_owned(), it.as_str()?)))
    };
    let env = variables(container).filter_map(|it| {
        let place = format!("env {}", it["name"].as_str()?);
        Some((place, it["value"].as_str()?))
    });
    list("args").chain(list("command")).chain(env).collect()
}

fn variables(container: &Value) -> impl Iterator<Item = &Value> {
    container["env"].as_array().into_iter().flatten()
}

/// Returns the options in a text: `--retention=5d`, `-XX:+UseG1GC`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`,;".contains(c);
    text.split(ends)
        .filter(|piece| piece.len() > 2 && piece.starts_with('-'))
}

/// Returns the name of an option in the form in which two spellings of it are the same.
fn plain(option: &str) -> String {
    let name = option.split('=').next().unwrap_or_default();
    let name = name.trim_start_matches('-');
    let name = name.strip_prefix("XX:").unwrap_or(name);
    let name = name.trim_start_matches(['+', '-']);
    let name = name.trim_end_matches(['.', ':', ',']);
    name.to_ascii_lowercase().replace('_', "-")
}

/// Minimum number of characters of a name that is looked for.
const SHORTEST: usize = 5;

/// Returns the options and variables of a container that a line of its log names.
fn named_options(container: &Value, line: &str) -> Vec<Named> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>()[]{},;".contains(c);
    let words = line.split(ends).filter(|word| !word.starts_with('/'));
    let names: Vec<&str> = words.filter(|word| plain(word).len() >= SHORTEST).collect();
    let texts = texts(container);
    let found = names.iter().filter_map(|name| {
        let wanted = plain(name);
        let of_text = |(place, text): &(String, &str)| {
            let option = options(text).find(|it| is_same(&plain(it), &wanted))?;
            let name = option.split('=').next().unwrap_or(option).to_owned();
            Some(Named {
                name,
                place: Some(place.clone()),
            })
        };
        texts
            .iter()
            .find_map(of_text)
            .or_else(|| named_variable(container, name))
    });
    found.collect()
}

/// Reports whether an option is the wanted one. A system property of Java begins with `D`.
fn is_same(option: &str, wanted: &str) -> bool {
    option == wanted || option.strip_prefix('d') == Some(wanted)
}

/// Returns the variable that an image makes a setting of: `NEO4J_dbms_memory_heap_max__size` is `dbms.memory.heap.max_size`.
fn named_variable(container: &Value, name: &str) -> Option<Named> {
    let letters = |text: &str| {
        let kept = text.chars().filter(char::is_ascii_alphanumeric);
        kept.collect::<String>().to_ascii_lowercase()
    };
    let name = name.split('=').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ':']);
    let is_setting = name.contains(['.', '_', '-']) && name.chars().any(char::is_alphabetic);
    let wanted = Some(letters(name)).filter(|it| is_setting && it.len() > SHORTEST)?;
    let names = variables(container).filter_map(|it| it["name"].as_str());
    let mut found = names.filter(|it| letters(it).ends_with(&wanted));
    Some(Named {
        name: found.next()?.to_owned(),
        place: None,
    })
}

/// Beginnings of the options for the largest heap, and of all that set its size.
const LARGEST: [&str; 4] = [
    "-Xmx",
    "-XX:MaxRAMPercentage",
    "--max-old-space-size",
    "--max_old_space_size",
];
const SIZES: [&str; 3] = ["-Xms", "-Xmx", "-XX:InitialRAMPercentage"];

/// Returns the option of a container that sets its heap.
fn heap_option(container: &Value, is_refused: bool) -> Option<Named> {
    let starts: &[&str] = if is_refused { &SIZES } else { &LARGEST };
    let texts = texts(container);
    let mut found = starts.iter().filter_map(|start| {
        texts.iter().find_map(|(place, text)| {
            let option = options(text).find(|it| it.starts_with(start))?;
            Some(Named {
                name: option.to_owned(),
                place: Some(place.clone()),
            })
        })
    });
    found.next()
}

/// Returns the variable in a message that the container of another revision has, and that of the pod has not.
fn lost_variable(
    plan: &Plan,
    pod: &Pod,
    container: &Value,
    failure: &ContainerFailure,
) -> Option<(String, Arc<str>)> {
    let names = |of: &Value| -> Vec<String> {
        let names = variables(of).filter_map(|it| it["name"].as_str());
        names.map(str::to_owned).collect()
    };
    let own = names(container);
    let revisions = &plan.observed().objects().revisions;
    let mut others: Vec<&Arc<Revision>> = revisions
        .values()
        .filter(|it| it.meta.name != pod.revision)
        .collect();
    others.sort_by_key(|it| std::cmp::Reverse(it.number));
    others.into_iter().find_map(|revision| {
        let template = revision.template()?;
        let other = container_of(&template["spec"], failure)?;
        let mut lost = names(other).into_iter().filter(|it| !own.contains(it));
        let name = lost.find(|it| has_word(&failure.last_words, it))?;
        Some((name, Arc::clone(&revision.meta.name)))
    })
}

/// Reports whether a text has a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = text.split(|c| !is_part(c));
    name.len() >= SHORTEST && words.any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns the port in a message that another container of the pod has too, and that container.
fn shared_port(spec: &Value, line: &str, failure: &ContainerFailure) -> Option<(String, String)> {
    let numbers = line.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<i64> = numbers.filter_map(|it| it.parse().ok()).collect();
    let lists = ["containers", "initContainers"];
    let all = lists.iter().flat_map(|list| spec[*list].as_array());
    let others = all
        .flatten()
        .filter(|it| it["name"] != failure.container.as_str());
    let mut found = others.filter_map(|other| {
        let ports = other["ports"].as_array()?;
        let mut ports = ports
            .iter()
            .filter_map(|port| port["containerPort"].as_i64());
        let port = ports.find(|port| numbers.contains(port))?;
        Some((port.to_string(), other["name"].as_str()?.to_owned()))
    });
    found.next()
}
