//! The runbook as a task list.

use super::page::Page;
use super::text::Markdown;
use super::{details, start};
use crate::output::document::RunbookStage;
use crate::output::limits::Limits;
use crate::output::words::cut;

pub(super) fn runbook(stages: &[RunbookStage], limits: &Limits, page: &mut Page) {
    let written = stages.iter().map(|stage| self::stage(stage, limits));
    let left_out = page.rows(written);
    if left_out > 0 {
        page.leave_out(left_out, "stage");
    }
}

fn stage(stage: &RunbookStage, limits: &Limits) -> Markdown {
    let words = |text: &str| cut(text, limits.sentence);
    let mut out = start().raw("#### ").text(&words(&stage.title)).raw("\n\n");
    if !stage.approval.is_empty() {
        let open = out.raw("- [ ] Approval by ");
        out = open.text(&words(&stage.approval)).raw("\n");
    }
    if !stage.before.is_empty() {
        out = out.raw("- [ ] Save the current StatefulSet for a rollback:\n\n");
        out = out.commands_below(&stage.before).raw("\n");
    }
    if stage.commands.is_empty() {
        let open = out.raw("- [ ] Starts ").text(&words(&stage.begins));
        out = open.raw("; nothing to run\n");
    } else {
        let open = out.raw("- [ ] Run ").text(&words(&stage.begins));
        out = open.raw(":\n\n").commands_below(&stage.commands).raw("\n");
    }
    out = match stage.is_bad {
        true => out.raw("- **").text(&words(&stage.takes)).raw("**\n"),
        false => out.raw("- Expect: ").text(&words(&stage.takes)).raw("\n"),
    };
    if !stage.check.is_empty() && !stage.is_bad {
        let open = out.raw("- [ ] Check: ").text(&words(&stage.check));
        out = open.raw("\n\n").commands_below(&stage.check_commands);
        out = out.raw("\n");
    }
    if !stage.back.is_empty() {
        let title = format!("Rollback from here: {}", words(&stage.back));
        if stage.back_commands.is_empty() {
            return out.raw("- ").text(&title).raw("\n");
        }
        out = out.with(&details(&title)).raw("\n");
        out = out.commands(&stage.back_commands).raw("\n</details>\n");
    }
    out
}
