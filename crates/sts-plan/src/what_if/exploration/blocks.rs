//! Verdict of the search of every order of events, and the counterexample.

use super::{ReportExploration, Verdict};
use crate::answer::{
    Answer, AnswerBlock, AnswerList, Check, CheckResult, CheckRule, Role, Subject, Tone,
};

const RULE: CheckRule = CheckRule {
    id: "exploration",
    title: "A requirement is violated in some order of events",
    label: "COUNTEREXAMPLE",
};

impl Answer for &ReportExploration {
    fn parts(&self, _: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        let tone = match self.verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Broken => Tone::Bad,
            Verdict::Unknown | Verdict::Skipped => Tone::Busy,
        };
        let verdict = AnswerBlock::say(Role::Verdict, tone, "Every order", &self.summary);
        let mut blocks = vec![verdict];
        if let Some(found) = &self.counterexample {
            let steps = found.steps.iter();
            let steps = steps.map(|step| (Tone::Plain, step.clone()));
            blocks.push(AnswerBlock::List(AnswerList {
                numbered: true,
                may_end_early: true,
                ..AnswerList::new("Counterexample", "step", steps.collect())
            }));
            let note = |tone, label, text: &str| AnswerBlock::say(Role::Note, tone, label, text);
            blocks.push(match &found.not_replayable {
                Some(why) => note(Tone::Faint, "Not replayable with flags", why),
                None if found.assume.is_empty() => {
                    note(Tone::Plain, "", "The plan itself takes this order.")
                }
                None => note(Tone::Plain, "Replay with", &found.assume.join(" ")),
            });
        }
        vec![blocks]
    }

    fn checks(&self) -> Vec<Check> {
        vec![Check {
            rule: &RULE,
            test: "every order of events".to_owned(),
            title: "exploration".to_owned(),
            result: match self.verdict {
                Verdict::Holds | Verdict::Skipped => CheckResult::Holds,
                Verdict::Broken => CheckResult::Broken,
                Verdict::Unknown => CheckResult::Unknown,
            },
            message: self.summary.clone(),
            output: self.summary.clone(),
            alarm: "COUNTEREXAMPLE FOUND".to_owned(),
            reason: "is not verified for every order of events".to_owned(),
            reason_on_assumption: None,
        }]
    }
}
