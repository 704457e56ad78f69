//! Requirements, each with the point at which it is violated.

use super::ReportRequirement;
use crate::answer::{Answer, AnswerBlock, AnswerList, Subject, Tone, elapsed};

impl Answer for [ReportRequirement] {
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
}

impl ReportRequirement {
    /// Describes the violation; `None` if the requirement holds.
    #[must_use]
    pub fn broken(&self) -> Option<String> {
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
