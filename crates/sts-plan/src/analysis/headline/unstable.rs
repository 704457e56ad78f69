//! Headline of a set whose pods do not stay up.

use super::brief::{self, Brief};
use crate::analysis::Analysis;
use crate::cause::PodLoop;
use crate::duration;
use crate::explain::{self, CauseClause};
use crate::words::list;

/// Maximum number of other pods to name.
const NAMED: usize = 2;

/// The parts of the headline of such a set.
pub(super) struct Unstable {
    /// State and age.
    head: String,
    /// The loop of the first pod.
    clause: CauseClause,
    /// The other pods, and the next writes.
    tail: String,
}

impl Unstable {
    pub(super) fn text(&self) -> String {
        format!("{}{}{}", self.head, self.clause.whole(), self.tail)
    }

    /// Shortens it: the component's words and the details leave first.
    pub(super) fn brief(&self) -> Option<Brief> {
        let Unstable { head, clause, tail } = self;
        brief::brief(head, &clause.whole(), tail)?;
        let [with_details, lead, _] = clause.shorter();
        let ways = clause.is_told.then_some([with_details, lead]);
        let mut ways = ways.into_iter().flatten();
        let fitting = ways.find(|why| brief::brief(head, why, tail).is_none());
        let fitting = fitting.map(|why| Brief {
            text: format!("{head}{why}{tail}"),
            cut: Vec::new(),
        });
        let begun = || {
            let (leads, words) = clause.reason()?;
            let end = format!("{}{tail}", clause.rest);
            brief::begun(head, &leads, words, &clause.parts, &[end])
        };
        fitting
            .or_else(begun)
            .or_else(|| brief::brief(head, &clause.whole(), tail))
    }
}

/// Describes what does not stay up: `UNSTABLE for 14h: nexus-0 fails its liveness probe (nexus, 41 restarts)`.
pub(super) fn unstable(analysis: &Analysis<'_>, first: &PodLoop, next: &[String]) -> Unstable {
    let now = analysis.plan.conditions.now;
    let age = first.cause.since.map(|since| now.duration_since(since));
    let age = age.map_or_else(String::new, |age| format!(" for {}", duration::age(age)));
    let others = analysis.loops.iter().skip(1);
    let others: Vec<&str> = others.map(|it| &*it.cause.pod).collect();
    let mut tail = match others.is_empty() {
        true => String::new(),
        false => format!("; also {}", list(&others, NAMED)),
    };
    if !next.is_empty() {
        tail.push_str(&format!("; next: {}", next.join(", ")));
    }
    Unstable {
        head: format!("UNSTABLE{age}: "),
        clause: explain::cause(&first.cause),
        tail,
    }
}
