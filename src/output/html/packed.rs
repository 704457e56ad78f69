//! Compressed sections, which the script builds on demand, since a page may have thousands. A block has many sections: sets
//! of a fleet are similar and compress well together.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Minimum size of a block's text, which is still fast to unpack.
const BLOCK: usize = 1 << 20;
/// The separator of sections, which occurs in no page.
const BETWEEN: char = '\0';

/// Consecutive sections, packed.
pub(super) struct Block {
    /// The number of the first section.
    pub(super) first: usize,
    pub(super) count: usize,
    /// Base64 of gzip.
    pub(super) packed: String,
}

/// Packs sections, numbered from `first`, until the blocks would exceed `most` bytes.
pub(super) fn blocks(
    first: usize,
    sections: impl Iterator<Item = String>,
    most: usize,
) -> Vec<Block> {
    let mut sections = sections.peekable();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut next, mut size) = (first, 0);
    while sections.peek().is_some() {
        let mut text = String::new();
        let mut count = 0;
        while text.len() < BLOCK
            && let Some(section) = sections.next()
        {
            if count > 0 {
                text.push(BETWEEN);
            }
            text += &section;
            count += 1;
        }
        let Some(packed) = packed(&text).filter(|packed| size + packed.len() <= most) else {
            break;
        };
        size += packed.len();
        blocks.push(Block {
            first: next,
            count,
            packed,
        });
        next += count;
    }
    blocks
}

fn packed(text: &str) -> Option<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).ok()?;
    Some(STANDARD.encode(encoder.finish().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_without_gaps_and_bounded() {
        let sections = || (0..300).map(|at| format!("{at}{}", "x".repeat(10_000)));
        let all = blocks(25, sections(), usize::MAX);
        assert!(all.len() > 1);
        let mut next = 25;
        for block in &all {
            assert_eq!(block.first, next);
            next += block.count;
        }
        assert_eq!(next, 325);
        let some = blocks(25, sections(), all[0].packed.len());
        assert_eq!(some.len(), 1);
    }
}
