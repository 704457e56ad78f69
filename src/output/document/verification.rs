//! The verification of a plan: the verdict, the differences, the delay, and the steps before and after now.

use super::{Block, Field, Fields, Role, Term, say, truncated};
use crate::output::advice::{Advice, Kind};
use crate::output::limits::Limits;
use crate::output::style::{Tone, escape};
use crate::output::words::elapsed;
use sts_plan::verify::{Difference, StepState, Verdict, Verification, VerifiedStage};

pub(in crate::output) fn verification<'r>(
    found: &'r Verification,
    limits: &Limits,
) -> Vec<Block<'r>> {
    let mut blocks = vec![say(Role::Headline, tone(found), "", &found.summary)];
    if let Some(stage) = &found.stage {
        blocks.extend(stage_blocks(stage, tone(found), limits.commands));
    }
    blocks.extend(stale(found, limits));
    let mut terms = Vec::new();
    let made_by = &found.plan.command_line;
    if limits.everything && !made_by.is_empty() {
        terms.push(Term::new("made by", made_by.join(" ")));
    }
    let differences = found.differences.iter().take(limits.differences);
    for (index, it) in differences.enumerate() {
        let label = if index == 0 { "first" } else { "also" };
        terms.extend(difference(label, it));
    }
    if let Some(more @ 1..) = found.differences.len().checked_sub(limits.differences) {
        blocks.push(Block::Terms(std::mem::take(&mut terms)));
        blocks.push(Block::More(more, "difference"));
    }
    if let Some(late) = &found.late {
        terms.push(Term::new("late", late.message.clone()));
    }
    terms.extend(steps(found, limits));
    if limits.whole_lists {
        let changed = found.changed.iter().take(limits.items);
        terms.extend(changed.map(|object| {
            let text = format!("{}/{}", object.resource, object.name);
            Term::new(object.change.name(), text)
        }));
    }
    if has_failed(found) {
        terms.push(Term::new("then", "plan again from the current state"));
    }
    blocks.push(Block::Terms(terms));
    blocks
}

/// The current stage, and at most so many commands that start the next one once it may start.
pub(in crate::output) fn stage_blocks(
    stage: &VerifiedStage,
    tone: Tone,
    most: usize,
) -> Vec<Block<'_>> {
    let mut blocks = vec![say(Role::Note, tone, "Stage", &stage.message)];
    let next = stage.next.as_ref().filter(|next| next.may_begin);
    if let Some(next) = next.filter(|next| !next.commands.is_empty()) {
        let commands = Advice::commands(Kind::Fix, &next.commands);
        blocks.push(Block::Advice(commands.within(most)));
    }
    blocks
}

/// The prediction for an object, its actual state, and the likely cause of the difference.
pub(in crate::output) fn difference(label: &'static str, it: &Difference) -> [Term; 4] {
    let object = format!("{} {}", it.resource.word(), it.name);
    let part = |label, text: &String| Term {
        is_part: true,
        ..Term::new(label, text)
    };
    [
        Term::new(label, object),
        part("predicted", &it.predicted),
        part("found", &it.found),
        part("likely", &it.cause),
    ]
}

/// The last steps that happened, and the next ones.
fn steps(found: &Verification, limits: &Limits) -> Vec<Term> {
    let open = |state: StepState| state == StepState::Open;
    let (ahead, done): (Vec<_>, Vec<_>) = found.steps.iter().partition(|step| open(step.state));
    let hidden = done.len().saturating_sub(limits.steps);
    let most = match has_failed(found) && !limits.whole_lists {
        true => 0,
        false => limits.steps_ahead,
    };
    let shown = done
        .into_iter()
        .skip(hidden)
        .chain(ahead.iter().copied().take(most));
    let mut next = Some("next");
    let terms = shown.map(|step| {
        let label = match step.state {
            StepState::Done | StepState::Begun => "happened",
            StepState::Open => next.take().unwrap_or("later"),
        };
        let at = elapsed(step.at);
        Term::new(label, format!("{} (predicted at {at})", step.what))
    });
    terms.collect()
}

/// The fields that were changed since the plan.
fn stale<'r>(found: &Verification, limits: &Limits) -> Option<Block<'r>> {
    let stale = found.stale.as_ref().filter(|_| limits.whole_lists)?;
    let value = |value: &Option<String>| Some(escape(value.as_ref()?).into_owned());
    let fields = stale.fields.iter().take(limits.changes).map(|field| {
        let [old, new] = truncated([value(&field.planned), value(&field.found)], limits.value);
        Field {
            path: field.path.clone(),
            effect: String::new(),
            is_bad: false,
            is_deleted: false,
            old,
            new,
        }
    });
    let fields: Vec<Field> = fields.collect();
    (!fields.is_empty()).then(|| {
        Block::Fields(Fields {
            title: "Changed since",
            thing: "field",
            revisions: None,
            left_out: stale.fields.len() - fields.len(),
            fields,
        })
    })
}

/// Returns the urgency of a verification.
pub(in crate::output) fn tone(verification: &Verification) -> Tone {
    match verification.verdict {
        Verdict::Diverged | Verdict::Stale => Tone::Bad,
        Verdict::Pending => Tone::Busy,
        Verdict::OnTrack | Verdict::Ahead | Verdict::Finished => match verification.late {
            Some(_) => Tone::Busy,
            None => Tone::Good,
        },
    }
}

/// Reports whether the plan no longer applies.
fn has_failed(verification: &Verification) -> bool {
    matches!(verification.verdict, Verdict::Diverged | Verdict::Stale)
}

/// Returns the verdict, capitalized.
pub(in crate::output) fn verdict_of(verification: &Verification) -> &'static str {
    match verification.verdict {
        Verdict::Pending => "Pending",
        Verdict::OnTrack => "On track",
        Verdict::Ahead => "Ahead",
        Verdict::Finished => "Finished",
        Verdict::Diverged => "Diverged",
        Verdict::Stale => "Stale",
    }
}
