//! VolumeAttachments.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// A VolumeAttachment: a volume that is or will be attached to a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Metadata.
    pub meta: Meta,
    /// `spec.nodeName`.
    pub node: Arc<str>,
    /// `spec.source.persistentVolumeName`; empty for an inline volume.
    pub volume: Arc<str>,
    /// `status.attached`.
    pub is_attached: bool,
    /// `status.attachError.message`; empty if there is none.
    pub attach_error: Arc<str>,
    /// `status.attachError.time`.
    pub attach_failed: Option<Timestamp>,
    /// `status.detachError.message`; empty if there is none.
    pub detach_error: Arc<str>,
}

impl Attachment {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let (spec, status) = (fields.object("spec")?, fields.object("status")?);
        Ok(Attachment {
            meta: Meta::read(&fields)?,
            node: spec.shared_text("nodeName")?,
            volume: spec.object("source")?.shared_text("persistentVolumeName")?,
            is_attached: status.boolean("attached")?.unwrap_or(false),
            attach_error: status.object("attachError")?.message("message")?,
            attach_failed: status.object("attachError")?.time("time")?,
            detach_error: status.object("detachError")?.message("message")?,
        })
    }
}
