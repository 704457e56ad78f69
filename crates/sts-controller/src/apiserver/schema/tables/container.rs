//! Containers, and the types that only they use.

use crate::apiserver::schema::fields::Kind::{
    Bool, Int32, Int32s, Int64, IntOrString, Object, Objects, Quantity, QuantityMap, Text, Texts,
};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static CONTAINER: Shape = Shape {
    fields: &[
        field("args", Texts),
        field("command", Texts),
        field("env", Objects(&ENV_VAR)),
        field("envFrom", Objects(&ENV_FROM_SOURCE)),
        field("image", Text),
        field("imagePullPolicy", Text),
        field("lifecycle", Object(&LIFECYCLE)).pointer(),
        field("livenessProbe", Object(&PROBE)).pointer(),
        field("name", Text).always(),
        field("ports", Objects(&CONTAINER_PORT)),
        field("readinessProbe", Object(&PROBE)).pointer(),
        field("resizePolicy", Objects(&CONTAINER_RESIZE_POLICY)).since(27),
        field("resources", Object(&RESOURCE_REQUIREMENTS)).always(),
        field("restartPolicy", Text).pointer().since(28),
        field("restartPolicyRules", Objects(&CONTAINER_RESTART_RULE)).since(34),
        field("securityContext", Object(&SECURITY_CONTEXT)).pointer(),
        field("startupProbe", Object(&PROBE)).pointer(),
        field("stdin", Bool),
        field("stdinOnce", Bool),
        field("terminationMessagePath", Text),
        field("terminationMessagePolicy", Text),
        field("tty", Bool),
        field("volumeDevices", Objects(&VOLUME_DEVICE)),
        field("volumeMounts", Objects(&VOLUME_MOUNT)),
        field("workingDir", Text),
    ],
};

pub(super) static EPHEMERAL_CONTAINER: Shape = Shape {
    fields: &[
        field("args", Texts),
        field("command", Texts),
        field("env", Objects(&ENV_VAR)),
        field("envFrom", Objects(&ENV_FROM_SOURCE)),
        field("image", Text),
        field("imagePullPolicy", Text),
        field("lifecycle", Object(&LIFECYCLE)).pointer(),
        field("livenessProbe", Object(&PROBE)).pointer(),
        field("name", Text).always(),
        field("ports", Objects(&CONTAINER_PORT)),
        field("readinessProbe", Object(&PROBE)).pointer(),
        field("resizePolicy", Objects(&CONTAINER_RESIZE_POLICY)).since(27),
        field("resources", Object(&RESOURCE_REQUIREMENTS)).always(),
        field("restartPolicy", Text).pointer().since(28),
        field("restartPolicyRules", Objects(&CONTAINER_RESTART_RULE)).since(34),
        field("securityContext", Object(&SECURITY_CONTEXT)).pointer(),
        field("startupProbe", Object(&PROBE)).pointer(),
        field("stdin", Bool),
        field("stdinOnce", Bool),
        field("targetContainerName", Text),
        field("terminationMessagePath", Text),
        field("terminationMessagePolicy", Text),
        field("tty", Bool),
        field("volumeDevices", Objects(&VOLUME_DEVICE)),
        field("volumeMounts", Objects(&VOLUME_MOUNT)),
        field("workingDir", Text),
    ],
};

pub(super) static CONTAINER_PORT: Shape = Shape {
    fields: &[
        field("containerPort", Int32).always(),
        field("hostIP", Text),
        field("hostPort", Int32),
        field("name", Text),
        field("protocol", Text),
    ],
};

pub(super) static CONTAINER_RESIZE_POLICY: Shape = Shape {
    fields: &[
        field("resourceName", Text).always(),
        field("restartPolicy", Text).always(),
    ],
};

pub(super) static CONTAINER_RESTART_RULE: Shape = Shape {
    fields: &[
        field("action", Text),
        field("exitCodes", Object(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)).pointer(),
    ],
};

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Shape = Shape {
    fields: &[field("operator", Text), field("values", Int32s)],
};

