//! A document on a terminal: `-o table` and `-o wide` of one plan.

use std::borrow::Cow;
use std::io;

use super::advice::Advice;
use super::detail::{Detail, MOST_LINES};
use super::document::{self, Block, Field, Fields, Item, List, Part, Role, Scope, Sentence, Term};
use super::format::Format;
use super::limits::Limits;
use super::overview::{as_of, facts};
use super::sink::{Recorder, Terminal};
use super::style::{Style, Tone, escape};
use super::words::{flow, set_name, spaced, wrap_command};
use sts_plan::report::Report;

/// The column of the text below a command.
const INDENT: usize = 8;
/// The column of the text after a term.
const TERM: usize = 12;

/// Writes the screen of a plan. The wide format has a tree of objects, full names, and no truncated cells.
pub(super) fn render(report: &Report, format: Format, out: &mut Terminal<'_>) -> io::Result<()> {
    let is_wide = format == Format::Wide;
    let style = &Style {
        full_names: out.style.full_names || is_wide,
        whole_tables: out.style.whole_tables || is_wide,
        ..*out.style
    };
    whole(report, format, &mut out.with(style))
}

/// Writes all parts of a plan: the answer in as much detail as fits on a screen.
fn whole(report: &Report, format: Format, out: &mut Terminal<'_>) -> io::Result<()> {
    within((MOST_LINES, " (-v)"), format, out, &|limits, out| {
        title(report, out)?;
        part(report, Part::Answer, limits, out)
    })?;
    parts(report, &Part::ALL[1..], format, out)
}

/// Writes the answer of a plan in at most so many lines, without the evidence, which other views of the screen show.
pub(super) fn answer(
    report: &Report,
    lines: usize,
    has_fields: bool,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    within((lines, ""), Format::Table, out, &|limits, out| {
        let scope = Scope {
            limits: *limits,
            style: out.style,
        };
        let mut blocks = document::part(report, Part::Answer, &scope);
        blocks.retain(|block| match block {
            Block::Evidence(_) => false,
            Block::Fields(_) => has_fields,
            _ => true,
        });
        self::blocks(&blocks, out)
    })
}

