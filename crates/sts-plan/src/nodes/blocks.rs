//! Drained, cordoned and lost nodes: the answer, advice if the drain fails, and a row for each set.

use super::maintenance::maintenance_blocks;
use super::sentence::hope;
use super::{
    NodesOfSet, ReportAdvice, ReportNodes, ReportServerAnswer, ServerAnswer,
    Verdict as NodesVerdict,
};
use crate::answer::{
    Advice, AdviceKind, Answer, AnswerBlock, AnswerRow, AnswerTable, Cell, Column, Look, Place,
    Role, ShrinkPriority, Subject, Tone, elapsed, full_name, or_dash, quorum,
};
use crate::words::list;

const COLUMNS: [Column; 5] = [
    Column::new("SET", ShrinkPriority::Never, Look::Name),
    Column::new("EVICTIONS", ShrinkPriority::Second, Look::Text),
    Column::new("MIN READY", ShrinkPriority::Never, Look::Text),
    Column::new("QUORUM", ShrinkPriority::Never, Look::Text),
    Column::new("STUCK", ShrinkPriority::First, Look::Text),
];

impl Answer for &ReportNodes {
    fn place(&self) -> Place {
        Place::First
    }

    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        vec![match (self.each.is_empty(), about.set) {
            (false, _) => each(self).into_iter().chain(assumed(self)).collect(),
            (true, "") => of_sets(self),
            (true, _) => of_set(self),
        }]
    }

    fn failure(&self) -> Option<&str> {
        self.strands().then_some(&*self.summary)
    }
}

/// Returns the blocks for one set. Advice on lost nodes is part of its obstacles.
fn of_set(nodes: &ReportNodes) -> Vec<AnswerBlock> {
    let mut blocks = match nodes.verdict {
        NodesVerdict::NoDrain => {
            let headline = std::iter::once(headline(nodes));
            headline.chain(other_pods(nodes)).collect()
        }
        // The remedies for lost nodes are part of the obstacles.
        NodesVerdict::Ends => answer(nodes, &|it| it.commands.is_empty()),
        _ => answer(nodes, &|_| true),
    };
    blocks.extend(maintenance_blocks(nodes));
    for set in &nodes.sets {
        let evictions = evictions(set);
        let evictions = match evictions.is_empty() {
            true => String::new(),
            false => format!("{}; ", evictions.join(", ")),
        };
        let quorum = quorum(set.replicas, set.loses_quorum);
        let quorum = quorum.map_or_else(String::new, |quorum| format!(", quorum {quorum}"));
        let text = format!("{evictions}min ready {}{quorum}", min_ready(set));
        blocks.push(note(Tone::Plain, "Evictions", text));
        blocks.extend(notes(set));
        blocks.extend(for_good(set));
        if set.stranded.len() + set.homeless.len() > 1 {
            blocks.push(note(Tone::Busy, "Stuck", stuck(set).join("; ")));
        }
    }
    blocks
}

/// The assumptions about nodes.
fn assumed(nodes: &ReportNodes) -> Option<AnswerBlock> {
    let text = nodes.assumed.join("; ");
    (!text.is_empty()).then(|| note(Tone::Plain, "Assumed", text))
}

const EACH_NODE: [Column; 4] = [
    Column::new("NODE", ShrinkPriority::Never, Look::Name),
    Column::new("DRAIN", ShrinkPriority::Never, Look::Text),
    Column::new("EVICTS", ShrinkPriority::Second, Look::Text),
    Column::new("HELD BY, OR EFFECTS", ShrinkPriority::First, Look::Text),
];

