//! Kernel parameter of a node that a container sets, which Pod Security refuses.

use serde_json::Value;

use crate::cause::template::{command, containers};

/// Returns the container in a refusal whose command sets a kernel parameter: `init-sysctl sets vm.max_map_count`.
pub(super) fn of_refused(template: &Value, report: &str) -> Option<String> {
    if !report.contains("violates PodSecurity") {
        return None;
    }
    let mut all = containers(&template["spec"]);
    all.find_map(|it| {
        let name = it["name"].as_str()?;
        let is_named = report.contains(&format!("\"{name}\""));
        let parameter = parameter(it).filter(|_| is_named)?;
        Some(format!("{name} sets {parameter}"))
    })
}

/// Returns the parameter of the first `sysctl -w NAME=VALUE` in the command of a container.
fn parameter(container: &Value) -> Option<&str> {
    let mut words = command(container).flat_map(str::split_whitespace);
    words.find(|word| word.ends_with("sysctl"))?;
    words.find_map(|word| {
        let (name, _) = word.trim_matches(['"', '\'']).split_once('=')?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        (name.contains('.') && name.chars().all(is_part)).then_some(name)
    })
}
