//! Keys without a `?`: their possible starts, and checks when their `:` is reached.

use super::Fault;
use super::scanner::Scanner;
use crate::error::Mark;

/// Maximum length of a key in characters, from its start to its `:`.
const MAX_KEY: u32 = 1024;

/// Possible start of a key.
#[derive(Clone, Copy)]
pub(super) struct SimpleKey {
    pub(super) possible: bool,
    /// True if only a key can be here: it is in the column of the keys of the enclosing mapping.
    pub(super) required: bool,
    /// Number of the token, from the start of the text.
    pub(super) token: usize,
    pub(super) at: Mark,
}

impl Scanner<'_> {
    /// Reports whether the possible key at this flow level is still valid: on one line, and not too long.
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
        problem: "missing ':' after a key: add one, or indent the line to continue the value above"
            .into(),
    }
}
