//! All mutants of a file at once, each behind a switch that is read when it is reached.
//!
//! Only insertions are made: the original code stays where it is, in the last branch, with the switches of what it contains.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::Result;
use crate::list::{Kind, Mutant};
use crate::sites::Sites;
use crate::text::bytes;

/// A file with its switches.
pub struct Woven {
    pub text: String,
    /// Which bytes are there for which mutants, to find those that an error of the compiler is about.
    regions: Vec<(Range<usize>, Vec<u32>)>,
}

impl Woven {
    /// The mutants of the smallest region around these bytes.
    pub fn at(&self, error: &Range<usize>) -> &[u32] {
        let around = |(region, _): &&(Range<usize>, _)| {
            region.start <= error.start && error.end <= region.end
        };
        let smallest = self
            .regions
            .iter()
            .filter(around)
            .min_by_key(|(region, _)| region.len());
        smallest.map_or(&[], |(_, ids)| ids)
    }
}

/// Where mutants go that have no switch.
#[derive(Debug, Default)]
pub struct Without {
    /// In what is computed while compiling.
    pub constant: BTreeSet<u32>,
    /// The change is no Rust: an operator of a chain with a `let`, an arm of a match that would lack it.
    pub unviable: BTreeSet<u32>,
}

/// How the changes of one place are put around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    /// `if on(1) { return changed; }` before it.
    Body,
    /// The items of the original, unless, and then those of the changed.
    Iterator,
    /// `(if on(1) { changed } else { original })`.
    Expression,
    /// A guard, or one more condition of a guard.
    ArmGuarded,
    ArmUnguarded,
}

struct Insertion {
    at: usize,
    /// At one place ends come before beginnings, inner ends and outer beginnings first.
    order: (bool, usize),
    text: String,
    /// The mutants of parts of the text.
    parts: Vec<(Range<usize>, u32)>,
    site: usize,
}

type SiteKey = (usize, std::cmp::Reverse<usize>, Around);

/// Weaves the mutants of one file, all but the dropped.
pub fn weave(
    source: &str,
    mutants: &[&Mutant],
    dropped: &BTreeSet<u32>,
    without: &mut Without,
) -> Result<Woven> {
    let sites = Sites::of(source)?;
    let mut by_site: BTreeMap<SiteKey, Vec<(u32, String)>> = BTreeMap::new();
    for mutant in mutants
        .iter()
        .filter(|mutant| !dropped.contains(&mutant.id))
    {
        let start = mutant.replaced.start;
        if sites.is_constant(&mutant.replaced) {
            without.constant.insert(mutant.id);
            continue;
        }
        let (around, range) = match mutant.kind {
            Kind::FunctionValue => (Around::Body, Some(mutant.replaced.clone())),
            Kind::IteratorValue => (Around::Iterator, Some(mutant.replaced.clone())),
            Kind::Guard => (Around::Expression, Some(mutant.replaced.clone())),
            Kind::Expression => (Around::Expression, sites.expressions.get(&start).cloned()),
            Kind::Arm => match sites.arms.get(&start) {
                Some(arm) => match &arm.guard {
                    Some(guard) => (Around::ArmGuarded, Some(guard.clone())),
                    None => (Around::ArmUnguarded, Some(arm.arrow..arm.arrow)),
                },
                None => (Around::ArmUnguarded, None),
            },
        };
        let Some(range) = range else {
            without.unviable.insert(mutant.id);
            continue;
        };
        let site = bytes(source, &range);
        let replaced = bytes(source, &mutant.replaced);
        let changed = match mutant.kind {
            Kind::Arm => String::new(),
            _ => format!(
                "{}{}{}",
                &source[site.start..replaced.start],
                mutant.replacement,
                &source[replaced.end..site.end]
            ),
        };
        // Such as `a as u32 < b`.
        if mutant.kind != Kind::Arm && syn::parse_str::<syn::Expr>(&changed).is_err() {
            without.unviable.insert(mutant.id);
            continue;
        }
        let key = (site.start, std::cmp::Reverse(site.end), around);
        by_site.entry(key).or_default().push((mutant.id, changed));
    }
    Ok(insert(source, &by_site))
}

fn insert(source: &str, by_site: &BTreeMap<SiteKey, Vec<(u32, String)>>) -> Woven {
    let mut insertions = Vec::new();
    // Sites come outer ones first, so their number is also how deep they are.
    for (site, ((start, end, around), changes)) in by_site.iter().enumerate() {
        let (before, parts, after) = texts(*around, changes);
        insertions.push(Insertion {
            at: *start,
            order: (true, site),
            text: before,
            parts,
            site,
        });
        let (text, parts) = (after, Vec::new());
        insertions.push(Insertion {
            at: end.0,
            order: (start == &end.0, usize::MAX - site),
            text,
            parts,
            site,
        });
    }
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    let mut woven = Woven {
        text: String::new(),
        regions: Vec::new(),
    };
    let mut begins = BTreeMap::new();
    let mut done = 0;
    for insertion in insertions {
        woven.text.push_str(&source[done..insertion.at]);
        done = insertion.at;
        let at = woven.text.len();
        woven.text.push_str(&insertion.text);
        let parts = insertion.parts.into_iter();
        woven
            .regions
            .extend(parts.map(|(part, id)| (at + part.start..at + part.end, vec![id])));
        match begins.remove(&insertion.site) {
            None => _ = begins.insert(insertion.site, at),
            Some(begin) => {
                let ids = by_site.values().nth(insertion.site).into_iter().flatten();
                woven
                    .regions
                    .push((begin..woven.text.len(), ids.map(|(id, _)| *id).collect()));
            }
        }
    }
    woven.text.push_str(&source[done..]);
    woven
}

/// What stands before the original, which parts of that are whose, and what stands after it.
fn texts(around: Around, changes: &[(u32, String)]) -> (String, Vec<(Range<usize>, u32)>, String) {
    let mut before = String::new();
    let mut parts = Vec::new();
    let any = |how: &str, between: &str| {
        let switches: Vec<String> = changes
            .iter()
            .map(|(id, _)| format!("{how}crate::mutant::on({id})"))
            .collect();
        switches.join(between)
    };
    match around {
        Around::Body | Around::Expression => {
            if around == Around::Expression {
                before.push('(');
            }
            for (id, changed) in changes {
                let start = before.len();
                let change = if around == Around::Body {
                    format!("return {changed};")
                } else {
                    changed.clone()
                };
                before.push_str(&format!("if crate::mutant::on({id}) {{ {change} }}"));
                parts.push((start..before.len(), *id));
                before.push_str(if around == Around::Body {
                    " "
                } else {
                    " else "
                });
            }
            if around == Around::Body {
                return (before, parts, String::new());
            }
            before.push_str("{ ");
            (before, parts, " })".to_owned())
        }
        Around::Iterator => {
            let before = format!("(if {} {{ None }} else {{ Some({{ ", any("", " || "));
            let mut after = " }) }).into_iter().flatten()".to_owned();
            for (id, changed) in changes {
                let change =
                    format!("if crate::mutant::on({id}) {{ Some({changed}) }} else {{ None }}");
                after.push_str(&format!(".chain(({change}).into_iter().flatten())"));
            }
            (before, parts, after)
        }
        Around::ArmGuarded => (format!("{} && (", any("!", " && ")), parts, ")".to_owned()),
        Around::ArmUnguarded => (format!("if {} ", any("!", " && ")), parts, String::new()),
    }
}
