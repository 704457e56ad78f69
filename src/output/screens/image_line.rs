//! The input line for an image.

use ratatui_core::text::Line;

use super::Key;
use super::key_page::KeyPage;
use super::page::prose;
use super::theme::Theme;
use crate::output::keys::KeyScreen;
use crate::output::style::Tone;

/// The input of an image.
pub(super) struct ImageLine {
    pub(super) container: String,
    /// The current image of the container.
    before: String,
    typed: String,
}

/// The effect of a key on the input.
pub(super) enum Typing {
    Continues,
    /// The input ends, without an image if it is empty or canceled.
    Ends(Option<String>),
}

impl ImageLine {
    pub(super) fn new(container: String, before: String) -> Self {
        ImageLine {
            container,
            before,
            typed: String::new(),
        }
    }

    /// Handles a key.
    pub(super) fn key(&mut self, key: Key) -> Typing {
        match key {
            Key::Char(character) => self.typed.push(character),
            Key::Backspace => {
                self.typed.pop();
            }
            Key::Enter => return Typing::Ends(self.image()),
            Key::Escape => return Typing::Ends(None),
            _ => {}
        }
        Typing::Continues
    }

    /// Returns the entered image. Text without a registry, tag or digest is a tag of the current image.
    fn image(&self) -> Option<String> {
        let typed = self.typed.trim();
        if typed.is_empty() {
            return None;
        }
        let repository = repository(&self.before);
        Some(if typed.starts_with([':', '@']) {
            format!("{repository}{typed}")
        } else if repository.is_empty() || typed.contains(['/', ':', '@']) {
            typed.to_owned()
        } else {
            format!("{repository}:{typed}")
        })
    }

    /// Returns the input, the resulting image, and the keys.
    pub(super) fn lines(&self, theme: Theme, width: usize) -> Vec<Line<'static>> {
        let result = self.image().unwrap_or_else(|| self.before.clone());
        let text = format!("image of {}: {}_", self.container, self.typed);
        let mut lines = prose(&text, theme.tone(Tone::Strong), width);
        lines.extend(prose(
            &format!("= {result}"),
            theme.tone(Tone::Typed),
            width,
        ));
        lines.push(KeyPage::new(KeyScreen::Image).brief(|_| false, theme));
        lines
    }
}

/// Returns an image without its tag and digest.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    let name = image.rfind('/').map_or(0, |slash| slash + 1);
    let end = image[name..].rfind(':');
    end.map_or(image, |colon| &image[..name + colon])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_applies_to_the_current_image() {
        let nginx = "registry:5000/web/nginx:1.26@sha256:ab";
        for (before, typed, image) in [
            (nginx, "1.27", Some("registry:5000/web/nginx:1.27")),
            (nginx, ":1.27", Some("registry:5000/web/nginx:1.27")),
            (
                nginx,
                "@sha256:cd",
                Some("registry:5000/web/nginx@sha256:cd"),
            ),
            (nginx, "nginx:1.27", Some("nginx:1.27")),
            (nginx, "web/nginx", Some("web/nginx")),
            ("nginx", " 1 ", Some("nginx:1")),
            ("", "nginx", Some("nginx")),
            (nginx, " ", None),
        ] {
            let mut line = ImageLine::new("app".to_owned(), before.to_owned());
            for character in typed.chars() {
                line.key(Key::Char(character));
            }
            let Typing::Ends(found) = line.key(Key::Enter) else {
                panic!("Enter ends the line");
            };
            assert_eq!(found.as_deref(), image, "{typed}");
        }
    }
}
