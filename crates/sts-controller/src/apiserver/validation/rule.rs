//! Rules of single fields, as data.
//!
//! A table is a list of rules in the server's order; [`check`] walks it. A rule for more than one field is a function
//! next to the table. A rule is as old as its field: since 1.20 servers validate these fields from their first minor
//! on. Fields that a minor does not have are removed before validation (`schema`). Rules that servers added
//! later are named switches of [`crate::version::PodRules`].

use serde_json::Value;

use super::refusals::Refusals;
use super::{name, word};
use crate::apiserver::schema::Path;

/// A requirement on a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// Present and not empty. The text is the server's explanation, usually empty.
    Required(&'static str),
    /// One of these strings, if present. Messages list them in this order.
    OneOf(&'static [&'static str]),
    /// One of these strings, if present. An empty string counts as missing.
    GivenOneOf(&'static [&'static str]),
    /// One of these strings. An empty or absent one counts as missing.
    Chosen(&'static [&'static str]),
    /// Not negative.
    NotNegative,
    /// Between these two, if present.
    Within(i64, i64),
    /// The mode of a file, if present.
    FileMode,
    /// A DNS label, if not empty.
    Label,
    /// A DNS subdomain, if not empty.
    Subdomain,
    /// A DNS subdomain, if present, even if empty.
    GivenSubdomain,
    /// A DNS label, present and not empty.
    RequiredLabel,
    /// A path below a directory: not absolute, and without `..`.
    InnerPath,
    /// A path below a directory that also does not start with `..`, a prefix that the kubelet uses for its own files.
    OwnPath,
    /// A path without `..`.
    NoBacksteps,
    /// Absent. The text is the server's explanation.
    Forbidden(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The field's name in its object.
    field: &'static str,
    check: Check,
}

pub(super) const fn rule(field: &'static str, check: Check) -> Rule {
    Rule { field, check }
}

/// Checks an object against every rule of a table.
pub(super) fn check(owner: &Value, at: &Path<'_>, rules: &[Rule], out: &mut Refusals<'_>) {
    for rule in rules {
        one(&owner[rule.field], &at.member(rule.field), rule.check, out);
    }
}

/// Checks one value against one rule.
pub(super) fn one(value: &Value, at: &Path<'_>, check: Check, out: &mut Refusals<'_>) {
    let text = value.as_str().unwrap_or_default();
    match check {
        Check::Required(detail) => {
            if is_empty(value) {
                out.required(at, detail);
            }
        }
        Check::OneOf(known) => {
            if value.is_string() && !known.contains(&text) {
                out.not_supported(at, text, known);
            }
        }
        Check::GivenOneOf(known) => {
            if value.is_string() {
                one(value, at, Check::Chosen(known), out);
            }
        }
        Check::Chosen(known) => {
            if text.is_empty() {
                out.required(at, "");
            } else if !known.contains(&text) {
                out.not_supported(at, text, known);
            }
        }
        Check::NotNegative => out.negative(at, value.as_i64().unwrap_or(0)),
        Check::Within(least, most) => {
            if let Some(number) = value.as_i64()
                && !(least..=most).contains(&number)
            {
                let detail = format!("must be between {least} and {most}, inclusive");
                out.invalid(at, number, &detail);
            }
        }
        Check::FileMode => {
            if let Some(mode) = value.as_i64()
                && !(0..=0o777).contains(&mode)
            {
                let detail = "must be a number between 0 and 0777 (octal), both inclusive";
                out.invalid(at, mode, detail);
            }
        }
        Check::Label => {
            if !text.is_empty() {
                out.invalid_text(at, text, &name::dns_label(text));
            }
        }
        Check::RequiredLabel => {
            if text.is_empty() {
                out.required(at, "");
            } else {
                out.invalid_text(at, text, &name::dns_label(text));
            }
        }
        Check::Subdomain => {
            if !text.is_empty() {
                out.invalid_text(at, text, &name::dns_subdomain(text));
            }
        }
        Check::GivenSubdomain => {
            if value.is_string() {
                out.invalid_text(at, text, &name::dns_subdomain(text));
            }
        }
        Check::InnerPath => out.invalid_text(at, text, &word::inner_path(text)),
        Check::OwnPath => out.invalid_text(at, text, &word::own_path(text)),
        Check::NoBacksteps => out.invalid_text(at, text, &word::no_backsteps(text)),
        Check::Forbidden(detail) => {
            if !value.is_null() {
                out.forbidden(at, detail);
            }
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
