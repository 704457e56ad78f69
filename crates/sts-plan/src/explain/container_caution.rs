//! Cautions on a pod whose container fails, or whose image cannot be pulled.

use super::uncapitalized;
use crate::catalogue::Blames;
use crate::cause::{Blame, Cause, CauseKind, ContainerFailure, with_names};
use crate::duration::span;
use crate::plan::Plan;

/// Returns the cautions on a pod whose image cannot be pulled.
pub(super) fn of_image(plan: &Plan, cause: &Cause, failure: &ContainerFailure) -> Vec<String> {
    let mut out = Vec::new();
    let image = &failure.image;
    if cause.blame == Blame::Pod {
        out.push(match cause.is_specific() {
            true => {
                "other pods on this revision run from the image on their nodes: on another node they fail in the same way"
                    .to_owned()
            }
            false => format!(
                "other pods on this revision run from the image on their nodes: restore {image} in the registry before \
                 they restart"
            ),
        });
    } else if failure.is_image_of_volume {
        let text =
            format!("{image} is the image of a volume: volumes[*].image.reference of the template");
        out.push(text);
    } else if !cause.difference.images.contains(&failure.container) && plan.fallback().is_some() {
        let container = &failure.container;
        let same = format!(
            "the previous revision has the same image for {container}, so rolling back does not help"
        );
        out.push(match cause.is_specific() {
            true => same,
            false => format!(
                "{same}: check the registry, its credentials (imagePullSecrets) and its rate limit"
            ),
        });
    }
    out
}

/// Returns the cautions on a pod whose container fails or is not ready.
pub(super) fn of_container(cause: &Cause) -> Vec<String> {
    let pod = &cause.pod;
    let mut out = Vec::new();
    let is_known = cause.is_specific();
    let step = match cause.comes_back_on {
        Some(_) => Some("delete it"),
        None => cause.blames_template().then_some("roll back"),
    };
    if let Some(step) = step.filter(|_| cause.may_have_migrated) {
        out.push(format!(
            "{pod} may have changed its data with the new image: before you {step}, check that the old image can still \
             read it"
        ));
    }
    if let Some(shared) = &cause.shared {
        let (other, title) = (
            &shared.pod,
            uncapitalized(&with_names(&shared.entry.title, &|_| None)),
        );
        out.push(format!(
            "{other} reports a reason that {pod} may share: {title}"
        ));
        return out;
    }
    let is_of_template = !is_known || cause.blames() == Blames::Template;
    if let Some(container) = unchanged_container(cause).filter(|_| is_of_template) {
        out.push(format!(
            "{container} is the same in both revisions, so rolling back does not help: check what changed around it, \
             such as its data, Secrets and ConfigMaps, and the services that it needs"
        ));
        return out;
    }
    match cause.kind {
        CauseKind::ContainerConfig(_) => {}
        _ if cause.blame == Blame::Pod && is_of_template => out.push(format!(
            "other pods on this revision are ready, so a template change would restart them for nothing: check \
             {pod}'s own data, node and volume"
        )),
        _ if is_of_template => out.extend(cause.worked_for.map(|age| {
            format!(
                "{pod} has run on this template for most of {}, so rolling back does not help: check what changed \
                 around it, such as its data, Secrets and ConfigMaps, and the services that it needs",
                span(age)
            )
        })),
        _ => {}
    }
    out
}

/// Returns the container that fails on the new revision only, although the revisions agree in it.
fn unchanged_container(cause: &Cause) -> Option<&str> {
    let is_changed = cause.reads_difference() || cause.difference.only_restarted;
    let container = match &cause.kind {
        CauseKind::CrashLoop(failure) => Some(&failure.container),
        CauseKind::NotReady { containers } => containers.first(),
        _ => None,
    };
    let container = container.filter(|_| cause.blame == Blame::Template && !is_changed);
    container.map(String::as_str)
}
