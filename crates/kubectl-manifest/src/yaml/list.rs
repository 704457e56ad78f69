//! Items of a list, passed to a visitor while parsing.

use super::Fault;
use super::grammar::{Composer, State};
use crate::object::HEADER;
use crate::tree::{Content, stopped};

impl Composer<'_, '_> {
    /// Reports whether the collection at a node is the only list of items.
    pub(super) fn is_of_items(&self, index: usize, next: State) -> bool {
        let is_list = matches!(
            next,
            State::BlockSequence { .. } | State::IndentlessSequence
        );
        if !is_list || self.items.is_none() || self.list.is_some() || self.open != [0] {
            return false;
        }
        let Content::Mapping = self.tree.nodes[0].content else {
            return false;
        };
        let key = &self.tree.nodes[index - 1];
        let is_items = matches!(&key.content, Content::Scalar { text, .. } if text == "items");
        // The previous node may be the value of another key.
        let mut children = std::iter::successors(Some(1), |child| Some(self.tree.end(*child)));
        let at = children.position(|child| child >= index);
        is_items && key.tag.is_none() && at.is_some_and(|at| at % 2 == 1)
    }

    /// Skips the simple item after a dash of which only the location is needed.
    pub(super) fn pass_over_item(&mut self) -> bool {
        let Some(items) = &mut self.items else {
            return false;
        };
        if self.list.as_ref() != self.open.last() || !items.wants_places() {
            return false;
        }
        self.scanner.pass_over(|dash, cursor| {
            let start = cursor.mark();
            let mut lines = cursor.lines();
            let head = lines.item(dash, HEADER)?;
            let is_placed = items.place(&head, start, cursor.offset..lines.offset);
            is_placed.then_some((lines.offset, lines.line))
        })
    }

    /// Passes the last item of the list to the visitor, if any.
    pub(super) fn look_at_item(&mut self) -> Result<(), Fault> {
        let Some(list) = self.list.filter(|list| self.open.last() == Some(list)) else {
            return Ok(());
        };
        let node = list + 1;
        if self.tree.nodes.len() <= node {
            return Ok(());
        }
        let (_, end) = self.scanner.peek()?;
        let start = self.tree.nodes[node].at.offset as usize;
        let bytes = start..end.offset as usize;
        if let Some(items) = &mut self.items
            && !items.item(&self.tree, node, bytes)
        {
            return Err(stopped());
        }
        self.tree.truncate(node);
        Ok(())
    }
}
