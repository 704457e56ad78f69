//! A headline that fits on a line or two.

/// Maximum number of characters of a headline.
const MOST: usize = 160;
/// Minimum number of characters of the cause in it.
const LEAST: usize = 36;
/// Number of characters of a process's words for which the details and the end of a headline make way.
const WIDE: usize = 72;
/// Maximum number of characters that are dropped to end at a space.
const WORD: usize = 16;
/// Maximum number of characters beyond those of a headline with which words that say the cause are not cut.
const BEYOND: usize = 16;

/// A shortened headline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    /// The sentence.
    pub text: String,
    /// The parts of the headline that the sentence lacks.
    pub cut: Vec<CutPart>,
}

/// A part of a headline that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutPart {
    /// The part.
    pub text: String,
    /// The part as evidence: in its context, if it has one.
    pub evidence: String,
}

impl CutPart {
    /// Returns a whole clause.
    pub(super) fn clause(text: &str) -> Self {
        CutPart {
            text: text.to_owned(),
            evidence: text.to_owned(),
        }
    }
}

/// Shortens a headline with this beginning, cause and end; `None` if it is short. Of a long cause, the middle is cut:
/// it begins with the pod, and most messages end with the reason.
pub(super) fn brief(head: &str, why: &str, tail: &str) -> Option<Brief> {
    let around = length(head) + length(tail);
    if around + length(why) <= MOST {
        return None;
    }
    let room = MOST.saturating_sub(around).max(LEAST);
    let whole = format!("{head}{why}{tail}");
    let (text, cut, evidence) = match around + room <= MOST && !why.is_empty() {
        true => {
            // The pod and its state are before the message.
            let lead = why.find([':', ';']).map_or(0, |at| length(&why[..at]) + 2);
            let (start, cut, end) = split(why, room, lead);
            let text = format!("{head}{start}…{end}{tail}");
            (text, cut, why.to_owned())
        }
        false => {
            let (start, cut, end) = split(&whole, MOST, 0);
            let text = format!("{start}…{end}");
            (text, cut, format!("…{}…", cut.trim()))
        }
    };
    let cut = vec![CutPart {
        text: cut.to_owned(),
        evidence,
    }];
    Some(Brief { text, cut })
}

