//! Causes in the controller, or in the owner of the set.

use super::{Blames, CauseEntry, Place};

/// Entries, the most specific first.
pub(super) static ENTRIES: &[CauseEntry] = &[
    CauseEntry {
        id: "controller-behind",
        title: "The StatefulSet controller has not observed the last change",
        place: Place::Set,
        reasons: &["observedGeneration"],
        component: "statefulset-controller",
        source: "status.observedGeneration against metadata.generation of the set",
        blames: Blames::Controller,
        patience: 30,
        helps: "Start kube-controller-manager, or repair its access to the API server",
        useless: "Changing the set again",
        avoid: "Do not delete pods: nothing recreates them",
        look: "kubectl get lease kube-controller-manager -n kube-system",
        ..CauseEntry::PLAIN
    },
    CauseEntry {
        id: "controller-silent",
        title: "A pod is missing and no event says why",
        place: Place::Set,
        reasons: &["no event"],
        component: "statefulset-controller",
        source: "the absence of events SuccessfulCreate and FailedCreate of the set",
        blames: Blames::Controller,
        patience: 60,
        helps: "Start kube-controller-manager, or fix its permissions",
        useless: "Changing the set",
        avoid: "Do not create the pod manually",
        look: "kubectl get lease kube-controller-manager -n kube-system",
        ..CauseEntry::PLAIN
    },
    CauseEntry {
        id: "owned-by-operator",
        title: "An operator owns the set and reverts changes to it",
        place: Place::Owner,
        reasons: &["operator"],
        component: "operator",
        source: "metadata.ownerReferences of the set, controller: true",
        blames: Blames::Owner,
        patience: 0,
        helps: "Change the object that owns the set",
        useless: "Rolling back the set: the operator resets its template",
        avoid: "Do not patch the set",
        look: "kubectl get on the owner",
        ..CauseEntry::PLAIN
    },
    CauseEntry {
        id: "managed-by-gitops",
        title: "Argo CD, Flux or Helm manages the set and resets its template",
        place: Place::Owner,
        reasons: &["gitops"],
        component: "Argo CD, Flux, Helm",
        source: "labels and annotations of the set: argocd.argoproj.io, kustomize.toolkit.fluxcd.io, helm.toolkit.fluxcd.io, app.kubernetes.io/managed-by",
        blames: Blames::Owner,
        patience: 0,
        helps: "Change the repository or the release",
        useless: "Rolling back only the set: the next sync reverts it",
        avoid: "Do not patch the set while automatic sync is on",
        look: "labels and annotations of the set",
        ..CauseEntry::PLAIN
    },
    CauseEntry {
        id: "scaled-by-hpa",
        title: "A HorizontalPodAutoscaler sets the replica count",
        place: Place::Owner,
        reasons: &["hpa"],
        component: "horizontal-pod-autoscaler",
        source: "spec.scaleTargetRef of a HorizontalPodAutoscaler",
        blames: Blames::Owner,
        patience: 0,
        helps: "Change minReplicas and maxReplicas of the autoscaler",
        useless: "Scaling the set",
        avoid: "Do not scale the set manually",
        look: "kubectl describe hpa",
        ..CauseEntry::PLAIN
    },
    CauseEntry {
        id: "all-unready-at-once",
        title: "All pods became unready at once, without a change",
        place: Place::All,
        component: "kubelet",
        source: "kubernetes v1.36.2 pkg/kubelet/status/generate.go:111, GenerateContainersReadyCondition",
        blames: Blames::Dependency,
        patience: 60,
        helps: "Restore what the pods depend on: database, DNS, network, certificate",
        useless: "Restarting pods, or another template",
        avoid: "Do not restart pods: cold starts make it worse",
        look: "the readiness probe's message, and what the pods connect to",
        ..CauseEntry::PLAIN
    },
];
