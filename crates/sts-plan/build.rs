//! Compiles the catalogue of causes: checks the files of `catalogue/`, and joins them in the order of the documentation.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use strum::IntoEnumIterator as _;

use bystander_entry::BystanderEntry;
use component_entry::ComponentEntry;
use entry::{Announcement, CauseEntry};
use injected_entry::InjectedEntry;
use renamed_entry::RenamedEntry;
use symptom::{Symptom, SymptomEntry};

#[allow(dead_code, unreachable_pub)] // The library uses the rest.
#[path = "src/catalogue/bystander_entry.rs"]
mod bystander_entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/component_entry.rs"]
mod component_entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/entry.rs"]
mod entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/fact.rs"]
mod fact;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/injected_entry.rs"]
mod injected_entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/names.rs"]
mod names;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/renamed_entry.rs"]
mod renamed_entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/symptom.rs"]
mod symptom;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/terms.rs"]
mod terms;

/// The families of causes, in the order of the documentation. A report that two of them know is of the first.
const FAMILIES: [&str; 11] = [
    "containers",
    "processes",
    "readiness",
    "images",
    "scheduling",
    "volumes",
    "network",
    "admission",
    "nodes",
    "controller",
    "loops",
];

/// The other files of the catalogue.
const OTHERS: [&str; 5] = [
    "bystanders",
    "components",
    "injected",
    "renamed",
    "symptoms",
];

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the output folder in the environment"
)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=catalogue");
    let (mut entries, mut compiled) = (Vec::new(), Vec::new());
    for family in FAMILIES {
        let path = format!("catalogue/{family}.yaml");
        let (family, values): (Vec<CauseEntry>, Vec<Map<String, Value>>) = read(&path)?;
        for (entry, mut value) in family.iter().zip(values) {
            let seen: BTreeSet<&str> = entry.examples.iter().map(|it| &*it.reason).collect();
            let seen = seen.into_iter().filter(|reason| !reason.is_empty());
            value.insert("reasonsSeen".to_owned(), seen.collect());
            value.remove("examples");
            compiled.push(value);
        }
        entries.extend(family);
    }
    for file in fs::read_dir("catalogue")? {
        let path = file?.path();
        let is_known = |stem: &str| FAMILIES.contains(&stem) || OTHERS.contains(&stem);
        if !path
            .file_stem()
            .and_then(|it| it.to_str())
            .is_some_and(is_known)
        {
            return Err(
                format!("{}: name the file in FAMILIES of build.rs", path.display()).into(),
            );
        }
    }
    entry::check(&entries).map_err(|fault| format!("catalogue: {fault}"))?;
    for cause in &entries {
        let other = Some(&cause.on_no_claim).filter(|it| !it.is_empty());
        if let Some(other) = other.filter(|it| !is_cause(&entries, it)) {
            return Err(format!("catalogue: {}: there is no cause {other}", cause.id).into());
        }
        let mut others = cause.instead.iter().map(|it| &it.cause);
        if let Some(other) = others.find(|it| !is_cause(&entries, it)) {
            return Err(format!("catalogue: {}: there is no cause {other}", cause.id).into());
        }
        for group in &cause.words {
            if let Some(first) = takes_all(&entries, cause, group) {
                let id = &cause.id;
                return Err(
                    format!("catalogue: {id}: {first} takes each report with {group:?}").into(),
                );
            }
        }
    }
    let whole = |it: &&CauseEntry| {
        let texts = [
            &it.title,
            &it.component,
            &it.source,
            &it.useless,
            &it.avoid,
            &it.look,
        ];
        texts.iter().any(|text| text.len() < 5)
    };
    if let Some(entry) = entries.iter().find(whole) {
        return Err(format!("catalogue: {}: a text of its page is missing", entry.id).into());
    }
    let folder = env::var("OUT_DIR")?;
    let write = |name: &str, text: String| fs::write(Path::new(&folder).join(name), text);
    write("catalogue.json", serde_json::to_string(&compiled)?)?;
    write("symptoms.json", symptoms(&entries)?)?;
    write("bystanders.json", bystanders()?)?;
    write("components.json", components(&entries)?)?;
    let (_, injected): (Vec<InjectedEntry>, Value) = read("catalogue/injected.yaml")?;
    write("injected.json", serde_json::to_string(&injected)?)?;
    let (_, renamed): (Vec<RenamedEntry>, Value) = read("catalogue/renamed.yaml")?;
    write("renamed.json", serde_json::to_string(&renamed)?)?;
    Ok(())
}

