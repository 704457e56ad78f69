//! The pod template, without containers and volumes.

use super::container::{
    APP_ARMOR_PROFILE, CONTAINER, EPHEMERAL_CONTAINER, RESOURCE_REQUIREMENTS, SE_LINUX_OPTIONS,
    SECCOMP_PROFILE, WINDOWS_SECURITY_CONTEXT_OPTIONS,
};
use super::meta::{LABEL_SELECTOR, LOCAL_OBJECT_REFERENCE, OBJECT_META};
use super::volume::VOLUME;
use crate::apiserver::schema::fields::Kind::{
    Bool, Int32, Int64, Int64s, QuantityMap, Text, TextMap, Texts,
};
use crate::apiserver::schema::fields::{Shape, field, object, objects, shape};

pub(super) static POD_TEMPLATE_SPEC: Shape = shape(&[
    object("metadata", &OBJECT_META).always(),
    object("spec", &POD_SPEC).always(),
]);

pub(super) static POD_SPEC: Shape = shape(&[
    field("activeDeadlineSeconds", Int64).pointer(),
    object("affinity", &AFFINITY),
    field("automountServiceAccountToken", Bool).pointer(),
    objects("containers", &CONTAINER).always(),
    object("dnsConfig", &POD_DNS_CONFIG),
    field("dnsPolicy", Text),
    field("enableServiceLinks", Bool).pointer(),
    objects("ephemeralContainers", &EPHEMERAL_CONTAINER),
    objects("evictionResponders", &EVICTION_RESPONDER).since(37),
    objects("hostAliases", &HOST_ALIAS),
    field("hostIPC", Bool),
    field("hostNetwork", Bool),
    field("hostPID", Bool),
    field("hostUsers", Bool).pointer().since(25),
    field("hostname", Text),
    field("hostnameOverride", Text).pointer().since(34),
    objects("imagePullSecrets", &LOCAL_OBJECT_REFERENCE),
    objects("initContainers", &CONTAINER),
    field("nodeName", Text),
    field("nodeSelector", TextMap),
    object("os", &POD_OS).since(23),
    field("overhead", QuantityMap),
    field("preemptionPolicy", Text).pointer(),
    field("priority", Int32).pointer(),
    field("priorityClassName", Text),
    objects("readinessGates", &POD_READINESS_GATE),
    objects("resourceClaims", &POD_RESOURCE_CLAIM).since(26),
    object("resources", &RESOURCE_REQUIREMENTS).since(32),
    field("restartPolicy", Text),
    field("runtimeClassName", Text).pointer(),
    field("schedulerName", Text),
    objects("schedulingGates", &POD_SCHEDULING_GATE).since(26),
    object("schedulingGroup", &POD_SCHEDULING_GROUP).since(36),
    object("securityContext", &POD_SECURITY_CONTEXT),
    field("serviceAccount", Text),
    field("serviceAccountName", Text),
    field("setHostnameAsFQDN", Bool).pointer(),
    field("shareProcessNamespace", Bool).pointer(),
    field("subdomain", Text),
    field("terminationGracePeriodSeconds", Int64).pointer(),
    objects("tolerations", &TOLERATION),
    objects("topologySpreadConstraints", &TOPOLOGY_SPREAD_CONSTRAINT),
    objects("volumes", &VOLUME),
    object("workloadRef", &WORKLOAD_REFERENCE)
        .since(35)
        .until(35),
]);

pub(super) static POD_SECURITY_CONTEXT: Shape = shape(&[
    object("appArmorProfile", &APP_ARMOR_PROFILE).since(30),
    field("fsGroup", Int64).pointer(),
    field("fsGroupChangePolicy", Text).pointer(),
    field("runAsGroup", Int64).pointer(),
    field("runAsNonRoot", Bool).pointer(),
    field("runAsUser", Int64).pointer(),
    field("seLinuxChangePolicy", Text).pointer().since(32),
    object("seLinuxOptions", &SE_LINUX_OPTIONS),
    object("seccompProfile", &SECCOMP_PROFILE),
    field("supplementalGroups", Int64s),
    field("supplementalGroupsPolicy", Text).pointer().since(31),
    objects("sysctls", &SYSCTL),
    object("windowsOptions", &WINDOWS_SECURITY_CONTEXT_OPTIONS),
]);

pub(super) static AFFINITY: Shape = shape(&[
    object("nodeAffinity", &NODE_AFFINITY),
    object("podAffinity", &POD_AFFINITY),
    object("podAntiAffinity", &POD_ANTI_AFFINITY),
]);

pub(super) static NODE_AFFINITY: Shape = shape(&[
    objects(
        "preferredDuringSchedulingIgnoredDuringExecution",
        &PREFERRED_SCHEDULING_TERM,
    ),
    object(
        "requiredDuringSchedulingIgnoredDuringExecution",
        &NODE_SELECTOR,
    ),
]);

