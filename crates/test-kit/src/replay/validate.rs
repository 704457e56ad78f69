//! One create or update at a real server: compares whether it is refused, and with which messages.

use std::collections::BTreeSet;

use serde_json::Value;
use sts_controller::apiserver::apply::{ChangeError, Outcome, create, replace};
use sts_controller::apiserver::strict_decoding_error;

pub fn compare(case: &Value) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let input = &case["input"];
    let answer = match case["operation"].as_str() {
        Some("update") => replace(&case["stored"], input, &behaviour),
        _ => create(input, &[], &behaviour),
    };
    match (case["code"].as_u64(), &answer) {
        (Some(400), answer) => not_decoded(case, answer),
        (Some(422), Ok(outcome)) => match not_known(case, outcome) {
            Some(error) => Err(format!("refused with 422, ours not decoded: {error}")),
            None => refused(case, outcome),
        },
        (Some(200..400), Ok(outcome)) => {
            if let Some(error) = not_known(case, outcome) {
                return Err(format!("accepted, ours not decoded: {error}"));
            }
            if !outcome.refused.is_empty() {
                let ours = words(outcome).into_iter().next().unwrap_or_default();
                return Err(format!("accepted, ours refused: {ours}"));
            }
            warned(case, outcome)
        }
        (_, Err(error)) => Err(format!("ours not decoded: {error}")),
        (code, _) => Err(format!("unknown answer {code:?}")),
    }
}

/// Compares the errors about unknown fields. Servers before 1.25 report none, even if requested.
fn not_known(case: &Value, outcome: &Outcome) -> Option<String> {
    const FIRST: u32 = 25;
    let version = case["kubernetes"].as_str().unwrap_or_default();
    let minor = version
        .split('.')
        .nth(1)
        .and_then(|minor| minor.parse().ok());
    let looks = minor.is_none_or(|minor: u32| minor >= FIRST);
    strict_decoding_error(&outcome.unknown).filter(|_| looks)
}

/// Compares refusals of text that the server could not decode. Only the refusal must match, not its wording.
fn not_decoded(case: &Value, answer: &Result<Outcome, ChangeError>) -> Result<(), String> {
    let Ok(outcome) = answer else {
        return Ok(());
    };
    match not_known(case, outcome) {
        Some(_) => Ok(()),
        None => Err(format!("not decoded, ours decoded: {}", case["message"])),
    }
}

fn refused(case: &Value, outcome: &Outcome) -> Result<(), String> {
    let causes = case["causes"].as_array().into_iter().flatten();
    let theirs: BTreeSet<String> = causes
        .map(|cause| {
            let text = |member: &str| cause[member].as_str().unwrap_or_default();
            shown(text("field"), text("message"))
        })
        .collect();
    let ours = words(outcome);
    if ours.is_empty() {
        let first = theirs.first().cloned().unwrap_or_default();
        return Err(format!("PLANNED, theirs refused: {first}"));
    }
    if ours == theirs || without_claim_places(&ours, case) == without_claim_places(&theirs, case) {
        return Ok(());
    }
    if let Some(missing) = theirs.difference(&ours).next() {
        return Err(format!("missing {missing}"));
    }
    match ours.difference(&theirs).next() {
        Some(added) => Err(format!("added {added}")),
        None => Ok(()),
    }
}

/// Removes the indices of claim templates. The server puts the templates into a map and numbers them in Go's random
/// iteration order, so `volumes[0]` and `volumes[1]` differ from request to request.
fn without_claim_places(words: &BTreeSet<String>, case: &Value) -> BTreeSet<String> {
    let claims = case["input"]["spec"]["volumeClaimTemplates"].as_array();
    let claims = claims.map_or(0, Vec::len);
    let place = |index: &str| index.parse().is_ok_and(|index: usize| index < claims);
    let words = words.iter().map(|word| {
        match word
            .strip_prefix("spec.template.spec.volumes[")
            .and_then(|rest| rest.split_once(']'))
        {
            Some((index, rest)) if claims > 1 && place(index) => format!("volumes[claim]{rest}"),
            _ => word.clone(),
        }
    });
    words.collect()
}

/// Returns the errors without duplicates, as `field: message`.
pub fn words(outcome: &Outcome) -> BTreeSet<String> {
    let list = outcome.refused.iter();
    list.map(|refused| shown(&refused.field, &refused.message))
        .collect()
}

/// Removes memory addresses of the server, which differ from run to run: `(0xc000123456)`.
fn shown(field: &str, message: &str) -> String {
    let mut out = format!("{field}: ");
    let mut parts = message.split("(0x");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("(0x");
        out.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
    }
    out
}

/// Decodes headers, which were read as Latin 1 with one byte per character.
fn as_sent(text: &str) -> String {
    let bytes: Option<Vec<u8>> = text.chars().map(|byte| u8::try_from(byte).ok()).collect();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_else(|| text.to_owned())
}

/// Compares warnings, which are in an HTTP header: `299 - "text"`.
fn warned(case: &Value, outcome: &Outcome) -> Result<(), String> {
    let header = case["warnings"].as_array().into_iter().flatten();
    let theirs: BTreeSet<String> = header
        .filter_map(Value::as_str)
        .filter_map(|line| line.strip_prefix("299 - \"")?.strip_suffix('"'))
        .map(|text| as_sent(text).replace("\\\"", "\"").replace("\\\\", "\\"))
        .collect();
    let ours: BTreeSet<String> = outcome.server_warnings.iter().cloned().collect();
    if let Some(missing) = theirs.difference(&ours).next() {
        return Err(format!("warning missing: {missing}"));
    }
    match ours.difference(&theirs).next() {
        Some(added) => Err(format!("warning added: {added}")),
        None => Ok(()),
    }
}
