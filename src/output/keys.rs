//! The keys of every screen: the one source of the footers, the page behind `?` and the help topics.

/// An interactive screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyScreen {
    /// The watch of one set.
    Watch,
    /// The watch of several sets.
    AllSets,
    /// The editable fields of one set, and the resulting plan.
    Fields,
    /// The input line for an image.
    Image,
}

/// A key, or several related ones.
#[derive(Debug, Clone, Copy)]
pub struct KeyRow {
    /// The name.
    pub key: &'static str,
    /// The effect in one word, for the footer; empty if the footer omits the key.
    pub brief: &'static str,
    /// The effect.
    pub does: &'static str,
}

const fn row(key: &'static str, brief: &'static str, does: &'static str) -> KeyRow {
    KeyRow { key, brief, does }
}

const HELP: KeyRow = row("?", "help", "toggle help");
const QUIT: KeyRow = row("q", "quit", "quit (also Esc, Ctrl-C)");

/// In an opened set of several, Esc leads back to them.
const QUIT_OR_BACK: KeyRow = row("q", "quit", "quit (also Ctrl-C; Esc goes back, or quits)");

const WATCH: [KeyRow; 8] = [
    row(
        "p",
        "pods",
        "show the timeline of each pod: observed and predicted",
    ),
    row("s", "steps", "show the remaining steps"),
    row("w", "why", "show the cause, remedies and assumptions"),
    row("l", "log", "show events compared with the prediction"),
    row("Tab", "", "switch to the next view"),
    row("↑↓", "scroll", "scroll (also k j, PgUp, PgDn, Home, End)"),
    HELP,
    QUIT_OR_BACK,
];

const ALL_SETS: [KeyRow; 6] = [
    row(
        "↑↓",
        "select",
        "select a set (also k j, Tab, PgUp, PgDn, Home, End)",
    ),
    row("Enter", "open", "open the selected set; Esc to go back"),
    row(
        "/",
        "filter",
        "show the sets with a text in their name; Esc shows all",
    ),
    row("a", "all", "show or hide sets that are up to date"),
    HELP,
    QUIT,
];

const FIELDS: [KeyRow; 12] = [
    row(
        "←→",
        "event",
        "previous or next event (Home, End: first, last)",
    ),
    row("↑↓", "field", "select a field or a pod (Tab: fields only)"),
    row(
        "r p u s",
        "",
        "select replicas, partition, maxUnavailable or strategy",
    ),
    row(
        "+-",
        "change",
        "change the selected field; for image: select a container",
    ),
    row("i", "image", "enter an image, or a tag of the current one"),
    row(
        "f",
        "fail",
        "mark the selected pod as failing, or unmark it",
    ),
    row("n", "next", "start the next stage (--then)"),
    row("b", "", "remove the last stage"),
    row("Backspace", "", "reset the selected field or pod"),
    row("PgUp PgDn", "", "scroll the pods"),
    HELP,
    QUIT,
];

const IMAGE: [KeyRow; 3] = [
    row("Enter", "apply", "apply the image"),
    row("Backspace", "erase", "delete a character"),
    row("Esc", "cancel", "keep the current image"),
];

impl KeyScreen {
    /// Returns the keys of a screen.
    pub fn keys(self) -> &'static [KeyRow] {
        match self {
            KeyScreen::Watch => &WATCH,
            KeyScreen::AllSets => &ALL_SETS,
            KeyScreen::Fields => &FIELDS,
            KeyScreen::Image => &IMAGE,
        }
    }

    /// Returns the title of the list of keys.
    pub fn title(self) -> &'static str {
        match self {
            KeyScreen::Watch => "Keys of -w",
            KeyScreen::AllSets => "Keys of -w with several sets",
            KeyScreen::Fields => "Keys of --interactive",
            KeyScreen::Image => "Keys of the image input",
        }
    }

    /// Returns a line for each key, with names padded to the same width.
    pub fn lines(self) -> impl Iterator<Item = (String, &'static str)> {
        let widest = self.keys().iter().map(|row| row.key.chars().count());
        let widest = widest.max().unwrap_or(0);
        let rows = self.keys().iter();
        rows.map(move |row| (format!("  {:widest$}  ", row.key), row.does))
    }
}
