//! A note on manifests that are planned without the cluster, although one is at hand.

use crate::input::access::access;
use crate::input::read::Input;
use crate::output::Format;
use crate::request::PlanRequest;

/// Returns the note, for a reader: sets from files that were never stored, while a kubeconfig exists. Scripts, which have
/// another format or a gate, and dumps get none.
pub(super) fn note(request: &PlanRequest, inputs: &[bool]) -> Option<String> {
    let world = &request.world;
    let is_read = matches!(
        request.output.format.plain(),
        Some(Format::Table | Format::Wide)
    );
    let gates = &request.gates;
    let is_gate = !gates.fail_on.is_empty()
        || gates.detailed_exitcode
        || !request.questions.requirements.is_empty();
    let is_new = !inputs.is_empty() && inputs.iter().all(|is_new| *is_new);
    if world.files.is_empty() || request.change.apply.is_some() || !is_read || is_gate || !is_new {
        return None;
    }
    let configs = access(world).kubeconfigs;
    if !configs.iter().any(|config| config.is_file()) {
        return None;
    }
    let file = match world.files.as_slice() {
        [file] if !world.recursive => file.as_str(),
        _ => "FILE",
    };
    Some(format!(
        "the cluster was not asked, so this is the first rollout of the manifest; to compare it with the cluster, use \
         --apply {file} instead of -f"
    ))
}

/// Reports whether the files have sets, none of which was ever stored.
pub(super) fn is_new(input: &Input) -> bool {
    let loaded = &input.loaded;
    !loaded.manifests.is_empty() && loaded.inventory.sets().next().is_none()
}
