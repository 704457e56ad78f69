//! Values of a policy that are written as their flags have them.

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use crate::cli::assumptions::{Assumed, ReadyAfter, parse_assumption, parse_ready_after};
use crate::cli::duration::parse_duration;
use crate::cli::fail_on::FailOn;
use sts_controller::version::{Version, VersionError};
use sts_plan::lint::Silence;
use sts_plan::requirement::{Requirement, RequirementError};

/// A value that is a text in the file.
#[derive(Debug)]
pub(super) struct Parsed<T>(pub(super) T);

/// A duration.
#[derive(Debug)]
pub(super) struct Duration(pub(super) SignedDuration);

/// How a text becomes a value.
pub(super) trait FromText: Sized {
    fn from_text(text: &str) -> Result<Self, String>;
}

impl<'de, T: FromText> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_text(&text).map(Parsed).map_err(D::Error::custom)
    }
}

impl FromText for FailOn {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

impl FromText for Silence {
    fn from_text(text: &str) -> Result<Self, String> {
        Silence::parse(text)
    }
}

impl FromText for Requirement {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|error: RequirementError| error.to_string())
    }
}

impl FromText for Version {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|error: VersionError| error.to_string())
    }
}

impl FromText for ReadyAfter {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_ready_after(text)
    }
}

impl FromText for Duration {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Duration)
    }
}

impl FromText for (String, Assumed) {
    fn from_text(text: &str) -> Result<Self, String> {
        parse_assumption(text)
    }
}
