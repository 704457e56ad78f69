//! The selection of advice on an obstacle, its order, and the word before each.

use std::collections::BTreeSet;

use super::limits::Limits;
use sts_plan::report::{ReportObstacle, ReportRemedy};

/// The words for the numbers of options, of which there are no more.
const NUMBERS: [&str; 17] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
];

/// A kind of advice, in the order in which advice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It helps, and is the best that does.
    Fix,
    /// It helps as well.
    OtherFix,
    /// It changes nothing and shows what is wrong.
    Look,
    /// It leads round a refusal.
    Try,
    /// It is the option with that number.
    Choice(u8),
    /// It does not help.
    InVain,
}

impl Kind {
    /// The word that stands before it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Fix => "Do",
            Kind::OtherFix => "Or",
            Kind::Look => "Look",
            Kind::Try => "Try",
            Kind::InVain => "Not",
            Kind::Choice(number) => NUMBERS.get(usize::from(number)).unwrap_or(&"-"),
        }
    }

    /// Its name as a class.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Fix | Kind::OtherFix | Kind::Choice(_) => "fix",
            Kind::Look => "look",
            Kind::Try | Kind::InVain => "try",
        }
    }
}

/// One thing that could be done.
#[derive(Debug)]
pub(super) struct Advice<'r> {
    pub(super) kind: Kind,
    /// The precondition; empty for none.
    pub(super) condition: &'r str,
    /// The risk; empty for none.
    pub(super) risk: &'r str,
    /// The commands, in order.
    pub(super) commands: &'r [String],
    /// Number of commands that are left out.
    pub(super) left_out: usize,
    /// The effect in a sentence; empty where it does not matter or is not known.
    pub(super) effect: String,
}

impl Advice<'_> {
    /// The condition and the effect in one sentence.
    pub(super) fn terms(&self) -> String {
        match self.condition {
            "" => self.effect.clone(),
            condition => format!("{condition}: {}", self.effect),
        }
    }
}

/// Returns the advice on an obstacle, without what was told of an earlier one.
pub(super) fn advice<'r>(
    obstacle: &'r ReportObstacle,
    limits: &Limits,
    told: &mut BTreeSet<&'r [String]>,
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
            (false, false) => Kind::InVain,
        };
        let is_shown = match kind {
            Kind::Fix | Kind::OtherFix => fixes < limits.fixes,
            // The cautions say in a sentence what does not help.
            Kind::InVain => limits.everything,
            Kind::Look | Kind::Try | Kind::Choice(_) => true,
        };
        if is_shown && told.insert(&remedy.commands) {
            fixes += usize::from(matches!(kind, Kind::Fix | Kind::OtherFix));
            advice.push(of_remedy(kind, remedy, limits));
        }
    }
    let has_look = obstacle.remedies.iter().any(|remedy| remedy.looks);
    let commands = untried(obstacle);
    if !has_look && !commands.is_empty() && (is_refused || !told.contains(commands)) {
        let kind = if is_refused { Kind::Try } else { Kind::Look };
        advice.push(Advice {
            kind,
            condition: "",
            risk: "",
            left_out: commands.len().saturating_sub(limits.commands),
            commands: &commands[..commands.len().min(limits.commands)],
            effect: String::new(),
        });
    }
    advice.sort_by_key(|advice| advice.kind);
    // Beside what helps it goes without saying what comes of a look.
    if fixes > 0 && !limits.everything {
        let looks = advice.iter_mut().filter(|it| it.kind == Kind::Look);
        looks.for_each(|look| look.effect.clear());
    }
    advice
}

/// The commands that no remedy of the obstacle has: those of a remedy stand behind the ones that look into it.
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
    let commands = remedy.commands.as_slice();
    let shown = commands.len().min(limits.commands);
    // Of a look it is no condition but what comes of what it shows.
    let condition = remedy.precondition.as_str();
    let (condition, effect) = match kind {
        Kind::Look if !condition.is_empty() => ("", format!("{condition}: {}", remedy.effect)),
        _ => (condition, remedy.effect.clone()),
    };
    Advice {
        kind,
        condition,
        risk: &remedy.risk,
        commands: &commands[..shown],
        left_out: commands.len() - shown,
        effect,
    }
}
