//! Drained, cordoned and lost nodes: the answer, advice if the drain fails, and a row for each set.

use super::maintenance;
use super::{Block, Role, Scope, say};
use crate::output::advice::{Advice, Kind};
use crate::output::style::{Tone, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::{elapsed, full_name, or_dash};
use sts_plan::answer::quorum;
use sts_plan::report::{NodesOfSet, NodesVerdict, ReportNodes, ReportServerAnswer, ServerAnswer};

const COLUMNS: [Column; 5] = [
    Column::new("SET", ShrinkPriority::Never, Look::Name),
    Column::new("EVICTIONS", ShrinkPriority::Second, Look::Text),
    Column::new("MIN READY", ShrinkPriority::Never, Look::Text),
    Column::new("QUORUM", ShrinkPriority::Never, Look::Text),
    Column::new("STUCK", ShrinkPriority::First, Look::Text),
];

/// The answer for one set. Advice on lost nodes is part of its obstacles.
pub(super) fn of_set<'r>(nodes: &'r ReportNodes, scope: &Scope<'_>) -> Vec<Block<'r>> {
    if !nodes.each.is_empty() {
        let mut blocks = each(nodes, scope);
        blocks.extend(assumed(nodes));
        return blocks;
    }
    let mut blocks = match nodes.verdict {
        NodesVerdict::NoDrain => vec![headline(nodes)],
        _ => answer(nodes),
    };
    blocks.extend(maintenance::blocks(nodes, scope));
    for set in &nodes.sets {
        let [_, evictions, ready, quorum, stuck] = cells(set);
        let quorum = match quorum.as_str() {
            "-" => String::new(),
            quorum => format!(", quorum {quorum}"),
        };
        let evictions = match evictions.as_str() {
            "-" => String::new(),
            evictions => format!("{evictions}; "),
        };
        let text = format!("{evictions}min ready {ready}{quorum}");
        blocks.push(say(Role::Note, Tone::Plain, "Evictions", text));
        blocks.extend(notes(set));
        blocks.extend(for_good(set));
        if set.stranded.len() + set.homeless.len() > 1 {
            blocks.push(say(Role::Note, Tone::Busy, "Stuck", stuck));
        }
    }
    blocks
}

/// The assumptions about nodes.
fn assumed<'r>(nodes: &ReportNodes) -> Option<Block<'r>> {
    let text = nodes.assumed.join("; ");
    (!text.is_empty()).then(|| say(Role::Note, Tone::Plain, "Assumed", text))
}

const EACH_NODE: [Column; 4] = [
    Column::new("NODE", ShrinkPriority::Never, Look::Name),
    Column::new("DRAIN", ShrinkPriority::Never, Look::Text),
    Column::new("EVICTS", ShrinkPriority::Second, Look::Text),
    Column::new(
        "HELD BY, OR DOWN AFTERWARDS",
        ShrinkPriority::First,
        Look::Text,
    ),
];

/// Every node drained alone: a row each.
fn each<'r>(nodes: &'r ReportNodes, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let rows = nodes.each.iter().map(|row| {
        let at = elapsed(row.at);
        let (tone, drain) = match row.verdict {
            NodesVerdict::Ends if row.at == 0 => (Tone::Plain, "completes".to_owned()),
            NodesVerdict::Ends => (Tone::Plain, format!("completes after {at}")),
            NodesVerdict::Hangs => (Tone::Bad, "HANGS".to_owned()),
            NodesVerdict::Fails => (Tone::Bad, "FAILS".to_owned()),
            NodesVerdict::Unknown | NodesVerdict::NoDrain => (Tone::Busy, "unknown".to_owned()),
        };
        let held = row.held_by.iter().map(|held| escape(held).into_owned());
        let homeless = row
            .homeless
            .iter()
            .map(|pod| format!("{} does not come back", escape(pod)));
        let lost = row
            .loses_quorum
            .iter()
            .map(|set| format!("quorum lost: {}", escape(set)));
        let effects = some(held.chain(homeless).chain(lost));
        let cells = [
            escape(&row.node).into_owned(),
            drain,
            row.evicted.to_string(),
            or_dash(effects),
        ];
        Row::Cells(tone, cells.into())
    });
    let table = Table {
        title: "Each node drained alone",
        lines: scope.limits.lines,
        thing: "node",
        ..Table::new(EACH_NODE.to_vec(), rows.collect())
    };
    let names = nodes.each.iter().map(|row| row.node.as_str());
    vec![
        headline(nodes),
        Block::Table(table.within(scope.style, names, 0)),
    ]
}