/// Shortens a headline with this beginning, the first of these leads and the first of these ends that leave room for the
/// words of a process, or else for the first of their parts that fits; `None` if there is no room for a beginning.
pub(super) fn begun(
    head: &str,
    leads: &[String; 2],
    words: &str,
    parts: &[String],
    tails: &[String],
) -> Option<Brief> {
    let ways = || {
        let of_tail = move |tail| leads.iter().map(move |lead| (lead, tail));
        tails.iter().flat_map(of_tail)
    };
    let room = |(lead, tail): (&String, &String)| {
        MOST.checked_sub(length(head) + length(lead) + length(tail) + 2)
    };
    let parts = parts.iter().map(String::as_str);
    let mut fitting = std::iter::once(words).chain(parts).filter_map(|part| {
        let needed = length(part);
        let way = ways().find(|way| room(*way).is_some_and(|room| needed <= room))?;
        Some((way, part))
    });
    if let Some(((lead, tail), part)) = fitting.next() {
        return Some(Brief {
            text: format!("{head}{lead}: {part}{tail}"),
            cut: left_out(words, part),
        });
    }
    // The last words of a message often decide.
    let [_, short] = leads;
    let (least, whole) = (tails.last()?, length(words));
    if room((short, least)).is_some_and(|room| whole <= room + BEYOND) {
        return Some(Brief {
            text: format!("{head}{short}: {words}{least}"),
            cut: Vec::new(),
        });
    }
    // The end that leaves room for most of the words.
    let is_wide = |tail: &&String| room((short, *tail)).is_some_and(|room| room >= WIDE);
    let tail = tails.iter().find(is_wide).or(tails.last())?;
    cut_words(head, leads, words, tail)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Returns the part of these words that a headline lacks.
fn left_out(words: &str, part: &str) -> Vec<CutPart> {
    let cut = match words.strip_prefix(part) {
        Some("") => return Vec::new(),
        Some(rest) => rest,
        None => words,
    };
    vec![CutPart {
        text: cut.to_owned(),
        evidence: words.to_owned(),
    }]
}

/// Shortens a headline by the end of the words, which only adds to their beginning.
fn cut_words(head: &str, leads: &[String; 2], words: &str, tail: &str) -> Option<Brief> {
    let after = |lead: &str| MOST.checked_sub(length(head) + length(lead) + length(tail) + 2);
    let [long, short] = leads;
    let is_enough = |room: &usize| *room >= WIDE.min(length(words));
    let (lead, room) = match after(long).filter(is_enough) {
        Some(room) => (long, room),
        None => (short, after(short).filter(|room| *room >= LEAST)?),
    };
    let end = words.char_indices().nth(room - 1)?.0;
    let space = words[..end].rfind(' ').filter(|at| end - at <= WORD);
    let start = &words[..space.unwrap_or(end)];
    Some(Brief {
        text: format!("{head}{lead}: {start}…{tail}"),
        cut: left_out(words, start),
    })
}

/// Shortens a headline by its clauses between the beginning and the end, the first of them first; `None` if it is short.
pub(super) fn without_clauses(first: &str, clauses: &[&str], last: &str) -> Option<Brief> {
    let mut cut = Vec::new();
    for at in 0..=clauses.len() {
        let text = format!("{first}{}{last}", clauses[at..].concat());
        if text.chars().count() <= MOST {
            return (at > 0).then_some(Brief { text, cut });
        }
        let clause = clauses
            .get(at)
            .map(|clause| clause.trim_start_matches("; "));
        let clause = clause.filter(|clause| !clause.is_empty());
        cut.extend(clause.map(CutPart::clause));
    }
    let mut brief = brief("", first, last)?;
    brief.cut.extend(cut);
    Some(brief)
}

/// Splits a text into a beginning and an end that have so many characters together with an ellipsis, and the middle. The
/// beginning has at least `lead` characters, if there is room.
fn split(text: &str, width: usize, lead: usize) -> (&str, &str, &str) {
    let room = width.saturating_sub(1);
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let tail = (room * 2 / 5).min(room.saturating_sub(lead).max(room / 4));
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    let (mut from, mut to) = (place(room - tail), place(places.len().saturating_sub(tail)));
    let is_word_end = text[..from].ends_with(' ');
    let space = text[..from].rfind(' ').filter(|at| from - at <= WORD);
    if let Some(space) = space.filter(|_| !is_word_end) {
        from = space + 1;
    }
    if let Some(space) = text[to..].find(' ').filter(|at| *at <= WORD) {
        to += space + 1;
    }
    (&text[..from], &text[from..to], &text[to..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_cause_is_cut() {
        assert_eq!(
            brief("BLOCKED 5m: ", "web-2 crash-loops", "; 1 pod stays"),
            None
        );
        let message = "failed to pull and unpack image ".repeat(5);
        let why = format!("web-2 cannot pull its image: {message}401 Unauthorized");
        let tail = "; 2 pods stay on the old revision";
        let found = brief("BLOCKED 5m: ", &why, tail).unwrap();
        assert!(
            found
                .text
                .starts_with("BLOCKED 5m: web-2 cannot pull its image: failed")
        );
        assert!(
            found.text.ends_with(&format!("401 Unauthorized{tail}")),
            "{}",
            found.text
        );
        assert!(found.text.chars().count() <= MOST, "{}", found.text);
        let [cut] = found.cut.as_slice() else {
            panic!("{:?}", found.cut);
        };
        assert_eq!(cut.evidence, why);
        assert!(why.contains(&cut.text) && !found.text.contains(&cut.text));
    }

    #[test]
    fn the_words_of_a_process_keep_their_beginning() {
        let words = format!(
            "Invalid command line arguments: {}",
            "http://minio ".repeat(12)
        );
        let lead = "minio-2 crash-loops on the new revision";
        let leads = [
            format!("{lead} (minio, exit 1, 9 restarts)"),
            lead.to_owned(),
        ];
        // The details of the container leave first.
        let longer = "; 2 pods stay on the old revision";
        for (lead, tail) in [(&leads[0], ""), (&leads[1], longer)] {
            let tails = [tail.to_owned()];
            let found = begun("BLOCKED 5m: ", &leads, &words, &[], &tails).unwrap();
            let start = format!("BLOCKED 5m: {lead}: Invalid command line arguments: http");
            assert!(found.text.starts_with(&start), "{}", found.text);
            assert!(found.text.ends_with(&format!("…{tail}")), "{}", found.text);
            assert!(found.text.chars().count() <= MOST, "{}", found.text);
            assert_eq!(found.cut[0].evidence, words);
        }
        let none = [String::new()];
        let found = begun("BLOCKED 5m: ", &leads, "no license", &[], &none).unwrap();
        assert_eq!(found.text, format!("BLOCKED 5m: {}: no license", leads[0]));
        assert_eq!(begun(&"é".repeat(100), &leads, &words, &[], &none), None);
    }

    #[test]
    fn words_or_a_part_of_them_that_fit_are_not_cut() {
        let leads = [
            "db-2 crash-loops on the new revision (db, exit 1, 9 restarts)".to_owned(),
            "db-2 crash-loops on the new revision".to_owned(),
        ];
        let tails = [
            "; 2 pods stay on the old revision".to_owned(),
            String::new(),
        ];
        let part = ["…the member of the ring has no address that its peers can use".to_owned()];
        let short =
            "Cannot boot version 80039 on a directory of version 80403. Downgrade is not supported";
        let long = "x ".repeat(80);
        for (words, told) in [(short, short), (&long, part[0].as_str())] {
            let found = begun("BLOCKED 5m: ", &leads, words, &part, &tails).unwrap();
            assert!(found.text.contains(&format!(": {told}")), "{}", found.text);
            assert!(found.text.chars().count() <= MOST, "{}", found.text);
            let is_cut = found.cut.iter().any(|cut| cut.evidence == words);
            assert_eq!(is_cut, words != told);
        }
    }

    #[test]
    fn clauses_are_cut_before_the_end() {
        let first = format!("Next: delete {}", "web-1, ".repeat(20));
        let found = without_clauses(&first, &["; waiting for web-0"], "; DATA LOSS: data-web-1");
        let found = found.unwrap();
        assert!(
            found.text.ends_with("; DATA LOSS: data-web-1"),
            "{}",
            found.text
        );
        assert_eq!(found.cut.last().unwrap().evidence, "waiting for web-0");
        assert_eq!(
            without_clauses("Next: delete web-1", &["; waiting"], ""),
            None
        );
    }

    #[test]
    fn a_headline_of_which_everything_is_long_is_cut_too() {
        let long = "é".repeat(150);
        let found = brief(&long, &long, &long).unwrap();
        assert_eq!(found.text.chars().count(), MOST);
        assert_eq!(found.cut[0].evidence, format!("…{}…", found.cut[0].text));
    }
}