/// Every node drained alone: a row each.
fn each(nodes: &ReportNodes) -> Vec<AnswerBlock> {
    let rows = nodes.each.iter().map(|row| {
        let at = elapsed(row.at);
        let (tone, drain) = match row.verdict {
            NodesVerdict::Ends if row.at == 0 => (Tone::Plain, "completes".to_owned()),
            NodesVerdict::Ends => (Tone::Plain, format!("completes after {at}")),
            NodesVerdict::Hangs => (Tone::Bad, "HANGS".to_owned()),
            NodesVerdict::Fails => (Tone::Bad, "FAILS".to_owned()),
            NodesVerdict::Unknown | NodesVerdict::NoDrain => (Tone::Busy, "unknown".to_owned()),
        };
        let held = row.held_by.iter().cloned();
        let hope = hope(&row.rests_on).map(|hope| format!("only {hope}"));
        let homeless = row.homeless.iter();
        let homeless = homeless.map(|pod| format!("{pod} does not come back"));
        let lost = row.loses_quorum.iter();
        let lost = lost.map(|set| format!("quorum lost: {set}"));
        let needs = row.flags.iter().map(|flag| {
            let pods = list(&flag.pods, MOST_PODS);
            format!("needs {} ({pods})", flag.flag)
        });
        let effects = row.effects.iter().cloned();
        let effects = some(
            held.chain(hope)
                .chain(homeless)
                .chain(lost)
                .chain(needs)
                .chain(effects),
        );
        let cells = [
            row.node.clone(),
            drain,
            row.evicted.to_string(),
            or_dash(effects),
        ];
        AnswerRow::Cells(tone, cells.map(Cell::from).into())
    });
    let table = AnswerTable {
        names: nodes.each.iter().map(|row| row.node.clone()).collect(),
        ..AnswerTable::new(
            "Each node drained alone",
            "node",
            &EACH_NODE,
            rows.collect(),
        )
    };
    vec![headline(nodes), AnswerBlock::Table(table)]
}

/// The steps for local volumes on nodes that go for good. They lose data, so none of them is the first advice.
fn for_good(set: &NodesOfSet) -> impl Iterator<Item = AnswerBlock> {
    let advice = set.for_good.iter();
    advice.map(|it| advise(AdviceKind::OtherFix, it))
}

fn advise(kind: AdviceKind, advice: &ReportAdvice) -> AnswerBlock {
    AnswerBlock::Advice(Advice {
        condition: advice.when.clone(),
        risk: advice.risk.clone(),
        effect: advice.effect.clone(),
        ..Advice::commands(kind, &advice.commands)
    })
}

fn note(tone: Tone, label: &str, text: impl Into<String>) -> AnswerBlock {
    AnswerBlock::say(Role::Note, tone, label, text)
}

/// Notes on pods that do not come back as they were.
fn notes(set: &NodesOfSet) -> Vec<AnswerBlock> {
    let updated = set.updated.iter().map(|it| {
        format!(
            "{} comes back on the update revision {}, only because it is evicted",
            it.pod, it.to
        )
    });
    let returning = set.returning.iter().map(|it| {
        format!(
            "{} tolerates the cordon and may come back on {}",
            it.pod, it.to
        )
    });
    let unclear = set.uncertain.iter().chain(&set.delayed);
    let unclear = unclear.chain(&set.preempting).chain(&set.leaving_data);
    let unclear = unclear.map(|it| it.message.clone());
    let texts = updated.chain(returning).chain(unclear);
    let texts = texts.take(MOST_PODS);
    texts.map(|text| note(Tone::Busy, "Note", text)).collect()
}

fn headline(nodes: &ReportNodes) -> AnswerBlock {
    AnswerBlock::say(Role::Headline, tone(nodes), "", &nodes.summary)
}

/// Returns the answer for several sets, and a row for each affected one.
fn of_sets(nodes: &ReportNodes) -> Vec<AnswerBlock> {
    let mut blocks = answer(nodes, &|_| true);
    blocks.extend(maintenance_blocks(nodes));
    let affected = nodes.sets.iter().filter(|set| {
        !set.evictions.is_empty() || !set.stranded.is_empty() || !set.homeless.is_empty()
    });
    let affected: Vec<&NodesOfSet> = affected.collect();
    if !affected.is_empty() {
        let rows = affected.iter().map(|set| row(set)).collect();
        let table = AnswerTable {
            names: affected.iter().map(|set| set.name.clone()).collect(),
            ..AnswerTable::new("StatefulSets on these nodes", "set", &COLUMNS, rows)
        };
        blocks.push(AnswerBlock::Table(table));
    }
    let notes = nodes.sets.iter().flat_map(notes);
    blocks.extend(notes.take(MOST_PODS));
    let for_good = nodes.sets.iter().flat_map(for_good);
    blocks.extend(for_good.take(MOST_PODS));
    blocks.extend(assumed(nodes));
    blocks
}

