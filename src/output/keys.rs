//! The keys of every screen: one table, which the footers, the page behind `?` and the help topics lay out.

/// A screen that answers keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyScreen {
    /// One set that is watched.
    Watch,
    /// Several sets that are watched.
    AllSets,
    /// The fields of one set, and the plan with them.
    Fields,
    /// The line that an image is typed into.
    Image,
}

/// A key, or several that belong together.
#[derive(Debug, Clone, Copy)]
pub struct KeyRow {
    /// Its name, as a footer has it.
    pub key: &'static str,
    /// Its effect in a word for the footer; empty for a key that the footer leaves out.
    pub brief: &'static str,
    /// Its effect.
    pub does: &'static str,
}

const fn row(key: &'static str, brief: &'static str, does: &'static str) -> KeyRow {
    KeyRow { key, brief, does }
}

const HELP: KeyRow = row("?", "keys", "show the keys, or close them");
const QUIT: KeyRow = row("q", "quit", "leave (as Esc and Ctrl-C do)");

const WATCH: [KeyRow; 8] = [
    row(
        "p",
        "pods",
        "show the lanes of the pods: seen and predicted",
    ),
    row("s", "steps", "show the steps that are left"),
    row(
        "w",
        "why",
        "show the reason, all that helps, and the assumptions",
    ),
    row("l", "log", "show what happened against what was predicted"),
    row("Tab", "", "show the next of these four"),
    row("↑↓", "scroll", "scroll (as PgUp, PgDn, Home and End do)"),
    HELP,
    QUIT,
];

const ALL_SETS: [KeyRow; 5] = [
    row(
        "↑↓",
        "choose",
        "choose a set (as Tab, PgUp, PgDn, Home and End do)",
    ),
    row("Enter", "open", "open the chosen set; Esc goes back"),
    row("a", "all", "show sets with nothing to do, or hide them"),
    HELP,
    QUIT,
];

const FIELDS: [KeyRow; 12] = [
    row(
        "←→",
        "step",
        "go through the steps (Home and End: first and last)",
    ),
    row(
        "↑↓",
        "field",
        "choose a field, or a pod below (Tab: fields alone)",
    ),
    row(
        "r p u s",
        "",
        "choose replicas, partition, maxUnavailable or strategy",
    ),
    row(
        "+-",
        "turn",
        "turn the chosen field, and plan again; of images, choose one",
    ),
    row(
        "i",
        "image",
        "type an image, or a tag of the one that is there",
    ),
    row("f", "fail", "let the chosen pod fail, or take that back"),
    row(
        "n",
        "then",
        "end this stage: what is turned next is of the next --then",
    ),
    row("b", "", "take the last stage back"),
    row("Backspace", "", "take the change of the field back"),
    row("PgUp PgDn", "", "scroll the lanes"),
    HELP,
    QUIT,
];

const IMAGE: [KeyRow; 3] = [
    row("Enter", "plan", "take the image, and plan again"),
    row("Backspace", "erase", "erase a character"),
    row("Esc", "leave", "leave the image as it is"),
];

impl KeyScreen {
    /// The keys that a screen answers.
    #[must_use]
    pub fn keys(self) -> &'static [KeyRow] {
        match self {
            KeyScreen::Watch => &WATCH,
            KeyScreen::AllSets => &ALL_SETS,
            KeyScreen::Fields => &FIELDS,
            KeyScreen::Image => &IMAGE,
        }
    }

    /// The title of its keys.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            KeyScreen::Watch => "Keys of -w",
            KeyScreen::AllSets => "Keys of -w with several sets",
            KeyScreen::Fields => "Keys of --interactive",
            KeyScreen::Image => "Keys while an image is typed",
        }
    }

    /// Its keys, a line each, with a name as wide as the widest.
    pub fn lines(self) -> impl Iterator<Item = (String, &'static str)> {
        let widest = self.keys().iter().map(|row| row.key.chars().count());
        let widest = widest.max().unwrap_or(0);
        let rows = self.keys().iter();
        rows.map(move |row| (format!("  {:widest$}  ", row.key), row.does))
    }
}
