//! Requirements, each with the point at which it is violated.

use super::ReportRequirement;
use crate::answer::{
    Answer, AnswerBlock, AnswerList, Check, CheckResult, CheckRule, Subject, Tone, elapsed,
};

const RULE: CheckRule = CheckRule {
    id: "requirement",
    title: "A requirement is violated",
    label: "REQUIREMENT",
};

impl Answer for &[ReportRequirement] {
    fn parts(&self, _: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        let items = self.iter().map(|requirement| match requirement.broken() {
            Some(sentence) => (Tone::Bad, sentence),
            None => (Tone::Good, format!("{} holds throughout", requirement.text)),
        });
        vec![vec![AnswerBlock::List(AnswerList {
            label: "Required",
            ..AnswerList::new("Required", "requirement", items.collect())
        })]]
    }

    fn checks(&self) -> Vec<Check> {
        self.iter().map(ReportRequirement::check).collect()
    }
}

impl ReportRequirement {
    fn check(&self) -> Check {
        let name = format!("requirement {}", self.text);
        Check {
            rule: &RULE,
            result: match self.holds {
                true => CheckResult::Holds,
                false => CheckResult::Broken,
            },
            message: self.broken().unwrap_or_default(),
            output: String::new(),
            alarm: format!("BREAKS {}", self.text),
            reason: format!("breaks the {name}"),
            reason_on_assumption: Some(format!(
                "meets the {name} only on an assumption against the evidence"
            )),
            test: name.clone(),
            title: name,
        }
    }

    /// Describes the violation; `None` if the requirement holds.
    fn broken(&self) -> Option<String> {
        let broken = self.broken_at.as_ref()?;
        let meaning = self.meaning.iter();
        let meaning: String = meaning.map(|meaning| format!(" ({meaning})")).collect();
        let moment = match broken.step {
            None => broken.event.clone(),
            Some(_) => format!("after {} ({})", elapsed(broken.at), broken.event),
        };
        Some(format!(
            "{}{meaning} is violated: {} {moment}",
            self.text, broken.value
        ))
    }
}
