//! Strings of the reader.

use std::borrow::Cow;

use super::lexical::{end_of_plain, escape, wide};
use super::reader::Reader;
use crate::error::Fault;

impl<'a> Reader<'a, '_> {
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.offset += 1;
        let mut start = self.offset;
        let mut text = Cow::Borrowed("");
        loop {
            let (end, ended_by) = end_of_plain(self.text.as_bytes(), self.offset);
            self.offset = end;
            let read = &self.text[start..self.offset];
            self.wide += wide(read);
            match ended_by {
                b'"' => {
                    self.offset += 1;
                    if text.is_empty() {
                        return Ok(Cow::Borrowed(read));
                    }
                    text.to_mut().push_str(read);
                    return Ok(text);
                }
                b'\\' => {
                    let (character, length) = escape(self.rest()).map_err(|(read, wanted)| {
                        self.offset += read;
                        self.unexpected(wanted)
                    })?;
                    let text = text.to_mut();
                    text.push_str(read);
                    text.push(character);
                    self.offset += length;
                    start = self.offset;
                }
                _ => return Err(self.unexpected("a closing double quote")),
            }
        }
    }
}
