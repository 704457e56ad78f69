//! The advice on an obstacle: selection, order and labels.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::limits::Limits;
use sts_plan::report::{ReportObstacle, ReportRemedy};

/// A kind of advice, in the order in which advice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The best remedy that helps.
    Fix,
    /// Another remedy that helps.
    OtherFix,
    /// A change that no command of this program makes.
    Words,
    /// A read-only diagnosis.
    Look,
    /// A workaround for a rejection.
    Try,
    /// The option with that number.
    Choice(u8),
    /// A remedy that does not help.
    Useless,
}

impl Kind {
    pub(super) fn label(self) -> String {
        match self {
            Kind::Fix => "Do".to_owned(),
            Kind::OtherFix => "Or".to_owned(),
            Kind::Words => "Fix".to_owned(),
            Kind::Look => "Look".to_owned(),
            Kind::Try => "Try".to_owned(),
            Kind::Useless => "Not".to_owned(),
            Kind::Choice(number) => number.to_string(),
        }
    }

    /// Returns the CSS class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Kind::Fix | Kind::OtherFix | Kind::Words | Kind::Choice(_) => "fix",
            Kind::Look => "look",
            Kind::Try | Kind::Useless => "try",
        }
    }
}

/// A suggested action.
#[derive(Debug)]
pub(super) struct Advice<'r> {
    pub(super) kind: Kind,
    /// The precondition, or the change or place in words; empty for none.
    pub(super) condition: Cow<'r, str>,
    /// The risk; empty for none.
    pub(super) risk: Cow<'r, str>,
    pub(super) commands: Cow<'r, [String]>,
    pub(super) left_out: usize,
    /// The effect in a sentence; empty if it is irrelevant or unknown.
    pub(super) effect: String,
}

impl<'r> Advice<'r> {
    /// Returns at most so many commands.
    pub(super) fn commands(kind: Kind, commands: &'r [String], most: usize) -> Self {
        let (shown, rest) = commands.split_at(commands.len().min(most));
        Advice {
            kind,
            condition: Cow::Borrowed(""),
            risk: Cow::Borrowed(""),
            commands: Cow::Borrowed(shown),
            left_out: rest.len(),
            effect: String::new(),
        }
    }

    /// Joins the condition and the effect in one sentence.
    pub(super) fn terms(&self) -> String {
        match (&*self.condition, &*self.effect) {
            ("", effect) => effect.to_owned(),
            (condition, "") => condition.to_owned(),
            (condition, effect) => format!("{condition}: {effect}"),
        }
    }
}

/// Returns the advice on an obstacle, without commands that are already in `shown`.
pub(super) fn advice<'r>(
    obstacle: &'r ReportObstacle,
    limits: &Limits,
    shown: &mut BTreeSet<&'r [String]>,
) -> Vec<Advice<'r>> {
    let remedies = obstacle.remedies.iter();
    let is_refused = obstacle.ends_by_itself.is_none();
    let mut fixes = 0;
    let mut advice: Vec<Advice<'r>> = Vec::new();
    for remedy in remedies {
        let kind = match (remedy.looks, remedy.helps) {
            _ if is_refused => Kind::Try,
            (true, _) => Kind::Look,
            (false, true) if fixes == 0 => Kind::Fix,
            (false, true) => Kind::OtherFix,
            (false, false) => Kind::Useless,
        };
        let is_shown = match kind {
            Kind::Fix | Kind::OtherFix => fixes < limits.fixes,
            // A caution covers it in a sentence.
            Kind::Useless => limits.everything,
            Kind::Words | Kind::Look | Kind::Try | Kind::Choice(_) => true,
        };
        if is_shown && shown.insert(&remedy.commands) {
            fixes += usize::from(matches!(kind, Kind::Fix | Kind::OtherFix));
            advice.push(of_remedy(kind, remedy, limits));
        }
    }
    if !obstacle.fix.is_empty() {
        advice.push(Advice {
            condition: obstacle.fix.as_str().into(),
            ..Advice::commands(Kind::Words, &[], 0)
        });
    }
    let has_look = obstacle.remedies.iter().any(|remedy| remedy.looks);
    let commands = untried(obstacle);
    if !has_look && !commands.is_empty() && (is_refused || !shown.contains(commands)) {
        let kind = if is_refused { Kind::Try } else { Kind::Look };
        advice.push(Advice::commands(kind, commands, limits.commands));
    }
    advice.sort_by_key(|advice| advice.kind);
    for look in advice.iter_mut().filter(|it| it.kind == Kind::Look) {
        look.condition = obstacle.look.as_str().into();
        // Beside a fix the purpose of a look is obvious.
        if fixes > 0 && !limits.everything {
            look.effect.clear();
        }
    }
    advice
}

/// Returns the commands of the obstacle that no remedy has. The commands of a remedy follow the diagnostic ones.
fn untried(obstacle: &ReportObstacle) -> &[String] {
    let commands = obstacle.remedy.as_slice();
    let mut remedies = obstacle.remedies.iter();
    match remedies.find(|remedy| remedy.helps && !remedy.looks) {
        Some(fix) => commands.strip_suffix(&*fix.commands).unwrap_or(&[]),
        None if obstacle.ends_by_itself.is_none() && !obstacle.remedies.is_empty() => &[],
        None => commands,
    }
}

fn of_remedy<'r>(kind: Kind, remedy: &'r ReportRemedy, limits: &Limits) -> Advice<'r> {
    // The precondition of a look concerns its findings, not the command.
    let condition = remedy.precondition.as_str();
    let (condition, effect) = match kind {
        Kind::Look if remedy.obvious && !limits.everything => ("", String::new()),
        Kind::Look if !condition.is_empty() => ("", format!("{condition}: {}", remedy.effect)),
        _ => (condition, remedy.effect.clone()),
    };
    Advice {
        condition: condition.into(),
        risk: remedy.risk.as_str().into(),
        effect,
        ..Advice::commands(kind, &remedy.commands, limits.commands)
    }
}
