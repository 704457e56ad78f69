//! The color and the pattern of each revision.

use maud::{Markup, html};

/// Number of revisions with their own look; all others share one.
pub(super) const KINDS: usize = 4;

/// The revisions of a picture, the update revision first.
pub(in crate::output) struct Palette<'r> {
    revisions: &'r [String],
    /// The index of the picture, which makes its pattern ids unique within a document.
    index: usize,
}

impl<'r> Palette<'r> {
    pub(in crate::output) fn new(revisions: &'r [String], index: usize) -> Self {
        Palette { revisions, index }
    }

    /// Returns the number of places.
    pub(super) fn len(&self) -> usize {
        self.revisions.len().min(KINDS + 1)
    }

    /// Returns the place of a revision; the last place is shared.
    pub(in crate::output) fn place(&self, revision: &str) -> usize {
        let place = self.revisions.iter().position(|known| *known == revision);
        place.unwrap_or(KINDS).min(KINDS)
    }

    /// Returns the fill of a place's bars.
    pub(super) fn fill_at(&self, place: usize) -> String {
        format!("url(#p{}-{place})", self.index)
    }

    /// Renders the definitions of the patterns.
    pub(super) fn patterns(&self) -> Markup {
        html! {
            defs {
                @for place in 0..self.len() {
                    pattern id=(format!("p{}-{place}", self.index)) width="8" height="8"
                        patternUnits="userSpaceOnUse" {
                        rect width="8" height="8" class=(format!("r{place}")) {}
                        @match place {
                            0 => {}
                            1 => path .gap d="M-2 2 2-2M0 8 8 0M6 10 10 6" {},
                            2 => { circle .dot cx="2" cy="2" r="1.2" {} circle .dot cx="6" cy="6" r="1.2" {} }
                            3 => path .gap d="M0 2H8M0 6H8" {},
                            _ => path .gap d="M0 0 8 8M8 0 0 8" {},
                        }
                    }
                }
            }
        }
    }
}
