//! Names of sets on the command line, in every form that `kubectl get` accepts: `web`, `sts/web`, `sts web api`,
//! `statefulset.v1.apps/web`, and `pod/web-1` for the set of that pod. Also `prod/web`, as tables print it, and `web,api`.

use anyhow::{Result, anyhow, bail};

use super::selection::Namespace;

/// Kinds that people type before a name, which are no namespaces.
const OTHER_KINDS: [&str; 24] = [
    "cm",
    "configmap",
    "cronjob",
    "daemonset",
    "daemonsets",
    "deploy",
    "deployment",
    "deployments",
    "ds",
    "job",
    "jobs",
    "node",
    "nodes",
    "ns",
    "namespace",
    "pdb",
    "pv",
    "pvc",
    "persistentvolumeclaim",
    "replicaset",
    "rs",
    "secret",
    "service",
    "svc",
];

/// Kind in front of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Set,
    Pod,
}

impl Kind {
    /// Parses a kind: `sts`, `StatefulSets`, `statefulset.apps`, `statefulsets.v1.apps`, `po`, `pods.v1.`.
    fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let (kind, place) = word.split_once('.').unwrap_or((&word, ""));
        let (kind, group) = match kind {
            "sts" | "statefulset" | "statefulsets" => (Kind::Set, "apps"),
            "po" | "pod" | "pods" => (Kind::Pod, ""),
            _ => return None,
        };
        let is_version = |text: &str| {
            let digit = text.strip_prefix('v').and_then(|rest| rest.chars().next());
            digit.is_some_and(|first| first.is_ascii_digit())
        };
        let is_of_group = match place.split_once('.') {
            Some((version, rest)) if is_version(version) => rest == group,
            _ => place.is_empty() || place == group,
        };
        is_of_group.then_some(kind)
    }

    /// Returns the set that a name of this kind refers to.
    fn set(self, name: &str) -> Result<String> {
        match self {
            Kind::Set => Ok(name.to_owned()),
            Kind::Pod => set_of_pod(name),
        }
    }
}