pub(super) static ENV_FROM_SOURCE: Shape = Shape {
    fields: &[
        field("configMapRef", Object(&CONFIG_MAP_ENV_SOURCE)).pointer(),
        field("prefix", Text),
        field("secretRef", Object(&SECRET_ENV_SOURCE)).pointer(),
    ],
};

pub(super) static CONFIG_MAP_ENV_SOURCE: Shape = Shape {
    fields: &[field("name", Text), field("optional", Bool).pointer()],
};

pub(super) static SECRET_ENV_SOURCE: Shape = Shape {
    fields: &[field("name", Text), field("optional", Bool).pointer()],
};

pub(super) static ENV_VAR: Shape = Shape {
    fields: &[
        field("name", Text).always(),
        field("value", Text),
        field("valueFrom", Object(&ENV_VAR_SOURCE)).pointer(),
    ],
};

pub(super) static ENV_VAR_SOURCE: Shape = Shape {
    fields: &[
        field("configMapKeyRef", Object(&CONFIG_MAP_KEY_SELECTOR)).pointer(),
        field("fieldRef", Object(&OBJECT_FIELD_SELECTOR)).pointer(),
        field("fileKeyRef", Object(&FILE_KEY_SELECTOR))
            .pointer()
            .since(34),
        field("resourceFieldRef", Object(&RESOURCE_FIELD_SELECTOR)).pointer(),
        field("secretKeyRef", Object(&SECRET_KEY_SELECTOR)).pointer(),
    ],
};

pub(super) static CONFIG_MAP_KEY_SELECTOR: Shape = Shape {
    fields: &[
        field("key", Text).always(),
        field("name", Text),
        field("optional", Bool).pointer(),
    ],
};

pub(super) static SECRET_KEY_SELECTOR: Shape = Shape {
    fields: &[
        field("key", Text).always(),
        field("name", Text),
        field("optional", Bool).pointer(),
    ],
};

pub(super) static FILE_KEY_SELECTOR: Shape = Shape {
    fields: &[
        field("key", Text).always(),
        field("optional", Bool).pointer(),
        field("path", Text).always(),
        field("volumeName", Text).always(),
    ],
};

pub(super) static OBJECT_FIELD_SELECTOR: Shape = Shape {
    fields: &[field("apiVersion", Text), field("fieldPath", Text).always()],
};

pub(super) static RESOURCE_FIELD_SELECTOR: Shape = Shape {
    fields: &[
        field("containerName", Text),
        field("divisor", Quantity).always(),
        field("resource", Text).always(),
    ],
};

pub(super) static PROBE: Shape = Shape {
    fields: &[
        field("exec", Object(&EXEC_ACTION)).pointer(),
        field("failureThreshold", Int32),
        field("grpc", Object(&GRPC_ACTION)).pointer().since(23),
        field("httpGet", Object(&HTTP_GET_ACTION)).pointer(),
        field("initialDelaySeconds", Int32),
        field("periodSeconds", Int32),
        field("successThreshold", Int32),
        field("tcpSocket", Object(&TCP_SOCKET_ACTION)).pointer(),
        field("terminationGracePeriodSeconds", Int64)
            .pointer()
            .since(21),
        field("timeoutSeconds", Int32),
    ],
};

pub(super) static LIFECYCLE: Shape = Shape {
    fields: &[
        field("postStart", Object(&LIFECYCLE_HANDLER)).pointer(),
        field("preStop", Object(&LIFECYCLE_HANDLER)).pointer(),
        field("stopSignal", Text).pointer().since(33),
    ],
};

pub(super) static LIFECYCLE_HANDLER: Shape = Shape {
    fields: &[
        field("exec", Object(&EXEC_ACTION)).pointer(),
        field("httpGet", Object(&HTTP_GET_ACTION)).pointer(),
        field("sleep", Object(&SLEEP_ACTION)).pointer().since(29),
        field("tcpSocket", Object(&TCP_SOCKET_ACTION)).pointer(),
    ],
};