/// Reads a file of the catalogue twice: as the types that check it, and as the values to join.
fn read<T: DeserializeOwned, V: DeserializeOwned>(path: &str) -> Result<(T, V), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let in_file = |error: serde_yaml::Error| format!("{path}: {error}");
    let checked = serde_yaml::from_str(&text).map_err(in_file)?;
    Ok((checked, serde_yaml::from_str(&text).map_err(in_file)?))
}

/// Returns the cause that takes each report of another cause with a group of its words, if one does. A cause with exceptions
/// leaves some.
fn takes_all<'c>(
    causes: &'c [CauseEntry],
    cause: &CauseEntry,
    group: &[String],
) -> Option<&'c str> {
    let separator = if cause.in_one_line { " " } else { "\n" };
    let message = group.join(separator);
    let taken_by = |reason: &str| {
        let report = Announcement {
            place: cause.place,
            reason,
            message: &message,
            exit_code: cause.only_exit_codes.first().copied(),
            container: cause.containers.first().map_or("", String::as_str),
        };
        let first = entry::recognize_in(causes, &report)?;
        let is_other = first.id != cause.id && first.except.is_empty();
        is_other.then_some(first.id.as_str())
    };
    let reasons = cause.reasons.iter().map(|reason| taken_by(reason));
    match cause.reasons.is_empty() {
        true => taken_by(""),
        false => reasons.collect::<Option<Vec<_>>>()?.pop(),
    }
}

/// Reports whether a cause has this id.
fn is_cause(causes: &[CauseEntry], id: &str) -> bool {
    causes.iter().any(|cause| cause.id == *id)
}

/// Checks that each kind is declared once, and returns them as JSON.
fn bystanders() -> Result<String, Box<dyn Error>> {
    let path = "catalogue/bystanders.yaml";
    let (kinds, whole): (Vec<BystanderEntry>, Value) = read(path)?;
    let mut seen = BTreeSet::new();
    if let Some(twice) = kinds.iter().find(|it| !seen.insert((&it.group, &it.kind))) {
        return Err(format!("{path}: {} is declared twice", twice.kind).into());
    }
    Ok(serde_json::to_string(&whole)?)
}

/// Checks that each component that a cause names is declared, and returns the components as JSON.
fn components(causes: &[CauseEntry]) -> Result<String, Box<dyn Error>> {
    let path = "catalogue/components.yaml";
    let (components, whole): (BTreeMap<String, ComponentEntry>, Value) = read(path)?;
    let served = causes.iter().filter(|it| !it.served_by.is_empty());
    for cause in served {
        if !components.contains_key(&cause.served_by) {
            let CauseEntry { id, served_by, .. } = cause;
            return Err(format!("catalogue: {id}: there is no component {served_by}").into());
        }
    }
    Ok(serde_json::to_string(&whole)?)
}

/// Checks that each symptom is declared, names facts and causes that there are, and returns them as JSON.
fn symptoms(causes: &[CauseEntry]) -> Result<String, Box<dyn Error>> {
    let path = "catalogue/symptoms.yaml";
    let (symptoms, whole): (BTreeMap<Symptom, SymptomEntry>, Value) = read(path)?;
    for symptom in Symptom::iter() {
        let entry = (symptoms.get(&symptom))
            .ok_or_else(|| format!("{path}: {symptom:?} is not declared"))?;
        if let Some(id) = &entry.cause
            && !is_cause(causes, id)
        {
            return Err(format!("{path}: {symptom:?}: there is no cause {id}").into());
        }
        let own = [
            &entry.about,
            &entry.sentence,
            &entry.details,
            &entry.reported,
            &entry.rest,
            &entry.shared,
            &entry.ready,
        ];
        let lines = entry.cautions.iter().chain(&entry.look).chain(&entry.fix);
        let lines = lines.map(|it| &it.say);
        if let Some(name) = own.into_iter().chain(lines).find_map(|it| unknown_fact(it)) {
            return Err(format!("{path}: {symptom:?}: there is no fact {{{name}}}").into());
        }
    }
    Ok(serde_json::to_string(&whole)?)
}

/// Returns a name in braces that is not a fact, if a text has one.
fn unknown_fact(text: &str) -> Option<String> {
    let unknown = Cell::new(None);
    let _ = names::with_names(text, &|name| {
        if name.parse::<fact::Fact>().is_err() {
            unknown.set(Some(name.to_owned()));
        }
        Some(String::new())
    });
    unknown.take()
}
