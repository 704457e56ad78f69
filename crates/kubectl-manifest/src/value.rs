//! Converts a tree to a JSON value: resolves types, merges and aliases as go-yaml 2.4 does.
//!
//! The conversion has an explicit stack, since documents may be 10,000 levels deep. Dropping such a value must not
//! recurse either: see [`dismantle`].

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::error::{Fault, Mark};
use super::mapping::{Kind, Target, is_merge};
use super::scalar::{Scalar, scalar_at};
use super::tree::{Content, Tree};

/// Maximum depth of the JSON that kubectl creates from a document.
pub(super) const MAX_DEPTH: usize = 10_000;
/// Depth above which values are dropped without recursion, to limit the stack.
pub(super) const DEEP: usize = 100;
/// Approximate memory limit for aliases in a document, in bytes. It is some hundred times what an API server accepts;
/// kubectl only counts nodes, and runs out of memory on a long text with many aliases.
const MAX_COPIED: usize = 80 << 20;

/// Value of a document.
pub(super) struct Decoded {
    pub(super) value: Value,
    /// True if the value must be dropped with [`dismantle`].
    pub(super) deep: bool,
    /// Values that are not read as written: position in the document, and message.
    pub(super) surprises: Vec<(Mark, String)>,
}

/// Returns the value of the root of a tree.
pub(super) fn decode(tree: &Tree<'_>) -> Result<Decoded, Fault> {
    decode_at(tree, 0)
}

/// Returns the value of a node. If it is not the root, the document must have no aliases, since their limit applies
/// to the whole document.
pub(super) fn decode_at(tree: &Tree<'_>, root: usize) -> Result<Decoded, Fault> {
    let mut decoder = Decoder {
        tree,
        frames: Vec::new(),
        targets: Vec::new(),
        value: None,
        following: BTreeSet::new(),
        decoded: 1, // go-yaml counts the document itself.
        by_alias: 0,
        copied: 0,
        depth: 0,
        deepest: 0,
        surprises: Vec::new(),
    };
    let result = decoder.run(root);
    let deep = decoder.deepest > DEEP;
    match result {
        Ok(value) => Ok(Decoded {
            value,
            deep,
            surprises: decoder.surprises,
        }),
        Err(fault) => {
            if deep {
                decoder.dismantle();
            }
            Err(fault)
        }
    }
}

