//! The pod template, without containers and volumes.

use super::container::{
    APP_ARMOR_PROFILE, CONTAINER, EPHEMERAL_CONTAINER, RESOURCE_REQUIREMENTS, SE_LINUX_OPTIONS,
    SECCOMP_PROFILE, WINDOWS_SECURITY_CONTEXT_OPTIONS,
};
use super::meta::{LABEL_SELECTOR, LOCAL_OBJECT_REFERENCE, OBJECT_META};
use super::volume::VOLUME;
use crate::apiserver::schema::fields::Kind::{
    Bool, Int32, Int64, Int64s, Object, Objects, QuantityMap, Text, TextMap, Texts,
};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static POD_TEMPLATE_SPEC: Shape = Shape {
    fields: &[
        field("metadata", Object(&OBJECT_META)).always(),
        field("spec", Object(&POD_SPEC)).always(),
    ],
};

pub(super) static POD_SPEC: Shape = Shape {
    fields: &[
        field("activeDeadlineSeconds", Int64).pointer(),
        field("affinity", Object(&AFFINITY)).pointer(),
        field("automountServiceAccountToken", Bool).pointer(),
        field("containers", Objects(&CONTAINER)).always(),
        field("dnsConfig", Object(&POD_DNS_CONFIG)).pointer(),
        field("dnsPolicy", Text),
        field("enableServiceLinks", Bool).pointer(),
        field("ephemeralContainers", Objects(&EPHEMERAL_CONTAINER)),
        field("evictionResponders", Objects(&EVICTION_RESPONDER)).since(37),
        field("hostAliases", Objects(&HOST_ALIAS)),
        field("hostIPC", Bool),
        field("hostNetwork", Bool),
        field("hostPID", Bool),
        field("hostUsers", Bool).pointer().since(25),
        field("hostname", Text),
        field("hostnameOverride", Text).pointer().since(34),
        field("imagePullSecrets", Objects(&LOCAL_OBJECT_REFERENCE)),
        field("initContainers", Objects(&CONTAINER)),
        field("nodeName", Text),
        field("nodeSelector", TextMap),
        field("os", Object(&POD_OS)).pointer().since(23),
        field("overhead", QuantityMap),
        field("preemptionPolicy", Text).pointer(),
        field("priority", Int32).pointer(),
        field("priorityClassName", Text),
        field("readinessGates", Objects(&POD_READINESS_GATE)),
        field("resourceClaims", Objects(&POD_RESOURCE_CLAIM)).since(26),
        field("resources", Object(&RESOURCE_REQUIREMENTS))
            .pointer()
            .since(32),
        field("restartPolicy", Text),
        field("runtimeClassName", Text).pointer(),
        field("schedulerName", Text),
        field("schedulingGates", Objects(&POD_SCHEDULING_GATE)).since(26),
        field("schedulingGroup", Object(&POD_SCHEDULING_GROUP))
            .pointer()
            .since(36),
        field("securityContext", Object(&POD_SECURITY_CONTEXT)).pointer(),
        field("serviceAccount", Text),
        field("serviceAccountName", Text),
        field("setHostnameAsFQDN", Bool).pointer(),
        field("shareProcessNamespace", Bool).pointer(),
        field("subdomain", Text),
        field("terminationGracePeriodSeconds", Int64).pointer(),
        field("tolerations", Objects(&TOLERATION)),
        field(
            "topologySpreadConstraints",
            Objects(&TOPOLOGY_SPREAD_CONSTRAINT),
        ),
        field("volumes", Objects(&VOLUME)),
        field("workloadRef", Object(&WORKLOAD_REFERENCE))
            .pointer()
            .since(35)
            .until(35),
    ],
};

pub(super) static POD_SECURITY_CONTEXT: Shape = Shape {
    fields: &[
        field("appArmorProfile", Object(&APP_ARMOR_PROFILE))
            .pointer()
            .since(30),
        field("fsGroup", Int64).pointer(),
        field("fsGroupChangePolicy", Text).pointer(),
        field("runAsGroup", Int64).pointer(),
        field("runAsNonRoot", Bool).pointer(),
        field("runAsUser", Int64).pointer(),
        field("seLinuxChangePolicy", Text).pointer().since(32),
        field("seLinuxOptions", Object(&SE_LINUX_OPTIONS)).pointer(),
        field("seccompProfile", Object(&SECCOMP_PROFILE)).pointer(),
        field("supplementalGroups", Int64s),
        field("supplementalGroupsPolicy", Text).pointer().since(31),
        field("sysctls", Objects(&SYSCTL)),
        field("windowsOptions", Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)).pointer(),
    ],
};

pub(super) static AFFINITY: Shape = Shape {
    fields: &[
        field("nodeAffinity", Object(&NODE_AFFINITY)).pointer(),
        field("podAffinity", Object(&POD_AFFINITY)).pointer(),
        field("podAntiAffinity", Object(&POD_ANTI_AFFINITY)).pointer(),
    ],
};

pub(super) static NODE_AFFINITY: Shape = Shape {
    fields: &[
        field(
            "preferredDuringSchedulingIgnoredDuringExecution",
            Objects(&PREFERRED_SCHEDULING_TERM),
        ),
        field(
            "requiredDuringSchedulingIgnoredDuringExecution",
            Object(&NODE_SELECTOR),
        )
        .pointer(),
    ],
};