/// The answer, and advice if the drain fails.
fn answer(nodes: &ReportNodes, shows: &dyn Fn(&ReportAdvice) -> bool) -> Vec<AnswerBlock> {
    let mut blocks = vec![headline(nodes)];
    let mut kind = AdviceKind::Fix;
    let mut set = "";
    for advice in nodes.advice.iter().filter(|it| shows(it)) {
        // A remedy of another set is no alternative.
        if advice.set != set {
            (kind, set) = (AdviceKind::Fix, &advice.set);
        }
        if advice.commands.is_empty() {
            blocks.push(note(Tone::Plain, "Note", &advice.when));
            continue;
        }
        blocks.push(advise(kind, advice));
        kind = AdviceKind::OtherFix;
    }
    blocks.extend(server(nodes));
    blocks.extend(command(nodes, kind));
    blocks.extend(other_pods(nodes));
    blocks
}

/// The server's answers to dry runs: how many are as foretold, and the others.
fn server(nodes: &ReportNodes) -> Vec<AnswerBlock> {
    let asked = nodes.server.iter();
    let asked = asked.filter(|it| it.answer != ServerAnswer::NotAsked);
    let (differs, same): (Vec<_>, Vec<_>) = asked.partition(|it| it.differs());
    let mut blocks = Vec::new();
    if differs.len() + same.len() > 0 {
        let text = format!(
            "{} of {} evictions answered as foretold (dry run)",
            same.len(),
            differs.len() + same.len()
        );
        blocks.push(note(Tone::Plain, "Server", text));
    }
    let message = |it: &ReportServerAnswer| it.message.clone().unwrap_or_default();
    blocks.extend(differs.iter().take(MOST_PODS).map(|it| {
        let name = full_name(&it.namespace, &it.pod);
        let answer = match it.answer {
            ServerAnswer::Granted | ServerAnswer::NotAsked => "grants it".to_owned(),
            ServerAnswer::Refused => format!("refuses it for now: {}", message(it)),
            ServerAnswer::Fails => format!("fails: {}", message(it)),
            ServerAnswer::Gone => "has no such pod".to_owned(),
        };
        let foretold = match &it.foretold_reason {
            None => "granted",
            Some(reason) => reason,
        };
        let text = format!("differs for {name}: the server {answer}; foretold: {foretold}");
        note(Tone::Bad, "Server", text)
    }));
    let barred = nodes.server.iter();
    let barred = barred.filter(|it| it.answer == ServerAnswer::NotAsked && it.message.is_some());
    blocks.extend(barred.map(|it| {
        let text = format!(
            "not asked about the pods of {}: not allowed to evict them, even in a dry run (kubectl sts-plan rbac has the rule)",
            it.namespace
        );
        note(Tone::Busy, "Server", text)
    }));
    blocks
}

/// Maximum number of pods named for a flag, and of pods of other owners.
const MOST_PODS: usize = 6;

/// The kubectl command, with the reason for each flag that a pod needs.
fn command(nodes: &ReportNodes, kind: AdviceKind) -> Option<AnswerBlock> {
    if nodes.command.is_empty() {
        return None;
    }
    let needed = nodes.flags.iter().filter(|flag| !flag.pods.is_empty());
    let reasons = needed.map(|flag| {
        let pods = some(flag.pods.iter().map(ToString::to_string));
        format!("{}: {} ({pods})", flag.flag, flag.why)
    });
    let reasons: Vec<String> = reasons.collect();
    // The command is no advice if the drain does not complete, or takes the set down.
    let harms = |set: &NodesOfSet| {
        set.lowest_ready == 0
            || set.loses_quorum
            || !set.homeless.is_empty()
            || !set.uncertain.is_empty()
            || !set.preempting.is_empty()
            || !set.leaving_data.is_empty()
    };
    let is_sure = nodes.verdict == NodesVerdict::Ends && nodes.rests_on.is_empty();
    if !is_sure || nodes.sets.iter().any(harms) {
        let reasons = match reasons.is_empty() {
            true => String::new(),
            false => format!(" ({})", reasons.join("; ")),
        };
        let text = format!("{}{reasons}", nodes.command);
        return Some(note(Tone::Plain, "Command", text));
    }
    Some(AnswerBlock::Advice(Advice {
        effect: reasons.join("; "),
        ..Advice::commands(kind, std::slice::from_ref(&nodes.command))
    }))
}