/// The steps for local volumes on nodes that go for good. They lose data, so none of them is the first advice.
fn for_good<'r>(set: &'r NodesOfSet) -> impl Iterator<Item = Block<'r>> {
    set.for_good.iter().map(|advice| {
        Block::Advice(Advice {
            condition: advice.when.as_str().into(),
            risk: advice.risk.as_str().into(),
            effect: advice.effect.clone(),
            ..Advice::commands(Kind::OtherFix, &advice.commands, usize::MAX)
        })
    })
}

/// Notes on pods that do not come back as they were.
fn notes<'r>(set: &NodesOfSet) -> Vec<Block<'r>> {
    let note = |text: String| say(Role::Note, Tone::Busy, "Note", text);
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
    let unclear = unclear.map(|it| it.message.clone());
    let texts = updated.chain(returning).chain(unclear);
    texts.take(MOST_PODS).map(note).collect()
}

fn headline<'r>(nodes: &ReportNodes) -> Block<'r> {
    say(Role::Headline, tone(nodes), "", &nodes.summary)
}

/// The answer for several sets, and a row for each affected one.
pub(super) fn blocks<'r>(nodes: &'r ReportNodes, scope: &Scope<'_>) -> Vec<Block<'r>> {
    if !nodes.each.is_empty() {
        let mut blocks = each(nodes, scope);
        blocks.extend(assumed(nodes));
        return blocks;
    }
    let mut blocks = answer(nodes);
    blocks.extend(maintenance::blocks(nodes, scope));
    let affected = nodes.sets.iter().filter(|set| {
        !set.evictions.is_empty() || !set.stranded.is_empty() || !set.homeless.is_empty()
    });
    let rows: Vec<Row> = affected.map(row).collect();
    if !rows.is_empty() {
        let table = Table {
            title: "StatefulSets on these nodes",
            lines: scope.limits.lines,
            thing: "set",
            ..Table::new(COLUMNS.to_vec(), rows)
        };
        let names = nodes.sets.iter().map(|set| set.name.as_str());
        blocks.push(Block::Table(table.within(scope.style, names, 0)));
    }
    let notes = nodes.sets.iter().flat_map(notes);
    blocks.extend(notes.take(MOST_PODS));
    let for_good = nodes.sets.iter().flat_map(for_good);
    blocks.extend(for_good.take(MOST_PODS));
    blocks.extend(assumed(nodes));
    blocks
}

/// The answer, and advice if the drain fails.
fn answer<'r>(nodes: &'r ReportNodes) -> Vec<Block<'r>> {
    let mut blocks = vec![headline(nodes)];
    let mut kind = Kind::Fix;
    for advice in &nodes.advice {
        if advice.commands.is_empty() {
            blocks.push(say(Role::Note, Tone::Plain, "Note", &advice.when));
            continue;
        }
        blocks.push(Block::Advice(Advice {
            condition: advice.when.as_str().into(),
            risk: advice.risk.as_str().into(),
            effect: advice.effect.clone(),
            ..Advice::commands(kind, &advice.commands, usize::MAX)
        }));
        kind = Kind::OtherFix;
    }
    blocks.extend(server(nodes));
    blocks.extend(command(nodes, kind));
    blocks.extend(other_pods(nodes));
    blocks
}

/// The server's answers to dry runs: how many are as foretold, and the others.
fn server<'r>(nodes: &ReportNodes) -> Vec<Block<'r>> {
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
        blocks.push(say(Role::Note, Tone::Plain, "Server", text));
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
        let text = format!(
            "differs for {}: the server {answer}; foretold: {foretold}",
            escape(&name)
        );
        say(Role::Note, Tone::Bad, "Server", text)
    }));
    let barred = nodes.server.iter();
    let barred = barred.filter(|it| it.answer == ServerAnswer::NotAsked && it.message.is_some());
    blocks.extend(barred.map(|it| {
        let text = format!(
            "not asked about the pods of {}: not allowed to evict them, even in a dry run (kubectl sts-plan rbac has the rule)",
            escape(&it.namespace)
        );
        say(Role::Note, Tone::Busy, "Server", text)
    }));
    blocks
}