/// Returns the names of the sets, without duplicates. A namespace in front of them is that of the flag.
pub(super) fn set_names(given: &[String], namespace: &mut Namespace) -> Result<Vec<String>> {
    let given = given.iter().flat_map(|text| text.split(','));
    let given: Vec<&str> = given.filter(|text| !text.is_empty()).collect();
    let mut kind = Kind::Set;
    let mut names = Vec::new();
    let mut qualifiers = Vec::new();
    for (at, text) in given.iter().enumerate() {
        let name = match text.split_once('/') {
            Some((word, name)) if is_namespace(word) => {
                if name.is_empty() || name.contains('/') {
                    bail!("invalid name: {text:?}; write NAMESPACE/NAME");
                }
                qualifiers.push(word);
                kind.set(name)?
            }
            Some((word, name)) => named_with_kind(text, word, name)?,
            None if at == 0 && Kind::parse(text).is_some() && is_kind_alone(&given[1..]) => {
                kind = Kind::parse(text).unwrap_or(Kind::Set);
                if kind == Kind::Pod && given.len() == 1 {
                    bail!("missing pod name after {text:?}: write pod/NAME for the set of a pod");
                }
                continue;
            }
            None => kind.set(text)?,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if let Some(&first) = qualifiers.first() {
        if let Some(other) = qualifiers.iter().find(|word| **word != first) {
            bail!(
                "several namespaces: {first}, {other}; name the sets of one namespace, or use -A for all sets"
            );
        }
        if qualifiers.len() < names.len() {
            bail!(
                "several namespaces: some names have {first}/ and others none; use -n {first} for all of them"
            );
        }
        if let Some(flag) = namespace
            .namespace
            .as_deref()
            .filter(|flag| !flag.is_empty() && *flag != first)
        {
            bail!("two namespaces: {first}/ in front of a name, and -n {flag}; omit one of them");
        }
        namespace.namespace = Some(first.to_owned());
    }
    Ok(names)
}

/// Reports whether a word before a name can only be its namespace.
fn is_namespace(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !word.is_empty()
        && word.bytes().all(is_letter)
        && Kind::parse(word).is_none()
        && !OTHER_KINDS.contains(&word)
}

/// Reports whether a kind before these names applies to them, as in `sts web api`: none has a kind of its own.
fn is_kind_alone(names: &[&str]) -> bool {
    let has_kind = |name: &&str| {
        name.split_once('/')
            .is_some_and(|(word, _)| !is_namespace(word))
    };
    !names.iter().any(has_kind)
}

fn named_with_kind(text: &str, word: &str, name: &str) -> Result<String> {
    let Some(kind) = Kind::parse(word) else {
        return Err(anyhow!(
            "not a StatefulSet: {text:?}: {word:?} is another kind; write NAME, sts/NAME or NAMESPACE/NAME"
        ));
    };
    if name.is_empty() || name.contains('/') {
        bail!("invalid name: {text:?}; write sts/NAME");
    }
    kind.set(name)
}

/// Returns the set of a pod, which is named after the set and an ordinal.
fn set_of_pod(pod: &str) -> Result<String> {
    let set = pod.rsplit_once('-').filter(|(_, ordinal)| {
        !ordinal.is_empty() && ordinal.bytes().all(|byte| byte.is_ascii_digit())
    });
    // If the controller's int32 ordinal overflows, it has a minus sign.
    let set = set.map(|(set, _)| set.strip_suffix('-').unwrap_or(set));
    match set {
        Some(set) if !set.is_empty() => Ok(set.to_owned()),
        _ => Err(anyhow!(
            "not a pod of a StatefulSet: {pod:?}: its name does not end in an ordinal, as in web-1"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{Namespace, set_names};

    fn named(given: &[&str], flag: Option<&str>) -> Result<(Vec<String>, Option<String>), String> {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        let mut namespace = Namespace {
            namespace: flag.map(str::to_owned),
        };
        let names = set_names(&given, &mut namespace).map_err(|error| error.to_string())?;
        Ok((names, namespace.namespace))
    }

    fn names(given: &[&str]) -> Result<Vec<String>, String> {
        named(given, None).map(|(names, _)| names)
    }

    #[test]
    fn a_name_as_tables_print_it_has_its_namespace() {
        let one = || Ok((vec!["web".to_owned()], Some("prod".to_owned())));
        assert_eq!(named(&["prod/web"], None), one());
        assert_eq!(named(&["prod/web"], Some("prod")), one());
        assert_eq!(named(&["prod/web"], Some("")), one());
        assert_eq!(named(&["sts", "prod/web"], None), one());
        assert_eq!(named(&["pods", "prod/web-1"], None), one());
        assert_eq!(
            named(&["prod/web", "prod/api"], None).unwrap().0,
            ["web", "api"]
        );
        for (given, flag, part) in [
            (
                &["prod/web", "test/web"][..],
                None,
                "several namespaces: prod, test",
            ),
            (&["prod/web", "api"], None, "use -n prod"),
            (&["prod/web"], Some("test"), "-n test; omit one of them"),
            (&["prod/"], None, "write NAMESPACE/NAME"),
            (&["prod/sts/web"], None, "write NAMESPACE/NAME"),
        ] {
            let error = named(given, flag).unwrap_err();
            assert!(error.contains(part), "{given:?}: {error}");
        }
    }

    #[test]
    fn commas_separate_names() {
        let both = Ok(vec!["web".to_owned(), "api".to_owned()]);
        for given in [
            "web,api",
            "web,api,",
            "sts/web,sts/api",
            "prod/web,prod/api",
            "web,api,web",
        ] {
            assert_eq!(names(&[given]), both, "{given}");
        }
        assert_eq!(names(&["pods", "web-0,api-1"]), both);
    }

    #[test]
    fn every_form_of_kubectl_get_names_a_set() {
        for form in [
            "web",
            "sts/web",
            "statefulset/web",
            "statefulsets/web",
            "StatefulSet/web",
            "sts.apps/web",
            "statefulset.apps/web",
            "statefulsets.apps/web",
            "statefulset.v1.apps/web",
            "sts.v1.apps/web",
            "pod/web-1",
            "pods/web-12",
            "po/web-0",
            "pods.v1./web-0",
        ] {
            assert_eq!(names(&[form]), Ok(vec!["web".to_owned()]), "{form}");
        }
        assert_eq!(names(&["pod/my-db-3"]), Ok(vec!["my-db".to_owned()]));
        assert_eq!(names(&["pod/web--1"]), Ok(vec!["web".to_owned()]));
    }

    #[test]
    fn a_leading_kind_applies_to_all_names() {
        let both = Ok(vec!["web".to_owned(), "api".to_owned()]);
        assert_eq!(names(&["sts", "web", "api"]), both);
        assert_eq!(names(&["sts/web", "api"]), both);
        assert_eq!(names(&["pods", "web-0", "web-1", "api-0"]), both);
        assert_eq!(names(&["sts"]), Ok(Vec::new()));
        assert_eq!(names(&["sts/sts"]), Ok(vec!["sts".to_owned()]));
    }

    #[test]
    fn other_names_are_refused_with_the_right_form() {
        for (given, part) in [
            ("deploy/web", "\"deploy\" is another kind"),
            ("statefulset.apps.kruise.io/web", "is another kind"),
            ("pods.apps/web-1", "is another kind"),
            ("pod.v1/web-1", "is another kind"),
            ("sts/", "write sts/NAME"),
            ("sts/web/0", "write sts/NAME"),
            ("pod/web", "does not end in an ordinal"),
            ("pod/web-", "does not end in an ordinal"),
            ("pods", "write pod/NAME"),
        ] {
            let error = names(&[given]).unwrap_err();
            assert!(error.contains(part), "{given}: {error}");
        }
    }
}
