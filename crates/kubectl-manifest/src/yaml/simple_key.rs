//! Keys without a `?`: where one may have begun, and whether it still can be one once its `:` is reached.

use super::Fault;
use super::scanner::Scanner;
use crate::error::Mark;

/// Maximum length of a key in characters, from its start to its `:`.
const MAX_KEY: u32 = 1024;

/// A place where a key may have begun.
#[derive(Clone, Copy)]
pub(super) struct SimpleKey {
    pub(super) possible: bool,
    /// Nothing but a key may stand here: the column is that of the keys of the mapping around it.
    pub(super) required: bool,
    /// The number of the token, counted from the start of the text.
    pub(super) token: usize,
    pub(super) at: Mark,
}

impl Scanner<'_> {
    /// Returns true while the key that may have begun at this flow level can be one: on one line, and not too long.
    pub(super) fn is_valid(&mut self, level: usize) -> Result<bool, Fault> {
        let (line, column) = (self.cursor.line, self.cursor.column);
        let key = &mut self.keys[level];
        if key.possible && (key.at.line < line || key.at.column + MAX_KEY < column) {
            if key.required {
                return Err(missing_colon(key.at));
            }
            key.possible = false;
        }
        Ok(self.keys[level].possible)
    }

    pub(super) fn save_key(&mut self) -> Result<(), Fault> {
        if self.key_allowed {
            let column = self.cursor.column;
            self.remove_key()?;
            let key = SimpleKey {
                possible: true,
                required: self.flow_level == 0 && self.indent == i64::from(column),
                token: self.taken + self.tokens.len(),
                at: self.cursor.mark(),
            };
            if let Some(last) = self.keys.last_mut() {
                *last = key;
            }
        }
        Ok(())
    }

    pub(super) fn remove_key(&mut self) -> Result<(), Fault> {
        if let Some(key) = self.keys.last_mut() {
            if key.possible && key.required {
                return Err(missing_colon(key.at));
            }
            key.possible = false;
        }
        Ok(())
    }
}

fn missing_colon(at: Mark) -> Fault {
    Fault {
        at,
        problem:
            "a key has no ':' after it: add one, or indent the line to continue the value above"
                .into(),
    }
}