/// Maximum number of pods named for a flag, and of pods of other owners.
const MOST_PODS: usize = 6;

/// The kubectl command, with the reason for each flag that a pod needs.
fn command<'r>(nodes: &'r ReportNodes, kind: Kind) -> Option<Block<'r>> {
    if nodes.command.is_empty() {
        return None;
    }
    let needed = nodes.flags.iter().filter(|flag| !flag.pods.is_empty());
    let reasons = needed.map(|flag| {
        let pods = some(flag.pods.iter().map(|pod| escape(pod).into_owned()));
        format!("{}: {} ({pods})", flag.flag, flag.why)
    });
    let reasons: Vec<String> = reasons.collect();
    // The command is no advice if the drain does not complete, or takes the set down.
    let harms = |set: &NodesOfSet| {
        set.lowest_ready == 0
            || set.loses_quorum
            || !set.homeless.is_empty()
            || !set.uncertain.is_empty()
    };
    if nodes.verdict != NodesVerdict::Ends || nodes.sets.iter().any(harms) {
        let reasons = match reasons.is_empty() {
            true => String::new(),
            false => format!(" ({})", reasons.join("; ")),
        };
        let text = format!("{}{reasons}", nodes.command);
        return Some(say(Role::Note, Tone::Plain, "Command", text));
    }
    Some(Block::Advice(Advice {
        effect: reasons.join("; "),
        ..Advice::commands(kind, std::slice::from_ref(&nodes.command), usize::MAX)
    }))
}

/// Pods of other owners on the drained nodes.
fn other_pods<'r>(nodes: &'r ReportNodes) -> Option<Block<'r>> {
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
        format!(
            "{} ({}) {}{stays}",
            escape(&name),
            escape(&pod.owner),
            escape(&what)
        )
    });
    let text = some(pods);
    (!text.is_empty()).then(|| say(Role::Note, Tone::Plain, "Other pods", text))
}

/// Joins the first items and counts the rest.
fn some(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let shown = items.iter().take(MOST_PODS).cloned().collect::<Vec<_>>();
    match items.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn tone(nodes: &ReportNodes) -> Tone {
    let is_whole = nodes.sets.iter().all(|set| set.homeless.is_empty());
    match nodes.verdict {
        NodesVerdict::Hangs | NodesVerdict::Fails | NodesVerdict::Unknown => Tone::Bad,
        NodesVerdict::Ends | NodesVerdict::NoDrain if is_whole => Tone::Good,
        NodesVerdict::Ends | NodesVerdict::NoDrain => Tone::Busy,
    }
}

fn row(set: &NodesOfSet) -> Row {
    let tone = match (set.stranded.is_empty(), set.homeless.is_empty()) {
        (false, _) => Tone::Bad,
        (true, false) => Tone::Busy,
        (true, true) => Tone::Plain,
    };
    Row::Cells(tone, cells(set).into())
}

fn cells(set: &NodesOfSet) -> [String; 5] {
    let evictions = set.evictions.iter().map(|eviction| {
        let pod = escape(&eviction.pod);
        let forced = match eviction.forced {
            true => " (deleted despite its budget)",
            false => "",
        };
        match eviction.at {
            0 => format!("{pod} now{forced}"),
            at => format!("{pod} +{}{forced}", elapsed(at)),
        }
    });
    let evictions: Vec<String> = evictions.collect();
    let stuck = set.stranded.iter();
    let stuck = stuck.map(|one| format!("{}: {}", escape(&one.pod), escape(&one.message)));
    let homeless = set.homeless.iter();
    let homeless = homeless.map(|one| escape(&one.message).into_owned());
    let stuck: Vec<String> = stuck.chain(homeless).collect();
    [
        full_name(&set.namespace, &set.name),
        or_dash(evictions.join(", ")),
        format!("{} of {}", set.lowest_ready, set.replicas),
        quorum(set.replicas, set.loses_quorum).to_owned(),
        or_dash(stuck.join("; ")),
    ]
}
