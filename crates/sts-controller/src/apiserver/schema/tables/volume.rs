//! Volumes and their sources.

use super::claim::PERSISTENT_VOLUME_CLAIM_TEMPLATE;
use super::meta::LOCAL_OBJECT_REFERENCE;
use super::projection::{
    CONFIG_MAP_VOLUME_SOURCE, DOWNWARD_API_VOLUME_SOURCE, PROJECTED_VOLUME_SOURCE,
    SECRET_VOLUME_SOURCE,
};
use crate::apiserver::schema::fields::Kind::{Bool, Int32, Object, Quantity, Text, TextMap, Texts};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static VOLUME: Shape = Shape {
    fields: &[
        field(
            "awsElasticBlockStore",
            Object(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE),
        )
        .pointer(),
        field("azureDisk", Object(&AZURE_DISK_VOLUME_SOURCE)).pointer(),
        field("azureFile", Object(&AZURE_FILE_VOLUME_SOURCE)).pointer(),
        field("cephfs", Object(&CEPH_FS_VOLUME_SOURCE)).pointer(),
        field("cinder", Object(&CINDER_VOLUME_SOURCE)).pointer(),
        field("configMap", Object(&CONFIG_MAP_VOLUME_SOURCE)).pointer(),
        field("csi", Object(&CSI_VOLUME_SOURCE)).pointer(),
        field("downwardAPI", Object(&DOWNWARD_API_VOLUME_SOURCE)).pointer(),
        field("emptyDir", Object(&EMPTY_DIR_VOLUME_SOURCE)).pointer(),
        field("ephemeral", Object(&EPHEMERAL_VOLUME_SOURCE)).pointer(),
        field("fc", Object(&FC_VOLUME_SOURCE)).pointer(),
        field("flexVolume", Object(&FLEX_VOLUME_SOURCE)).pointer(),
        field("flocker", Object(&FLOCKER_VOLUME_SOURCE)).pointer(),
        field(
            "gcePersistentDisk",
            Object(&GCE_PERSISTENT_DISK_VOLUME_SOURCE),
        )
        .pointer(),
        field("gitRepo", Object(&GIT_REPO_VOLUME_SOURCE)).pointer(),
        field("glusterfs", Object(&GLUSTERFS_VOLUME_SOURCE)).pointer(),
        field("hostPath", Object(&HOST_PATH_VOLUME_SOURCE)).pointer(),
        field("image", Object(&IMAGE_VOLUME_SOURCE))
            .pointer()
            .since(31),
        field("iscsi", Object(&ISCSI_VOLUME_SOURCE)).pointer(),
        field("name", Text).always(),
        field("nfs", Object(&NFS_VOLUME_SOURCE)).pointer(),
        field(
            "persistentVolumeClaim",
            Object(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE),
        )
        .pointer(),
        field(
            "photonPersistentDisk",
            Object(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE),
        )
        .pointer(),
        field("portworxVolume", Object(&PORTWORX_VOLUME_SOURCE)).pointer(),
        field("projected", Object(&PROJECTED_VOLUME_SOURCE)).pointer(),
        field("quobyte", Object(&QUOBYTE_VOLUME_SOURCE)).pointer(),
        field("rbd", Object(&RBD_VOLUME_SOURCE)).pointer(),
        field("scaleIO", Object(&SCALE_IO_VOLUME_SOURCE)).pointer(),
        field("secret", Object(&SECRET_VOLUME_SOURCE)).pointer(),
        field("storageos", Object(&STORAGE_OS_VOLUME_SOURCE)).pointer(),
        field("vsphereVolume", Object(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)).pointer(),
    ],
};

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("partition", Int32),
        field("readOnly", Bool),
        field("volumeID", Text).always(),
    ],
};

pub(super) static AZURE_DISK_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("cachingMode", Text).pointer(),
        field("diskName", Text).always(),
        field("diskURI", Text).always(),
        field("fsType", Text).pointer(),
        field("kind", Text).pointer(),
        field("readOnly", Bool).pointer(),
    ],
};

