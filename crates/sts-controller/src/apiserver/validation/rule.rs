//! Rules of single fields, as data: what a field of an object has to be.
//!
//! A table is a list of rules in the order in which the server asks; [`check`] walks it. What involves more than
//! one field is a function beside the table. A rule is as old as its field: since 1.20 servers have asked for these
//! as soon as there was something to ask about, and what a minor does not have is gone before rules are asked (the
//! schema tables). What servers began to ask later is a named switch of [`crate::version::PodRules`].

use serde_json::Value;

use super::refusals::Refusals;
use super::{name, word};
use crate::apiserver::schema::Path;

/// A requirement on a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// There, and not empty. The text is the server's explanation, mostly none.
    Required(&'static str),
    /// One of these texts, where it is given; they are listed in this order.
    OneOf(&'static [&'static str]),
    /// One of these texts, where it is given; to be empty is to lack it.
    GivenOneOf(&'static [&'static str]),
    /// One of these texts; to be empty or left out is to lack it.
    Chosen(&'static [&'static str]),
    /// Not negative.
    NotNegative,
    /// Between these two, where it is given.
    Within(i64, i64),
    /// The mode of a file, where it is given.
    FileMode,
    /// A DNS label, where it is not empty.
    Label,
    /// A DNS subdomain, where it is not empty.
    Subdomain,
    /// A DNS subdomain, where it is given, even if it is empty.
    GivenSubdomain,
    /// A label of DNS, there and not empty.
    RequiredLabel,
    /// A path below a directory: not absolute, and without `..`.
    InnerPath,
    /// A path below a directory that does not start with `..` either, as the names of files that the kubelet
    /// writes.
    OwnPath,
    /// A path without `..`.
    NoBacksteps,
    /// Not there at all, with the server's explanation.
    Forbidden(&'static str),
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The field's name in its object.
    field: &'static str,
    check: Check,
}

pub(super) const fn rule(field: &'static str, check: Check) -> Rule {
    Rule { field, check }
}

/// Asks every rule of a table about an object.
pub(super) fn check(owner: &Value, at: &Path<'_>, rules: &[Rule], out: &mut Refusals<'_>) {
    for rule in rules {
        one(&owner[rule.field], &at.member(rule.field), rule.check, out);
    }
}

/// Asks one question about one value.
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
