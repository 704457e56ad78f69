//! Skips a plain object: validates its text without building anything. Anything that is not plain in the sense of
//! [`crate::plain::shape`] is left to the tree reader.

use super::cursor::Cursor;
use crate::plain;
use crate::value::DEEP;
use crate::words;

/// State for skipping consecutive objects.
#[derive(Default)]
pub(super) struct Skim<'a> {
    /// Enclosing collections.
    around: Vec<Open>,
    /// Keys of all open collections, as written.
    keys: Vec<&'a [u8]>,
}

/// A collection that is being skipped.
struct Open {
    /// Its closing bracket.
    end: u8,
    /// True while the keys are sorted, so that none is repeated.
    rises: bool,
    /// Index of its first key.
    keys: usize,
    /// First bytes of the last key.
    last: u64,
}

/// Type and end of an object.
pub(super) struct Skimmed<'a> {
    pub(super) kind: &'a str,
    pub(super) api_version: &'a str,
    pub(super) end: usize,
}

impl<'a> Skim<'a> {
    /// Skips a plain object that is not a list.
    pub(super) fn object(&mut self, text: &'a str, start: usize) -> Option<Skimmed<'a>> {
        let Skim { around, keys } = self;
        around.clear();
        keys.clear();
        let mut cursor = Cursor {
            text,
            offset: start,
        };
        let (mut kind, mut api_version) = (None, None);
        let mut open = Open {
            end: 0,
            rises: true,
            keys: 0,
            last: 0,
        };
        loop {
            match cursor.byte() {
                b'"' => {
                    let text = cursor.quoted()?;
                    if around.len() == 1 && !text.has_escapes {
                        match *keys.last()? {
                            b"kind" => kind = Some(text),
                            b"apiVersion" => api_version = Some(text),
                            _ => {}
                        }
                    }
                }
                bracket @ (b'{' | b'[') => {
                    (around.len() < DEEP).then_some(())?;
                    cursor.offset += 1;
                    cursor.blanks();
                    let end = if bracket == b'{' { b'}' } else { b']' };
                    if cursor.byte() == end && !around.is_empty() {
                        cursor.offset += 1;
                    } else {
                        let inner = Open {
                            end,
                            rises: true,
                            keys: keys.len(),
                            last: 0,
                        };
                        around.push(std::mem::replace(&mut open, inner));
                        if end == b'}' {
                            open.key(&mut cursor, keys, around.len())?;
                        }
                        continue;
                    }
                }
                first => {
                    let start = cursor.offset;
                    cursor.offset = cursor.end_of_bare()?;
                    let is_word = first.is_ascii_lowercase();
                    let text = text.get(start..cursor.offset)?;
                    (is_word || plain::is_plain_number(text)).then_some(())?;
                }
            }
            // Move to the next value, past closing brackets.
            while cursor.byte() != b',' {
                if cursor.byte() != open.end {
                    let end = cursor.after_blanks();
                    (end > cursor.offset).then_some(())?;
                    cursor.offset = end;
                    continue;
                }
                cursor.offset += 1;
                (open.rises || plain::are_unique(keys.get_mut(open.keys..)?)).then_some(())?;
                keys.truncate(open.keys);
                open = around.pop()?;
                if around.is_empty() {
                    return Some(Skimmed {
                        kind: cursor.raw(kind?)?,
                        api_version: cursor.raw(api_version?)?,
                        end: cursor.offset,
                    });
                }
            }
            cursor.offset += 1;
            cursor.blanks();
            if open.end == b'}' {
                open.key(&mut cursor, keys, around.len())?;
            }
        }
    }
}

impl Open {
    /// Reads a key, and moves to its value.
    #[inline(always)]
    fn key<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        keys: &mut Vec<&'a [u8]>,
        depth: usize,
    ) -> Option<()> {
        (cursor.byte() == b'"').then_some(())?;
        let quoted = cursor.quoted()?;
        let bytes = cursor.text.as_bytes();
        let key = bytes.get(quoted.start..quoted.end)?;
        (!quoted.has_escapes || is_written_in_one_way(key)).then_some(())?;
        // The other reader refuses a list within a list.
        (depth > 1 || key != b"items").then_some(())?;
        cursor.go_to_value()?;
        let start = words::start(bytes, quoted.start..quoted.end);
        if start <= self.last {
            let last = keys.get(self.keys..)?.last();
            self.rises &= start == self.last && last.is_none_or(|last| *last < key);
        }
        self.last = start;
        keys.push(key);
        Some(())
    }
}

/// Reports whether a key has only one spelling, so that it can be compared as written.
#[inline(never)]
fn is_written_in_one_way(key: &[u8]) -> bool {
    !key.windows(2).any(|pair| matches!(pair, b"\\u" | b"\\/"))
}

#[cfg(test)]
mod tests {
    use super::Skim;

    #[test]
    fn other_objects_are_left_to_the_tree_reader() {
        let skim = |members: &str| {
            let text = format!("{{\"kind\": \"A\", \"apiVersion\":\"v1\",\n{members}}} , ");
            let end = Skim::default().object(&text, 0)?.end;
            Some(end + 3 == text.len())
        };
        for members in [
            r#""a": {}, "b": [], "c": "é\n\"\/\u00e9", "d": [-1.5, 0, null, true, {"a": ""}]"#,
            r#""b": 1, "a": 2, "abcdefgh": 3, "abcdefghi": 4, "": 5"#,
            r#""k:{\"a\"}": 1, "k:{\"b\"}": {"a": 1, "kind": 2}, "items2": []"#,
        ] {
            assert_eq!(skim(members), Some(true), "{members}");
        }
        for members in [
            r#""a": 1, "a": 2"#,
            r#""b": 1, "a": 2, "b": 3"#,
            r#""a": [{"": 1, "": 2}]"#,
            r#""\u0061": 1"#,
            r#""a\/": 1"#,
            r#""items": []"#,
            r#""kind": "B""#,
            r#""a": 1e3"#,
            r#""a": 01"#,
            r#""a": nul"#,
            r#""a": [1 2]"#,
            r#""a": [1, ]"#,
            r#""a": [1}"#,
            r#""a": {"b"}"#,
            r#""a" 1"#,
            r#""a": "\x""#,
            r#""a": "\ud8""#,
            "\"a\": \"b\nn\"",
            "\"a\": \"b",
            "",
        ] {
            assert_eq!(skim(members), None, "{members}");
        }
        assert!(Skim::default().object(r#"{"kind": "A"}"#, 0).is_none());
        assert!(Skim::default().object("{}", 0).is_none());
    }
}
