//! The selection of advice on an obstacle, and the word before each.

use std::collections::BTreeSet;

use sts_plan::report::{ReportObstacle, ReportRemedy};

/// Maximum number of helpful remedies that are shown for each obstacle.
const FIXES: usize = 2;

/// A kind of advice, in the order in which advice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It helps, and is the best that does.
    Fix,
    /// It helps as well.
    OtherFix,
    /// It changes nothing and shows what is wrong.
    Look,
    /// It has not been tried out.
    Try,
}

impl Kind {
    /// The word that stands before it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Fix => "Do",
            Kind::OtherFix => "Or",
            Kind::Look => "Look",
            Kind::Try => "Try",
        }
    }

    /// Its name as a class.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Fix | Kind::OtherFix => "fix",
            Kind::Look => "look",
            Kind::Try => "try",
        }
    }
}

/// One thing that could be done.
pub(super) struct Advice<'r> {
    pub(super) kind: Kind,
    /// The commands, in order.
    pub(super) commands: &'r [String],
    /// The remedy: its precondition, its effect and its risk.
    pub(super) remedy: Option<&'r ReportRemedy>,
}

impl Advice<'_> {
    /// When it is right and what comes of it, in a sentence; empty when nothing is known.
    pub(super) fn effect(&self) -> String {
        match self.remedy {
            None => String::new(),
            Some(remedy) if remedy.precondition.is_empty() => remedy.effect.clone(),
            Some(remedy) => format!("if {}: {}", remedy.precondition, remedy.effect),
        }
    }

    /// When it is right; empty for always.
    pub(super) fn condition(&self) -> &str {
        self.remedy.map_or("", |remedy| &remedy.precondition)
    }

    /// Returns the risk; empty for none.
    pub(super) fn risk(&self) -> &str {
        self.remedy.map_or("", |remedy| &remedy.risk)
    }
}

/// Returns the advice on an obstacle, without what was told of an earlier one.
pub(super) fn advice<'r>(
    obstacle: &'r ReportObstacle,
    told: &mut BTreeSet<&'r [String]>,
) -> Vec<Advice<'r>> {
    if obstacle.remedies.is_empty() {
        let commands = obstacle.remedy.as_slice();
        let is_new = !commands.is_empty() && told.insert(commands);
        let advice = is_new.then_some(Advice {
            kind: Kind::Try,
            commands,
            remedy: None,
        });
        return advice.into_iter().collect();
    }
    let mut fixes = 0;
    let kind = |remedy: &ReportRemedy| match (remedy.looks, remedy.helps) {
        (true, _) => Some(Kind::Look),
        (false, true) => {
            fixes += 1;
            match fixes {
                1 => Some(Kind::Fix),
                ..=FIXES => Some(Kind::OtherFix),
                _ => None,
            }
        }
        // What does not help is told in a sentence, among the cautions.
        (false, false) => None,
    };
    let kinds: Vec<_> = obstacle.remedies.iter().map(kind).collect();
    let advice = kinds
        .into_iter()
        .zip(&obstacle.remedies)
        .filter_map(|(kind, remedy)| {
            let commands = remedy.commands.as_slice();
            let kind = kind.filter(|_| told.insert(commands))?;
            Some(Advice {
                kind,
                commands,
                remedy: Some(remedy),
            })
        });
    let mut advice: Vec<Advice<'r>> = advice.collect();
    advice.sort_by_key(|advice| advice.kind);
    advice
}
