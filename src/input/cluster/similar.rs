//! Which name was meant.

/// How many names are shown.
const SHOWN: usize = 5;

/// What to say of the names that there are, to somebody who asked for one that is not.
pub(super) fn hint(wanted: &str, there: &[String]) -> String {
    let mut names: Vec<&str> = there.iter().map(String::as_str).collect();
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

/// The names that may have been meant, nearest first, with "or" between them; `None` where none comes near.
pub(super) fn near(wanted: &str, there: &[&str]) -> Option<String> {
    let mut near: Vec<(usize, &str)> = there
        .iter()
        .filter_map(|name| Some((distance_if_near(wanted, name)?, *name)))
        .collect();
    near.sort_unstable();
    near.truncate(SHOWN);
    let names: Vec<&str> = near.into_iter().map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// How many letters differ, where so few do that one may have been written for the other; 0 where one is part of the
/// other.
fn distance_if_near(wanted: &str, name: &str) -> Option<usize> {
    if wanted.len() >= 3 && (name.contains(wanted) || wanted.contains(name)) {
        return Some(0);
    }
    let distance = distance(wanted, name);
    (distance <= (wanted.chars().count() / 3).max(1)).then_some(distance)
}

/// Letters to insert, remove, replace or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
