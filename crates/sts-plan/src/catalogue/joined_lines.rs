//! The lines around the decisive one that belong to its sentence.

use super::decisive_line::{is_key, is_main, is_ornament};
use super::log_entry::Line;
use super::mounts::paths;

/// Maximum number of characters of a line together with the lines that it announces, and maximum number of those.
const LONGEST_PAIR: usize = 140;
const MOST_ANNOUNCED: usize = 2;

/// Beginnings of the lines that tell what is wrong with the field in the line before, as Pydantic writes them.
const OF_FIELDS: [&str; 5] = [
    "Field required",
    "Input should be",
    "Value error,",
    "Extra inputs are not permitted",
    "field required",
];

/// Reports whether a line is only the name of a field: `server.port`.
fn is_field(line: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !line.is_empty() && line.chars().all(is_part)
}

/// Returns a line with the setting that the line before it quotes, and with the lines that it announces.
pub(super) fn with_neighbors(line: &Line<'_>, lines: &[Line<'_>]) -> String {
    let said = line.said();
    // The level of PostgreSQL for its administrators.
    let said = said.strip_prefix("LOG:").map_or(said, str::trim_start);
    let at = lines.iter().position(|other| std::ptr::eq(other, line));
    let next = at.and_then(|at| {
        let rest = lines.get(at + 1..)?;
        rest.iter()
            .find(|next| !next.text.trim().is_empty() && !is_key(next.text.trim()))
            .filter(|next| is_main(next) && !is_ornament(next))
    });
    // `>>> 'bind 10.0.0.1'`, as Redis quotes its configuration.
    let before = at.and_then(|at| lines.get(at.checked_sub(1)?));
    if let Some(quoted) = before.and_then(|it| it.text.strip_prefix(">>> ")) {
        return format!("{}: {said}", quoted.trim());
    }
    // The field in the line before it, as Pydantic writes it.
    if let Some(field) = before.filter(|it| is_field(&it.text))
        && OF_FIELDS.iter().any(|start| said.starts_with(start))
    {
        // The values beside a missing field are others.
        let missing = said.split(" [type=missing").next().unwrap_or(said);
        return format!("{}: {missing}", field.text.trim());
    }
    let detail = at.and_then(|at| {
        let after = lines.get(at + 1)?.said().strip_prefix("DETAIL:")?;
        Some(after.trim()).filter(|detail| !detail.is_empty())
    });
    if let Some(detail) = detail {
        let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
        // The versions, which a headline would cut, say all of it.
        if said.contains("incompatible with server") && has_digit(detail) {
            return detail.to_owned();
        }
        return format!("{}: {detail}", said.trim_end_matches('.'));
    }
    if said.contains("could not load ") || said.contains("contains errors") {
        let place = lines
            .iter()
            .position(|it| it.said().starts_with("CONTEXT:"));
        let pair = place.and_then(|at| Some((lines.get(at.checked_sub(1)?)?, lines.get(at)?)));
        if let Some((fault, place)) = pair {
            let said = |line: &Line<'_>, start: &str| {
                let said = line.said();
                said.strip_prefix(start).unwrap_or(said).trim().to_owned()
            };
            let place = said(place, "CONTEXT:").replace("configuration file ", "");
            return format!("{}: {place}", said(fault, "LOG:"));
        }
    }
    let is_announcement = said.ends_with(':') || said.contains("validation error");
    let Some(next) = next.filter(|_| is_announcement) else {
        return said.to_owned();
    };
    let after = lines
        .iter()
        .skip_while(|line| !std::ptr::eq(*line, next))
        .filter(|line| !is_ornament(line));
    let mut both = said.to_owned();
    // A line that is indented less ends the list.
    let indent = |line: &Line<'_>| line.text.len() - line.text.trim_start().len();
    let of_list = after.take_while(|line| is_main(line) && indent(line) >= indent(next));
    for line in of_list.take(MOST_ANNOUNCED) {
        let longer = format!("{both} {}", line.said());
        if longer.chars().count() > LONGEST_PAIR {
            break;
        }
        both = longer;
    }
    match both.len() > said.len() {
        true => both,
        false => match paths(said)
            .last()
            .filter(|_| next.said().starts_with("line "))
        {
            // A number says nothing without its file.
            Some(file) => format!("{file}: {}", next.said()),
            None => next.said().to_owned(),
        },
    }
}
