//! Names, lists and lines of prose.

use super::style::{columns_of, escape};
use sts_plan::answer;
pub use sts_plan::answer::or_dash;
pub(super) use sts_plan::answer::{capitalized, count, elapsed, short_revision, spaced};
use sts_plan::report::{Metadata, ReportSource};

/// Lists the first names, and the number of others: `web-1, web-2 and 12 more`.
pub(super) fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let (named, more) = names.split_at(names.len().min(most));
    let named: Vec<&str> = named.iter().map(AsRef::as_ref).collect();
    match more.len() {
        0 => named.join(", "),
        more => format!("{} and {} more", named.join(", "), spaced(more)),
    }
}

/// Formats a position as compilers do: `web.yaml:8:3`.
pub(super) fn place(source: &ReportSource) -> String {
    let column = source.column.map(|column| format!(":{column}"));
    format!(
        "{}:{}{}",
        source.file,
        source.line,
        column.unwrap_or_default()
    )
}

/// Replaces the set's name at the beginning of names of pods and revisions with an ellipsis: `…-0` for `long-name-0`. A
/// short name is kept.
pub(super) fn without_set(text: &str, set: &str) -> String {
    const SHORT: usize = 8;
    if set.len() <= SHORT {
        return text.to_owned();
    }
    let prefix = format!("{set}-");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&prefix) {
        let (before, found) = rest.split_at(at);
        let is_within = before.ends_with(|character: char| character.is_alphanumeric());
        out.push_str(before);
        out.push_str(if is_within { &prefix } else { "…-" });
        rest = &found[prefix.len()..];
    }
    out.push_str(rest);
    out
}

/// Returns the escaped name of the set: `prod/web`.
pub(super) fn set_name(set: &Metadata) -> String {
    full_name(&set.namespace, &set.name)
}

pub(super) fn full_name(namespace: &str, name: &str) -> String {
    escape(&answer::full_name(namespace, name)).into_owned()
}

/// Wraps prose at `width`, with an indent before all lines but the first. Longer words are not broken.
pub(super) fn wrap(text: &str, width: Option<usize>, indent: usize) -> Vec<String> {
    flow(text.split(' '), " ", "", width, indent)
}

/// Wraps a command at `width`, with backslashes for a shell.
pub(super) fn wrap_command(text: &str, width: Option<usize>, indent: usize) -> Vec<String> {
    flow(text.split(' '), " ", " \\", width, indent)
}

/// Lays out pieces, separated by `gap`, in lines no longer than `width`. All lines but the last end in `glue`; all but the
/// first begin with an indent.
pub(super) fn flow<'p>(
    pieces: impl Iterator<Item = &'p str>,
    gap: &str,
    glue: &str,
    width: Option<usize>,
    indent: usize,
) -> Vec<String> {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(glue.len()));
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    let mut fresh = true;
    for piece in pieces {
        let wide = columns_of(piece);
        if fresh {
            fresh = false;
        } else if used + gap.len() + wide <= room {
            line.push_str(gap);
            used += gap.len();
        } else {
            line.push_str(glue);
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            used = indent;
        }
        line.push_str(piece);
        used += wide;
    }
    lines.push(line);
    lines
}

/// Truncates text to `width` columns, with an ellipsis.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns_of(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += columns_of(character.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        kept.push(character);
    }
    let end = kept.trim_end_matches([' ', ',', '…']).len();
    kept.truncate(end);
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// Truncates two values to `width` columns each so that the part in which they differ is visible.
pub(super) fn cut_pair(old: &str, new: &str, width: usize) -> (String, String) {
    if columns_of(old) <= width && columns_of(new) <= width {
        return (old.to_owned(), new.to_owned());
    }
    let same = old.chars().zip(new.chars());
    let same = same.take_while(|(old, new)| old == new).count();
    (cut_around(old, same, width), cut_around(new, same, width))
}

/// Truncates text to `width` columns around a position.
fn cut_around(text: &str, at: usize, width: usize) -> String {
    /// Columns before the position, at least.
    const BEFORE: usize = 12;
    if columns_of(text) <= width {
        return text.to_owned();
    }
    let length = text.chars().count();
    // As much of the end as fits, but not past the position.
    let start = (length + 1).saturating_sub(width);
    let start = start.min(at.saturating_sub(BEFORE));
    match start {
        0 => cut(text, width),
        start => {
            let rest: String = text.chars().skip(start).collect();
            format!("…{}", cut(&rest, width.saturating_sub(1)))
        }
    }
}

/// Truncates the middle of a name, which keeps the ordinal at its end.
pub(super) fn middle_cut(name: &str, width: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= width {
        return name.to_owned();
    }
    let tail = width / 3;
    let head = width.saturating_sub(tail + 1);
    let of = |part: &[char]| part.iter().collect::<String>();
    format!(
        "{}…{}",
        of(&characters[..head]),
        of(&characters[characters.len() - tail..])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_its_words_whole() {
        assert_eq!(
            wrap("waiting for web-1 to become ready", Some(16), 2),
            ["waiting for", "  web-1 to", "  become ready"]
        );
        assert_eq!(wrap("a-very-long-name", Some(4), 2), ["a-very-long-name"]);
        assert_eq!(
            wrap_command("kubectl delete pod web-1", Some(20), 4),
            ["kubectl delete pod \\", "    web-1"]
        );
    }

    #[test]
    fn a_set_can_be_left_out_of_the_names_of_what_it_has() {
        for (text, shown) in [
            ("long-name-0..long-name-11", "…-0..…-11"),
            ("keep data-long-name-0", "keep data-…-0"),
            ("so-long-name-0", "so-…-0"),
            ("solong-name-0", "solong-name-0"),
            ("long-name long-name- (2)", "long-name …- (2)"),
        ] {
            assert_eq!(without_set(text, "long-name"), shown);
        }
        assert_eq!(without_set("web-0", "web"), "web-0");
    }

    #[test]
    fn what_is_cut_ends_in_an_ellipsis() {
        assert_eq!(cut("gone 5s, ready 10s", 18), "gone 5s, ready 10s");
        assert_eq!(cut("gone 5s, ready 10s", 10), "gone 5s…");
        assert_eq!(cut("大大大", 4), "大…");
        assert_eq!(cut("create …-0 (+2)", 9), "create…");
        assert_eq!(cut("web", 0), "");
        let image = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/api:5.1.0";
        let (old, new) = cut_pair(image, &image.replace("5.1", "5.2"), 40);
        assert_eq!(old, "…r.ecr.eu-west-1.amazonaws.com/api:5.1.0");
        assert_eq!(new, "…r.ecr.eu-west-1.amazonaws.com/api:5.2.0");
        let args = "--retention=30d --level=info --with-many-other-flags --and-more";
        let (old, new) = cut_pair(args, &args.replace("30d", "7d"), 30);
        assert_eq!(old, "--retention=30d --level=info…");
        assert_eq!(new, "--retention=7d --level=info -…");
        assert_eq!(
            cut_pair("web:1", "web:2", 5),
            ("web:1".into(), "web:2".into())
        );
        assert_eq!(middle_cut("web-0", 9), "web-0");
        assert_eq!(middle_cut("a-very-long-name-12", 12), "a-very-…e-12");
    }
}