pub(super) static NODE_SELECTOR: Shape = Shape {
    fields: &[field("nodeSelectorTerms", Objects(&NODE_SELECTOR_TERM)).always()],
};

pub(super) static NODE_SELECTOR_TERM: Shape = Shape {
    fields: &[
        field("matchExpressions", Objects(&NODE_SELECTOR_REQUIREMENT)),
        field("matchFields", Objects(&NODE_SELECTOR_REQUIREMENT)),
    ],
};

pub(super) static NODE_SELECTOR_REQUIREMENT: Shape = Shape {
    fields: &[
        field("key", Text).always(),
        field("operator", Text).always(),
        field("values", Texts),
    ],
};

pub(super) static PREFERRED_SCHEDULING_TERM: Shape = Shape {
    fields: &[
        field("preference", Object(&NODE_SELECTOR_TERM)).always(),
        field("weight", Int32).always(),
    ],
};

pub(super) static POD_AFFINITY: Shape = Shape {
    fields: &[
        field(
            "preferredDuringSchedulingIgnoredDuringExecution",
            Objects(&WEIGHTED_POD_AFFINITY_TERM),
        ),
        field(
            "requiredDuringSchedulingIgnoredDuringExecution",
            Objects(&POD_AFFINITY_TERM),
        ),
    ],
};

pub(super) static POD_ANTI_AFFINITY: Shape = Shape {
    fields: &[
        field(
            "preferredDuringSchedulingIgnoredDuringExecution",
            Objects(&WEIGHTED_POD_AFFINITY_TERM),
        ),
        field(
            "requiredDuringSchedulingIgnoredDuringExecution",
            Objects(&POD_AFFINITY_TERM),
        ),
    ],
};

pub(super) static POD_AFFINITY_TERM: Shape = Shape {
    fields: &[
        field("labelSelector", Object(&LABEL_SELECTOR)).pointer(),
        field("matchLabelKeys", Texts).since(29),
        field("mismatchLabelKeys", Texts).since(29),
        field("namespaceSelector", Object(&LABEL_SELECTOR))
            .pointer()
            .since(21),
        field("namespaces", Texts),
        field("topologyKey", Text).always(),
    ],
};

pub(super) static WEIGHTED_POD_AFFINITY_TERM: Shape = Shape {
    fields: &[
        field("podAffinityTerm", Object(&POD_AFFINITY_TERM)).always(),
        field("weight", Int32).always(),
    ],
};

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: Shape = Shape {
    fields: &[
        field("labelSelector", Object(&LABEL_SELECTOR)).pointer(),
        field("matchLabelKeys", Texts).since(25),
        field("maxSkew", Int32).always(),
        field("minDomains", Int32).pointer().since(24),
        field("nodeAffinityPolicy", Text).pointer().since(25),
        field("nodeTaintsPolicy", Text).pointer().since(25),
        field("topologyKey", Text).always(),
        field("whenUnsatisfiable", Text).always(),
    ],
};

pub(super) static TOLERATION: Shape = Shape {
    fields: &[
        field("effect", Text),
        field("key", Text),
        field("operator", Text),
        field("tolerationSeconds", Int64).pointer(),
        field("value", Text),
    ],
};

pub(super) static POD_DNS_CONFIG: Shape = Shape {
    fields: &[
        field("nameservers", Texts),
        field("options", Objects(&POD_DNS_CONFIG_OPTION)),
        field("searches", Texts),
    ],
};

pub(super) static POD_DNS_CONFIG_OPTION: Shape = Shape {
    fields: &[field("name", Text), field("value", Text).pointer()],
};

pub(super) static HOST_ALIAS: Shape = Shape {
    fields: &[
        field("hostnames", Texts),
        field("ip", Text).until(30),
        field("ip", Text).always().since(31),
    ],
};

pub(super) static POD_READINESS_GATE: Shape = Shape {
    fields: &[field("conditionType", Text).always()],
};

pub(super) static POD_SCHEDULING_GATE: Shape = Shape {
    fields: &[field("name", Text).always()],
};

pub(super) static POD_SCHEDULING_GROUP: Shape = Shape {
    fields: &[field("podGroupName", Text).pointer()],
};

pub(super) static POD_OS: Shape = Shape {
    fields: &[field("name", Text).always()],
};

pub(super) static POD_RESOURCE_CLAIM: Shape = Shape {
    fields: &[
        field("name", Text).always().since(26),
        field("resourceClaimName", Text).pointer().since(31),
        field("resourceClaimTemplateName", Text).pointer().since(31),
        field("source", Object(&CLAIM_SOURCE))
            .always()
            .since(26)
            .until(30),
    ],
};

pub(super) static CLAIM_SOURCE: Shape = Shape {
    fields: &[
        field("resourceClaimName", Text).pointer(),
        field("resourceClaimTemplateName", Text).pointer(),
    ],
};

pub(super) static SYSCTL: Shape = Shape {
    fields: &[field("name", Text).always(), field("value", Text).always()],
};

pub(super) static WORKLOAD_REFERENCE: Shape = Shape {
    fields: &[
        field("name", Text).always(),
        field("podGroup", Text).always(),
        field("podGroupReplicaKey", Text),
    ],
};

pub(super) static EVICTION_RESPONDER: Shape = Shape {
    fields: &[
        field("name", Text).always(),
        field("priority", Int32).always(),
    ],
};
