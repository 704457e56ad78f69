//! Names of a case in the texts of the catalogue.
//!
//! `{name}` stands for the object that the component's message names, `{pod}`, `{node}`, `{container}` and `{claim}` for
//! those of the case. What stands in brackets around a name that is unknown is left out: `the service[ {name}]` is `the
//! service` or `the service db`.

/// Puts names into a text. A name that is unknown stands in capitals.
#[must_use]
pub fn with_names(text: &str, names: &dyn Fn(&str) -> Option<String>) -> String {
    let filled = filled(text, names, &|key| Some(key.to_uppercase()));
    filled.unwrap_or_default()
}

/// Puts names into a text; `None` if one is unknown that does not stand in brackets.
pub(crate) fn if_known(text: &str, names: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    filled(text, names, &|_| None)
}

/// Puts names into a text, and something else for those that are unknown and not in brackets; `None` without it.
fn filled(
    text: &str,
    names: &dyn Fn(&str) -> Option<String>,
    unknown: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let Some(Place {
        before,
        optional,
        key,
        end,
        after,
    }) = first_place(text)
    else {
        return Some(text.to_owned());
    };
    let after = filled(after, names, unknown)?;
    Some(match (names(key), optional) {
        (Some(name), start) => format!("{before}{}{name}{end}{after}", start.unwrap_or_default()),
        (None, Some(_)) => format!("{before}{after}"),
        (None, None) => format!("{before}{}{after}", unknown(key)?),
    })
}

/// Returns a text as the page of a cause has it, with the names in capitals.
#[must_use]
pub fn page_text(text: &str) -> String {
    with_names(text, &|key| Some(key.to_uppercase()))
}

/// The place of a name in a text.
struct Place<'t> {
    before: &'t str,
    /// The text between the bracket and the name, if it is in brackets.
    optional: Option<&'t str>,
    key: &'t str,
    end: &'t str,
    after: &'t str,
}

fn first_place(text: &str) -> Option<Place<'_>> {
    let mut braces = text.match_indices('{');
    let (at, key) = braces.find_map(|(at, _)| {
        let (key, _) = text[at + 1..].split_once('}')?;
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase());
        is_key.then_some((at, key))
    })?;
    let (before, rest) = (&text[..at], &text[at + key.len() + 2..]);
    let bracket = before.rsplit_once('[').filter(|(_, it)| !it.contains(']'));
    let (before, optional, end, after) = match (bracket, rest.split_once(']')) {
        (Some((before, start)), Some((end, after))) => (before, Some(start), end, after),
        _ => (before, None, "", rest),
    };
    Some(Place {
        before,
        optional,
        key,
        end,
        after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{CauseEntry, causes};

    #[test]
    fn a_text_names_what_is_known() {
        let text = "Repair the service[ {name}]: kubectl logs {pod}; ask for {name}";
        let known = |key: &str| (key == "name").then(|| "db".to_owned());
        assert_eq!(
            with_names(text, &known),
            "Repair the service db: kubectl logs POD; ask for db"
        );
        assert_eq!(
            with_names(text, &|_| None),
            "Repair the service: kubectl logs POD; ask for NAME"
        );
        assert_eq!(if_known(text, &|_| None), None);
        assert_eq!(
            if_known("the service[ {name}]", &|_| None),
            Some("the service".to_owned())
        );
        assert_eq!(
            page_text(text),
            "Repair the service NAME: kubectl logs POD; ask for NAME"
        );
        for text in ["ports[*].hostPort", "-o jsonpath={.spec.x}", "[a] {b"] {
            assert_eq!(with_names(text, &|_| None), text);
        }
    }

    #[test]
    fn a_message_names_the_object_at_fault() {
        let entry = |start: &str| CauseEntry {
            named_after: vec![start.to_owned()],
            ..causes().next().unwrap().clone()
        };
        for (start, message, name) in [
            (
                "for service \"",
                "no endpoints for Service \"web\", retry",
                Some("web"),
            ),
            (
                "post \"https://",
                "Post \"https://hook.vault.svc:443/mutate\": EOF",
                Some("hook.vault.svc"),
            ),
            (
                "lookup ",
                "dial tcp: lookup db.prod.svc: no such host",
                Some("db.prod.svc"),
            ),
            (
                "is down (/",
                "a node is down (/10.0.0.4).",
                Some("10.0.0.4"),
            ),
            (
                "taint {",
                "had untolerated taint {a.io/b: }",
                Some("a.io/b"),
            ),
            ("lookup ", "connection refused", None),
            // A name can end up in a command.
            ("for service \"", "for service \"$(reboot)\"", None),
            ("for service \"", "for service \"--all\"", None),
        ] {
            assert_eq!(entry(start).name_in(message), name, "{message}");
        }
    }
}
