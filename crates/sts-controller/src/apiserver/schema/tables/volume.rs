//! Volumes and their sources.

use super::claim::PERSISTENT_VOLUME_CLAIM_TEMPLATE;
use super::meta::LOCAL_OBJECT_REFERENCE;
use super::projection::{
    CONFIG_MAP_VOLUME_SOURCE, DOWNWARD_API_VOLUME_SOURCE, PROJECTED_VOLUME_SOURCE,
    SECRET_VOLUME_SOURCE,
};
use crate::apiserver::schema::fields::Kind::{Bool, Int32, Quantity, Text, TextMap, Texts};
use crate::apiserver::schema::fields::{Shape, field, object, shape};

pub(super) static VOLUME: Shape = shape(&[
    object(
        "awsElasticBlockStore",
        &AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE,
    ),
    object("azureDisk", &AZURE_DISK_VOLUME_SOURCE),
    object("azureFile", &AZURE_FILE_VOLUME_SOURCE),
    object("cephfs", &CEPH_FS_VOLUME_SOURCE),
    object("cinder", &CINDER_VOLUME_SOURCE),
    object("configMap", &CONFIG_MAP_VOLUME_SOURCE),
    object("csi", &CSI_VOLUME_SOURCE),
    object("downwardAPI", &DOWNWARD_API_VOLUME_SOURCE),
    object("emptyDir", &EMPTY_DIR_VOLUME_SOURCE),
    object("ephemeral", &EPHEMERAL_VOLUME_SOURCE),
    object("fc", &FC_VOLUME_SOURCE),
    object("flexVolume", &FLEX_VOLUME_SOURCE),
    object("flocker", &FLOCKER_VOLUME_SOURCE),
    object("gcePersistentDisk", &GCE_PERSISTENT_DISK_VOLUME_SOURCE),
    object("gitRepo", &GIT_REPO_VOLUME_SOURCE),
    object("glusterfs", &GLUSTERFS_VOLUME_SOURCE),
    object("hostPath", &HOST_PATH_VOLUME_SOURCE),
    object("image", &IMAGE_VOLUME_SOURCE).since(31),
    object("iscsi", &ISCSI_VOLUME_SOURCE),
    field("name", Text).always(),
    object("nfs", &NFS_VOLUME_SOURCE),
    object(
        "persistentVolumeClaim",
        &PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE,
    ),
    object(
        "photonPersistentDisk",
        &PHOTON_PERSISTENT_DISK_VOLUME_SOURCE,
    ),
    object("portworxVolume", &PORTWORX_VOLUME_SOURCE),
    object("projected", &PROJECTED_VOLUME_SOURCE),
    object("quobyte", &QUOBYTE_VOLUME_SOURCE),
    object("rbd", &RBD_VOLUME_SOURCE),
    object("scaleIO", &SCALE_IO_VOLUME_SOURCE),
    object("secret", &SECRET_VOLUME_SOURCE),
    object("storageos", &STORAGE_OS_VOLUME_SOURCE),
    object("vsphereVolume", &VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE),
]);

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("partition", Int32),
    field("readOnly", Bool),
    field("volumeID", Text).always(),
]);

pub(super) static AZURE_DISK_VOLUME_SOURCE: Shape = shape(&[
    field("cachingMode", Text).pointer(),
    field("diskName", Text).always(),
    field("diskURI", Text).always(),
    field("fsType", Text).pointer(),
    field("kind", Text).pointer(),
    field("readOnly", Bool).pointer(),
]);

pub(super) static AZURE_FILE_VOLUME_SOURCE: Shape = shape(&[
    field("readOnly", Bool),
    field("secretName", Text).always(),
    field("shareName", Text).always(),
]);

pub(super) static CEPH_FS_VOLUME_SOURCE: Shape = shape(&[
    field("monitors", Texts).always(),
    field("path", Text),
    field("readOnly", Bool),
    field("secretFile", Text),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
    field("user", Text),
]);

pub(super) static CINDER_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
    field("volumeID", Text).always(),
]);

