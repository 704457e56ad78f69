//! Link to the interactive page: objects and settings in a fragment, like its "Copy link".

use std::fs;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

use crate::commands::gathering::Gathering;
use crate::output::{Format, page_fragment};
use crate::request::{PageLink, PlanRequest};
use sts_plan::fleet::ReportList;

/// Maximum length of an address in browsers.
const MAX_LENGTH: usize = 2 << 20;

/// Returns the link to the interactive page with the objects and settings of these plans.
pub(super) fn link(
    page: &PageLink,
    request: &PlanRequest,
    gathering: &Gathering,
    plans: &ReportList<'_>,
) -> Result<String> {
    let mut dump = Vec::new();
    gathering.write(Format::Yaml, &mut dump).transpose()?;
    let mut state = Map::new();
    state.insert("input".to_owned(), json!(String::from_utf8(dump)?));
    if let Some(file) = &request.change.apply {
        let text = fs::read_to_string(file).with_context(|| {
            format!("--link-page requires a single manifest, but {file} is not one")
        })?;
        state.insert("apply".to_owned(), json!(text));
    }
    let mut side = page.settings.clone();
    if let Some(report) = plans.alone() {
        let set = &report.metadata;
        side.insert("set".to_owned(), format!("{}/{}", set.namespace, set.name));
    }
    state.insert("sides".to_owned(), json!([side]));
    let link = [&*page.url, &page_fragment(&Value::Object(state))?].concat();
    if link.len() > MAX_LENGTH {
        bail!(
            "the link of --link-page is too long for browsers ({} characters, at most {MAX_LENGTH}): plan fewer sets",
            link.len()
        );
    }
    Ok(link)
}
