//! Compiles the catalogue of causes: checks the files of `catalogue/`, and joins them in the order of the documentation.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value};

#[allow(dead_code, unreachable_pub)] // The library uses the rest.
#[path = "src/catalogue/entry.rs"]
mod entry;
#[allow(dead_code, unreachable_pub)]
#[path = "src/catalogue/terms.rs"]
mod terms;

/// The families of causes, in the order of the documentation. A report that two of them know is of the first.
const FAMILIES: [&str; 10] = [
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
        let in_file = |error: serde_yaml::Error| format!("{path}: {error}");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let family: Vec<entry::CauseEntry> = serde_yaml::from_str(&text).map_err(in_file)?;
        let values: Vec<Map<String, Value>> = serde_yaml::from_str(&text).map_err(in_file)?;
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
        let is_known = |stem: &str| FAMILIES.contains(&stem);
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
    let whole = |it: &&entry::CauseEntry| {
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
    let target = Path::new(&env::var("OUT_DIR")?).join("catalogue.json");
    Ok(fs::write(target, serde_json::to_string(&compiled)?)?)
}
