//! Suggestions for a name that is not there: "did you mean ...?".

/// Number of names that are shown.
const SHOWN: usize = 5;

/// Returns the end of the message that no StatefulSet has this name: the one that was probably meant, or those that
/// exist.
pub(super) fn hint(wanted: &str, existing: &[String]) -> String {
    let mut names: Vec<&str> = existing.iter().map(String::as_str).collect();
    if let Some(near) = near(wanted, &names) {
        return format!("; did you mean {near}?");
    }
    names.sort_unstable();
    match names.as_slice() {
        [] => ": no StatefulSet is there; choose another namespace with -n".to_owned(),
        [only] => format!(": there is {only}"),
        names if names.len() <= SHOWN => format!(": there are {}", names.join(", ")),
        names => format!(
            ": there are {} and {} more",
            names[..SHOWN].join(", "),
            names.len() - SHOWN
        ),
    }
}

/// The closest of some names, if one is close.
pub(super) fn nearest(wanted: &str, existing: &[&'static str]) -> Option<&'static str> {
    let near = existing
        .iter()
        .filter_map(|name| Some((distance_if_near(wanted, name)?, *name)));
    near.min().map(|(_, name)| name)
}

/// The names close to this one, the closest first, joined with "or"; `None` where none is close.
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

/// The number of edits between two names, if few enough for a typing error; 0 where one contains the other.
fn distance_if_near(wanted: &str, name: &str) -> Option<usize> {
    if wanted.len() >= 3 && (name.contains(wanted) || wanted.contains(name)) {
        return Some(0);
    }
    let length = wanted.chars().count();
    let most = (length / 3).max(1);
    // The distance is at least the difference in length, and costs the product of both.
    if length.abs_diff(name.chars().count()) > most {
        return None;
    }
    let distance = strsim::osa_distance(wanted, name);
    (distance <= most).then_some(distance)
}