/// Drops a value of any depth without recursion.
pub(super) fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(entries) => left.extend(entries.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

/// A collection that is being converted.
pub(super) enum Frame {
    Sequence {
        next: usize,
        end: usize,
        items: Vec<Value>,
    },
    Mapping {
        next: usize,
        end: usize,
        /// Key whose value is being converted, and its position.
        key: Option<(String, Kind, Mark)>,
        /// True if the entries are merged into the enclosing mapping.
        merge: bool,
    },
    /// Remaining mappings of a merge; the next one is last.
    Merges(Vec<usize>),
    Alias(usize),
}

/// Converter of a tree.
pub(super) struct Decoder<'t, 'a> {
    pub(super) tree: &'t Tree<'a>,
    pub(super) frames: Vec<Frame>,
    targets: Vec<Target>,
    /// Last value, for the frame on top.
    value: Option<Value>,
    /// Aliases that are being resolved.
    pub(super) following: BTreeSet<usize>,
    decoded: u64,
    by_alias: u64,
    copied: usize,
    depth: usize,
    deepest: usize,
    pub(super) surprises: Vec<(Mark, String)>,
}

impl Decoder<'_, '_> {
    fn run(&mut self, root: usize) -> Result<Value, Fault> {
        self.enter(root, false)?;
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Sequence { next, end, items } => {
                    items.extend(self.value.take());
                    if next < end {
                        let child = *next;
                        *next = self.tree.end(child);
                        self.enter(child, false)?;
                    } else {
                        self.value = Some(Value::Array(std::mem::take(items)));
                        self.depth -= 1;
                        self.frames.pop();
                    }
                }
                Frame::Mapping {
                    next,
                    end,
                    key,
                    merge,
                } => {
                    let merge = *merge;
                    if let (Some(key), Some(value)) = (key.take(), self.value.take()) {
                        self.insert(key, value, merge);
                    } else if next < end {
                        let key = *next;
                        let value = self.tree.end(key);
                        *next = self.tree.end(value);
                        self.entry(key, value)?;
                    } else {
                        if !merge {
                            self.value = self
                                .targets
                                .pop()
                                .map(|target| Value::Object(target.entries));
                            self.depth -= 1;
                        }
                        self.frames.pop();
                    }
                }
                Frame::Merges(nodes) => match nodes.pop() {
                    Some(node) => self.merge_one(node)?,
                    None => {
                        self.frames.pop();
                    }
                },
                Frame::Alias(alias) => {
                    self.following.remove(alias);
                    self.frames.pop();
                }
            }
        }
        Ok(self.value.take().unwrap_or_default())
    }

    /// Starts to convert a node, or converts a scalar. A merge goes to the innermost target.
    fn enter(&mut self, mut node: usize, merge: bool) -> Result<(), Fault> {
        self.count(node)?;
        if let Content::Alias { name, target } = self.tree.nodes[node].content {
            if !self.following.insert(node) {
                return Err(self.fault(
                    node,
                    format!("the anchor &{name} contains itself: remove the alias *{name}"),
                ));
            }
            self.frames.push(Frame::Alias(node));
            node = target;
            self.count(node)?;
        }
        let (next, end) = (node + 1, self.tree.end(node));
        match &self.tree.nodes[node].content {
            Content::Sequence if !merge => {
                self.descend(node)?;
                self.frames.push(Frame::Sequence {
                    next,
                    end,
                    items: Vec::new(),
                });
            }
            Content::Mapping => {
                if !merge {
                    self.descend(node)?;
                    self.targets.push(Target::new(!self.following.is_empty()));
                }
                self.frames.push(Frame::Mapping {
                    next,
                    end,
                    key: None,
                    merge,
                });
            }
            _ if merge => {
                // Only reached by an alias whose anchor was redefined since.
                if scalar_at(self.tree, node)? != Scalar::Null {
                    return Err(self.fault(node, NO_MERGE));
                }
                if let Some(target) = self.targets.last_mut() {
                    target.entries.clear();
                }
            }
            _ => self.value = Some(self.scalar_value(node)?),
        }
        Ok(())
    }

    fn descend(&mut self, node: usize) -> Result<(), Fault> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > MAX_DEPTH {
            return Err(self.fault(node, format!("values nest deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    /// Counts a node, and refuses documents that consist mostly of aliases.
    pub(super) fn count(&mut self, node: usize) -> Result<(), Fault> {
        const FEW: u64 = 400_000;
        const MANY: u64 = 4_000_000;
        self.decoded += 1;
        if self.following.is_empty() {
            return Ok(());
        }
        self.by_alias += 1;
        self.copied += match &self.tree.nodes[node].content {
            Content::Scalar { text, .. } => 64 + text.len(),
            Content::Mapping => 700,
            _ => 64,
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "go-yaml computes the share in floats"
        )]
        let (share, allowed) = {
            let over = (self.decoded.clamp(FEW, MANY) - FEW) as f64 / (MANY - FEW) as f64;
            (
                self.by_alias as f64 / self.decoded as f64,
                0.99 - 0.89 * over,
            )
        };
        if self.by_alias > 100 && self.decoded > 1000 && share > allowed || self.copied > MAX_COPIED
        {
            return Err(self.fault(node, "excessive aliasing: write the values out"));
        }
        Ok(())
    }

    fn entry(&mut self, key: usize, value: usize) -> Result<(), Fault> {
        if is_merge(self.tree, key) {
            let at = self.tree.nodes[key].at;
            if let Some(target) = self.targets.last_mut() {
                target.merge_at = at;
            }
            return self.merge(value);
        }
        let (text, kind) = self.key(key)?;
        let at = self.tree.nodes[key].at;
        if let Some(Frame::Mapping { key, .. }) = self.frames.last_mut() {
            *key = Some((text, kind, at));
        }
        self.enter(value, false)
    }

    fn merge(&mut self, value: usize) -> Result<(), Fault> {
        if let Content::Sequence = self.tree.nodes[value].content {
            // Converted backwards, so that the first in the list wins; the last is on top of the stack.
            self.frames
                .push(Frame::Merges(self.tree.children(value).collect()));
            return Ok(());
        }
        self.merge_one(value)
    }

    fn merge_one(&mut self, node: usize) -> Result<(), Fault> {
        let checked = match self.tree.nodes[node].content {
            // go-yaml checks the final definition of the anchor, even if the alias refers to an earlier one.
            Content::Alias { name, target } => {
                self.tree.anchors.get(name).copied().unwrap_or(target)
            }
            _ => node,
        };
        match self.tree.nodes[checked].content {
            Content::Mapping => self.enter(node, true),
            _ => Err(self.fault(node, NO_MERGE)),
        }
    }

    fn insert(&mut self, (key, kind, at): (String, Kind, Mark), value: Value, merge: bool) {
        let Some(target) = self.targets.last_mut() else {
            return;
        };
        let Some(replaced) = target.insert((key, kind, at), value, merge) else {
            return;
        };
        self.surprises.extend(replaced.surprise);
        if self.deepest > DEEP {
            dismantle(replaced.value);
        }
    }

    pub(super) fn fault(&self, node: usize, problem: impl Into<Cow<'static, str>>) -> Fault {
        Fault {
            at: self.tree.nodes[node].at,
            problem: problem.into(),
        }
    }

    /// Drops partial results after an error.
    fn dismantle(&mut self) {
        for frame in self.frames.drain(..) {
            if let Frame::Sequence { items, .. } = frame {
                dismantle(Value::Array(items));
            }
        }
        for target in self.targets.drain(..) {
            dismantle(Value::Object(target.entries));
        }
        dismantle(self.value.take().unwrap_or_default());
    }
}

const NO_MERGE: &str =
    "a merge '<<' requires a mapping or a list of mappings: add one, or quote the '<<'";
