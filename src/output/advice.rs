//! The advice on an obstacle: selection, order and labels.

use std::collections::BTreeSet;

use super::limits::Limits;
pub(super) use sts_plan::answer::{Advice, AdviceKind as Kind};
use sts_plan::report::{ReportObstacle, ReportRemedy};

/// Returns the advice on an obstacle, without commands that are already in `shown`.
pub(super) fn advice<'r>(
    obstacle: &'r ReportObstacle,
    limits: &Limits,
    shown: &mut BTreeSet<&'r [String]>,
) -> Vec<Advice> {
    let remedies = obstacle.remedies.iter();
    let is_refused = obstacle.ends_by_itself.is_none();
    let mut fixes = 0;
    let mut advice: Vec<Advice> = Vec::new();
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
        advice.push(Advice::words(&obstacle.fix));
    }
    let has_look = obstacle.remedies.iter().any(|remedy| remedy.looks);
    let commands = untried(obstacle);
    if !has_look && !commands.is_empty() && (is_refused || !shown.contains(commands)) {
        let kind = if is_refused { Kind::Try } else { Kind::Look };
        advice.push(Advice::commands(kind, commands).within(limits.commands));
    }
    let mut helps = obstacle.remedies.iter().filter(|it| it.helps && !it.looks);
    // The words say what to change in the manifest.
    let says_what = helps.next().is_some_and(|first| first.edits);
    advice.sort_by_key(|advice| (!says_what || advice.kind != Kind::Words, advice.kind));
    for look in advice.iter_mut().filter(|it| it.kind == Kind::Look) {
        look.condition.clone_from(&obstacle.look);
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

fn of_remedy(kind: Kind, remedy: &ReportRemedy, limits: &Limits) -> Advice {
    // The precondition of a look concerns its findings, not the command.
    let condition = remedy.precondition.as_str();
    let (condition, effect) = match kind {
        Kind::Look if remedy.obvious && !limits.everything => ("", String::new()),
        Kind::Look if !condition.is_empty() => ("", format!("{condition}: {}", remedy.effect)),
        _ => (condition, remedy.effect.clone()),
    };
    let advice = Advice {
        condition: condition.to_owned(),
        risk: remedy.risk.clone(),
        effect,
        ..Advice::commands(kind, &remedy.commands)
    };
    advice.within(limits.commands)
}