pub(super) static NODE_SELECTOR: Shape =
    shape(&[objects("nodeSelectorTerms", &NODE_SELECTOR_TERM).always()]);

pub(super) static NODE_SELECTOR_TERM: Shape = shape(&[
    objects("matchExpressions", &NODE_SELECTOR_REQUIREMENT),
    objects("matchFields", &NODE_SELECTOR_REQUIREMENT),
]);

pub(super) static NODE_SELECTOR_REQUIREMENT: Shape = shape(&[
    field("key", Text).always(),
    field("operator", Text).always(),
    field("values", Texts),
]);

pub(super) static PREFERRED_SCHEDULING_TERM: Shape = shape(&[
    object("preference", &NODE_SELECTOR_TERM).always(),
    field("weight", Int32).always(),
]);

pub(super) static POD_AFFINITY: Shape = shape(&[
    objects(
        "preferredDuringSchedulingIgnoredDuringExecution",
        &WEIGHTED_POD_AFFINITY_TERM,
    ),
    objects(
        "requiredDuringSchedulingIgnoredDuringExecution",
        &POD_AFFINITY_TERM,
    ),
]);

pub(super) static POD_ANTI_AFFINITY: Shape = shape(&[
    objects(
        "preferredDuringSchedulingIgnoredDuringExecution",
        &WEIGHTED_POD_AFFINITY_TERM,
    ),
    objects(
        "requiredDuringSchedulingIgnoredDuringExecution",
        &POD_AFFINITY_TERM,
    ),
]);

pub(super) static POD_AFFINITY_TERM: Shape = shape(&[
    object("labelSelector", &LABEL_SELECTOR),
    field("matchLabelKeys", Texts).since(29),
    field("mismatchLabelKeys", Texts).since(29),
    object("namespaceSelector", &LABEL_SELECTOR).since(21),
    field("namespaces", Texts),
    field("topologyKey", Text).always(),
]);

pub(super) static WEIGHTED_POD_AFFINITY_TERM: Shape = shape(&[
    object("podAffinityTerm", &POD_AFFINITY_TERM).always(),
    field("weight", Int32).always(),
]);

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: Shape = shape(&[
    object("labelSelector", &LABEL_SELECTOR),
    field("matchLabelKeys", Texts).since(25),
    field("maxSkew", Int32).always(),
    field("minDomains", Int32).pointer().since(24),
    field("nodeAffinityPolicy", Text).pointer().since(25),
    field("nodeTaintsPolicy", Text).pointer().since(25),
    field("topologyKey", Text).always(),
    field("whenUnsatisfiable", Text).always(),
]);

pub(super) static TOLERATION: Shape = shape(&[
    field("effect", Text),
    field("key", Text),
    field("operator", Text),
    field("tolerationSeconds", Int64).pointer(),
    field("value", Text),
]);

pub(super) static POD_DNS_CONFIG: Shape = shape(&[
    field("nameservers", Texts),
    objects("options", &POD_DNS_CONFIG_OPTION),
    field("searches", Texts),
]);

pub(super) static POD_DNS_CONFIG_OPTION: Shape =
    shape(&[field("name", Text), field("value", Text).pointer()]);

pub(super) static HOST_ALIAS: Shape = shape(&[
    field("hostnames", Texts),
    field("ip", Text).until(30),
    field("ip", Text).always().since(31),
]);

pub(super) static POD_READINESS_GATE: Shape = shape(&[field("conditionType", Text).always()]);

pub(super) static POD_SCHEDULING_GATE: Shape = shape(&[field("name", Text).always()]);

pub(super) static POD_SCHEDULING_GROUP: Shape = shape(&[field("podGroupName", Text).pointer()]);

pub(super) static POD_OS: Shape = shape(&[field("name", Text).always()]);

pub(super) static POD_RESOURCE_CLAIM: Shape = shape(&[
    field("name", Text).always().since(26),
    field("resourceClaimName", Text).pointer().since(31),
    field("resourceClaimTemplateName", Text).pointer().since(31),
    object("source", &CLAIM_SOURCE).always().since(26).until(30),
]);

pub(super) static CLAIM_SOURCE: Shape = shape(&[
    field("resourceClaimName", Text).pointer(),
    field("resourceClaimTemplateName", Text).pointer(),
]);

pub(super) static SYSCTL: Shape =
    shape(&[field("name", Text).always(), field("value", Text).always()]);

pub(super) static WORKLOAD_REFERENCE: Shape = shape(&[
    field("name", Text).always(),
    field("podGroup", Text).always(),
    field("podGroupReplicaKey", Text),
]);

pub(super) static EVICTION_RESPONDER: Shape = shape(&[
    field("name", Text).always(),
    field("priority", Int32).nullable(),
]);