/// Pods of other owners on the drained nodes.
fn other_pods(nodes: &ReportNodes) -> Option<AnswerBlock> {
    let pods = nodes.other_pods.iter().map(|pod| {
        let what = match (&pod.stranded, pod.at) {
            (Some(stranded), _) => stranded.message.clone(),
            (None, Some(at)) if at > 0 => format!("+{}", elapsed(at)),
            (None, _) => "now".to_owned(),
        };
        let stays = match (pod.comes_back, pod.at) {
            (false, Some(_)) => ", does not come back",
            _ => "",
        };
        let name = full_name(&pod.namespace, &pod.pod);
        format!("{name} ({}) {what}{stays}", pod.owner)
    });
    let lost = nodes.lost_pods.iter().map(|pod| {
        let name = full_name(&pod.namespace, &pod.pod);
        let what = match (pod.deleted_at, pod.comes_back) {
            (Some(at), true) => format!("replaced after {}", elapsed(at)),
            (Some(at), false) => format!("deleted after {}, does not come back", elapsed(at)),
            (None, _) => "never deleted or replaced".to_owned(),
        };
        format!("{name} ({}) down now, {what}", pod.owner)
    });
    let text = some(pods.chain(lost));
    (!text.is_empty()).then(|| note(Tone::Plain, "Other pods", text))
}

/// Joins the first items and counts the rest.
fn some(items: impl Iterator<Item = String>) -> String {
    list(&items.collect::<Vec<_>>(), MOST_PODS)
}

fn tone(nodes: &ReportNodes) -> Tone {
    let is_whole = nodes.sets.iter().all(|set| set.homeless.is_empty());
    match nodes.verdict {
        NodesVerdict::Hangs | NodesVerdict::Fails | NodesVerdict::Unknown => Tone::Bad,
        NodesVerdict::Ends | NodesVerdict::NoDrain if is_whole => Tone::Good,
        NodesVerdict::Ends | NodesVerdict::NoDrain => Tone::Busy,
    }
}

fn row(set: &NodesOfSet) -> AnswerRow {
    let tone = match (set.stranded.is_empty(), set.homeless.is_empty()) {
        (false, _) => Tone::Bad,
        (true, false) => Tone::Busy,
        (true, true) => Tone::Plain,
    };
    let cells = [
        full_name(&set.namespace, &set.name).into(),
        Cell::List(evictions(set), ", "),
        min_ready(set).into(),
        quorum(set.replicas, set.loses_quorum).unwrap_or("-").into(),
        Cell::List(stuck(set), "; "),
    ];
    AnswerRow::Cells(tone, cells.into())
}

fn min_ready(set: &NodesOfSet) -> String {
    format!("{} of {}", set.lowest_ready, set.replicas)
}

fn evictions(set: &NodesOfSet) -> Vec<String> {
    let evictions = set.evictions.iter().map(|eviction| {
        let pod = &eviction.pod;
        let forced = match eviction.forced {
            true => " (deleted despite its budget)",
            false => "",
        };
        match eviction.at {
            0 => format!("{pod} now{forced}"),
            at => format!("{pod} +{}{forced}", elapsed(at)),
        }
    });
    evictions.collect()
}

/// Returns the pods that stay, and those that do not come back.
fn stuck(set: &NodesOfSet) -> Vec<String> {
    let stranded = set.stranded.iter();
    let stranded = stranded.map(|one| format!("{}: {}", one.pod, one.message));
    let homeless = set.homeless.iter().map(|one| one.message.to_string());
    stranded.chain(homeless).collect()
}
