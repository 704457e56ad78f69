//! Containers, and the types that only they use.

use crate::apiserver::schema::fields::Kind::{
    Bool, Int32, Int32s, Int64, IntOrString, Quantity, QuantityMap, Text, Texts,
};
use crate::apiserver::schema::fields::{Shape, field, object, objects, shape};

pub(super) static CONTAINER: Shape = shape(&[
    field("args", Texts),
    field("command", Texts),
    objects("env", &ENV_VAR),
    objects("envFrom", &ENV_FROM_SOURCE),
    field("image", Text),
    field("imagePullPolicy", Text),
    object("lifecycle", &LIFECYCLE),
    object("livenessProbe", &PROBE),
    field("name", Text).always(),
    objects("ports", &CONTAINER_PORT),
    object("readinessProbe", &PROBE),
    objects("resizePolicy", &CONTAINER_RESIZE_POLICY).since(27),
    object("resources", &RESOURCE_REQUIREMENTS).always(),
    field("restartPolicy", Text).pointer().since(28),
    objects("restartPolicyRules", &CONTAINER_RESTART_RULE).since(34),
    object("securityContext", &SECURITY_CONTEXT),
    object("startupProbe", &PROBE),
    field("stdin", Bool),
    field("stdinOnce", Bool),
    field("terminationMessagePath", Text),
    field("terminationMessagePolicy", Text),
    field("tty", Bool),
    objects("volumeDevices", &VOLUME_DEVICE),
    objects("volumeMounts", &VOLUME_MOUNT),
    field("workingDir", Text),
]);

pub(super) static EPHEMERAL_CONTAINER: Shape = shape(&[
    field("args", Texts),
    field("command", Texts),
    objects("env", &ENV_VAR),
    objects("envFrom", &ENV_FROM_SOURCE),
    field("image", Text),
    field("imagePullPolicy", Text),
    object("lifecycle", &LIFECYCLE),
    object("livenessProbe", &PROBE),
    field("name", Text).always(),
    objects("ports", &CONTAINER_PORT),
    object("readinessProbe", &PROBE),
    objects("resizePolicy", &CONTAINER_RESIZE_POLICY).since(27),
    object("resources", &RESOURCE_REQUIREMENTS).always(),
    field("restartPolicy", Text).pointer().since(28),
    objects("restartPolicyRules", &CONTAINER_RESTART_RULE).since(34),
    object("securityContext", &SECURITY_CONTEXT),
    object("startupProbe", &PROBE),
    field("stdin", Bool),
    field("stdinOnce", Bool),
    field("targetContainerName", Text),
    field("terminationMessagePath", Text),
    field("terminationMessagePolicy", Text),
    field("tty", Bool),
    objects("volumeDevices", &VOLUME_DEVICE),
    objects("volumeMounts", &VOLUME_MOUNT),
    field("workingDir", Text),
]);

pub(super) static CONTAINER_PORT: Shape = shape(&[
    field("containerPort", Int32).always(),
    field("hostIP", Text),
    field("hostPort", Int32),
    field("name", Text),
    field("protocol", Text),
]);

pub(super) static CONTAINER_RESIZE_POLICY: Shape = shape(&[
    field("resourceName", Text).always(),
    field("restartPolicy", Text).always(),
]);

pub(super) static CONTAINER_RESTART_RULE: Shape = shape(&[
    field("action", Text),
    object("exitCodes", &CONTAINER_RESTART_RULE_ON_EXIT_CODES),
]);

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Shape =
    shape(&[field("operator", Text), field("values", Int32s)]);

pub(super) static ENV_FROM_SOURCE: Shape = shape(&[
    object("configMapRef", &CONFIG_MAP_ENV_SOURCE),
    field("prefix", Text),
    object("secretRef", &SECRET_ENV_SOURCE),
]);

pub(super) static CONFIG_MAP_ENV_SOURCE: Shape =
    shape(&[field("name", Text), field("optional", Bool).pointer()]);

pub(super) static SECRET_ENV_SOURCE: Shape =
    shape(&[field("name", Text), field("optional", Bool).pointer()]);

pub(super) static ENV_VAR: Shape = shape(&[
    field("name", Text).always(),
    field("value", Text),
    object("valueFrom", &ENV_VAR_SOURCE),
]);

pub(super) static ENV_VAR_SOURCE: Shape = shape(&[
    object("configMapKeyRef", &CONFIG_MAP_KEY_SELECTOR),
    object("fieldRef", &OBJECT_FIELD_SELECTOR),
    object("fileKeyRef", &FILE_KEY_SELECTOR).since(34),
    object("resourceFieldRef", &RESOURCE_FIELD_SELECTOR),
    object("secretKeyRef", &SECRET_KEY_SELECTOR),
]);

pub(super) static CONFIG_MAP_KEY_SELECTOR: Shape = shape(&[
    field("key", Text).always(),
    field("name", Text),
    field("optional", Bool).pointer(),
]);

pub(super) static SECRET_KEY_SELECTOR: Shape = shape(&[
    field("key", Text).always(),
    field("name", Text),
    field("optional", Bool).pointer(),
]);