pub(super) static EXEC_ACTION: Shape = Shape {
    fields: &[field("command", Texts)],
};

pub(super) static GRPC_ACTION: Shape = Shape {
    fields: &[
        field("mode", Text).pointer().since(37),
        field("port", Int32).always().since(23),
        field("service", Text).nullable().since(23),
    ],
};

pub(super) static HTTP_GET_ACTION: Shape = Shape {
    fields: &[
        field("host", Text),
        field("httpHeaders", Objects(&HTTP_HEADER)),
        field("path", Text),
        field("port", IntOrString).always(),
        field("protocol", Text).pointer().since(37),
        field("scheme", Text),
    ],
};

pub(super) static HTTP_HEADER: Shape = Shape {
    fields: &[field("name", Text).always(), field("value", Text).always()],
};

pub(super) static SLEEP_ACTION: Shape = Shape {
    fields: &[field("seconds", Int64).always()],
};

pub(super) static TCP_SOCKET_ACTION: Shape = Shape {
    fields: &[field("host", Text), field("port", IntOrString).always()],
};

pub(super) static RESOURCE_REQUIREMENTS: Shape = Shape {
    fields: &[
        field("claims", Objects(&RESOURCE_CLAIM)).since(26),
        field("limits", QuantityMap),
        field("requests", QuantityMap),
    ],
};

pub(super) static RESOURCE_CLAIM: Shape = Shape {
    fields: &[
        field("name", Text).always().since(26),
        field("request", Text).since(31),
    ],
};

pub(super) static SECURITY_CONTEXT: Shape = Shape {
    fields: &[
        field("allowPrivilegeEscalation", Bool).pointer(),
        field("appArmorProfile", Object(&APP_ARMOR_PROFILE))
            .pointer()
            .since(30),
        field("capabilities", Object(&CAPABILITIES)).pointer(),
        field("privileged", Bool).pointer(),
        field("procMount", Text).pointer(),
        field("readOnlyRootFilesystem", Bool).pointer(),
        field("runAsGroup", Int64).pointer(),
        field("runAsNonRoot", Bool).pointer(),
        field("runAsUser", Int64).pointer(),
        field("seLinuxOptions", Object(&SE_LINUX_OPTIONS)).pointer(),
        field("seccompProfile", Object(&SECCOMP_PROFILE)).pointer(),
        field("windowsOptions", Object(&WINDOWS_SECURITY_CONTEXT_OPTIONS)).pointer(),
    ],
};

pub(super) static APP_ARMOR_PROFILE: Shape = Shape {
    fields: &[
        field("localhostProfile", Text).pointer(),
        field("type", Text).always(),
    ],
};

pub(super) static CAPABILITIES: Shape = Shape {
    fields: &[field("add", Texts), field("drop", Texts)],
};

pub(super) static SE_LINUX_OPTIONS: Shape = Shape {
    fields: &[
        field("level", Text),
        field("role", Text),
        field("type", Text),
        field("user", Text),
    ],
};

pub(super) static SECCOMP_PROFILE: Shape = Shape {
    fields: &[
        field("localhostProfile", Text).pointer(),
        field("type", Text).always(),
    ],
};

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: Shape = Shape {
    fields: &[
        field("gmsaCredentialSpec", Text).pointer(),
        field("gmsaCredentialSpecName", Text).pointer(),
        field("hostProcess", Bool).pointer().since(22),
        field("runAsUserName", Text).pointer(),
    ],
};

pub(super) static VOLUME_DEVICE: Shape = Shape {
    fields: &[
        field("devicePath", Text).always(),
        field("name", Text).always(),
    ],
};

pub(super) static VOLUME_MOUNT: Shape = Shape {
    fields: &[
        field("bindMountOptions", Texts).since(37),
        field("mountPath", Text).always(),
        field("mountPropagation", Text).pointer(),
        field("name", Text).always(),
        field("readOnly", Bool),
        field("recursiveReadOnly", Text).pointer().since(30),
        field("subPath", Text),
        field("subPathExpr", Text),
    ],
};