/// Writes in as much detail as fits into so many lines, with the flag that shows the rest. Verbose output is complete.
fn within(
    (lines, flag): (usize, &str),
    format: Format,
    out: &mut Terminal<'_>,
    write: &dyn Fn(&Limits, &mut Terminal<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let limits = Limits::of(format, out.style);
    if limits.everything {
        return write(&limits, out);
    }
    let mut recorder = Recorder::default();
    for &detail in Detail::ALL {
        recorder = Recorder::default();
        let mut terminal = Terminal {
            style: out.style,
            sink: &mut recorder,
        };
        write(&Limits { detail, ..limits }, &mut terminal)?;
        if recorder.lines.len() <= lines {
            break;
        }
    }
    let all = recorder.lines.len();
    let shown = if all <= lines { all } else { lines - 1 };
    for line in recorder.lines.iter().take(shown) {
        let pieces: Vec<(Tone, &str)> = line.iter().map(|(tone, text)| (*tone, &**text)).collect();
        out.pieces(&pieces)?;
    }
    match all - shown {
        0 => Ok(()),
        more => out.line(
            Tone::Plain,
            &format!("  and {} more lines{flag}", spaced(more)),
        ),
    }
}

/// Writes some parts of a plan, with an empty line between two.
pub(super) fn parts(
    report: &Report,
    parts: &[Part],
    format: Format,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let limits = Limits::of(format, out.style);
    parts
        .iter()
        .try_for_each(|part| self::part(report, *part, &limits, out))
}

fn part(report: &Report, part: Part, limits: &Limits, out: &mut Terminal<'_>) -> io::Result<()> {
    let scope = Scope {
        limits: *limits,
        style: out.style,
    };
    match part {
        Part::Answer => blocks(&document::part(report, part, &scope), out),
        _ => groups(&document::groups(report, part, &scope), out),
    }
}

/// Writes groups of blocks, with an empty line before each.
pub(super) fn groups(groups: &[Vec<Block<'_>>], out: &mut Terminal<'_>) -> io::Result<()> {
    groups.iter().try_for_each(|group| {
        out.blank()?;
        blocks(group, out)
    })
}

/// Writes blocks, one below the other.
pub(super) fn blocks(blocks: &[Block<'_>], out: &mut Terminal<'_>) -> io::Result<()> {
    blocks.iter().try_for_each(|block| self::block(block, out))
}

/// Writes the name and the settings of the set.
fn title(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let name = set_name(&report.metadata);
    let facts = facts(report);
    let kubernetes = &report.kubernetes;
    let version = format!("Kubernetes {}", escape(&kubernetes.version));
    let source = format!("{version} ({})", kubernetes.source);
    let gates = kubernetes.feature_gates_set.iter();
    let gates: Vec<String> = gates
        .map(|(gate, value)| format!("{gate}={value}"))
        .collect();
    let (as_of, now) = (as_of(report), format!("as of {}", escape(&report.now)));
    let lines = |kind: &[&'static str], version: Option<&str>, as_of: Option<&str>| {
        let first = std::iter::once(name.as_str()).chain(kind.iter().copied());
        let facts = first.chain(facts.iter().map(String::as_str));
        let facts = facts
            .chain(version)
            .chain(gates.iter().map(String::as_str))
            .chain(as_of);
        flow(facts, "  ", "", style.width, 2)
    };
    // The least important fields are dropped first, so that the answer is in the second line.
    let mut choices = vec![
        lines(&["StatefulSet"], Some(&source), as_of.as_deref()),
        lines(&[], Some(&source), as_of.as_deref()),
        lines(&[], Some(&version), as_of.as_deref()),
    ];
    if as_of.is_some() {
        choices.push(lines(&[], None, as_of.as_deref()));
        choices.push(lines(&[], None, Some(&now)));
    }
    let fitting = choices.iter().find(|lines| lines.len() == 1);
    for line in fitting.or(choices.last()).into_iter().flatten() {
        match line.strip_prefix(&name) {
            Some(rest) => out.pieces(&[(Tone::Strong, &name), (Tone::Plain, rest)])?,
            None => out.line(Tone::Plain, line)?,
        }
    }
    Ok(())
}

pub(super) fn block(block: &Block<'_>, out: &mut Terminal<'_>) -> io::Result<()> {
    match block {
        Block::Sentence(sentence) => self::sentence(sentence, out),
        Block::Advice(advice) => self::advice(advice, out),
        Block::Evidence(facts) => self::evidence(facts, out),
        Block::Fields(fields) => self::fields(fields, out),
        Block::List(list) => self::list(list, out),
        Block::Terms(terms) => self::terms(terms, out),
        Block::Table(table) => table.write(out),
        Block::Runbook(stages) => super::runbook::on_screen(stages, out),
        Block::More(more, _) => {
            let text = format!("  and {} more (-o json)", spaced(*more));
            out.line(Tone::Plain, &text)
        }
    }
}

fn sentence(sentence: &Sentence, out: &mut Terminal<'_>) -> io::Result<()> {
    let text = escape(&sentence.text);
    let text = match sentence.label.as_str() {
        "" => text.into_owned(),
        label => format!("{label}: {text}"),
    };
    match sentence.role {
        Role::Further => out.prose(&format!("  and {text}"), sentence.tone, 4),
        Role::Note => out.prose(&format!("  {text}"), sentence.tone, INDENT),
        _ => out.prose(&text, sentence.tone, 2),
    }
}

/// Writes advice: condition, risk, commands, effect.
fn advice(advice: &Advice, out: &mut Terminal<'_>) -> io::Result<()> {
    let label = format!("{}:", advice.kind.label());
    let mut label = label.as_str();
    let conditions = [
        (Tone::Plain, "", &advice.condition),
        (Tone::Busy, "risk: ", &advice.risk),
    ];
    for (tone, word, text) in conditions {
        if !text.is_empty() {
            let text = format!("  {label:<5} {word}{}", escape(text));
            out.prose(&text, tone, INDENT)?;
            label = "";
        }
    }
    for command in &advice.commands {
        let command = format!("  {label:<5} {}", escape(command));
        for line in wrap_command(&command, out.style.width, INDENT) {
            // The label is as wide as the indent.
            let (label, typed) = line.split_at_checked(INDENT).unwrap_or(("", &line));
            out.pieces(&[(Tone::Plain, label), (Tone::Typed, typed)])?;
        }
        label = "";
    }
    let margin = " ".repeat(INDENT);
    if advice.left_out > 0 {
        let more = spaced(advice.left_out);
        let text = format!("{margin}and {more} more like these (-v)");
        out.line(Tone::Plain, &text)?;
    }
    match advice.effect.as_str() {
        "" => Ok(()),
        effect => out.prose(&format!("{margin}{}", escape(effect)), Tone::Plain, INDENT),
    }
}

/// Writes evidence: in one paragraph, or in a line each in verbose output.
fn evidence(facts: &[Cow<'_, str>], out: &mut Terminal<'_>) -> io::Result<()> {
    let facts = facts.iter().map(|fact| escape(fact));
    if out.style.verbose {
        for fact in facts {
            out.prose(&format!("  - {fact}"), Tone::Plain, 4)?;
        }
        return Ok(());
    }
    let text = format!("  Evidence: {}", facts.collect::<Vec<_>>().join("; "));
    out.prose(&text, Tone::Plain, INDENT)
}

/// Writes fields: differences in one line, changes in a line each.
fn fields(fields: &Fields, out: &mut Terminal<'_>) -> io::Result<()> {
    if fields.revisions.is_some() {
        return out.prose(&diff(fields), Tone::Plain, 2);
    }
    for field in &fields.fields {
        let text = match field.is_deleted {
            true => format!("{} {}", escape(&field.path), escape(&field.effect)),
            false if field.effect.is_empty() => values(field),
            false => format!("{} ({})", values(field), field.effect),
        };
        let tone = match (field.is_bad, field.is_deleted) {
            (true, _) => Tone::Bad,
            (_, true) => Tone::Busy,
            _ => Tone::Plain,
        };
        out.prose(&format!("{}: {text}", fields.title), tone, 2)?;
    }
    match fields.left_out {
        0 => Ok(()),
        more => {
            let text = format!("{}: {} more (-v)", fields.title, spaced(more));
            out.line(Tone::Plain, &text)
        }
    }
}

/// `containers[app].image web:1 -> web:2`.
pub(super) fn values(field: &Field) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
    let path = escape(&field.path);
    format!("{path} {} -> {}", value(&field.old), value(&field.new))
}

/// `Differs: containers[app].image web:1 -> web:2`.
fn diff(fields: &Fields) -> String {
    let mut parts: Vec<String> = fields.fields.iter().map(values).collect();
    match fields.left_out {
        0 => {}
        1 => parts.push("and 1 more field".to_owned()),
        more => parts.push(format!("and {} more fields", spaced(more))),
    }
    format!("{}: {}", fields.title, parts.join("; "))
}

fn list(list: &List, out: &mut Terminal<'_>) -> io::Result<()> {
    let is_titled = !list.label.is_empty();
    if is_titled {
        let text = format!("{}: {}", list.label, escape(&list.brief));
        out.prose(text.trim_end(), Tone::Faint, 2)?;
    }
    for (number, entry) in (1..).zip(&list.items) {
        match (list.numbered, is_titled) {
            (true, _) => {
                let text = format!("  {number:>2}. {}", item(entry));
                out.prose(&text, entry.tone, 6)?;
            }
            (false, true) => out.prose(&format!("  {}", item(entry)), entry.tone, 4)?,
            (false, false) => out.prose(&item(entry), entry.tone, 2)?,
        }
    }
    match list.left_out {
        0 => Ok(()),
        more => {
            let text = format!("      and {} more (-o json)", spaced(more));
            out.line(Tone::Plain, &text)
        }
    }
}

/// Writes labeled lines.
pub(super) fn terms(terms: &[Term], out: &mut Terminal<'_>) -> io::Result<()> {
    for term in terms {
        let label = match term.is_part {
            true => format!("  {}", term.label),
            false => term.label.to_owned(),
        };
        let text = format!("{label:TERM$}{}", escape(&term.text));
        out.prose(&text, term.tone, TERM)?;
    }
    Ok(())
}

/// Formats an entry in one line: `error STS003 pvc/data-web-2: the claim is deleted (URL)`.
pub(super) fn item(item: &Item) -> String {
    let mut text = String::new();
    if let Some((severity, id)) = &item.finding {
        text = format!("{severity} {id}");
        if !item.object.is_empty() {
            text.push_str(&format!(" {}", escape(&item.object)));
        }
        text.push_str(": ");
    }
    text.push_str(&escape(&item.text));
    if !item.more.is_empty() {
        text.push_str(&format!(" ({})", escape(&item.more)));
    }
    text
}
