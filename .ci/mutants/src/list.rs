//! The mutants, as cargo-mutants lists them: its rules are the rules here.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::text::{Place, place};
use crate::{Fail, Result};

/// What is mutated. The last folder of each is what the table calls it.
pub const FOLDERS: [&str; 3] = ["controller/", "simulate/", "apiserver/validation/"];
pub const SOURCES: &str = "crates/sts-controller/src/";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function returns a value of its type at once.
    FunctionValue,
    /// A function that returns some iterator of its own returns another.
    IteratorValue,
    /// A part of an expression is another, or is left out.
    Expression,
    Guard,
    /// An arm is left out.
    Arm,
}

#[derive(Debug)]
pub struct Mutant {
    /// How the code that runs calls it; from 1.
    pub id: u32,
    /// File, place and change.
    pub name: String,
    /// Under [`SOURCES`].
    pub file: String,
    pub kind: Kind,
    pub replaced: Range<Place>,
    pub replacement: String,
}

impl Mutant {
    pub fn folder(&self) -> &'static str {
        FOLDERS
            .into_iter()
            .find(|folder| self.file.starts_with(folder))
            .unwrap_or_default()
    }
}

pub fn mutants(repository: &Path) -> Result<Vec<Mutant>> {
    let mut list = Command::new("cargo");
    list.current_dir(repository)
        .args(["mutants", "--list", "--json", "-p", "sts-controller"]);
    for folder in FOLDERS {
        list.arg("-f").arg(format!("{SOURCES}{folder}**"));
    }
    let output = list.output()?;
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let all = json.as_array().ok_or("cargo mutants printed no list")?;
    let mutants = all.iter().zip(1..).map(|(json, id)| {
        read(json, id)
            .ok_or_else(|| Fail::from(format!("no mutant as those of cargo-mutants 27: {json}")))
    });
    mutants.collect()
}

fn read(json: &Value, id: u32) -> Option<Mutant> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let returned = json["function"]["return_type"].as_str().unwrap_or_default();
    let kind = match json["genre"].as_str()? {
        "FnValue" if returned.contains("impl Iterator") => Kind::IteratorValue,
        "FnValue" => Kind::FunctionValue,
        "BinaryOperator" | "UnaryOperator" | "StructField" => Kind::Expression,
        "MatchArmGuard" => Kind::Guard,
        "MatchArm" => Kind::Arm,
        _ => return None,
    };
    Some(Mutant {
        id,
        name: json["name"].as_str()?.strip_prefix(SOURCES)?.to_owned(),
        file: json["file"].as_str()?.strip_prefix(SOURCES)?.to_owned(),
        kind,
        replaced: place(&json["span"]["start"])?..place(&json["span"]["end"])?,
        replacement: text(&json["replacement"])?,
    })
}
