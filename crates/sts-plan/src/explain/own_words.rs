//! The words of a policy, a quota or a readiness gate, behind what the component puts around them.

/// Texts that components put before the words that decide, each with its start and its end, in the order in which they
/// nest: the constraint of Gatekeeper, the list of GKE Warden and of Kyverno, the introductions of StackRox and Polaris,
/// the name of a readiness gate.
const AROUND: [(&str, &str); 7] = [
    ("[denied by ", "] "),
    ("{\"[denied by ", "]\":[\""),
    ("resource ", " was blocked due to the following policies"),
    ("policy ", " was blocked due to the following policies"),
    ("The attempted operation violated ", "described below:"),
    ("Polaris prevented ", "due to configuration problems:"),
    ("gate ", ": "),
];

/// Maximum number of characters of the name of a constraint, a policy or a rule.
const LONGEST_NAME: usize = 80;

/// Returns where the words that decide begin in a text, from this place on.
pub(super) fn own_words(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(next) = next_part(&text[at..]) {
        at += next;
    }
    match text[at..].trim().is_empty() {
        true => from,
        false => at,
    }
}

/// Minimum number of words of the message of a gate that says more than its reason.
const SENTENCE: usize = 4;

/// Returns where the message of a readiness gate begins that a text names with its reason, or else the reason.
pub(super) fn words_of_gate(text: &str) -> usize {
    let at = own_words(text, 0);
    let message = text[at..].split_once(": ");
    let is_sentence = |message: &str| message.split_whitespace().count() >= SENTENCE;
    match message {
        Some((reason, message)) if is_name(reason) && is_sentence(message) => {
            text.len() - message.len()
        }
        _ => at,
    }
}

/// Returns the length of what stands around the words at the beginning of a text; `None` for none.
fn next_part(text: &str) -> Option<usize> {
    let blank = text.len() - text.trim_start().len();
    if blank > 0 {
        return Some(blank);
    }
    let around = AROUND.iter().find_map(|(start, end)| {
        let rest = text.strip_prefix(start)?;
        Some(start.len() + rest.find(end)? + end.len())
    });
    around
        .or_else(|| bracketed(text))
        .or_else(|| rule(text))
        .or_else(|| {
            text.strip_prefix("validation error: ")
                .map(|rest| text.len() - rest.len())
        })
}

/// The name of a constraint: `[k8srequiredlabels] `. A list of several messages is in brackets too, and has spaces.
fn bracketed(text: &str) -> Option<usize> {
    let (name, _) = text.strip_prefix('[')?.split_once("] ")?;
    is_name(name).then(|| name.len() + "[] ".len())
}

/// The name of a policy and of its rule, whose message is in quotes: `limits: check-memory: 'limits are required'`.
fn rule(text: &str) -> Option<usize> {
    let (name, rest) = text.split_once(':')?;
    if !is_name(name) {
        return None;
    }
    let rest = rest.trim_start();
    let of_rule = || {
        let (rule, message) = rest.split_once(':')?;
        let message = message.trim_start();
        (is_name(rule) && message.starts_with(['\'', '"'])).then_some(())
    };
    match rest.starts_with(['\'', '"']) {
        true => Some(text.len() - rest.len() + 1),
        false => of_rule().map(|()| text.len() - rest.len()),
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    !text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::{own_words, words_of_gate};

    #[test]
    fn the_words_of_a_policy_begin_behind_the_names_around_them() {
        for (text, own) in [
            (
                "[azurepolicy-k8sazurev2containerallowedimag-1a31] Container image x has not been allowed.",
                "Container image x has not been allowed.",
            ),
            (
                "[denied by limits-4d45] container <a> has no limit",
                "container <a> has no limit",
            ),
            (
                "{\"[denied by autogke-no-host-port]\":[\"container a specifies host ports [7881]\"]}",
                "container a specifies host ports [7881]\"]}",
            ),
            (
                "\n\nresource Pod/bus/nats-2 was blocked due to the following policies \n\nlimits:\n  check: 'validation error: \
                 set limits. rule check failed at path /spec/'\n",
                "set limits. rule check failed at path /spec/'\n",
            ),
            (
                "policy Pod/db/a-0 was blocked due to the following policies p: r: 'no'",
                "no'",
            ),
            // The beginning of a list, a field or a sentence is no name.
            (
                "[maximum memory usage per Container is 8Gi, but limit is 12Gi, x]",
                "[maximum memory usage per Container is 8Gi, but limit is 12Gi, x]",
            ),
            (
                "containers[0].runAsUser: Invalid value: 1001: x",
                "containers[0].runAsUser: Invalid value: 1001: x",
            ),
            (
                "label cost-center is required",
                "label cost-center is required",
            ),
            ("image: must not be latest", "image: must not be latest"),
            ("[a] ", "[a] "),
        ] {
            assert_eq!(&text[own_words(text, 0)..], own);
        }
    }
    #[test]
    fn the_message_of_a_gate_says_more_than_its_reason() {
        for (text, own) in [
            (
                "gate target-health.elbv2.k8s.aws/k8s-a: Target.ResponseCodeMismatch: Health checks failed with these codes: \
                 [404]",
                "Health checks failed with these codes: [404]",
            ),
            (
                "gate a.example/b: Unhealthy: codes: [302]",
                "Unhealthy: codes: [302]",
            ),
            ("gate a.example/b: Unhealthy", "Unhealthy"),
            (
                "gate a.example/b has no condition: no controller has set it",
                "no controller has set it",
            ),
        ] {
            assert_eq!(&text[words_of_gate(text)..], own);
        }
    }
}
