//! Which of the things that could be done about an obstacle a reader is told of, and under which word.

use std::collections::BTreeSet;

use sts_plan::report::{ReportObstacle, ReportRemedy};

/// How many remedies that help are told of each obstacle.
const FIXES: usize = 3;

/// What kind of advice it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It changes nothing and shows what is wrong.
    Look,
    /// It helps.
    Fix,
    /// It does not help, though people would try it.
    Vain,
    /// It has not been tried out.
    Try,
}

impl Kind {
    /// The word that stands before it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Look => "Look",
            Kind::Fix => "Fix",
            Kind::Vain => "Not enough",
            Kind::Try => "Try",
        }
    }

    /// Its name as a class.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Look => "look",
            Kind::Fix => "fix",
            Kind::Vain => "vain",
            Kind::Try => "try",
        }
    }
}

/// One thing that could be done.
pub(super) struct Advice<'r> {
    pub(super) kind: Kind,
    /// The commands, in order.
    pub(super) commands: &'r [String],
    /// What has to be so, what comes of it, and what it puts at risk.
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

    /// What it puts at risk; empty for nothing.
    pub(super) fn risk(&self) -> &str {
        self.remedy.map_or("", |remedy| &remedy.risk)
    }
}

/// What is told of an obstacle: not what was told of an earlier one.
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
            (fixes <= FIXES).then_some(Kind::Fix)
        }
        // What does not help is worth a word where people would try it: a change of the template alone.
        (false, false) => {
            let is_template = |command: &String| {
                command.starts_with("kubectl rollout undo") || command.starts_with("kubectl apply")
            };
            remedy
                .commands
                .iter()
                .all(is_template)
                .then_some(Kind::Vain)
        }
    };
    let kinds: Vec<_> = obstacle.remedies.iter().map(kind).collect();
    kinds
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
        })
        .collect()
}
