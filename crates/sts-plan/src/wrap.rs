//! Wrapping of the texts of pages.

/// Wraps text at a hundred characters, with a margin. Lines that begin with a blank are unchanged.
pub(crate) fn paragraphs(text: &str) -> String {
    const WIDTH: usize = 100;
    let mut out = Vec::new();
    for paragraph in text.lines() {
        if paragraph.starts_with(' ') || paragraph.is_empty() {
            out.push(format!("  {paragraph}").trim_end().to_owned());
            continue;
        }
        let mut line = String::from(" ");
        for word in paragraph.split(' ') {
            if line.len() + word.len() + 1 > WIDTH && line.len() > 1 {
                out.push(std::mem::replace(&mut line, String::from(" ")));
            }
            line.push(' ');
            line.push_str(word);
        }
        out.push(line);
    }
    out.join("\n")
}