pub(super) static AZURE_FILE_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("readOnly", Bool),
        field("secretName", Text).always(),
        field("shareName", Text).always(),
    ],
};

pub(super) static CEPH_FS_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("monitors", Texts).always(),
        field("path", Text),
        field("readOnly", Bool),
        field("secretFile", Text),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("user", Text),
    ],
};

pub(super) static CINDER_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("volumeID", Text).always(),
    ],
};

pub(super) static CSI_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("driver", Text).always(),
        field("fsType", Text).pointer(),
        field("nodePublishSecretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("readOnly", Bool).pointer(),
        field("volumeAttributes", TextMap),
    ],
};

pub(super) static EMPTY_DIR_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("medium", Text),
        field("mode", Int32).pointer().since(37),
        field("sizeLimit", Quantity).pointer(),
    ],
};

pub(super) static EPHEMERAL_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("readOnly", Bool).until(20),
        field(
            "volumeClaimTemplate",
            Object(&PERSISTENT_VOLUME_CLAIM_TEMPLATE),
        )
        .pointer(),
    ],
};

pub(super) static FC_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("lun", Int32).pointer(),
        field("readOnly", Bool),
        field("targetWWNs", Texts),
        field("wwids", Texts),
    ],
};

pub(super) static FLEX_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("driver", Text).always(),
        field("fsType", Text),
        field("options", TextMap),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
    ],
};

pub(super) static FLOCKER_VOLUME_SOURCE: Shape = Shape {
    fields: &[field("datasetName", Text), field("datasetUUID", Text)],
};

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("partition", Int32),
        field("pdName", Text).always(),
        field("readOnly", Bool),
    ],
};

pub(super) static GIT_REPO_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("directory", Text),
        field("repository", Text).always(),
        field("revision", Text),
    ],
};

pub(super) static GLUSTERFS_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("endpoints", Text).always(),
        field("path", Text).always(),
        field("readOnly", Bool),
    ],
};

pub(super) static HOST_PATH_VOLUME_SOURCE: Shape = Shape {
    fields: &[field("path", Text).always(), field("type", Text).pointer()],
};

pub(super) static IMAGE_VOLUME_SOURCE: Shape = Shape {
    fields: &[field("pullPolicy", Text), field("reference", Text)],
};

pub(super) static ISCSI_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("chapAuthDiscovery", Bool),
        field("chapAuthSession", Bool),
        field("fsType", Text),
        field("initiatorName", Text).pointer(),
        field("iqn", Text).always(),
        field("iscsiInterface", Text),
        field("lun", Int32).always(),
        field("portals", Texts),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("targetPortal", Text).always(),
    ],
};

pub(super) static NFS_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("path", Text).always(),
        field("readOnly", Bool),
        field("server", Text).always(),
    ],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Shape = Shape {
    fields: &[field("claimName", Text).always(), field("readOnly", Bool)],
};

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Shape = Shape {
    fields: &[field("fsType", Text), field("pdID", Text).always()],
};

pub(super) static PORTWORX_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("readOnly", Bool),
        field("volumeID", Text).always(),
    ],
};

pub(super) static QUOBYTE_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("group", Text),
        field("readOnly", Bool),
        field("registry", Text).always(),
        field("tenant", Text),
        field("user", Text),
        field("volume", Text).always(),
    ],
};

pub(super) static RBD_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("image", Text).always(),
        field("keyring", Text),
        field("monitors", Texts).always(),
        field("pool", Text),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("user", Text),
    ],
};

pub(super) static SCALE_IO_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("gateway", Text).always(),
        field("protectionDomain", Text),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).nullable(),
        field("sslEnabled", Bool),
        field("storageMode", Text),
        field("storagePool", Text),
        field("system", Text).always(),
        field("volumeName", Text),
    ],
};

pub(super) static STORAGE_OS_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("readOnly", Bool),
        field("secretRef", Object(&LOCAL_OBJECT_REFERENCE)).pointer(),
        field("volumeName", Text),
        field("volumeNamespace", Text),
    ],
};

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("fsType", Text),
        field("storagePolicyID", Text),
        field("storagePolicyName", Text),
        field("volumePath", Text).always(),
    ],
};
