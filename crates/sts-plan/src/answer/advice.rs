//! Suggested actions.

/// Kind of advice, in the order in which advice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdviceKind {
    /// The best remedy that helps.
    Fix,
    /// A change that no command of this program makes. The commands of other remedies may need it.
    Words,
    /// Another remedy that helps.
    OtherFix,
    /// A read-only diagnosis.
    Look,
    /// A workaround for a rejection.
    Try,
    /// The option with that number.
    Choice(u8),
    /// A remedy that does not help.
    Useless,
}

impl AdviceKind {
    /// Returns the label.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            AdviceKind::Fix => "Do".to_owned(),
            AdviceKind::OtherFix => "Or".to_owned(),
            AdviceKind::Words => "Fix".to_owned(),
            AdviceKind::Look => "Look".to_owned(),
            AdviceKind::Try => "Try".to_owned(),
            AdviceKind::Useless => "Not".to_owned(),
            AdviceKind::Choice(number) => number.to_string(),
        }
    }
}

/// Suggested action.
#[derive(Debug, Clone)]
pub struct Advice {
    /// Kind.
    pub kind: AdviceKind,
    /// Precondition, or the change or place in words; empty for none.
    pub condition: String,
    /// Risk; empty for none.
    pub risk: String,
    /// Commands, in order.
    pub commands: Vec<String>,
    /// Number of omitted commands.
    pub left_out: usize,
    /// Effect in a sentence; empty if it is irrelevant or unknown.
    pub effect: String,
    /// True if a format may show the first commands and count the others.
    pub may_end_early: bool,
}

impl Advice {
    /// Returns commands, all of which are shown.
    #[must_use]
    pub fn commands(kind: AdviceKind, commands: &[String]) -> Self {
        Advice {
            kind,
            condition: String::new(),
            risk: String::new(),
            commands: commands.to_vec(),
            left_out: 0,
            effect: String::new(),
            may_end_early: false,
        }
    }

    /// Returns a change in words.
    #[must_use]
    pub fn words(change: &str) -> Self {
        Advice {
            condition: change.to_owned(),
            ..Advice::commands(AdviceKind::Words, &[])
        }
    }

    /// Omits commands beyond a number.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        self.left_out = self.commands.len().saturating_sub(most);
        self.commands.truncate(most);
        self
    }

    /// Joins the condition and the effect in one sentence.
    #[must_use]
    pub fn terms(&self) -> String {
        match (&*self.condition, &*self.effect) {
            ("", effect) => effect.to_owned(),
            (condition, "") => condition.to_owned(),
            (condition, effect) => format!("{condition}: {effect}"),
        }
    }
}