pub(super) static FILE_KEY_SELECTOR: Shape = shape(&[
    field("key", Text).always(),
    field("optional", Bool).pointer(),
    field("path", Text).always(),
    field("volumeName", Text).always(),
]);

pub(super) static OBJECT_FIELD_SELECTOR: Shape =
    shape(&[field("apiVersion", Text), field("fieldPath", Text).always()]);

pub(super) static RESOURCE_FIELD_SELECTOR: Shape = shape(&[
    field("containerName", Text),
    field("divisor", Quantity).always(),
    field("resource", Text).always(),
]);

pub(super) static PROBE: Shape = shape(&[
    object("exec", &EXEC_ACTION),
    field("failureThreshold", Int32),
    object("grpc", &GRPC_ACTION).since(23),
    object("httpGet", &HTTP_GET_ACTION),
    field("initialDelaySeconds", Int32),
    field("periodSeconds", Int32),
    field("successThreshold", Int32),
    object("tcpSocket", &TCP_SOCKET_ACTION),
    field("terminationGracePeriodSeconds", Int64)
        .pointer()
        .since(21),
    field("timeoutSeconds", Int32),
]);

pub(super) static LIFECYCLE: Shape = shape(&[
    object("postStart", &LIFECYCLE_HANDLER),
    object("preStop", &LIFECYCLE_HANDLER),
    field("stopSignal", Text).pointer().since(33),
]);

pub(super) static LIFECYCLE_HANDLER: Shape = shape(&[
    object("exec", &EXEC_ACTION),
    object("httpGet", &HTTP_GET_ACTION),
    object("sleep", &SLEEP_ACTION).since(29),
    object("tcpSocket", &TCP_SOCKET_ACTION),
]);

pub(super) static EXEC_ACTION: Shape = shape(&[field("command", Texts)]);

pub(super) static GRPC_ACTION: Shape = shape(&[
    field("mode", Text).pointer().since(37),
    field("port", Int32).always().since(23),
    field("service", Text).nullable().since(23),
]);

pub(super) static HTTP_GET_ACTION: Shape = shape(&[
    field("host", Text),
    objects("httpHeaders", &HTTP_HEADER),
    field("path", Text),
    field("port", IntOrString).always(),
    field("protocol", Text).pointer().since(37),
    field("scheme", Text),
]);

pub(super) static HTTP_HEADER: Shape =
    shape(&[field("name", Text).always(), field("value", Text).always()]);

pub(super) static SLEEP_ACTION: Shape = shape(&[field("seconds", Int64).always()]);

pub(super) static TCP_SOCKET_ACTION: Shape =
    shape(&[field("host", Text), field("port", IntOrString).always()]);

pub(super) static RESOURCE_REQUIREMENTS: Shape = shape(&[
    objects("claims", &RESOURCE_CLAIM).since(26),
    field("limits", QuantityMap),
    field("requests", QuantityMap),
]);

pub(super) static RESOURCE_CLAIM: Shape = shape(&[
    field("name", Text).always().since(26),
    field("request", Text).since(31),
]);

pub(super) static SECURITY_CONTEXT: Shape = shape(&[
    field("allowPrivilegeEscalation", Bool).pointer(),
    object("appArmorProfile", &APP_ARMOR_PROFILE).since(30),
    object("capabilities", &CAPABILITIES),
    field("privileged", Bool).pointer(),
    field("procMount", Text).pointer(),
    field("readOnlyRootFilesystem", Bool).pointer(),
    field("runAsGroup", Int64).pointer(),
    field("runAsNonRoot", Bool).pointer(),
    field("runAsUser", Int64).pointer(),
    object("seLinuxOptions", &SE_LINUX_OPTIONS),
    object("seccompProfile", &SECCOMP_PROFILE),
    object("windowsOptions", &WINDOWS_SECURITY_CONTEXT_OPTIONS),
]);

pub(super) static APP_ARMOR_PROFILE: Shape = shape(&[
    field("localhostProfile", Text).pointer(),
    field("type", Text).always(),
]);

pub(super) static CAPABILITIES: Shape = shape(&[field("add", Texts), field("drop", Texts)]);

pub(super) static SE_LINUX_OPTIONS: Shape = shape(&[
    field("level", Text),
    field("role", Text),
    field("type", Text),
    field("user", Text),
]);

pub(super) static SECCOMP_PROFILE: Shape = shape(&[
    field("localhostProfile", Text).pointer(),
    field("type", Text).always(),
]);

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: Shape = shape(&[
    field("gmsaCredentialSpec", Text).pointer(),
    field("gmsaCredentialSpecName", Text).pointer(),
    field("hostProcess", Bool).pointer().since(22),
    field("runAsUserName", Text).pointer(),
]);

pub(super) static VOLUME_DEVICE: Shape = shape(&[
    field("devicePath", Text).always(),
    field("name", Text).always(),
]);

pub(super) static VOLUME_MOUNT: Shape = shape(&[
    field("bindMountOptions", Texts).since(37),
    field("mountPath", Text).always(),
    field("mountPropagation", Text).pointer(),
    field("name", Text).always(),
    field("readOnly", Bool),
    field("recursiveReadOnly", Text).pointer().since(30),
    field("subPath", Text),
    field("subPathExpr", Text),
]);
