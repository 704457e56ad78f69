//! Version of the control plane, as far as the objects of files show it.

use kubectl_manifest::{Part, Reading};
use sts_controller::version::{ShownBy, Version, oldest_shown};
use sts_plan::plan::VersionSource;

use Part::{Members, Whole};

const KUBELET: Part = Members(&[(
    "status",
    Members(&[("nodeInfo", Members(&[("kubeletVersion", Whole)]))]),
)]);
const TEMPLATE_METADATA: Part = Members(&[(
    "data",
    Members(&[(
        "spec",
        Members(&[("template", Members(&[("metadata", Whole)]))]),
    )]),
)]);

/// Returns the oldest version that the control plane can have, if nodes show one.
pub(super) fn oldest(reading: &Reading) -> Option<(Version, VersionSource)> {
    let of_kind = |version: &'static str, kind: &'static str| {
        let manifests = reading.manifests.iter();
        manifests.filter(move |it| (&*it.api_version, &*it.kind) == (version, kind))
    };
    let nodes: Vec<_> = of_kind("v1", "Node").map(|it| it.part(KUBELET)).collect();
    let kubelets = nodes.iter().filter_map(|node| {
        let kubelet = &node["status"]["nodeInfo"]["kubeletVersion"];
        kubelet.as_str()
    });
    let omits_null_timestamps = || {
        of_kind("apps/v1", "ControllerRevision").any(|revision| {
            let revision = revision.part(TEMPLATE_METADATA);
            let metadata = revision["data"]["spec"]["template"]["metadata"].as_object();
            metadata.is_some_and(|metadata| !metadata.contains_key("creationTimestamp"))
        })
    };
    let (version, by) = oldest_shown(kubelets, omits_null_timestamps)?;
    let source = match by {
        ShownBy::Kubelets => VersionSource::Kubelets,
        ShownBy::Revisions => VersionSource::Revisions,
    };
    Some((version, source))
}
