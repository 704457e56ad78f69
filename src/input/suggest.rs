//! Suggestions for unknown names: "did you mean ...?".

/// Number of names in a message.
const SHOWN: usize = 5;

/// Returns the end of the message for an unknown StatefulSet: the closest name, or the existing names.
pub(super) fn hint(wanted: &str, existing: &[String]) -> String {
    let mut names: Vec<&str> = existing.iter().map(String::as_str).collect();
    if let Some(set) = set_of_pod(wanted).filter(|set| names.contains(set)) {
        return is_pod(wanted, set);
    }
    if let Some(near) = near(wanted, &names) {
        return format!("; did you mean {near}?");
    }
    names.sort_unstable();
    match names.as_slice() {
        [] => ": no StatefulSets exist here; choose another namespace with -n".to_owned(),
        [only] => format!("; it has {only}"),
        names if names.len() <= SHOWN => format!("; it has {}", names.join(", ")),
        names => format!(
            "; it has {} and {} more",
            names[..SHOWN].join(", "),
            names.len() - SHOWN
        ),
    }
}

/// Returns the end of the message for the name of a pod in place of its set.
pub(super) fn is_pod(wanted: &str, set: &str) -> String {
    format!("; for the pod of {set}, use pod/{wanted}")
}

/// Returns the set that a pod of this name would have.
pub(super) fn set_of_pod(name: &str) -> Option<&str> {
    let (set, ordinal) = name.rsplit_once('-')?;
    ordinal.parse::<u32>().is_ok().then_some(set)
}

/// Returns the closest name, if one is close enough.
pub(super) fn nearest(wanted: &str, existing: &[&'static str]) -> Option<&'static str> {
    let near = existing
        .iter()
        .filter_map(|name| Some((distance_if_near(wanted, name)?, *name)));
    near.min().map(|(_, name)| name)
}

/// Returns the names close to this one, closest first, joined by "or"; `None` if none is close.
pub(super) fn near(wanted: &str, existing: &[&str]) -> Option<String> {
    let mut near: Vec<(usize, &str)> = existing
        .iter()
        .filter_map(|name| Some((distance_if_near(wanted, name)?, *name)))
        .collect();
    near.sort_unstable();
    near.truncate(SHOWN);
    let names: Vec<&str> = near.into_iter().map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Returns the edit distance of two names, if it is small enough for a typo or the letters of one abbreviate the other;
/// 0 if one contains the other.
pub(super) fn distance_if_near(wanted: &str, name: &str) -> Option<usize> {
    if wanted.len() >= 3 && (name.contains(wanted) || wanted.contains(name)) {
        return Some(0);
    }
    let length = wanted.chars().count();
    if length >= 3 && name.len() <= 2 * wanted.len() && abbreviates(wanted, name) {
        return Some(name.len() - wanted.len());
    }
    let most = (length / 3).max(1);
    // The distance is at least the difference in length, and costs their product.
    if length.abs_diff(name.chars().count()) > most {
        return None;
    }
    let distance = strsim::osa_distance(wanted, name);
    (distance <= most).then_some(distance)
}

/// Reports whether a name begins with the same letter and has all others in this order, as `srch` and `search`.
fn abbreviates(short: &str, name: &str) -> bool {
    let mut letters = name.chars();
    short.chars().next() == name.chars().next()
        && short.chars().all(|letter| letters.any(|one| one == letter))
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn typos_and_abbreviations_are_near() {
        let names = ["search", "kafka", "warehouse-b"];
        for (wanted, found) in [
            ("srch", Some("search")),
            ("serach", Some("search")),
            ("kfka", Some("kafka")),
            // Another first letter; too many letters missing.
            ("erch", None),
            ("web", None),
        ] {
            assert_eq!(near(wanted, &names).as_deref(), found, "{wanted}");
        }
    }
}