pub(super) static CSI_VOLUME_SOURCE: Shape = shape(&[
    field("driver", Text).always(),
    field("fsType", Text).pointer(),
    object("nodePublishSecretRef", &LOCAL_OBJECT_REFERENCE),
    field("readOnly", Bool).pointer(),
    field("volumeAttributes", TextMap),
]);

pub(super) static EMPTY_DIR_VOLUME_SOURCE: Shape = shape(&[
    field("medium", Text),
    field("mode", Int32).pointer().since(37),
    field("sizeLimit", Quantity).pointer(),
]);

pub(super) static EPHEMERAL_VOLUME_SOURCE: Shape = shape(&[
    field("readOnly", Bool).until(20),
    object("volumeClaimTemplate", &PERSISTENT_VOLUME_CLAIM_TEMPLATE),
]);

pub(super) static FC_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("lun", Int32).pointer(),
    field("readOnly", Bool),
    field("targetWWNs", Texts),
    field("wwids", Texts),
]);

pub(super) static FLEX_VOLUME_SOURCE: Shape = shape(&[
    field("driver", Text).always(),
    field("fsType", Text),
    field("options", TextMap),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
]);

pub(super) static FLOCKER_VOLUME_SOURCE: Shape =
    shape(&[field("datasetName", Text), field("datasetUUID", Text)]);

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("partition", Int32),
    field("pdName", Text).always(),
    field("readOnly", Bool),
]);

pub(super) static GIT_REPO_VOLUME_SOURCE: Shape = shape(&[
    field("directory", Text),
    field("repository", Text).always(),
    field("revision", Text),
]);

pub(super) static GLUSTERFS_VOLUME_SOURCE: Shape = shape(&[
    field("endpoints", Text).always(),
    field("path", Text).always(),
    field("readOnly", Bool),
]);

pub(super) static HOST_PATH_VOLUME_SOURCE: Shape =
    shape(&[field("path", Text).always(), field("type", Text).pointer()]);

pub(super) static IMAGE_VOLUME_SOURCE: Shape =
    shape(&[field("pullPolicy", Text), field("reference", Text)]);

pub(super) static ISCSI_VOLUME_SOURCE: Shape = shape(&[
    field("chapAuthDiscovery", Bool),
    field("chapAuthSession", Bool),
    field("fsType", Text),
    field("initiatorName", Text).pointer(),
    field("iqn", Text).always(),
    field("iscsiInterface", Text),
    field("lun", Int32).always(),
    field("portals", Texts),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
    field("targetPortal", Text).always(),
]);

pub(super) static NFS_VOLUME_SOURCE: Shape = shape(&[
    field("path", Text).always(),
    field("readOnly", Bool),
    field("server", Text).always(),
]);

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Shape =
    shape(&[field("claimName", Text).always(), field("readOnly", Bool)]);

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Shape =
    shape(&[field("fsType", Text), field("pdID", Text).always()]);

pub(super) static PORTWORX_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("readOnly", Bool),
    field("volumeID", Text).always(),
]);

pub(super) static QUOBYTE_VOLUME_SOURCE: Shape = shape(&[
    field("group", Text),
    field("readOnly", Bool),
    field("registry", Text).always(),
    field("tenant", Text),
    field("user", Text),
    field("volume", Text).always(),
]);

pub(super) static RBD_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("image", Text).always(),
    field("keyring", Text),
    field("monitors", Texts).always(),
    field("pool", Text),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
    field("user", Text),
]);

pub(super) static SCALE_IO_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("gateway", Text).always(),
    field("protectionDomain", Text),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE).nullable(),
    field("sslEnabled", Bool),
    field("storageMode", Text),
    field("storagePool", Text),
    field("system", Text).always(),
    field("volumeName", Text),
]);

pub(super) static STORAGE_OS_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("readOnly", Bool),
    object("secretRef", &LOCAL_OBJECT_REFERENCE),
    field("volumeName", Text),
    field("volumeNamespace", Text),
]);

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Shape = shape(&[
    field("fsType", Text),
    field("storagePolicyID", Text),
    field("storagePolicyName", Text),
    field("volumePath", Text).always(),
]);
