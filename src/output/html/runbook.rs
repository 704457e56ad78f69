//! The runbook as a list of check boxes.

use maud::{Markup, html};

use super::blocks::Context;
use crate::output::document::RunbookStage;
use crate::output::svg::shown;
use crate::output::words::cut;

impl Context<'_> {
    pub(super) fn runbook(&self, stages: &[RunbookStage]) -> Markup {
        html! { @for stage in stages { (self.stage(stage)) } }
    }

    fn stage(&self, stage: &RunbookStage) -> Markup {
        let words = |text: &str| shown(&cut(text, self.limits.sentence));
        html! {
            h3 { (words(&stage.title)) }
            ul .runbook {
                @if !stage.approval.is_empty() {
                    li { label { input type="checkbox"; " Approval by " (words(&stage.approval)) } }
                }
                @if !stage.before.is_empty() {
                    li {
                        label { input type="checkbox"; " Save the current StatefulSet for a rollback" }
                        (self.commands(&stage.before))
                    }
                }
                li {
                    label { input type="checkbox"; " Run " (words(&stage.begins)) }
                    (self.commands(&stage.commands))
                }
                li .bad[stage.is_bad] { (words(&stage.takes)) }
                @if !stage.check.is_empty() && !stage.is_bad {
                    li {
                        label { input type="checkbox"; " Check: " (words(&stage.check)) }
                        (self.commands(&stage.check_commands))
                    }
                }
                @if !stage.back.is_empty() {
                    li { "Rollback from here: " (words(&stage.back)) (self.commands(&stage.back_commands)) }
                }
            }
        }
    }

    fn commands(&self, commands: &[String]) -> Markup {
        html! {
            @if !commands.is_empty() {
                ol .commands {
                    @for command in commands { li { code { (shown(&cut(command, self.limits.value))) } } }
                }
            }
        }
    }
}
