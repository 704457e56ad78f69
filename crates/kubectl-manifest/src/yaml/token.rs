//! YAML tokens.

use std::borrow::Cow;

/// Smallest unit of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag {
        handle: &'a str,
        suffix: Cow<'a, str>,
    },
    Scalar {
        text: Cow<'a, str>,
        plain: bool,
    },
}
