//! Stands in for the crate of this name in builds of this repository, and reads no YAML.
//!
//! kube-client asks it for two things: kubeconfigs, and what a credential plugin prints. `kubectl sts-plan` reads both
//! itself, exactly as kubectl does, and hands kube-client the result. The crate itself brings a parser, a renderer of source
//! excerpts and the encodings of the web, which are compiled and never run: a twentieth of the program and of the time that
//! it takes to build.

use std::fmt;

use serde_core::de::DeserializeOwned;

/// YAML was to be read.
#[derive(Debug)]
pub struct Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("kube-client reads no YAML in this build")
    }
}

impl std::error::Error for Error {}

/// The documents of a text.
///
/// # Errors
/// Always.
pub fn from_multiple<T: DeserializeOwned>(_: &str) -> Result<Vec<T>, Error> {
    Err(Error)
}

/// The document of a text.
///
/// # Errors
/// Always.
pub fn from_slice<T: DeserializeOwned>(_: &[u8]) -> Result<T, Error> {
    Err(Error)
}
