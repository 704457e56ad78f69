//! The names of sets on the command line.

use anyhow::{Result, anyhow};

/// The kinds that a set's name may be given with.
const SET_KINDS: [&str; 4] = ["sts", "statefulset", "statefulsets", "statefulsets.apps"];

/// The names of sets without the kinds that they may be given with.
pub fn set_names(given: &[String]) -> Result<Vec<String>> {
    given
        .iter()
        .map(|text| match text.split_once('/') {
            None => Ok(text.clone()),
            Some((kind, name)) if SET_KINDS.contains(&kind.to_ascii_lowercase().as_str()) => {
                Ok(name.to_owned())
            }
            Some((kind, _)) => Err(anyhow!(
                "{text:?} is not a StatefulSet: {kind:?} is another kind; write a name, or sts/NAME"
            )),
        })
        .collect()
}
