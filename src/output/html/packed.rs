//! A section that is built when it is looked at: packed, since a page may have thousands.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A section as the script unpacks it; `None` where it cannot be packed.
pub(super) fn packed(section: &str) -> Option<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(section.as_bytes()).ok()?;
    Some(STANDARD.encode(encoder.finish().ok()?))
}
